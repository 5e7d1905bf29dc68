"""How long verbs end before their time, and which of what they left can be gone on with."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from iosonde.errors import UsageError

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


def to_resume(kept: Store, which: str | None, options: Sequence[str], *, campaign: bool) -> str:
    """The run, or campaign, that is to go on: the one that is named, else the last that stopped.

    Args:
        kept: where it is.
        which: its id; None: the last.
        options: names of those given that would change what was planned.
        campaign: whether it is a campaign.

    Raises:
        UsageError: there is none, or it would have to go on otherwise than it was planned.
    """
    what = "campaign" if campaign else "run"
    if options:
        raise UsageError(
            f"a resumed {what} goes on as it was planned, so it takes no other options",
            where=f"--{options[0]}",
        )
    found = which or _last_stopped(kept, campaign=campaign)
    if found is None:
        raise UsageError(f"no {what} is interrupted, so there is nothing to resume")
    return found


def _last_stopped(kept: Store, *, campaign: bool) -> str | None:
    """The newest run, or campaign, that did not come to its end; None: there is none."""
    from iosonde.records import RunState

    stopped = {RunState.INTERRUPTED, RunState.FAILED}
    some = (one.id for one in kept.runs() if one.state in stopped)
    return next((one for one in some if (kept.campaign(one) is not None) == campaign), None)
