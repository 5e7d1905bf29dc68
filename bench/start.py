"""How long the command takes to say something, against Python itself and the limit of 0.2 s."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_LIMIT = 0.2


def _seconds(argv: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def run(*, quick: bool) -> list[dict[str, Any]]:
    """`--help` of the command and of a verb; medians, in turns with an empty Python."""
    command = str(Path(sys.executable).with_name("iosonde"))
    empty = [sys.executable, "-c", "pass"]
    figures: list[dict[str, Any]] = []
    for name, arguments in (("help", ["--help"]), ("run-help", ["run", "--help"])):
        pairs = [
            (_seconds([command, *arguments]), _seconds(empty)) for _ in range(3 if quick else 21)
        ]
        mine = statistics.median(pair[0] for pair in pairs)
        python = statistics.median(pair[1] for pair in pairs)
        figures += [
            {"name": f"start.{name}", "value": mine, "unit": "s", "against": "limit of 0.2 s",
             "ratio": _LIMIT / mine},
            {"name": f"start.{name}", "value": mine, "unit": "s", "against": "python -c pass",
             "ratio": python / mine},
        ]  # fmt: skip
    return figures
