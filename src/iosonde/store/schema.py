"""The tables, as today's code sees them. migrations/ holds how a store gets there."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Dialect,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
)
from sqlalchemy import Text as PlainText
from sqlalchemy.types import TypeDecorator

from iosonde.exact import restored, storable


class AnyText(TypeDecorator[str]):
    """Text of any origin: names may hold bytes that are no UTF-8, and NUL (`iosonde.exact`)."""

    impl = PlainText
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """As SQL takes it."""
        del dialect
        return None if value is None else storable(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """As it was."""
        del dialect
        return None if value is None else restored(value)


TABLES = MetaData()

RUNS = Table(
    "runs",
    TABLES,
    Column("id", AnyText, primary_key=True),
    Column("study", AnyText, nullable=False),
    Column("plan", AnyText, nullable=False),
    Column("created", Double, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("owner", AnyText, nullable=False),
    Column("name", AnyText, nullable=False, server_default=""),
    Index("runs_listed", "created", "id", "study", "state", "owner", "name"),
)

OUTLINES = Table(
    "outlines",
    TABLES,
    Column("run", AnyText, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("content", AnyText, nullable=False),
    Column("settings", LargeBinary),
)

TAGS = Table(
    "tags",
    TABLES,
    Column("run", AnyText, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("tag", AnyText, primary_key=True),
)

BASELINES = Table(
    "baselines",
    TABLES,
    Column("name", AnyText, primary_key=True),
    Column("run", AnyText, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
)

TRIALS = Table(
    "trials",
    TABLES,
    Column("run", AnyText, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("id", AnyText, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("host", AnyText, nullable=False),
    Column("probe", AnyText, nullable=False),
    Column("target", AnyText, nullable=False),
    Column("load", AnyText, nullable=False),
    Column("command", AnyText, nullable=False),
    Column("capture", LargeBinary),
    Column("flags", AnyText, nullable=False),
    Column("faults", AnyText, nullable=False),
    Column("origin", LargeBinary),
)

LOOPS = Table(
    "loops",
    TABLES,
    Column("run", AnyText, primary_key=True),
    Column("trial", AnyText, primary_key=True),
    Column("index", Integer, primary_key=True),
    Column("started", Double, nullable=False),
    Column("elapsed", Double, nullable=False),
    Column("result", LargeBinary, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Column("parser_version", Integer, nullable=False),
    Column("series", LargeBinary, nullable=False),
    Column("background", AnyText, nullable=False),
    ForeignKeyConstraint(["run", "trial"], ["trials.run", "trials.id"], ondelete="CASCADE"),
)

EVIDENCE = Table(
    "evidence",
    TABLES,
    Column("run", AnyText, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("kind", AnyText, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

CAMPAIGNS = Table(
    "campaigns",
    TABLES,
    Column("run", AnyText, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("kind", AnyText, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
