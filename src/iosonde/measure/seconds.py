"""The one-second figures of a loop that go with one of its metrics."""

from __future__ import annotations

from collections.abc import Sequence

from iosonde.records.run import Loop, Series, Trial
from iosonde.stack.model import devices_under


def devices_of(trial: Trial) -> tuple[str, ...] | None:
    """Kernel names of the devices under a trial's target, top first; None where none is known."""
    capture, target = trial.capture, trial.target
    return None if capture is None else devices_under(capture, target.host, target.path)


def seconds_of(loop: Loop, metric: str, devices: Sequence[str] | None = None) -> list[float] | None:
    """The one-second figures of a loop that go with a metric: of the topmost device that moved.

    A device beside the target says nothing of the load, however much others do with it. Where no
    block device is below the target, the figures are those of the network file system.

    Args:
        loop: with the observer's series.
        metric: a rate such as "write.iops"; for others there are no figures.
        devices: see `devices_of`; None: whichever did most.
    """
    fitting = [series for series in loop.series if series.name == metric]
    disks = [series for series in fitting if series.sampler == "diskstats"]
    if devices is None:
        chosen = max(disks or fitting, key=_amount, default=None)
    elif devices:
        below = {series.subject: series for series in disks}
        under = [below[name] for name in devices if name in below]
        chosen = next((series for series in under if _amount(series)), under[0] if under else None)
    else:
        others = [series for series in fitting if series.sampler != "diskstats"]
        chosen = max(others, key=_amount, default=None)
    return None if chosen is None else [value for value in chosen.values if value is not None]


def _amount(series: Series) -> float:
    return sum(value for value in series.values if value is not None)
