"""What combinations of settings would do, drawn: on one self-contained page, or as SVG alone.

Three charts: the I/Os of all disks for each combination, their bytes for each byte that the load
moves, and, where it is known, how fast it would be with its band.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from iosonde import units
from iosonde.report.blocks import Badge, Block, Cells, Number, Text, Title, Tone
from iosonde.report.charts import BLUE, LEGEND, ORANGE, Figure, data, sized, svg
from iosonde.report.curves import curve_answer, curve_blocks, curve_figures
from iosonde.report.figures import scale
from iosonde.report.page import Page, render

if TYPE_CHECKING:
    from collections.abc import Mapping

    from iosonde.predict.time import Time
    from iosonde.predict.what_if import PredictedCombination
    from iosonde.records.curve import Curve

_COLOURS = alt.Scale(domain=["read", "write"], range=[BLUE, ORANGE])
_ROW, _MARGIN = 26, 30  # height of a combination and of what is around all of them, pixels
_LABEL = 220  # width of its name at most
MOST = 60
"""Combinations that are drawn."""


def page(tried: Sequence[PredictedCombination], load: str, curves: Sequence[Curve] = ()) -> bytes:
    """One HTML page, with nothing from elsewhere."""
    drawn = list(reversed(curve_figures(curves))) if curves else list(figures(tried))
    timed = [(combination, combination.time) for combination in tried if combination.time]
    return render(
        Page(
            title=f"Predicted: {load}",
            about=("prediction", f"{len(tried)} combination{'s' * (len(tried) != 1)}",
                   f"{tried[0].prediction.requests:,} requests"),
            answer=curve_answer(curves) if curves else _answer(tried, timed),
            badges=(Badge("of a model: nothing was measured", Tone.UNSURE),),
            numbers=tuple(_numbers(tried, timed)),
            chips=tuple(_best(tried, timed).chosen.items()),
            figures=tuple(reversed(drawn)),
            blocks=(*curve_blocks(curves), *_table(tried), *_notes(tried)),
            method="Requests come one after the other for the counts; a band is between the "
            "slowest and the fastest devices that the models allow.",
        )
    )  # fmt: skip


def _best(
    tried: Sequence[PredictedCombination], timed: Sequence[tuple[PredictedCombination, Time]]
) -> PredictedCombination:
    """The fastest combination; of those without times the one with the fewest I/Os."""
    if timed:
        return max(timed, key=lambda item: item[1].iops)[0]
    return min(tried, key=_of_a_request)


def _answer(
    tried: Sequence[PredictedCombination], timed: Sequence[tuple[PredictedCombination, Time]]
) -> str:
    """Which combination is best, and how sure the model is of it."""
    best = _best(tried, timed)
    if not timed:
        least = f"{_of_a_request(best):.3g} I/Os of the disks for each request"
        return f"{best.name}: {least}; how fast it is, no model says."
    time = max((time for _, time in timed), key=lambda time: time.iops)
    rate = f"{units.show_iops(time.iops)} (band {units.show_range(*time.band, '1/s')})"
    busiest = f", limited by {time.bottleneck}" if time.bottleneck else ""
    if len(timed) < 2:
        return f"{best.name}: {rate}{busiest}."
    ties = sum(other.band[1] >= time.band[0] for _, other in timed) - 1
    if ties == len(timed) - 1:
        return f"No combination stands out: {rate} with {best.name}{busiest}; all bands overlap."
    tied = f"; {ties} more may be as fast: their bands overlap" if ties else ""
    return f"Fastest: {best.name} with {rate}{busiest}{tied}."


def _numbers(
    tried: Sequence[PredictedCombination], timed: Sequence[tuple[PredictedCombination, Time]]
) -> Iterator[Number]:
    best = _best(tried, timed)
    if timed:
        time = max((time for _, time in timed), key=lambda time: time.iops)
        yield Number(units.show_iops(time.iops), "predicted rate",
                     units.show_range(*time.band, "1/s"))  # fmt: skip
        yield Number(units.show_bandwidth(time.bandwidth), "predicted bandwidth")
        yield Number(units.show_seconds(time.latency), "mean latency", f"depth {time.depth}")
    yield Number(f"{_of_a_request(best):.3g}", "I/Os of the disks for each request")


def picture(tried: Sequence[PredictedCombination], curves: Sequence[Curve] = ()) -> bytes:
    """The charts alone, one below the other, as SVG."""
    drawn = curve_figures(curves) if curves else figures(tried)
    charts = [figure.chart.properties(title=figure.title) for figure in drawn]
    return svg(alt.vconcat(*charts).resolve_scale(color="independent")).encode()


def figures(tried: Sequence[PredictedCombination]) -> Iterator[Figure]:
    """The charts, at most `MOST` combinations in each."""
    shown = tried[:MOST]
    yield _ios(shown)
    yield _bytes(shown)
    if any(combination.time for combination in shown):
        yield _times(shown)


def _axis(tried: Sequence[PredictedCombination]) -> Any:
    order = [combination.name for combination in tried]
    return alt.Y("name:N", title=None, sort=order, axis=alt.Axis(labelLimit=_LABEL))


def _height(tried: Sequence[PredictedCombination]) -> int:
    return _ROW * len(tried) + _MARGIN


def _ios(tried: Sequence[PredictedCombination]) -> Figure:
    """Reads and writes of the disks for each request of the load."""
    rows = []
    for combination in tried:
        disks = combination.prediction.disks()
        total = combination.prediction.requests or 1
        for what, counts in (
            ("read", [disk.reads for disk in disks]), ("write", [disk.writes for disk in disks]),
        ):  # fmt: skip
            rows.append({"name": combination.name, "what": what, "value": sum(counts) / total})
    most = max(tried, key=_of_a_request)
    return Figure(
        "I/Os of all disks for each request",
        f"Most with {most.name}: {_of_a_request(most):.3g}",
        _bars(rows, tried, "I/Os of the disks for each request of the load"),
    )


def _of_a_request(combination: PredictedCombination) -> float:
    disks = combination.prediction.disks()
    return sum(disk.reads + disk.writes for disk in disks) / (combination.prediction.requests or 1)


def _bytes(tried: Sequence[PredictedCombination]) -> Figure:
    """Bytes that the disks move for each byte of the load."""
    rows = []
    for combination in tried:
        disks, top = combination.prediction.disks(), combination.prediction.layers[0]
        asked = top.read_bytes + top.write_bytes or 1
        for what, size in (
            ("read", sum(disk.read_bytes for disk in disks)),
            ("write", sum(disk.write_bytes for disk in disks)),
        ):
            rows.append({"name": combination.name, "what": what, "value": size / asked})
    return Figure(
        "Bytes of all disks for each byte",
        "Bytes that the disks read and write for each byte that the load moves",
        _bars(rows, tried, "bytes of the disks for each byte of the load"),
    )


def _bars(
    rows: Sequence[Mapping[str, Any]], tried: Sequence[PredictedCombination], title: str
) -> Any:
    chart = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            y=_axis(tried),
            x=alt.X("value:Q", title=title),
            color=alt.Color("what:N", title=None, scale=_COLOURS, legend=LEGEND),
        )
    )
    return sized(chart, _height(tried))


def _times(tried: Sequence[PredictedCombination]) -> Figure:
    """The predicted rate as a point, its band as a bar."""
    timed = [(combination.name, combination.time) for combination in tried if combination.time]
    divisor, label = scale("1/s", [time.band[1] for _, time in timed])
    rows = [
        {
            "name": name, "value": time.iops / divisor, "low": time.band[0] / divisor,
            "high": time.band[1] / divisor,
        }
        for name, time in timed
    ]  # fmt: skip
    axis = alt.X("low:Q", title=label, scale=alt.Scale(zero=True))
    band = (
        alt.Chart(data(rows))
        .mark_bar(color=BLUE, opacity=0.3)
        .encode(y=_axis(tried), x=axis, x2="high:Q")
    )
    point = (
        alt.Chart(data(rows))
        .mark_point(filled=True, size=70, color=ORANGE, opacity=1)
        .encode(y=_axis(tried), x=alt.X("value:Q"))
    )
    best = max(timed, key=lambda named: named[1].iops)
    return Figure(
        "IOPS, with their bands",
        f"Fastest with {best[0]}: {units.show_iops(best[1].iops)}",
        sized(alt.layer(band, point), _height(tried)),
    )


def _notes(tried: Sequence[PredictedCombination]) -> Iterator[Block]:
    """What is approximate or assumed, each once."""
    notes = [note for combination in tried for note in combination.prediction.notes]
    notes += [
        f"{combination.name}: no times: {combination.time_basis.reason}"
        for combination in tried
        if not combination.time
    ][:1]
    if len(tried) > MOST:
        notes.append(f"{len(tried) - MOST} more combinations are in the table, not in the charts")
    if notes:
        yield Title("What is assumed")
        yield from (Text(note, "note") for note in dict.fromkeys(notes))


def _table(tried: Sequence[PredictedCombination]) -> Iterator[Block]:
    names = list(tried[0].chosen)
    rows = []
    for combination in tried:
        disks, time = combination.prediction.disks(), combination.time
        row = [
            *combination.chosen.values(), f"{sum(disk.reads for disk in disks):,}",
            f"{sum(disk.writes for disk in disks):,}",
            units.show_bytes(sum(disk.read_bytes for disk in disks)),
            units.show_bytes(sum(disk.write_bytes for disk in disks)),
        ]  # fmt: skip
        if time:
            band = units.show_range(*time.band, "1/s")
            row += [units.show_iops(time.iops), band, time.bottleneck or "–"]
        else:
            row += ["–", "–", "–"]
        rows.append(tuple(row))
    head = (*names, "reads", "writes", "read", "written", "rate", "band", "busiest")
    yield Title("Disks, all together")
    yield Cells(head, tuple(rows), text_columns=len(names))
