"""How fast is a device?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from iosonde.change.guard import parse_destroy
from iosonde.contract import ABSENT, HIDDEN, VerbResult
from iosonde.errors import LoadFailed, StoreFailed, UsageError
from iosonde.measure.plan import Plan, make_plan
from iosonde.measure.progress import Progress, unwatched
from iosonde.measure.run import run_plan
from iosonde.measure.study import Study, probe_point
from iosonde.predict.calibrate import LOOPS, CalibrationPoint, loads, points, seconds_of, study_of
from iosonde.predict.service.measured import of_points
from iosonde.stack.declare import check_declaration
from iosonde.store import open_store
from iosonde.verbs.run import ignore, target_of
from iosonde.verbs.signals import run_async

_TOTAL = 110.0  # seconds of load; with the start of each fio about two minutes
_SIZE = "256 MiB"
_SOME: Mapping[str, object] = {"schema": {"minimum": 1}}
_POSITIVE: Mapping[str, object] = {"schema": {"minimum": 0}}


@dataclass(frozen=True, slots=True)
class CalibratedPoint:
    """What was measured with one size and depth."""

    direction: Literal["read", "write"]
    pattern: Literal["random", "sequential"]
    size: int = field(metadata=_SOME)
    depth: int = field(metadata=_SOME)
    iops: float = field(metadata=_POSITIVE)
    bandwidth: float = field(metadata=_POSITIVE)
    latency_mean: float = field(metadata=_POSITIVE)
    spread: float = field(metadata=_POSITIVE)
    """Standard error of the rate as a fraction of it."""

    @classmethod
    def of(cls, point: CalibrationPoint) -> CalibratedPoint:
        """With the figures that follow from its rate."""
        return cls(
            "write" if point.write else "read", "random" if point.random else "sequential",
            point.size, point.depth, point.iops, point.iops * point.size,
            point.depth / point.iops, point.spread,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Calibration(VerbResult):
    """How long a device takes, measured; of a dry run the loads alone.

    Sizes in bytes, rates in 1/s and bytes/s, times in seconds; shares as fractions.
    """

    SCHEMA = "iosonde.calibrate/1"
    KEYWORDS: ClassVar[Mapping[str, Any]] = {
        "oneOf": [{"required": ["loads"]}, {"required": ["run", "points", "off"]}]
    }
    name: str
    loads: tuple[str, ...] | None = field(default=None, metadata=ABSENT)
    run: str | None = field(default=None, metadata=ABSENT)
    """The run that holds the loops."""
    points: tuple[CalibratedPoint, ...] | None = field(default=None, metadata=ABSENT)
    off: float | None = field(default=None, metadata={**ABSENT, **_POSITIVE})
    """Standard deviation of the logarithm of a predicted time: of interpolation between points and
    of loops."""
    rescued: StoreFailed | None = field(default=None, metadata=HIDDEN)
    """Why the store had to be taken to another file, and which."""


def calibrate(
    target: str,
    *,
    name: str = "",
    writes: bool = False,
    destroy: Sequence[str] = (),
    in_container: bool = False,
    seconds: float | None = None,
    size: str = _SIZE,
    store: str | None = None,
    dry_run: bool = False,
    progress: Progress = unwatched,
    tell: Callable[[str], None] = ignore,
) -> Calibration:
    """Measure how long a device takes: random and sequential, sizes, depths; reads unless asked.

    Args:
        target: a device, or a directory for a scratch file; HOST:/PATH.
        name: for "calibration:NAME" as a model of `predict`; empty: the target.
        writes: measure writes too, which destroy what is on the device.
        destroy: the device whose content may be destroyed.
        in_container: write to devices in a container too.
        seconds: of one loop; None: so that all together take two minutes.
        size: of a scratch file.
        store: a file or a PostgreSQL URL; None: the usual one.
        dry_run: name the loads; run nothing.
        progress: hears of each loop.
        tell: hears at once, as a sentence, what happens to the store.

    Raises:
        UsageError: target, name or size cannot be.
        Refused, HostFailed, LoadFailed: why not all of it could be measured.
        Interrupted: a signal ended it.
    """
    permissions = parse_destroy(destroy, in_container=in_container)
    called = name or target
    length = seconds or seconds_of(writes=writes, total=_TOTAL)
    plan = _plan(called, target, size, writes=writes, seconds=length)
    if dry_run:
        names = tuple(trial.load.name for part in plan.rounds for trial in part)
        return Calibration(plan.study.study, loads=names)
    kept = open_store(store, tell=tell)
    try:
        measured = run_async(run_plan(plan, kept, permissions=permissions, progress=progress))
    finally:
        kept.close()
    for problem in measured.failures:
        raise problem
    run = measured.run
    faults = [text for trial in run.trials for text in trial.faults if not trial.loops]
    if faults:
        raise LoadFailed(f"the calibration is incomplete: {faults[0]}", where=target)
    figures = points(run)
    off = of_points(called, figures).off
    rates = tuple(map(CalibratedPoint.of, figures))
    return Calibration(called, run=run.id, points=rates, off=off, rescued=kept.rescued)


def _plan(name: str, target: str, size: str, *, writes: bool, seconds: float) -> Plan:
    lines = loads(writes=writes, seconds=seconds)
    declared: dict[str, Any] = {
        "study": study_of(name), "targets": [target_of(target)], "loops": LOOPS,
    }  # fmt: skip
    if not _is_device(target):
        declared["size"] = size
        lines = [f"{line} --size={size.replace(' ', '')}" for line in lines]
    declared["loads"] = [{"fio": line} for line in lines]
    if any(sign in name for sign in "\n,="):
        raise UsageError(
            f"{name!r} is not a valid name", where="--name", hint="without commas and ="
        )
    return make_plan(check_declaration(declared, "command line", Study), where="command line")


def _is_device(target: str) -> bool:
    """Whether the load is to go over all of it: on other hosts by its name."""
    probe = probe_point(target)
    if probe.host == "local":
        return Path(probe.path).is_block_device()
    return probe.path.startswith("/dev/")
