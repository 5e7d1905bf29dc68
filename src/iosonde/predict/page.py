"""What combinations of settings would do, drawn: on one self-contained page, or as SVG alone.

Three charts: the I/Os of all disks for each combination, their bytes for each byte that the load
moves, and, where it is known, how fast it would be with its band.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import altair as alt

from iosonde import units
from iosonde.predict.time import Time
from iosonde.report.charts import Figure, data, scale, sized
from iosonde.report.image import svg
from iosonde.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from iosonde.predict.model import Prediction
    from iosonde.predict.time import NoTime

_COLOURS = alt.Scale(domain=["read", "write"], range=["#3b6ea8", "#c2662d"])
_LEGEND = alt.Legend(orient="top", direction="horizontal")
_ROW, _MARGIN = 26, 30  # height of a combination and of what is around all of them, pixels
_LABEL = 420  # width of its name at most
MOST = 60
"""Combinations that are drawn."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A combination: setting → value, what each layer gets, and how fast it is."""

    settings: Mapping[str, str]
    prediction: Prediction
    time: Time | NoTime

    @property
    def name(self) -> str:
        """In a chart: "r0.level 5, r0.chunk_size 64k"."""
        return (
            ", ".join(f"{name} {value}" for name, value in self.settings.items()) or "as declared"
        )


def page(tried: Sequence[Tried], load: str) -> bytes:
    """One HTML page, without script and without anything from elsewhere."""
    look = files("iosonde.report").joinpath("page.css").read_text(encoding="utf-8")
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>iosonde: {escape(load)}</title><style>{look}</style></head><body><main>",
        f"<h1>Predicted: {escape(load)}</h1>",
        *_notes(tried),
        '<div class="charts">',
    ]
    for figure in figures(tried):
        picture = svg(figure.chart).replace(
            "<svg ", f'<svg role="img" aria-label="{escape(figure.alt)}" ', 1
        )
        parts.append(f"<figure><figcaption>{escape(figure.title)}</figcaption>{picture}</figure>")
    parts += [
        "</div>", *_table(tried),
        "<footer>Written by iosonde: counts and times of a model, nothing of it was measured. "
        "Requests come one after the other for the counts.</footer>",
        "</main></body></html>\n",
    ]  # fmt: skip
    return visible("\n".join(parts), lines=True).encode()


def picture(tried: Sequence[Tried]) -> bytes:
    """The charts alone, one below the other, as SVG."""
    charts = [one.chart.properties(title=one.title) for one in figures(tried)]
    return svg(alt.vconcat(*charts).resolve_scale(color="independent")).encode()


def figures(tried: Sequence[Tried]) -> Iterator[Figure]:
    """The charts, at most `MOST` combinations in each."""
    shown = tried[:MOST]
    yield _ios(shown)
    yield _bytes(shown)
    if any(isinstance(one.time, Time) for one in shown):
        yield _times(shown)


def _axis(tried: Sequence[Tried]) -> Any:
    order = [one.name for one in tried]
    return alt.Y("name:N", title=None, sort=order, axis=alt.Axis(labelLimit=_LABEL))


def _height(tried: Sequence[Tried]) -> int:
    return _ROW * len(tried) + _MARGIN


def _ios(tried: Sequence[Tried]) -> Figure:
    """Reads and writes of the disks for each request of the load."""
    rows = []
    for one in tried:
        disks = one.prediction.disks()
        total = one.prediction.requests or 1
        for what, counts in (
            ("read", [disk.reads for disk in disks]), ("write", [disk.writes for disk in disks]),
        ):  # fmt: skip
            rows.append({"name": one.name, "what": what, "value": sum(counts) / total})
    most = max(tried, key=_of_a_request)
    return Figure(
        "I/Os of all disks for each request",
        f"Most with {most.name}: {_of_a_request(most):.3g}",
        _bars(rows, tried, "I/Os of the disks for each request of the load"),
    )


def _of_a_request(one: Tried) -> float:
    disks = one.prediction.disks()
    return sum(disk.reads + disk.writes for disk in disks) / (one.prediction.requests or 1)


