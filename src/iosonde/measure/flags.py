"""The rule names a trial is flagged with: what anyone must know before believing its figures."""

from __future__ import annotations

from iosonde.measure.sheet import trial_sheet
from iosonde.records.load import Demand
from iosonde.records.run import Trial
from iosonde.stack.health import alarms_in


def flags_of(trial: Trial, demand: Demand, size: int | None) -> tuple[str, ...]:
    """Rule names, each once.

    Args:
        trial: with the loops it has so far.
        demand: of its load.
        size: bytes the load touches; None where that is not known.
    """
    flags: list[str] = []
    if measures_memory(trial, demand, size):
        flags.append("page-cache")
    flags += [finding.rule for finding in trial_sheet(trial).findings]
    flags += alarms_in(trial.capture, trial.loops)
    return tuple(dict.fromkeys(flags))


def measures_memory(trial: Trial, demand: Demand, size: int | None) -> bool:
    """Whether the page cache can hold all that is touched: then memory is what was measured."""
    if demand.direct or size is None or trial.capture is None:
        return False
    memory = next((host.memory for host in trial.capture.hosts if host.name == trial.host), None)
    return memory is not None and size < memory
