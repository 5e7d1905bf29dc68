"""How loops and seconds went: latencies overlaid, loops, and the target's device each second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde.records.load import Histogram
from iosonde.records.sheet import TrialSheet
from iosonde.report.blocks import Block, Pictures, Title
from iosonde.report.charts import Figure, latency_figure, loops_figure, seconds_figure
from iosonde.report.pivot import LoadGroup
from iosonde.sentences import metric_words
from iosonde.statistics.histogram import merge


def latency_figures(groups: Sequence[LoadGroup]) -> list[Figure]:
    """The latency percentiles of each load, all its members overlaid; single trials together."""
    alone = [group.members[0] for group in groups if len(group.members) == 1]
    titled = [group for group in groups if len(group.members) > 1]
    if alone:
        titled.append(LoadGroup(alone[0].label if len(alone) == 1 else "all loads", tuple(alone)))
    return [latency_figure(group.title, merged) for group in titled if (merged := _merged(group))]


def courses(groups: Sequence[LoadGroup], latencies: Sequence[Figure]) -> Iterator[Block]:
    """Latencies, loops, and the seconds of the target's device, load by load."""
    figures = []
    for group in groups:
        for name in group.headlines:
            loops = {
                member.label: metric for member in group.members
                if (metric := member.metric(name)) and len(metric.loops) > 1
            }  # fmt: skip
            if loops:
                figures.append(loops_figure(loops, group.title))
        figures += _seconds(group)
    if latencies:
        yield Title("Latency")
        yield Pictures(tuple(latencies))
    if figures:
        yield Title("Loops and seconds")
        yield Pictures(tuple(figures))


def _merged(group: LoadGroup) -> dict[str, Histogram]:
    """The latency histogram of each direction of each member over all loops."""
    by_direction: dict[str, list[Histogram]] = {}
    several = len(group.members) > 1
    for member in group.members:
        for loop in member.trial.trial.counted:
            for direction, histogram in loop.result.histograms.items():
                if sum(histogram.counts):
                    label = f"{member.label} {direction}" if several else direction
                    by_direction.setdefault(label, []).append(histogram)
    return {label: merge(histograms) for label, histograms in by_direction.items()}


def _seconds(group: LoadGroup) -> Iterator[Figure]:
    """What the target's device did, where loops have more than one second of it."""
    rate = "bandwidth" if group.headlines[0].endswith("bandwidth") else "iops"
    for figure, title in ((rate, metric_words(f"device.{rate}")), ("await", "device request time")):
        lines: dict[str, list[list[tuple[float, float]]]] = {}
        unit = ""
        for member in group.members:
            device = target_device(member.trial)
            name = f"{member.trial.headline.partition('.')[0]}.{figure}"
            unit, loops = _observed(member.trial, device, name)
            if any(len(loop) > 1 for loop in loops) and any(y for loop in loops for _, y in loop):
                lines[device if len(group.members) == 1 else f"{member.label} {device}"] = loops
        if lines:
            yield seconds_figure(group.title, title, unit, lines)


def _observed(
    sheet: TrialSheet, device: str, name: str
) -> tuple[str, list[list[tuple[float, float]]]]:
    """Unit and loops of one figure of a device, as `seconds_figure` takes them."""
    unit, loops, offset = "", [], 0.0
    for loop in sheet.trial.loops:
        for series in loop.series:
            if (series.sampler, series.subject, series.name) == ("diskstats", device, name):
                unit = series.unit
                loops.append([
                    (round(moment - loop.started + offset, 2), value)
                    for moment, value in zip(series.times, series.values, strict=True)
                    if value is not None
                ])  # fmt: skip
        offset += loop.elapsed
    return unit, loops


def target_device(sheet: TrialSheet) -> str:
    """The device below a trial's target that was observed; else the busiest; empty: none."""
    totals: dict[str, float] = {}
    for loop in sheet.trial.loops:
        for series in loop.series:
            if series.sampler == "diskstats" and series.name.endswith(".iops"):
                seen = sum(value for value in series.values if value is not None)
                totals[series.subject] = totals.get(series.subject, 0.0) + seen
    capture = sheet.trial.capture
    devices = (
        {layer.id: layer.device.rpartition("/")[2] for layer in capture.layers} if capture else {}
    )
    below = (devices.get(name, "") for name in sheet.below)
    busiest = max(totals, key=lambda name: totals[name], default="")
    return next((device for device in below if totals.get(device)), busiest)