def _bytes(tried: Sequence[Tried]) -> Figure:
    """Bytes that the disks move for each byte of the load."""
    rows = []
    for one in tried:
        disks, top = one.prediction.disks(), one.prediction.layers[0]
        asked = top.read_bytes + top.write_bytes or 1
        for what, size in (
            ("read", sum(disk.read_bytes for disk in disks)),
            ("write", sum(disk.write_bytes for disk in disks)),
        ):
            rows.append({"name": one.name, "what": what, "value": size / asked})
    return Figure(
        "Bytes of all disks for each byte",
        "Bytes that the disks read and write for each byte that the load moves",
        _bars(rows, tried, "bytes of the disks for each byte of the load"),
    )


def _bars(rows: Sequence[Mapping[str, Any]], tried: Sequence[Tried], title: str) -> Any:
    chart = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            y=_axis(tried),
            x=alt.X("value:Q", title=title),
            color=alt.Color("what:N", title=None, scale=_COLOURS, legend=_LEGEND),
        )
    )
    return sized(chart, _height(tried))


def _times(tried: Sequence[Tried]) -> Figure:
    """The predicted rate as a point, its band as a bar."""
    known = [(one.name, one.time) for one in tried if isinstance(one.time, Time)]
    divisor, label = scale("1/s", [time.band[1] for _, time in known])
    rows = [
        {
            "name": name, "value": time.iops / divisor, "low": time.band[0] / divisor,
            "high": time.band[1] / divisor,
        }
        for name, time in known
    ]  # fmt: skip
    axis = alt.X("low:Q", title=f"I/Os, {label}", scale=alt.Scale(zero=True))
    band = (
        alt.Chart(data(rows))
        .mark_bar(color="#3b6ea8", opacity=0.3)
        .encode(y=_axis(tried), x=axis, x2="high:Q")
    )
    point = (
        alt.Chart(data(rows))
        .mark_point(filled=True, size=70, color="#c2662d", opacity=1)
        .encode(y=_axis(tried), x=alt.X("value:Q"))
    )
    best = max(known, key=lambda one: one[1].iops)
    return Figure(
        "I/Os a second, with their bands",
        f"Fastest with {best[0]}: {units.show_iops(best[1].iops)}",
        sized(alt.layer(band, point), _height(tried)),
    )


def _notes(tried: Sequence[Tried]) -> Iterator[str]:
    """What is approximate or assumed, each once."""
    notes = [note for one in tried for note in one.prediction.notes]
    without = [one for one in tried if not isinstance(one.time, Time)]
    notes += [f"{one.name}: no times: {one.time.reason}" for one in without[:1]]  # type: ignore[union-attr]
    if len(tried) > MOST:
        notes.append(f"{len(tried) - MOST} more combinations are in the table, not in the charts")
    for note in dict.fromkeys(notes):
        yield f'<p class="note">{escape(note)}</p>'


def _table(tried: Sequence[Tried]) -> Iterator[str]:
    names = list(tried[0].settings)
    heads = [*names, "reads", "writes", "read", "written", "I/Os a second", "band", "busiest"]
    cells = "".join(f"<th>{escape(one)}</th>" for one in heads)
    yield f'<h2>Disks, all together</h2><div class="wide"><table><thead><tr>{cells}</tr></thead>'
    yield "<tbody>"
    for one in tried:
        disks, time = one.prediction.disks(), one.time
        row = [
            *one.settings.values(), str(sum(disk.reads for disk in disks)),
            str(sum(disk.writes for disk in disks)),
            units.show_bytes(sum(disk.read_bytes for disk in disks)),
            units.show_bytes(sum(disk.write_bytes for disk in disks)),
        ]  # fmt: skip
        if isinstance(time, Time):
            band = units.show_range(*time.band, "1/s")
            row += [units.show_iops(time.iops), band, time.bottleneck or "–"]
        else:
            row += ["–", "–", "–"]
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
    yield "</tbody></table></div>"
