"""How long the command takes to say something, against Python itself and the limit of 0.2 s."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from bench.figures import medians
from iosonde.records.bench import BenchFigure

_LIMIT = 0.2
_ASKED = {"help": ["--help"], "run-help": ["run", "--help"]}


def _seconds(argv: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def run(*, quick: bool) -> list[BenchFigure]:
    """`--help` of the command and of a verb; medians, in turns with an empty Python."""
    command = str(Path(sys.executable).with_name("iosonde"))
    commands = {name: [command, *arguments] for name, arguments in _ASKED.items()}
    commands["python"] = [sys.executable, "-c", "pass"]
    times = medians(
        {name: _seconds(argv) for name, argv in commands.items()} for _ in range(3 if quick else 21)
    )
    figures = []
    for name in _ASKED:
        mine = times[name]
        figures += [
            BenchFigure(f"start.{name}", mine, "s", "limit of 0.2 s", _LIMIT / mine),
            BenchFigure(f"start.{name}", mine, "s", "python -c pass", times["python"] / mine),
        ]
    return figures
