"""Whether hosts over ssh are reached as a plain user who becomes root by sudo (`--become`)."""

from __future__ import annotations

PREFIX = "sudo:"
"""Begins the address of one host that is reached so."""

_become = False


def set_become(on: bool) -> None:
    """Become root by sudo on every host over ssh that is opened from now on (`--become`)."""
    global _become  # noqa: PLW0603 - one switch for the whole process, set once by the command line
    _become = on


def becomes(address: str) -> bool:
    """Whether root is become on the host of an address, which ssh reaches."""
    return _become or address.startswith(PREFIX)
