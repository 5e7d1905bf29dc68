"""A format: one line a metric, its columns separated by tabs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde.records.comparison import ALONE, ComparedSheets
from iosonde.records.sheet import RunSheet
from iosonde.report.format import Format


class TsvFormat(Format):
    """Trial, metric, unit and mean of each metric."""

    name: ClassVar[str] = "tsv"
    suffix: ClassVar[str] = ".tsv"

    @override
    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        rows = [
            "\t".join((trial.trial.id, metric.name, metric.unit, repr(metric.mean)))
            for sheet in runs
            for trial in sheet.trials
            for metric in trial.metrics
        ]
        return "".join(f"{row}\n" for row in rows).encode()
