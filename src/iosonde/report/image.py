"""The charts of a report as one SVG or PNG, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import vl_convert
from typing_extensions import override

from iosonde.errors import UsageError
from iosonde.records.comparison import ALONE, ComparedSheets
from iosonde.records.sheet import RunSheet
from iosonde.report.charts import specification
from iosonde.report.format import Format
from iosonde.report.html import page_of


def _whole(runs: Sequence[RunSheet], compared: ComparedSheets) -> dict[str, Any]:
    charts = [
        figure.chart.properties(title=figure.title) for figure in page_of(runs, compared).drawn()
    ]
    if not charts:
        raise UsageError("there is no finished loop to draw", where=runs[0].run.id)
    return specification(alt.vconcat(*charts).resolve_scale(color="independent"))


class SvgFormat(Format):
    """The charts as one SVG."""

    name = "svg"
    suffix = ".svg"

    @override
    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        return str(vl_convert.vegalite_to_svg(_whole(runs, compared))).encode()


class PngFormat(Format):
    """The charts as one PNG at twice the screen's resolution."""

    name = "png"
    suffix = ".png"

    @override
    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        return bytes(vl_convert.vegalite_to_png(_whole(runs, compared), scale=2))
