"""Where runs are kept: SQLite by default, PostgreSQL by URL, the same code for both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.config import config_value
from iosonde.registry import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from iosonde.store.database import Database
    from iosonde.store.reading import QuickReader
    from iosonde.store.store import Store

STORES: Table[Callable[[str], Database]] = Table(
    "kind of store",
    {
        "sqlite": "iosonde.store.sqlite:connect",
        "postgresql": "iosonde.store.postgresql:connect",
    },
)


def has_store(place: str | None = None) -> bool:
    """Whether there may be a store at a place, as `open_store` takes it, which would make one."""
    where = _place(place)
    return "://" in where or Path(where).expanduser().exists()


def open_reader(place: str | None = None) -> QuickReader | None:
    """What reads the list of a store that is a file and at today's schema; None: it is not.

    Raises:
        UsageError, Refused: as `open_store`.
    """
    from iosonde.store.reading import QuickReader

    return QuickReader.of(_place(place))


def open_store(place: str | None = None, *, tell: Callable[[str], None] | None = None) -> Store:
    """The store at a path or URL, brought to today's schema.

    Args:
        place: a file's path, `sqlite:///PATH` or `postgresql://USER@HOST/DATABASE`; None: as
            `iosonde config` shows.
        tell: hears at once where the store had to be taken to another file, see `Store.rescued`.

    Raises:
        UsageError: the place is no file, or holds a newer schema than this iosonde knows.
        Refused: others may have put a link there.
        StoreFailed: it cannot be opened, or is no store.
    """
    from iosonde.store.sql import SqlStore

    where = _place(place)
    scheme = where.split(":", 1)[0].split("+")[0] if "://" in where else "sqlite"
    scheme = "postgresql" if scheme == "postgres" else scheme
    return SqlStore(STORES.load(scheme)(where), where, tell)


def _place(place: str | None) -> str:
    return place or str(config_value("store").value)
