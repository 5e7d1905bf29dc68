"""Whether a thing that a step makes is there, and how it is taken away."""

from __future__ import annotations

import asyncio
from enum import Enum

from iosonde.change.at_work import holding
from iosonde.change.journal import Made
from iosonde.errors import HostFailed
from iosonde.hosts.command import quote
from iosonde.hosts.host import Host
from iosonde.layers.step import Check, Command

_TRIES = 20
_PAUSE = 0.25  # seconds; udev opens a device for a moment whenever a writer closes it


class Standing(Enum):
    """What a check found."""

    ABSENT = "absent"
    THERE = "there"
    OTHER = "other"


async def standing(host: Host, check: Check) -> Standing:
    """Whether it is there, and as declared."""
    return (await seen(host, check))[0]


async def seen(host: Host, check: Check) -> tuple[Standing, str]:
    """Whether it is there, and what the check printed, its blanks counted as one.

    Raises:
        CommandTimeout: the check did not end.
    """
    done = await host.run(check.argv, timeout=check.timeout, check=False)
    return judged(check, done.status, done.stdout)


def judged(check: Check, status: int, stdout: bytes) -> tuple[Standing, str]:
    """What a check's status and output mean, and the output, its blanks counted as one."""
    if status != 0:
        return Standing.ABSENT, ""
    told = _words(stdout.decode(errors="replace"))
    there = all(_words(text) in told for text in check.shows)
    return (Standing.THERE if there else Standing.OTHER), told


def _words(text: str) -> str:
    return " ".join(text.split())


async def undo(host: Host, made: Made, lock: str, *, half: bool = False) -> None:
    """Take away what a step made; harmless where it is gone already.

    Args:
        host: where.
        made: the step's record.
        lock: held by its commands.
        half: it may be half made, so that each command may fail.

    Raises:
        HostFailed: it is still there.
    """
    if not half and await standing(host, made.there) is Standing.ABSENT:
        return
    for command in made.undo:
        await _patiently(host, command, lock, may_fail=half or command.may_fail)
    if not made.undo:
        return
    for _ in range(_TRIES):
        if await standing(host, made.there) is Standing.ABSENT:
            return
        await asyncio.sleep(_PAUSE)
    raise HostFailed(
        f"could not undo: {made.does}; it is still there",
        where=host.name,
        hint=f"to finish by hand: {'; '.join(quote(one.argv) for one in made.undo)}",
    )


async def _patiently(host: Host, command: Command, lock: str, *, may_fail: bool) -> None:
    """A command that fails while a device is busy is tried again for a moment."""
    argv = holding(lock, command.argv)
    for left in reversed(range(_TRIES)):
        done = await host.run(
            argv, stdin=command.stdin.encode(), timeout=command.timeout, check=False
        )
        if done.status == 0 or may_fail:
            return
        if left == 0:
            said = done.stderr.decode(errors="replace").strip() or f"status {done.status}"
            raise HostFailed(
                f"{quote(command.argv)} failed: {said.splitlines()[-1]}", where=host.name
            )
        await asyncio.sleep(_PAUSE)
