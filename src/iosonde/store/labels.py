"""Names and tags of runs in a store, and which run somebody means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select, update

from iosonde.errors import UsageError
from iosonde.store.naming import LAST
from iosonde.store.schema import RUNS, TAGS
from iosonde.store.store import NoSuchRun

_SEVERAL = 6  # candidates that a message lists
_RECENT = 500  # ids that a misspelt one is compared with


def find_run(connection: Connection, wanted: str, place: str) -> Row[tuple[object, ...]]:
    """The row of the run that is meant: by id, name, tag, the beginning of an id, or "last".

    Args:
        connection: to the store.
        wanted: as it was typed.
        place: of the store, for the message.

    Raises:
        UsageError: there is none, or there are several.
    """
    if wanted == LAST:
        newest = connection.execute(_newest_first().limit(1)).first()
        if newest is None:
            raise NoSuchRun(
                f"there is no run {LAST!r}", where=place, hint="the store has no runs yet"
            )
        return newest
    tagged = RUNS.c.id.in_(select(TAGS.c.run).where(TAGS.c.tag == wanted))
    ways: list[tuple[str, ColumnElement[bool]]] = [
        ("is the id of", RUNS.c.id == wanted),
        ("is the name of", RUNS.c.name == wanted),
        ("is a tag of", tagged),
        ("fits", RUNS.c.id.startswith(wanted, autoescape=True)),
    ]
    for relation, condition in ways if wanted else []:
        rows = connection.execute(_newest_first().where(condition)).all()
        if len(rows) == 1:
            return rows[0]
        if rows:
            raise UsageError(
                f"{wanted!r} {relation} several runs: {_listed(rows)}",
                hint="write the id of one of them",
            )
    raise NoSuchRun(f"there is no run {wanted!r}", where=place, hint=_hint(connection, wanted))


def tags_of(connection: Connection, run: str) -> tuple[str, ...]:
    """The tags of a run, sorted."""
    rows = connection.execute(select(TAGS.c.tag).where(TAGS.c.run == run).order_by(TAGS.c.tag))
    return tuple(row.tag for row in rows)


def add_tags(connection: Connection, run: str, tags: Iterable[str]) -> None:
    """Mark a run; tags that it has already are passed over."""
    there = set(tags_of(connection, run))
    if new := [tag for tag in dict.fromkeys(tags) if tag not in there]:
        connection.execute(insert(TAGS), [{"run": run, "tag": tag} for tag in new])


def remove_tags(connection: Connection, run: str, tags: Sequence[str]) -> None:
    """Take tags from a run.

    Raises:
        UsageError: it has no such tag.
    """
    there = tags_of(connection, run)
    for tag in tags:
        if tag not in there:
            raise UsageError(
                f"run {run} has no tag {tag!r}", hint=f"its tags: {', '.join(there) or 'none'}"
            )
    connection.execute(delete(TAGS).where(TAGS.c.run == run, TAGS.c.tag.in_(tags)))


def rename(connection: Connection, run: str, name: str) -> None:
    """Give a run a name; an empty one takes its name away.

    Raises:
        UsageError: another run has it.
    """
    require_free_name(connection, name, but=run)
    connection.execute(update(RUNS).where(RUNS.c.id == run).values(name=name))


def require_free_name(connection: Connection, name: str, *, but: str = "") -> None:
    """Refuse a name that another run is found by.

    Raises:
        UsageError: it is the name or the id of a run other than `but`.
    """
    if not name:
        return
    taken = (RUNS.c.name == name) | (RUNS.c.id == name)
    row = connection.execute(select(RUNS.c.id).where(taken, RUNS.c.id != but)).first()
    if row is not None:
        raise UsageError(
            f"the name {name!r} is taken by run {row.id}",
            hint=f"another name, or `iosonde tag {row.id} --name OTHER` first; several runs may "
            "share a --tag",
        )  # fmt: skip


def _newest_first() -> Any:
    return select(RUNS).order_by(RUNS.c.created.desc(), RUNS.c.id)


def _listed(rows: Sequence[Row[tuple[object, ...]]]) -> str:
    """`abc (name), def and 3 more`."""
    shown = [f"{row.id} ({row.name})" if row.name else str(row.id) for row in rows[:_SEVERAL]]
    more = len(rows) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _hint(connection: Connection, wanted: str) -> str:
    """What is called nearly so."""
    ids = select(RUNS.c.id).order_by(RUNS.c.created.desc()).limit(_RECENT)
    names = select(RUNS.c.name).where(RUNS.c.name != "")
    tags = select(TAGS.c.tag).distinct()
    pool = [text for query in (names, tags, ids) for (text,) in connection.execute(query)]
    near = get_close_matches(wanted, pool, n=1)
    return f"did you mean {near[0]!r}?" if near else "`iosonde list` shows them"
