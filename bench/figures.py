"""What a benchmark prints, and what it was measured on."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

ROUNDS = 3  # fewest of which a median is told


def medians(rounds: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The median of each figure over rounds that all measured the same."""
    rows = list(rounds)
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}


def machine() -> dict[str, object]:
    """What the figures were measured on; enough to know when they may be compared."""
    cpu = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    return {
        "cpu": cpu, "cpus": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(), "python": platform.python_version(),
        "load": os.getloadavg()[0], "measured": time.time(),
    }  # fmt: skip
