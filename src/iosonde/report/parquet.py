"""Runs as Parquet, one row a metric of each trial, the loops as a list column. By Polars."""

from __future__ import annotations

import io
from collections.abc import Sequence

import polars
from typing_extensions import override

from iosonde.records.comparison import ALONE, ComparedSheets
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Scalar
from iosonde.report.format import Format
from iosonde.report.rows import COLUMNS, metric_rows
from iosonde.visible import visible

_KINDS: dict[str, type[polars.DataType]] = {
    **dict.fromkeys(
        ("mean", "median", "stdev", "cv", "ci95_low", "ci95_high", "merged"), polars.Float64
    ),
    "loops": polars.Int64,
    "rounded": polars.Boolean,
    "headline": polars.Boolean,
}


class ParquetFormat(Format):
    """Columns as the CSV's; `values` is the list of the loops' values."""

    name = "parquet"
    suffix = ".parquet"

    @override
    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        del compared
        file = io.BytesIO()
        frame_of(runs).write_parquet(file)
        return file.getvalue()


def frame_of(runs: Sequence[RunSheet]) -> polars.DataFrame:
    """One row a metric of each trial, `values` is the list of the loops' values."""
    schema = {column: _KINDS.get(column, polars.String) for column in COLUMNS}
    values = [
        list(metric.loops) for sheet in runs for trial in sheet.trials for metric in trial.metrics
    ]
    rows = [{key: _cell(value) for key, value in row.items()} for row in metric_rows(runs)]
    return polars.DataFrame(rows, schema=schema).with_columns(
        polars.Series("values", values, dtype=polars.List(polars.Float64))
    )


def _cell(value: Scalar) -> Scalar:
    r"""Parquet's strings are UTF-8: a byte that is none is shown as `\xe9`."""
    if isinstance(value, str) and not value.isascii():
        return "".join(visible(sign) if "\ud800" <= sign <= "\udfff" else sign for sign in value)
    return value
