"""What a run reports while it goes on: one type of event, and whoever wants to know takes it.

The command line draws the events (cli/progress.py), tests collect them, and `progress=print` shows
them in a notebook. They come in the order in which things happen; whoever takes one must not block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iosonde.records.run import Loop


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """Something happened; its class says what."""


Progress = Callable[[ProgressEvent], None]
"""Whoever watches."""


def unwatched(event: ProgressEvent) -> None:
    """The progress of what nobody watches."""
    del event


@dataclass(frozen=True, slots=True)
class HeadlineSoFar:
    """The metric that stands for a trial, over its loops so far.

    Args:
        metric: its name; empty where the load gives none.
        unit: as records carry it.
        loops: number of loops.
        mean: over them, in the unit.
        halfwidth: of the mean's 95 % interval, as a fraction of the mean; None: not known.
        recent: the figures of the last loops, the newest last.
    """

    metric: str
    unit: str
    loops: int
    mean: float
    halfwidth: float | None
    recent: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RunStarted(ProgressEvent):
    """A run begins or goes on.

    Args:
        run: its id.
        trials: how many it has.
        loops: of each trial; None: as many as a rule asks for.
    """

    run: str
    trials: int
    loops: int | None


@dataclass(frozen=True, slots=True)
class TimeLeft(ProgressEvent):
    """When the run should be over.

    Args:
        spent: seconds of loops that lie behind.
        left: seconds from now on; None: not known yet.
        at_most: it may be over earlier.
    """

    spent: float
    left: float | None
    at_most: bool = False


@dataclass(frozen=True, slots=True)
class TrialPreparing(ProgressEvent):
    """Something is done before the loops of a trial: "laying out 2 GiB"."""

    trial: str
    what: str


@dataclass(frozen=True, slots=True)
class TrialReady(ProgressEvent):
    """A trial can begin; the command of its load."""

    trial: str
    command: str


@dataclass(frozen=True, slots=True)
class LoopStarted(ProgressEvent):
    """A loop begins.

    Args:
        trial: id of its trial.
        index: its number, from 0; −1: its figures will be discarded.
        seconds: how long it should take; None: not known.
    """

    trial: str
    index: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class DeviceActivity(ProgressEvent):
    """What the device below a trial did in the last second.

    Args:
        trial: id of the trial.
        device: its kernel name; empty: there is none.
        iops: I/Os a second; None: not known yet.
        bandwidth: bytes a second; None: not known yet.
        background: what else goes on there: "md0: resync 12.6 %".
    """

    trial: str
    device: str
    iops: float | None
    bandwidth: float | None
    background: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoopFinished(ProgressEvent):
    """A loop is finished and stored; its trial so far."""

    trial: str
    loop: Loop
    so_far: HeadlineSoFar


@dataclass(frozen=True, slots=True)
class RunWarning(ProgressEvent):
    """Something the user should know, though the run goes on."""

    trial: str
    sentence: str
