"""A directory on a host for loops' job files and outputs, and those that a killed one has left.

It is made once, in a place that is looked at first; each loop has a new one in it, so that nothing
of an earlier loop is taken for its own.

Its name says whose it is: the boot of the controller's machine, its PID namespace, the process and
its start (store/owner.py). Only who is in that namespace can look for the process. On the
controller's own machine, others, for example the host of a container, are told by a lock in it that
the controller holds as long as it lives. Elsewhere no process of ours is there to hold one, and
everybody else leaves the directory alone.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from iosonde import kerneltext
from iosonde.errors import IosondeError
from iosonde.hosts.cleaning import leaves, left_nothing, made, to_the_end
from iosonde.hosts.host import Completed, Host
from iosonde.hosts.private import temporary_directory
from iosonde.store.owner import hold_lock, lock_is_free, tag, tag_is_gone

Run = Callable[[Sequence[str]], Awaitable[Completed]]
_LOCK = ".owner"
_OURS = re.compile(r"iosonde\.([0-9a-f]{8}-\d+-\d+-\d+)\.[A-Za-z0-9]{10}")
_LIST = (
    'cd "${TMPDIR:-/tmp}" && pwd && find . -maxdepth 1 -type d -user "$(id -u)" -name "iosonde.*"'
)
_SWEEP = 'cd "${TMPDIR:-/tmp}" && rm -r -f -- "$@"'


@asynccontextmanager
async def workplace(host: Host) -> AsyncIterator[str]:
    """A new directory on the host, which only its user can enter; gone afterwards.

    Raises:
        Refused: $TMPDIR there is such that another user could put a directory in its place.
    """

    async def make() -> str:
        directory = await temporary_directory(host, f"iosonde.{tag()}")
        leaves(host.name, directory, _removal(directory))
        return directory

    async def remove(directory: str) -> None:
        for _ in range(2):  # what removes it may be killed, too
            with contextlib.suppress(Exception):
                await host.run(_removal(directory))
                left_nothing(host.name, directory)
                return

    directory = await made(make(), remove)
    lock: int | None = None
    try:
        if host.name == "local":
            lock = hold_lock(Path(directory) / _LOCK)
        yield directory
    finally:
        try:
            await to_the_end(remove(directory))
        finally:
            if lock is not None:
                os.close(lock)


@asynccontextmanager
async def loop_place(run: Run, directory: str) -> AsyncIterator[str]:
    """A new directory in a workplace, for one loop; gone afterwards.

    Args:
        run: runs a command on the host, as `Host.run`.
        directory: the workplace.
    """
    done = await run(["mktemp", "-d", "--", f"{directory}/XXXXXXXXXX"])
    place = kerneltext.decoded(done.stdout).removesuffix("\n")
    try:
        yield place
    finally:
        with contextlib.suppress(IosondeError):  # it goes with the workplace then
            await to_the_end(_ended(run(_removal(place))))


async def _ended(running: Awaitable[object]) -> None:
    await running


def _removal(directory: str) -> list[str]:
    return ["rm", "-r", "-f", "--", directory]


async def sweep(host: Host) -> tuple[str, ...]:
    """Take away what processes of this machine that are gone have left there; the names."""
    done = await host.run(["sh", "-c", _LIST], check=False)
    place, *lines = kerneltext.decoded(done.stdout).split("\n")
    left = [name for line in lines if _is_left(host, place, name := line.removeprefix("./"))]
    if left:
        await host.run(["sh", "-c", _SWEEP, "sh", *left], check=False)
    return tuple(left)


def _is_left(host: Host, place: str, name: str) -> bool:
    """Whether a name is that of a directory of ours whose owner has ended."""

    def let_go() -> bool:
        return host.name == "local" and lock_is_free(Path(place) / name / _LOCK)

    match = _OURS.fullmatch(name)
    return match is not None and tag_is_gone(match[1], let_go=let_go)
