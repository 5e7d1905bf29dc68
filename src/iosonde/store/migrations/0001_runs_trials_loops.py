"""Runs, trials and loops."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("study", sa.Text, nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
    )
    op.create_table(
        "trials",
        sa.Column("run", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("probe", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("load", sa.Text, nullable=False),
        sa.Column("command", sa.Text, nullable=False),
        sa.Column("capture", sa.LargeBinary),
        sa.Column("flags", sa.Text, nullable=False),
        sa.Column("faults", sa.Text, nullable=False),
    )
    op.create_table(
        "loops",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("trial", sa.Text, primary_key=True),
        sa.Column("index", sa.Integer, primary_key=True),
        sa.Column("started", sa.Double, nullable=False),
        sa.Column("elapsed", sa.Double, nullable=False),
        sa.Column("result", sa.LargeBinary, nullable=False),
        sa.Column("raw", sa.LargeBinary, nullable=False),
        sa.Column("parser_version", sa.Integer, nullable=False),
        sa.Column("series", sa.LargeBinary, nullable=False),
        sa.Column("background", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["run", "trial"], ["trials.run", "trials.id"], ondelete="CASCADE"),
    )
