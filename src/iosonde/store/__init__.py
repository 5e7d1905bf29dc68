"""Where runs are kept: SQLite by default, PostgreSQL by URL, the same code for both."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine

    from iosonde.store.store import Store

STORES: Table[Callable[[str], Engine]] = Table(
    "kind of store",
    {
        "sqlite": "iosonde.store.sqlite:connect",
        "postgresql": "iosonde.store.postgresql:connect",
    },
)


def default_place() -> str:
    """IOSONDE_STORE, or store.sqlite in the XDG data directory (XDG Base Directory 0.8)."""
    if place := os.environ.get("IOSONDE_STORE"):
        return place
    home = os.environ.get("XDG_DATA_HOME") or str(Path("~/.local/share").expanduser())
    return str(Path(home) / "iosonde" / "store.sqlite")


def open_store(place: str | None = None) -> Store:
    """The store at a path or URL, brought to today's schema.

    Args:
        place: a file's path, `sqlite:///PATH` or `postgresql://USER@HOST/DATABASE`; None: the
            default place.

    Raises:
        UsageError: the place cannot be opened, or holds a newer schema than this iosonde knows.
    """
    from iosonde.store.sql import SqlStore

    where = place or default_place()
    scheme = where.split(":", 1)[0].split("+")[0] if "://" in where else "sqlite"
    scheme = "postgresql" if scheme == "postgres" else scheme
    return SqlStore(STORES.load(scheme)(where), where)
