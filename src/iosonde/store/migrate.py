"""Brings a store to today's schema, whichever version wrote it. Alembic, without its env.py."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from iosonde.errors import UsageError
from iosonde.store.database import HEAD

_PLACE = Path(__file__).with_name("migrations")
_LOCK = 0x10_50_7D_E0  # any fixed number: PostgreSQL's advisory lock during the upgrade


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def upgrade(engine: Engine, place: str) -> None:
    """Bring the store behind `engine` to HEAD; a store that is there already costs one query.

    Raises:
        UsageError: a newer iosonde wrote it.
    """
    with engine.connect() as connection:
        version = _version(connection)
    if version == HEAD:
        return
    if version is not None and version > HEAD:
        raise UsageError(
            f"the store has schema {version}, this iosonde knows up to {HEAD}",
            where=place,
            hint="use the newer iosonde that wrote it, or another --store",
        )
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        if _version(connection) != HEAD:  # another process may have been faster
            _run(connection)


def _run(connection: Connection) -> None:
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    script = ScriptDirectory(str(_PLACE), version_locations=[str(_PLACE)])
    environment = EnvironmentContext(
        Config(), script, fn=lambda revision, _context: script._upgrade_revs("head", revision)
    )
    with environment:
        environment.configure(connection=connection)
        environment.run_migrations()
