"""Which of what verbs left, when they ended before their time, can be gone on with."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from iosonde.errors import UsageError
from iosonde.hosts.become import become_everywhere, becoming

if TYPE_CHECKING:
    from iosonde.records.run import Run
    from iosonde.store.store import Store


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
    run = which or _last_stopped(kept, campaign=campaign)
    if run is None:
        raise UsageError(f"no {what} is interrupted, so there is nothing to resume")
    return run


def _last_stopped(kept: Store, *, campaign: bool) -> str | None:
    """The newest run, or campaign, that did not come to its end; None: there is none."""
    from iosonde.records.run import RunState

    stopped = {RunState.INTERRUPTED, RunState.FAILED}
    some = (head.id for head in kept.heads() if head.state in stopped)
    return next((run for run in some if (kept.campaign(run) is not None) == campaign), None)


def become_again(run: Run | None) -> AbstractContextManager[None]:
    """A block in which root is become on hosts as when the run began; None: as it is now."""
    from iosonde.measure.plan import BECOME

    return becoming(str(run.plan.get(BECOME, "")) if run else "")


def become_option(run: Run | None) -> str:
    """What a command that the user is to type needs to become root as `run` did, or nothing."""
    with become_again(run):
        return "--become " if become_everywhere() else ""
