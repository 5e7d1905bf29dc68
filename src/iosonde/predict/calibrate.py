"""Calibrating a device: which loads are measured, and what their runs say of it.

A calibration is a run like any other, of a study that bears its name; the figures are taken from
its loops whenever the model is asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from math import sqrt
from typing import TYPE_CHECKING

from iosonde.errors import UsageError
from iosonde.records.run import RunState

if TYPE_CHECKING:
    from iosonde.records.run import Run, Trial

_RANDOM = ((4, 64, 1024), (1, 4, 32))
_SEQUENTIAL = ((64, 1024), (1, 8))
"""KiB of an I/O and I/Os under way."""
LOOPS = 2
_STUDY = "calibration "
_NAME = re.compile(r"(random|sequential)-(read|write)-(\d+)k-(\d+)@")


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """What was measured: bytes of an I/O, I/Os under way, I/Os a second.

    `spread` is the standard error of the rate as a fraction; 0 with one loop.
    """

    write: bool
    random: bool
    size: int
    depth: int
    iops: float
    spread: float


def study_of(name: str) -> str:
    """The study of a calibration."""
    return f"{_STUDY}{name}"


def loads(*, writes: bool, seconds: float) -> list[str]:
    """The loads as command lines of fio, reads first.

    Args:
        writes: also writes, which destroy what is there.
        seconds: of one loop.
    """
    lines = []
    for direction in ("read", "write") if writes else ("read",):
        for pattern, (sizes, depths) in (("random", _RANDOM), ("sequential", _SEQUENTIAL)):
            for size, depth in product(sizes, depths):
                rw = f"rand{direction}" if pattern == "random" else direction
                lines.append(
                    f"fio --name={pattern}-{direction}-{size}k-{depth} --rw={rw} --bs={size}k "
                    f"--iodepth={depth} --ioengine=libaio --direct=1 --norandommap=1 "
                    f"--time_based=1 --runtime={seconds:g}"
                )
    return lines


def seconds_of(*, writes: bool, total: float) -> float:
    """Seconds of a loop, so that all together take about `total`."""
    return max(round(total / LOOPS / len(loads(writes=writes, seconds=1)), 1), 1.0)


def points(run: Run) -> list[CalibrationPoint]:
    """What a calibration's loops say; loads without a finished loop are left out."""
    return [point for trial in run.trials if (point := _point(trial)) is not None]


def _point(trial: Trial) -> CalibrationPoint | None:
    match = _NAME.match(trial.id)
    if not match:
        return None
    pattern, direction, size, depth = match.groups()
    rates = [loop.result.metrics.get(f"{direction}.iops") for loop in trial.counted]
    measured = [rate for rate in rates if rate]
    if not measured:
        return None
    mean = sum(measured) / len(measured)
    variance = sum((rate - mean) ** 2 for rate in measured) / max(len(measured) - 1, 1)
    spread = sqrt(variance / len(measured)) / mean
    write, random = direction == "write", pattern == "random"
    return CalibrationPoint(write, random, int(size) * 1024, int(depth), mean, spread)


def points_of(name: str, store: str | None) -> list[CalibrationPoint]:
    """The newest finished calibration of a name, or the run of an id.

    Raises:
        UsageError: there is none.
    """
    from iosonde.store import open_store

    kept = open_store(store)
    try:
        named = [
            line.id for line in kept.heads()
            if line.study == study_of(name) and line.state is RunState.FINISHED
        ]  # fmt: skip
        run = kept.load(named[0] if named else name)
    except UsageError:
        raise UsageError(
            f"there is no calibration {name!r} in the store",
            hint=f"iosonde calibrate TARGET --name {name}",
        ) from None
    finally:
        kept.close()
    if not run.study.startswith(_STUDY):
        raise UsageError(f"the run {name!r} is not a calibration", hint="iosonde list shows them")
    return points(run)
