"""The charts of a report as one SVG or PNG, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import altair as alt
import vl_convert

from iosonde.errors import UsageError
from iosonde.records import Verdict
from iosonde.report.charts import page_figures, style
from iosonde.sheets import ALONE, ComparedSheets, RunSheet
from iosonde.visible import visible


def svg(chart: Any) -> str:
    """A chart as SVG text, rendered offline."""
    return str(vl_convert.vegalite_to_svg(specification(style(chart))))


def specification(chart: Any) -> dict[str, Any]:
    """A chart as Vega-Lite's JSON, its texts as people may see them."""
    shown: dict[str, Any] = _visible(chart.to_dict())
    return shown


def _visible(part: Any) -> Any:
    if isinstance(part, str):
        return visible(part, lines=True)
    if isinstance(part, dict):
        return {key: _visible(value) for key, value in part.items()}
    return [_visible(value) for value in part] if isinstance(part, list) else part


def _whole(runs: Sequence[RunSheet], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    charts = [
        figure.chart.properties(title=f"{place}: {figure.title}" if place else figure.title)
        for place, figure in page_figures(runs, verdicts)
    ]
    if not charts:
        raise UsageError("there is no finished loop to draw", where=runs[0].run.id)
    return specification(style(alt.vconcat(*charts).resolve_scale(color="independent")))


class SvgFormat:
    """The charts as one SVG."""

    name: ClassVar[str] = "svg"
    suffix: ClassVar[str] = ".svg"

    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        """See `Format.serialize`."""
        return str(vl_convert.vegalite_to_svg(_whole(runs, compared.verdicts))).encode()


class PngFormat:
    """The charts as one PNG at twice the screen's resolution."""

    name: ClassVar[str] = "png"
    suffix: ClassVar[str] = ".png"

    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        """See `Format.serialize`."""
        return bytes(vl_convert.vegalite_to_png(_whole(runs, compared.verdicts), scale=2))
