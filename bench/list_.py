"""How long `list` takes over ten thousand runs of five loops, and how much memory its JSON takes.

Against the limit of 0.5 s; against Python's sqlite3, reading every row of the runs in a process of
its own; of memory, against the same command over a tenth of the runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import insert

from bench.figures import medians
from iosonde.records.bench import BenchFigure
from iosonde.records.run import RunState
from iosonde.store.rows import loop_row, trial_row
from iosonde.store.schema import LOOPS, RUNS, TRIALS
from iosonde.store.sql import SqlStore
from iosonde.store.sqlite import connect
from tests.sample import sample_run

_LIMIT = 0.5
_PLAIN = (
    "import sqlite3, sys\n"
    "for row in sqlite3.connect(sys.argv[1]).execute('SELECT * FROM runs ORDER BY created'): pass"
)


def run(*, quick: bool) -> list[BenchFigure]:
    """The list as a table, newest runs and all; as JSON the memory alone."""
    command = str(Path(sys.executable).with_name("iosonde"))
    runs, some = (400, 40) if quick else (10_000, 1_000)
    with tempfile.TemporaryDirectory() as folder:
        large, small = f"{folder}/large.sqlite", f"{folder}/small.sqlite"
        _fill(large, runs)
        _fill(small, some)
        first = _spent([command, "list", "--store", large])[0]  # makes the outlines of old runs
        asked = {
            "list": [command, "list", "--store", large],
            "sqlite3": [sys.executable, "-c", _PLAIN, large],
        }
        times = medians(
            {name: _spent(argv)[0] for name, argv in asked.items()}
            for _ in range(3 if quick else 9)
        )
        whole = _spent([command, "list", "--json", "--store", large, "--limit", str(runs // 4)])[1]
        tenth = _spent([command, "list", "--json", "--store", small, "--limit", str(some // 4)])[1]
    mine = times["list"]
    return [
        BenchFigure("list.table", mine, "s", "limit of 0.5 s", _LIMIT / mine),
        BenchFigure("list.table", mine, "s", "sqlite3: the rows of runs", times["sqlite3"] / mine),
        BenchFigure("list.first", first, "s", "limit of 0.5 s", _LIMIT / first),
        BenchFigure("list.json-memory", whole, "B", "a tenth of the runs", tenth / whole),
    ]  # fmt: skip


def _fill(place: str, runs: int) -> None:
    """A store of runs that ended before outlines were kept."""
    SqlStore(connect(place), place).close()
    trial = sample_run(5).run.trials[0]
    row = trial_row("", 0, trial)
    loops = [loop_row("", trial.id, loop, 1) for loop in trial.loops]
    engine = connect(place).engine
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        for number in range(runs):
            name = f"{number:08}"
            connection.execute(insert(RUNS).values(
                id=name, study=f"study {number % 7}", plan="{}", created=1e9 + 60.0 * number,
                state=RunState.FINISHED.value, owner="", name="",
            ))  # fmt: skip
            connection.execute(insert(TRIALS).values({**row, "run": name}))
            connection.execute(insert(LOOPS), [{**loop, "run": name} for loop in loops])
    engine.dispose()


def _spent(argv: list[str]) -> tuple[float, float]:
    """Seconds of the clock and the largest resident set in bytes of a command."""
    begin = time.perf_counter()
    child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{argv[:3]} ended with {child.returncode}")
    return time.perf_counter() - begin, usage.ru_maxrss * 1024.0
