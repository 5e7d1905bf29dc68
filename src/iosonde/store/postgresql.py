"""PostgreSQL, for teams that share one store."""

from __future__ import annotations

from sqlalchemy import create_engine, make_url

from iosonde.extras import require_extra
from iosonde.store.database import Database


def connect(place: str) -> Database:
    """The database at a `postgresql://` URL.

    Raises:
        UsageError: the driver is not installed.
    """
    require_extra("postgresql")
    url = make_url(place).set(drivername="postgresql+psycopg")
    return Database(create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10}))
