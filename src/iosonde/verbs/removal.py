"""Which runs may be removed from the store, and which go?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from iosonde.contract import HIDDEN, NULL, VerbResult
from iosonde.errors import StoreFailed, UsageError
from iosonde.predict.calibrate import study_of
from iosonde.records.run import RunState
from iosonde.store import open_store
from iosonde.store.lines import outlined
from iosonde.verbs.selection import parse_filter, parse_moment

if TYPE_CHECKING:
    from iosonde.store.lines import RunLine
    from iosonde.store.store import Store


@dataclass(frozen=True, slots=True)
class RemovedRun:
    """A run that goes, or would go."""

    id: str
    name: str = field(metadata=NULL)
    study: str
    created: float
    state: RunState


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run that was meant too, and stays."""

    id: str
    name: str = field(metadata=NULL)
    reason: str


@dataclass(frozen=True, slots=True)
class RemovedRuns(VerbResult):
    """Runs that `rm` or `prune` removed, with their loops."""

    SCHEMA = "iosonde.rm/1"
    removed: bool
    """False: nothing was done yet."""
    runs: tuple[RemovedRun, ...]
    """The oldest first."""
    kept: tuple[KeptRun, ...]
    """Runs that are measured, or that another run refers to."""
    rescued: StoreFailed | None = field(metadata=HIDDEN)
    """Where the store had to be taken to another file: which, and why."""


def rm(*runs: str, store: str | None = None) -> RemovedRuns:
    """Remove runs with their loops: all of those named, or none.

    Args:
        runs: ids, names, tags that only one run has, or "last".
        store: a file or a PostgreSQL URL; None: the usual one.

    Raises:
        UsageError: there is no such run, it is being measured, or another run refers to it.
    """
    kept = open_store(store)
    try:
        heads = kept.heads()
        asked = {kept.find(run).id for run in runs}
        lines = [line for line in heads if line.id in asked]
        for run, reason in _reasons(kept, lines, heads).items():
            raise UsageError(
                f"run {run} {reason}, so nothing was removed",
                hint="leave it out, or remove what refers to it first",
            )
        return _remove(kept, lines, ())
    finally:
        kept.close()


def prune(
    *,
    older_than: str = "",
    keep: int = 0,
    states: Sequence[str] = (),
    filters: Sequence[str] = (),
    dry_run: bool = False,
    agreed: Callable[[RemovedRuns], bool] | None = None,
    store: str | None = None,
) -> RemovedRuns:
    """Remove old runs with their loops.

    A run goes where every condition that is given holds. One that is measured, one that another run
    refers to, and the newest calibration of a device stay.

    Args:
        older_than: an age such as "30d", or a date.
        keep: the newest so many runs of each study stay.
        states: only runs that are in one of them: finished, interrupted, failed.
        filters: as of `list_runs`.
        dry_run: find them, remove nothing.
        agreed: is shown what would go and says whether it does; None: it does.
        store: a file or a PostgreSQL URL; None: the usual one.

    Raises:
        UsageError: no condition is given, or one is wrong.
    """
    if not (older_than or keep or states or filters):
        raise UsageError(
            "say which runs may go", hint="iosonde prune --older-than 90d, --keep N, --state failed"
        )
    conditions = [parse_filter(text) for text in filters]
    if states:
        conditions.append(parse_filter(f"state={','.join(states)}"))
    before = parse_moment(older_than, where="--older-than") if older_than else None
    kept = open_store(store)
    try:
        heads = kept.heads()
        newest = _newest(heads, keep)
        meant = [
            line for line in heads
            if line.id not in newest and (before is None or line.created < before)
        ]  # fmt: skip
        if any(condition.asks_outline for condition in conditions):
            outlines = kept.outlines([line.id for line in meant])
            meant = list(outlined(meant, outlines))
        meant = [line for line in meant if all(condition.holds(line) for condition in conditions)]
        reasons = {
            **dict.fromkeys(_calibrations(heads), "is the newest calibration of its device"),
            **_reasons(kept, meant, heads),
        }  # fmt: skip
        stay = [
            KeptRun(line.id, line.name, reasons[line.id]) for line in meant if line.id in reasons
        ]
        go = [line for line in meant if line.id not in reasons]
        planned = _record(go, stay, removed=False)
        if dry_run or not go or (agreed and not agreed(planned)):
            return planned
        return _remove(kept, go, stay)
    finally:
        kept.close()


def _newest(heads: Sequence[RunLine], keep: int) -> set[str]:
    """The newest runs of each study; they come newest first."""
    counts: dict[str, int] = {}
    newest = set()
    for line in heads:
        counts[line.study] = counts.get(line.study, 0) + 1
        if counts[line.study] <= keep:
            newest.add(line.id)
    return newest


def _reasons(kept: Store, lines: Sequence[RunLine], heads: Sequence[RunLine]) -> dict[str, str]:
    """Why some of the runs stay, by their ids: they are measured, or others refer to them."""
    reasons = {line.id: "is being measured" for line in lines if line.state is RunState.RUNNING}
    baselines = {run: name for name, run in kept.baselines().items()}
    for line in lines:
        if line.id in baselines:
            reasons[line.id] = f"is the baseline {baselines[line.id]}"
    named = _calibrations(heads)
    for run, models in kept.forecast_models().items():
        for line in lines:
            names = {f"calibration:{name}" for name in (line.id, named.get(line.id)) if name}
            if run != line.id and names & models:
                reasons[line.id] = f"is the calibration that a forecast in run {run} rests on"
    return reasons


def _calibrations(heads: Sequence[RunLine]) -> dict[str, str]:
    """The name of each calibration that `predict` would take for it: the newest finished one."""
    of: dict[str, str] = {}
    prefix = study_of("")
    for line in heads:
        if line.study.startswith(prefix) and line.state is RunState.FINISHED:
            of.setdefault(line.study.removeprefix(prefix), line.id)
    return {run: name for name, run in of.items()}


def _record(lines: Sequence[RunLine], stay: Sequence[KeptRun], *, removed: bool) -> RemovedRuns:
    gone = tuple(
        RemovedRun(line.id, line.name, line.study, line.created, line.state)
        for line in sorted(lines, key=lambda line: line.created)
    )
    return RemovedRuns(removed=removed, runs=gone, kept=tuple(stay), rescued=None)


def _remove(kept: Store, lines: Sequence[RunLine], stay: Sequence[KeptRun]) -> RemovedRuns:
    kept.delete_all([line.id for line in lines])
    return replace(_record(lines, stay, removed=True), rescued=kept.rescued)
