"""Runs as Parquet, one row a metric of each trial, the loops as a list column. By Polars."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import ClassVar

import polars

from iosonde.records import Verdict
from iosonde.report.rows import COLUMNS, metric_rows
from iosonde.sheets import RunSheet

_KINDS: dict[str, type[polars.DataType]] = {
    **dict.fromkeys(
        ("mean", "median", "stdev", "cv", "ci95_low", "ci95_high", "merged"), polars.Float64
    ),
    "loops": polars.Int64,
    "rounded": polars.Boolean,
    "headline": polars.Boolean,
}


class ParquetFormat:
    """Columns as the CSV's; `values` is the list of the loops' values."""

    name: ClassVar[str] = "parquet"
    suffix: ClassVar[str] = ".parquet"

    def serialize(self, runs: Sequence[RunSheet], verdicts: Sequence[Verdict] = ()) -> bytes:
        """See `Format.serialize`."""
        del verdicts
        schema = {column: _KINDS.get(column, polars.String) for column in COLUMNS}
        values = [
            list(metric.loops)
            for sheet in runs
            for trial in sheet.trials
            for metric in trial.metrics
        ]
        frame = polars.DataFrame(list(metric_rows(runs)), schema=schema).with_columns(
            polars.Series("values", values, dtype=polars.List(polars.Float64))
        )
        file = io.BytesIO()
        frame.write_parquet(file)
        return file.getvalue()
