"""Figures that a page says twice: a line quoted from a tool's output stands for no second run.

Who writes a page puts the line that counts above the whole output, or into a list at its top. Two
runs do not have the same rates to the last digit and the same time to the millisecond; a line
without anything else of a run beside one that has them is quoted. Where a runtime was set, all
runs take about as long: then only a line beside a whole output is taken for quoted.
"""

from __future__ import annotations

from collections.abc import Iterable

from iosonde.records.evidence import TrialEvidence

_SET = 0.05
"""How far a time lies above whole seconds, where the seconds were asked for: 60.001, 60.012."""
_FIGURES = 2
"""Rates that must be the same, beside the time: one alone may be that of a limit."""


def without_quotes(trials: Iterable[TrialEvidence]) -> list[TrialEvidence]:
    """The trials without those whose figures are all among another's of the same source."""
    every = list(trials)
    timed: dict[tuple[str, str, tuple[float, ...]], list[int]] = {}
    for place, trial in enumerate(every):
        if trial.printed and trial.elapsed and any(time % 1 for time in trial.elapsed):
            timed.setdefault((trial.source, trial.tool, trial.elapsed), []).append(place)
    quoted = {
        place
        for places in timed.values()
        for place in places
        for other in places
        if place != other and _is_quoted(every[place], every[other], is_later=place > other)
    }
    return [trial for place, trial in enumerate(every) if place not in quoted]


def _is_quoted(trial: TrialEvidence, other: TrialEvidence, *, is_later: bool) -> bool:
    """Whether a trial says nothing that another does not say, or no more and below it."""
    if trial.metrics.keys() - other.metrics.keys():
        return False
    pid = trial.details.get("pid")
    if trial.job and (
        pid is None or (pid, trial.started) != (other.details.get("pid"), other.started)
    ):
        return False
    if not is_later and len(trial.metrics) == len(other.metrics) and trial.job == other.job:
        return False  # of two that are alike the first stands for the run
    is_set = all(time % 1 <= _SET for time in trial.elapsed or ())
    if is_set and not other.job:
        return False
    rates = [name for name in trial.metrics if name.endswith((".iops", ".bandwidth"))]
    return len(rates) >= _FIGURES and all(
        trial.metrics[name].loops == other.metrics[name].loops for name in trial.metrics
    )
