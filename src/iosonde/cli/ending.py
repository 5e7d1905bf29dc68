"""How long verbs end before their time, and which of what they left can be gone on with."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from iosonde.store.store import Store

T = TypeVar("T")


async def until_signal(running: Coroutine[Any, Any, T]) -> T:
    """A terminal that closes and a polite kill end it as Ctrl-C does."""
    task = asyncio.ensure_future(running)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    return await task


def last_stopped(kept: Store, *, campaign: bool) -> str | None:
    """The newest run, or campaign, that did not come to its end; None: there is none."""
    from iosonde.records import RunState

    stopped = {RunState.INTERRUPTED, RunState.FAILED}
    some = (one.id for one in kept.runs() if one.state in stopped)
    return next((one for one in some if (kept.campaign(one) is not None) == campaign), None)
