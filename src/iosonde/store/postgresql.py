"""PostgreSQL, for teams that share one store."""

from __future__ import annotations

from importlib.util import find_spec

from sqlalchemy import create_engine, make_url

from iosonde.errors import UsageError
from iosonde.store.database import Database


def connect(place: str) -> Database:
    """The database at a `postgresql://` URL.

    Raises:
        UsageError: the driver is not installed.
    """
    if find_spec("psycopg") is None:
        raise UsageError(
            "PostgreSQL needs its driver",
            where="--store",
            hint="pip install 'iosonde[postgresql]'",
        )
    url = make_url(place).set(drivername="postgresql+psycopg")
    return Database(create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10}))
