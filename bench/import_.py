"""How fast `iosonde import` goes through a large text, and how much memory it takes.

The text is made of every output in tests/outputs, over and over, between paragraphs of prose,
kernel messages and tables, as an export of tickets would be: 200 MB with 10,000 outputs. The
command runs as a user runs it, start-up, JSON and all, without and with the store; beside it
`wc -l` and a Python program that does nothing but read the lines. Memory is the greatest resident
size, and for a text a quarter as long, because it must not grow with the text. That text is gone
through first: it is what leaves Python's modules compiled, as those of an installed package are.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.figures import ROUNDS, medians
from iosonde.errors import UsageError
from iosonde.records.bench import BenchFigure
from iosonde.records.printed import PRINTED
from iosonde.verbs.import_ import import_

_OUTPUTS = Path(__file__).parents[1] / "tests" / "outputs"
_GOAL = 50e6
_PROSE = (
    "the array was rebuilt after a disk had failed and the controller reports optimal state again "
    "we moved the volume to another host where latency is lower but writes still stall for seconds "
    "please send the kernel log of node seven and the layout of the volume group as it is today "
    "backup starts at two and ends before the first users arrive unless the tape library is full "
)
_PROSE_PARTS = _PROSE.split()
_READ_LINES = "import sys\nfor line in open(sys.argv[1], 'rb'): pass\n"


@dataclass(frozen=True)
class Ended:
    """A process that ended: seconds, greatest resident bytes, and what it printed."""

    seconds: float
    memory: int
    trials: int = 0


@cache
def _fixtures() -> list[tuple[str, int]]:
    """Texts of tests/outputs in which something is found, and how many outputs each holds."""
    rows = []
    for path in sorted(_OUTPUTS.glob("*/*")):
        if path.suffix not in {".txt", ".out", ".md"} or path.stat().st_size > 200_000:
            continue
        text = path.read_text(errors="replace")
        if outputs := _outputs_in(path):
            rows.append((text, outputs))
    return rows


def _outputs_in(path: Path) -> int:
    """How many outputs an import of one text alone has."""
    try:
        return _count(import_(str(path), dry_run=True).to_json())
    except UsageError:
        return 0


def _count(document: Mapping[str, Any]) -> int:
    """Outputs of an `iosonde.import/1`, in which a run with its command and its forms is one.

    What no reader knows is kept as it is printed where a text is short, so it is not counted.
    """
    return len({
        (record["tool"], record["source"]["first_line"], record["source"]["last_line"])
        for name in ("trials", "captures", "counters", "loads")
        for record in document[name]
        if record["tool"] != PRINTED
    })  # fmt: skip


def _filler(noise: random.Random, size: int) -> str:
    """Prose, kernel messages and a table, in lines of different lengths."""
    parts, length = [], 0
    while length < size:
        kind = noise.random()
        if kind < 0.6:
            prose = noise.choices(_PROSE_PARTS, k=noise.randrange(30, 140))
            text = " ".join(prose).capitalize() + ".\n\n"
        elif kind < 0.9:
            text = "".join(
                f"[{noise.uniform(0, 9e5):.6f}] {noise.choice(_PROSE_PARTS)} "
                f"{' '.join(noise.choices(_PROSE_PARTS, k=6))} 0x{noise.getrandbits(32):08x}\n"
                for _ in range(30)
            )
        else:
            text = "".join(
                f"{noise.choice(_PROSE_PARTS):<12}{noise.randrange(10**6):>9}{noise.random():>8.2f}\n"
                for _ in range(20)
            )
        parts.append(text)
        length += len(text)
    return "".join(parts)


def _write(path: Path, size: int, outputs: int) -> int:
    """A text of about `size` bytes with at least that many outputs; how many it has."""
    noise = random.Random(20)
    fixtures = _fixtures()
    fillers = [_filler(noise, 20_000) for _ in range(40)]
    per_output = size / outputs
    written, count = 0, 0
    with path.open("w", encoding="utf-8") as file:
        while count < outputs or written < size:
            text, held = noise.choice(fixtures)
            written += file.write(f"## Ticket {count}\n\n{text}\n\n")
            count += held
            while written < min(count * per_output, size):
                written += file.write(noise.choice(fillers))
    return count


def _as_installed(place: Path) -> dict[str, str]:
    """An environment in which modules are compiled once, as `pip install` leaves them."""
    environment = {**os.environ, "IOSONDE_STORE": str(place / "store.sqlite")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(place / "compiled")
    return environment


def _timed(argv: list[str], environment: dict[str, str]) -> Ended:
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(argv, stdout=out, stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, argv)
        out.seek(0)
        head = out.read(1)
        trials = 0
        if head == b"{" and "import" in argv:
            out.seek(0)
            trials = _count(json.load(out))
    return Ended(seconds, _resident(usage), trials)


def _resident(usage: resource.struct_rusage) -> int:
    return usage.ru_maxrss * 1024


def run(*, quick: bool) -> list[BenchFigure]:
    """Speed against the limit and against reading alone; memory at two lengths."""
    command = str(Path(sys.executable).with_name("iosonde"))
    size, outputs = (5_000_000, 250) if quick else (200_000_000, 10_000)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        whole, quarter = place / "whole.txt", place / "quarter.txt"
        count = _write(whole, size, outputs)
        _write(quarter, size // 4, outputs // 4)
        environment = _as_installed(place)
        ways: dict[str, Callable[[], list[str]]] = {
            "import": lambda: [command, "import", "--dry-run", "--json", str(whole)],
            "store": lambda: [command, "import", "--again", "--json", str(whole)],
            "wc -l": lambda: ["wc", "-l", str(whole)],
            "python, lines alone": lambda: [sys.executable, "-c", _READ_LINES, str(whole)],
        }
        length = whole.stat().st_size
        short = _timed([command, "import", "--dry-run", "--json", str(quarter)], environment)
        rounds = 1 if quick else ROUNDS
        ended = [{name: _timed(way(), environment) for name, way in ways.items()}
                 for _ in range(rounds)]  # fmt: skip
    return list(_figures(ended, length, count, short))


def _figures(
    ended: list[dict[str, Ended]], length: int, count: int, short: Ended
) -> Iterator[BenchFigure]:
    seconds = medians({name: command.seconds for name, command in row.items()} for row in ended)
    memory = max(row["import"].memory for row in ended)
    number = ended[0]["import"].trials
    speed = length / seconds["import"]
    yield BenchFigure("import.speed", speed, "B/s", "50 MB/s", speed / _GOAL)
    yield BenchFigure("import.outputs", count / seconds["import"], "1/s")
    yield BenchFigure("import.found", number, "", f"{count} outputs put in", number / count)
    stored = length / seconds["store"]
    yield BenchFigure("import.speed into the store", stored, "B/s", "50 MB/s", stored / _GOAL)
    for name in ("wc -l", "python, lines alone"):
        yield BenchFigure(
            "import.time", seconds["import"], "s", name, seconds[name] / seconds["import"]
        )
    yield BenchFigure("import.memory", memory, "B", "a quarter of the text", short.memory / memory)
