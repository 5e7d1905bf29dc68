"""What a model had said of a run's trials beside what was measured, as a section of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from iosonde import units
from iosonde.records import Forecast

HEADINGS = ("trial", "predicted", "band", "measured", "off", "latency off", "in the band")
_TITLE = "Predicted and measured"


def cells(one: Forecast) -> tuple[str, ...]:
    """A row under HEADINGS: I/Os a second, and how far the model was from them."""
    return (
        one.trial, units.show_iops(one.predicted["iops"]),
        units.show_range(*one.band, "1/s"),
        units.show_iops(one.measured["iops"]), signed(one.off("iops")),
        signed(one.off("latency_mean")), "yes" if one.inside else "no",
    )  # fmt: skip


def signed(share: float | None) -> str:
    """`+3.2 %`; "–" where nothing is known."""
    if share is None:
        return "–"
    return ("+" if share >= 0 else "") + units.show_fraction(share)


def _summary(forecasts: Sequence[Forecast]) -> str:
    inside = sum(one.inside for one in forecasts)
    return f"{inside} of {len(forecasts)} measured rates lie within the band of the model."


def forecasts_section(forecasts: Sequence[Forecast]) -> Iterator[str]:
    """A heading and a table as HTML; nothing where nothing was predicted."""
    if not forecasts:
        return
    yield f"<section><h2>{_TITLE}</h2>"
    yield f'<p class="about">{escape(_summary(forecasts))}</p>'
    head = "".join(f"<th>{escape(one)}</th>" for one in HEADINGS)
    yield f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>'
    for one in forecasts:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells(one)) + "</tr>"
    yield "</tbody></table></div></section>"


def forecasts_lines(forecasts: Sequence[Forecast]) -> Iterator[str]:
    """The same as Markdown."""
    if not forecasts:
        return
    yield f"## {_TITLE}"
    yield ""
    yield _summary(forecasts)
    yield ""
    yield "| " + " | ".join(HEADINGS) + " |"
    yield "|" + " --- |" * len(HEADINGS)
    for one in forecasts:
        yield "| " + " | ".join(cell.replace("|", r"\|") for cell in cells(one)) + " |"
    yield ""
