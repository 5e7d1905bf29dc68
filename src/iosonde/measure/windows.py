"""The passes of a load matrix from which its figures are taken: those of a steady state.

Source:
    SNIA Solid State Storage Performance Test Specification 2.0.2, 2.1 and 3.1 (steady state,
    measurement window).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from iosonde.loads import LOADS
from iosonde.loads.matrix import VariedEngine
from iosonde.records.load import Load
from iosonde.records.run import Run, Trial
from iosonde.records.steady import SteadyWindow
from iosonde.stack.health import alarms_in
from iosonde.statistics.direction import headline_among
from iosonde.statistics.steady import ROUNDS, steady_state

if TYPE_CHECKING:
    from iosonde.measure.study import Until

_WAYS = ("read", "write", "trim")
_UNITS = {"iops": "1/s", "bandwidth": "B/s"}


def figure(metrics: Mapping[str, float], name: str) -> float:
    """What is tracked of one loop: a metric, or `iops` and `bandwidth` of all directions."""
    if name in _UNITS:
        return sum(metrics.get(f"{way}.{name}", 0.0) for way in _WAYS)
    return metrics.get(name, 0.0)


def is_tracked(until: Until, load: Load) -> bool:
    """Whether a load's steadiness decides: all points of a matrix, or those that `track` names."""
    engine = LOADS.load(load.engine)()
    if not isinstance(engine, VariedEngine):
        return not until.track
    wanted = {
        option: engine.coordinate(option, str(value), where="until.track")
        for option, value in until.track.items()
    }
    return all(load.matrix.get(option) == value for option, value in wanted.items())


def passes_wanted(tracked: Sequence[Sequence[float]], most: int) -> int:
    """How many passes there are to be: until all that is tracked is steady, or `most`.

    Args:
        tracked: of each trial its figure in each pass so far.
        most: passes after which it ends in any case.
    """
    count = min(map(len, tracked), default=0)
    for number in range(ROUNDS, min(count, most) + 1):
        if all(steady_state(values[:number]).reached for values in tracked):
            return number
    return most


@dataclass(frozen=True, slots=True)
class _Block:
    """The trials of a matrix at one place, and those of them that are tracked."""

    trials: tuple[Trial, ...]
    tracked: tuple[Trial, ...]


def windows_of(run: Run) -> tuple[SteadyWindow, ...]:
    """The window of each tracked trial of a run; none where its study tracks none."""
    until = _until_of(run)
    if until is None:
        return ()
    windows = []
    for block in _blocks(run, until):
        names = [until.metric or _headline(trial) for trial in block.tracked]
        series = [
            [figure(loop.result.metrics, name) for loop in trial.counted]
            for trial, name in zip(block.tracked, names, strict=True)
        ]  # fmt: skip
        number = passes_wanted(series, max(map(len, series), default=0))
        for trial, name, values in zip(block.tracked, names, series, strict=True):
            if number >= ROUNDS and len(values) >= ROUNDS:
                windows.append(_window(trial, name, values, min(number, len(values))))
    return tuple(windows)


def _until_of(run: Run) -> Until | None:
    """What a run's study tracks; None where it tracks nothing."""
    study = cast("Mapping[str, Any]", run.plan.get("study") or {})
    declared = study.get("until")
    if not declared:
        return None
    from iosonde.measure.study import Until  # with pydantic's models of all studies

    until = Until.model_validate(declared)
    return until if until.passes else None


def _blocks(run: Run, until: Until) -> list[_Block]:
    groups: dict[tuple[str, str, str], list[Trial]] = {}
    for trial in run.trials:
        name = trial.load.varied_from or trial.load.name
        groups.setdefault((name, trial.host, trial.probe), []).append(trial)
    return [
        _Block(tuple(trials), tuple(trial for trial in trials if is_tracked(until, trial.load)))
        for trials in groups.values()
    ]


def _headline(trial: Trial) -> str:
    return headline_among(trial.counted[0].result.metrics) if trial.counted else ""


def _window(trial: Trial, name: str, values: Sequence[float], number: int) -> SteadyWindow:
    window = values[number - ROUNDS : number]
    state = steady_state(window)
    mean = sum(window) / ROUNDS
    unit = _UNITS.get(name) or trial.counted[0].result.units.get(name, "")
    return SteadyWindow(
        load=trial.load.varied_from or trial.load.name, host=trial.host, probe=trial.probe,
        trial=trial.id, metric=name, unit=unit, reached=state.reached,
        first=number - ROUNDS + 1, last=number, values=tuple(values),
        mean=mean, lowest=min(window), highest=max(window), range=state.range, slope=state.slope,
        line=(mean * (1 - state.slope / 2), mean * (1 + state.slope / 2)),
        alarms=alarms_in(trial.capture, trial.counted[number - ROUNDS : number]),
    )  # fmt: skip


def within(run: Run, windows: Sequence[SteadyWindow]) -> Run:
    """The run with the loops of the windows alone, where a matrix has one."""
    spans = {
        (window.load, window.host, window.probe): (window.first, window.last) for window in windows
    }
    trials = []
    for trial in run.trials:
        name = trial.load.varied_from or trial.load.name
        span = spans.get((name, trial.host, trial.probe))
        if span:
            kept = tuple(trial.counted[span[0] - 1 : span[1]])
            trials.append(replace(trial, loops=kept))
        else:
            trials.append(trial)
    return replace(run, trials=tuple(trials))
