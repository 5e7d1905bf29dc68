"""How root is become on hosts over ssh where only a plain user can log in: by sudo, or by doas."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

WAYS = ("sudo", "doas")
"""Programs that make root; each, with a colon, begins the address of a host reached so."""

_way = ""


def set_become(on: bool) -> None:
    """Become root by sudo on every host over ssh that is opened from now on (`--become`)."""
    global _way  # noqa: PLW0603 - one switch for the whole process, set once by the command line
    _way = WAYS[0] if on else ""


def become_everywhere() -> str:
    """What makes root on every host over ssh; empty: only where an address says so."""
    return _way


@contextmanager
def becoming(way: str) -> Iterator[None]:
    """As long as the block lasts, what makes root on every host over ssh; empty: as before it."""
    global _way  # noqa: PLW0603 - see set_become
    before = _way
    _way = way or before
    try:
        yield
    finally:
        _way = before


def becomes(address: str) -> str:
    """What makes root on the host of an address, which ssh reaches; empty: nothing."""
    return _prefix(address) or _way


def without_way(address: str) -> str:
    """An address as ssh reaches it."""
    way = _prefix(address)
    return address.removeprefix(f"{way}:") if way else address


def _prefix(address: str) -> str:
    return next((way for way in WAYS if address.startswith(f"{way}:")), "")
