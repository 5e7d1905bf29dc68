"""When a study has loops enough that depend on a state of the device: steady, or written so often.

A matrix is measured pass by pass until what the study tracks is steady in its last five passes;
its figures are then those of these passes alone (windows.py), and the passes before them have
preconditioned the device with the very load.

Source:
    SNIA Solid State Storage Performance Test Specification 2.0.2: 7.2, 8.2 and 9.2 (at most 25
    rounds), 10.2 (24 hours or four times the user capacity).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from iosonde import units
from iosonde.errors import UsageError
from iosonde.loads import LOADS
from iosonde.measure.growing import GrowingTrial
from iosonde.measure.plan import Plan, PlannedTrial
from iosonde.measure.progress import Progress, RunWarning
from iosonde.measure.study import Until
from iosonde.measure.trial import PreparedTrial
from iosonde.measure.turns import blocks
from iosonde.measure.windows import figure, is_tracked, passes_wanted
from iosonde.records.load import Target
from iosonde.records.run import Trial
from iosonde.records.stack import Capture
from iosonde.stack.model import layers_under
from iosonde.statistics.steady import ROUNDS, steady_state


class PassesToState:
    """When the trials of a plan have loops enough, where that depends on a state of the device.

    Args:
        plan: of a study whose `until` has `passes` or `written`.

    Raises:
        UsageError: what is to be tracked is no point of a matrix.
    """

    def __init__(self, plan: Plan, until: Until) -> None:
        self._until, self._seconds = until, plan.study.seconds
        self._tracked: dict[str, tuple[str, ...]] = {}
        for block in blocks(plan.rounds):
            trials = [trial for part in block for trial in part]
            tracked = tuple(trial.id for trial in trials if is_tracked(until, trial.load))
            if until.passes and not tracked:
                raise UsageError(
                    f"no point of {trials[0].load.varied_from or trials[0].load.name} has "
                    + ", ".join(f"{name}={value}" for name, value in until.track.items()),
                    where="until.track", hint="name values that the load's lists have",
                )  # fmt: skip
            self._tracked.update((trial.id, tracked) for trial in trials)

    @classmethod
    def of(cls, plan: Plan) -> PassesToState | None:
        """None where the loops of a plan do not depend on such a state."""
        until = plan.study.until
        return cls(plan, until) if until and (until.passes or until.written) else None

    def wants_more(self, trial: GrowingTrial, done: Mapping[str, GrowingTrial]) -> bool:
        """Whether a trial is to have another loop."""
        until = self._until
        if until.written:
            capacity = capacity_of(trial.first)
            far = capacity and trial.written(self._seconds) >= until.written * capacity
            return not far and trial.spent < until.max_seconds
        tracked = [done[name] for name in self._tracked[trial.id] if name in done]
        if any(other.lost for other in tracked):
            return False
        return len(trial) < passes_wanted(self._values(tracked), until.passes or 0)

    def unreached(self, trial: str, done: Mapping[str, GrowingTrial]) -> str:
        """Why a tracked trial did not reach what was asked for; empty where it did."""
        until = self._until
        if trial not in self._tracked[trial]:
            return ""
        if until.written:
            capacity = capacity_of(done[trial].first)
            written = done[trial].written(self._seconds)
            if capacity and written >= until.written * capacity:
                return ""
            over = f"{written / capacity:.2g} of {until.written:g} capacities" if capacity else ""
            return f"{units.show_seconds(until.max_seconds)} are over; written: {over or written}"
        (values,) = self._values([done[trial]])
        number = passes_wanted([values], until.passes or 0)
        if steady_state(values[:number]).reached:
            return ""
        return f"not steady within {len(values)} passes; figures are those of the last {ROUNDS}"

    def _values(self, trials: Iterable[GrowingTrial]) -> list[list[float]]:
        return [
            [figure(metrics, self._until.metric or trial.headline) for metrics in trial.metrics]
            for trial in trials
        ]  # fmt: skip


def capacity_of(trial: Trial) -> int | None:
    """Bytes of a trial's target, or that its load touches; None where neither is known."""
    demand = LOADS.load(trial.load.engine)().demand(trial.load)
    layers = (
        layers_under(trial.capture, trial.target.host, trial.target.path) if trial.capture else ()
    )
    device = layers[0].size if layers and layers[0].device == trial.target.path else None
    sizes = [size for size in (device, demand.size) if size]
    return min(sizes, default=None)


def sector_of(capture: Capture, target: Target) -> int | None:
    """Bytes of a logical block of a device; None where the target is none, or it is not known."""
    size = next(
        (layer.facts.get("logical_block_size") for layer in
         layers_under(capture, target.host, target.path)[:1] if layer.device == target.path),
        None,
    )  # fmt: skip
    return size if isinstance(size, int) else None


def without_small_blocks(
    left: Mapping[str, Sequence[PlannedTrial]],
    prepared: Mapping[str, tuple[PreparedTrial, Capture, str]],
    progress: Progress,
) -> dict[str, Sequence[PlannedTrial]]:
    """Without the points of a matrix whose I/Os are smaller than a sector of their device.

    Args:
        left: the trials that are to be measured, by their part of the plan.
        prepared: what was made ready at each place, the stack below it, and the command.
        progress: hears what is left out.
    """
    kept: dict[str, Sequence[PlannedTrial]] = {}
    for part, todo in left.items():
        bench, capture, _ = prepared[todo[0].place]
        sector = sector_of(capture, bench.target)
        if not sector or not todo[0].is_below(sector):
            kept[part] = todo
            continue
        reason = f"is left out: the device has sectors of {units.show_bytes(sector)}"
        progress(RunWarning(todo[0].id, reason))
    return kept
