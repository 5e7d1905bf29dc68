"""iosonde's benchmarks: each a ratio against a peer or a limit, measured in the same run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from iosonde.records.bench import BenchFigure

BENCHES: Table[Callable[..., Sequence[BenchFigure]]] = Table(
    "benchmark",
    {
        "start": "bench.start:run",
        "import": "bench.import_:run",
        "lab": "bench.lab:run",
        "loops": "bench.loops:run",
        "observer": "bench.observer:run",
        "predict": "bench.predict:run",
        "list": "bench.list_:run",
        "log-reader": "bench.log_reader:run",
        "trace": "bench.trace:run",
        "tune-cost": "bench.tune_cost:run",
    },
)
