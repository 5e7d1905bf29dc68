"""Runs as CSV (RFC 4180): one row a metric of each trial, with its loops in further columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from typing_extensions import override

from iosonde.records.comparison import ALONE, ComparedSheets
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Scalar
from iosonde.report.format import Format
from iosonde.report.rows import COLUMNS, loop_rows, metric_rows
from iosonde.visible import visible

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


class CsvFormat(Format):
    """One row a metric; the values of the loops follow as loop_1, loop_2 and so on."""

    name = "csv"
    suffix = ".csv"

    @override
    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        del compared
        values: dict[tuple[Scalar, Scalar, Scalar], list[Scalar]] = {}
        for row in loop_rows(runs):
            values.setdefault((row["run"], row["trial"], row["metric"]), []).append(row["value"])
        most = max(map(len, values.values()), default=0)
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow([*COLUMNS, *(f"loop_{number}" for number in range(1, most + 1))])
        for row in metric_rows(runs):
            loops = values[row["run"], row["trial"], row["metric"]]
            writer.writerow([*(_cell(row[column]) for column in COLUMNS), *loops])
        return text.getvalue().encode()


def _cell(value: Scalar) -> Scalar:
    """A text in one line that a terminal shows and no spreadsheet runs as a formula.

    Source: OWASP, CSV Injection.
    """
    if not isinstance(value, str):
        return value
    text = visible(value)
    return "'" + text if text.lstrip().startswith(_FORMULA) else text
