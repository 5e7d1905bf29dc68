"""The charts of a report as one SVG or PNG, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import altair as alt
import vl_convert

from iosonde.errors import UsageError
from iosonde.records import Verdict
from iosonde.report.charts import page_figures, style
from iosonde.sheets import RunSheet


def svg(chart: Any) -> str:
    """A chart as SVG text, rendered offline."""
    return str(vl_convert.vegalite_to_svg(style(chart).to_dict()))


def _whole(runs: Sequence[RunSheet], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    charts = [
        figure.chart.properties(title=f"{place}: {figure.title}" if place else figure.title)
        for place, figure in page_figures(runs, verdicts)
    ]
    if not charts:
        raise UsageError("there is no finished loop to draw", where=runs[0].run.id)
    whole: dict[str, Any] = style(alt.vconcat(*charts).resolve_scale(color="independent")).to_dict()
    return whole


class SvgFormat:
    """The charts as one SVG."""

    name: ClassVar[str] = "svg"
    suffix: ClassVar[str] = ".svg"

    def serialize(self, runs: Sequence[RunSheet], verdicts: Sequence[Verdict] = ()) -> bytes:
        """See `Format.serialize`."""
        return str(vl_convert.vegalite_to_svg(_whole(runs, verdicts))).encode()


class PngFormat:
    """The charts as one PNG at twice the screen's resolution."""

    name: ClassVar[str] = "png"
    suffix: ClassVar[str] = ".png"

    def serialize(self, runs: Sequence[RunSheet], verdicts: Sequence[Verdict] = ()) -> bytes:
        """See `Format.serialize`."""
        return bytes(vl_convert.vegalite_to_png(_whole(runs, verdicts), scale=2))
