"""One load on several hosts at the same time, taken as one: what they did together.

Rates and CPU time add up, mean latencies are weighted by I/Os, extremes are extremes, the longest
host gives the time, and percentiles come from all hosts' histograms together. A percentile that a
host has no histogram for is left out: there is no way to make it from percentiles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import mul

from iosonde.measure.metrics import CPU_PER_IO, merged, metrics_of
from iosonde.records.load import LoadResult
from iosonde.records.run import Loop, Metric, Run, Trial
from iosonde.records.sheet import JointSheet
from iosonde.statistics.direction import headline_among
from iosonde.statistics.histogram import merge


def joint_sheets(run: Run) -> tuple[JointSheet, ...]:
    """What the targets of each load did together; nothing where they ran one after the other."""
    study = run.plan.get("study")
    if not isinstance(study, dict) or not (study.get("simultaneous") or study.get("together")):
        return ()
    loads: dict[str, list[Trial]] = {}
    for trial in run.trials:
        loads.setdefault(trial.load.name, []).append(trial)
    joint = []
    for load, trials in loads.items():
        metrics = together(trials)
        if len(trials) > 1 and metrics:
            headline = headline_among({metric.name: metric.mean for metric in metrics})
            loops = max(len(metric.loops) for metric in metrics)
            ids = tuple(trial.id for trial in trials)
            joint.append(JointSheet(load, ids, loops, metrics, headline))
    return tuple(joint)


def together(trials: Sequence[Trial]) -> tuple[Metric, ...]:
    """The metrics of trials measured simultaneously, loop by loop over all hosts.

    Args:
        trials: of one load, one per host. Loops are matched by index; only those that every
            host has finished count.
    """
    if not trials:
        return ()
    by_index = [{loop.index: loop for loop in trial.counted} for trial in trials]
    shared = sorted(set.intersection(*(set(loops) for loops in by_index)))
    return metrics_of([_combined_loop([loops[index] for loops in by_index]) for index in shared])


def _combined_loop(loops: Sequence[Loop]) -> Loop:
    """The same loop of all hosts as one loop."""
    results = [loop.result for loop in loops]
    names = [name for name in results[0].metrics if all(name in r.metrics for r in results)]
    figures = {name: _figure(name, loops) for name in names}
    directions = [d for d in results[0].histograms if all(d in r.histograms for r in results)]
    result = replace(
        results[0],
        metrics={name: value for name, value in figures.items() if value is not None},
        histograms={d: merge(r.histograms[d] for r in results) for d in directions},
        faults=tuple(fault for r in results for fault in r.faults),
    )
    return replace(loops[0], result=result, elapsed=max(loop.elapsed for loop in loops))


_BY_ENDING: Mapping[str, Callable[[Sequence[float]], float]] = {
    ".iops": sum,
    ".bandwidth": sum,
    ".user": sum,
    ".system": sum,
    ".min": min,
    ".max": max,
    "elapsed": max,
}


def _figure(name: str, loops: Sequence[Loop]) -> float | None:
    """One metric of all hosts; None where their figures do not give it."""
    values = [loop.result.metrics[name] for loop in loops]
    for ending, rule in _BY_ENDING.items():
        if name.endswith(ending):
            return rule(values)
    if name == CPU_PER_IO:
        ios = [float(ios_of(loop.result)) for loop in loops]
        return _mean(values, ios) if all(ios) else None
    if name.endswith(".latency.mean"):
        return _weighted(name.split(".", 1)[0], values, loops)
    return merged(name, [loop.result.histograms for loop in loops])


def _weighted(direction: str, values: Sequence[float], loops: Sequence[Loop]) -> float | None:
    """Mean latency over all I/Os; None where the number of I/Os of a host is not known."""
    rates = [loop.result.metrics.get(f"{direction}.iops") for loop in loops]
    measured = [rate for rate in rates if rate is not None]
    if len(measured) < len(rates) or not sum(measured):
        return None
    return _mean(values, measured)


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return float(sum(map(mul, weights, values)) / sum(weights))


def ios_of(result: LoadResult) -> int:
    """Reads, writes and trims that a loop issued; 0 where that is not known."""
    return sum(count for name, count in result.issued.items() if name != "sync")
