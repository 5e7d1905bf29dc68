"""Loops and trials out of nothing but their figures, for tests of what is computed from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iosonde.records.load import Histogram, Load, LoadResult, RawOutput, Target, TargetKind
from iosonde.records.run import Loop, Run, RunState, Series, Trial
from iosonde.records.stack import Capture

UNITS = {"iops": "1/s", "bandwidth": "B/s", "user": "cores", "system": "cores"}


def loop(
    index: int,
    metrics: Mapping[str, float],
    *,
    histograms: Mapping[str, Histogram] | None = None,
    series: tuple[Series, ...] = (),
    started: float | None = None,
) -> Loop:
    units = {name: UNITS.get(name.rsplit(".", 1)[-1], "s") for name in metrics}
    result = LoadResult(metrics=metrics, units=units, histograms=histograms or {})
    start = 1e9 + 61.0 * index if started is None else started
    return Loop(index, start, 60.0, result, RawOutput(0, b"", b""), series=series)


def trial(
    loops: Sequence[Loop],
    *,
    name: str = "certification",
    host: str = "node1",
    probe: str = "scratch",
    ident: str = "t1",
    capture: Capture | None = None,
) -> Trial:
    return Trial(
        id=ident,
        host=host,
        probe=probe,
        target=Target(host, "/scratch/file", TargetKind.FILE),
        load=Load("fio", name, {}),
        command="fio --name=x",
        loops=tuple(loops),
        capture=capture,
    )


def speeds(values: Sequence[float], metric: str = "write.bandwidth") -> list[Loop]:
    return [loop(index, {metric: value}) for index, value in enumerate(values)]


def run(trials: Sequence[Trial], ident: str = "r1") -> Run:
    return Run(ident, "study", {}, 1e9, RunState.FINISHED, tuple(trials))
