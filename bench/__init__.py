"""iosonde's benchmarks: each a ratio against a peer or a limit, measured in the same run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from iosonde.registry import Table

BENCHES: Table[Callable[..., Sequence[Any]]] = Table(
    "benchmark",
    {
        "start": "bench.start:run",
        "observer": "bench.observer:run",
        "log-reader": "bench.log_reader:run",
    },
)
