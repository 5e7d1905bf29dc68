"""Cleaning that goes on to its end whatever asks it to stop, and what would be left without it.

Ctrl-C cancels the task that works. What cleans up after it must not be cancelled too: neither by a
signal that comes while it cleans, nor when the first one comes while it cleans anyway. So whatever
makes something that is to be taken away makes it by `made`, takes it away by `to_the_end`, and says
by `leaves` what stays on the host until then.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from iosonde.hosts.command import quote

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something on a host that is to be taken away: what, where, and the command that does it."""

    what: str
    host: str
    command: str

    def __str__(self) -> str:
        place = "" if self.host == "local" else f" on {self.host}"
        return f"{self.what}{place}: {self.command}"


_left: dict[tuple[str, str], Leftover] = {}


def leaves(host: str, what: str, command: Sequence[str]) -> None:
    """From now on `what` stays on the host if iosonde ends at once; `command` takes it away there.

    Args:
        host: name of the host.
        what: the thing and its path, such as "the directory /tmp/iosonde.x".
        command: argument list.
    """
    _left[host, what] = Leftover(what, host, quote(command))


def left_nothing(host: str, what: str) -> None:
    """It is taken away, or never was there."""
    _left.pop((host, what), None)


def leftovers() -> tuple[Leftover, ...]:
    """What would stay if iosonde ended now, the oldest first."""
    return tuple(_left.values())


async def to_the_end(cleaning: Coroutine[Any, Any, T]) -> T:
    """Run something to its end, also where the caller is cancelled meanwhile.

    Returns:
        what it returns.

    Raises:
        asyncio.CancelledError: the caller was cancelled meanwhile; raised when all is done.
        Exception: what it raises, unless the caller was cancelled.
    """
    task = asyncio.ensure_future(cleaning)
    cancelled = await _until_done(task)
    if cancelled and not task.cancelled():
        task.exception()  # who cancels is to hear of nothing else
        raise asyncio.CancelledError
    return task.result()


async def made(making: Coroutine[Any, Any, T], undo: Callable[[T], Awaitable[object]]) -> T:
    """Make something to its end; where the caller is cancelled meanwhile, it is undone at once.

    Args:
        making: makes it; where that fails, nothing was made.
        undo: takes it away; its failure is not told.

    Raises:
        asyncio.CancelledError: the caller was cancelled meanwhile; nothing is left.
        Exception: what `making` raises.
    """
    task = asyncio.ensure_future(making)
    if await _until_done(task) and not task.cancelled():
        if task.exception() is None:
            with contextlib.suppress(Exception):
                await to_the_end(_awaited(undo(task.result())))
        raise asyncio.CancelledError
    return task.result()


async def _awaited(what: Awaitable[object]) -> None:
    await what


async def _until_done(task: asyncio.Future[Any]) -> bool:
    """Wait for a task, which is not cancelled; whether the caller was meanwhile."""
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    return cancelled


def require_not_cancelled() -> None:
    """End here if the task was asked to end and somebody on the way has swallowed that.

    asyncio.wait_for of Python 3.11 returns the result where what it waits for ends in the same turn
    of the loop as it is cancelled (Lib/asyncio/tasks.py).

    Raises:
        asyncio.CancelledError: it was.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
