"""Outputs of fio that hold one run in several forms, and how two forms of a trial are compared."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from iosonde.records.printed import PrintedTrial
from tests.mangle import trials

OUTPUTS = Path(__file__).parents[3] / "outputs"
RUNS = tuple(sorted((OUTPUTS / "fio-3.33-normal").glob("*.out")))


@cache
def read(file: Path) -> tuple[PrintedTrial, ...]:
    """All trials in a file."""
    return tuple(trial for trial in trials(file.read_text()) if trial.tool == "fio")


def normal(file: Path) -> list[PrintedTrial]:
    """Those of the text: it alone gives a date."""
    return [output for output in read(file) if "date" in output.details]


def from_json(file: Path) -> list[PrintedTrial]:
    """Those of the JSON: it alone is exact."""
    return [output for output in read(file) if not output.steps]


def terse(file: Path) -> list[PrintedTrial]:
    """Those of the terse lines."""
    return [output for output in read(file) if output.steps and "date" not in output.details]


def text_of(file: Path) -> str:
    """The text alone: the lines before the results, and the results."""
    lines = file.read_text().split("\n")
    begin = next(number for number, line in enumerate(lines) if "(groupid=" in line)
    before = [line for line in lines[:begin] if ": (g=" in line or line.startswith(("fio-", "..."))]
    end = next((at for at, line in enumerate(lines) if line.startswith("Additional Terse")), None)
    return "\n".join([*before, "Starting 1 process", *lines[begin:end]])


def apart(trial: PrintedTrial, other: PrintedTrial) -> dict[str, tuple[float, float]]:
    """Metrics of both that differ by more than they were rounded when printed."""
    mine, theirs = trial.loops[0].metrics, other.loops[0].metrics
    return {
        name: (mine[name], theirs[name])
        for name in mine.keys() & theirs.keys()
        if abs(mine[name] - theirs[name])
        > (trial.steps.get(name, 0) + other.steps.get(name, 0)) * 1.001 + 1e-12
    }
