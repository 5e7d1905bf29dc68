"""The reader of fio's logs against DuckDB, Polars, pandas and `wc -l` on the same file.

All make the same figures: per second and direction the number of I/Os, bytes, mean and largest
latency; per direction five percentiles; per direction and size the number of I/Os; the number off
the 4 KiB grid. Each runs in a process of its own, its clock starts after its imports; the figures
are compared afterwards. The log has the latencies and mix of a real one, on a device of 1 TiB.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from bench.figures import ROUNDS
from iosonde.records.bench import BenchFigure

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

QUANTILES = (0.5, 0.9, 0.99, 0.999, 0.9999)
REAL = Path(__file__).parents[1] / "tests" / "outputs" / "fio-3.33-logs" / "offset_lat.1.log"
NAMES = ("time", "value", "ddir", "bs", "offset", "prio")


class Answer(TypedDict):
    """What every reader answers; keys of the mappings are "0" (read) and "1" (write)."""

    seconds: dict[str, list[list[float]]]  # second, count, bytes, mean, max
    quantiles: dict[str, list[float]]
    sizes: dict[str, list[list[int]]]  # size, count
    off_grid: dict[str, int]


def with_iosonde(path: str) -> Answer:
    """The reader of this project, as Python callers use it."""
    from iosonde.loads.fio.logs import read_fio_log

    log = read_fio_log(path)
    answer: Answer = {"seconds": {}, "quantiles": {}, "sizes": {}, "off_grid": {}}
    for key, name in (("0", "read"), ("1", "write")):
        figures = log.directions[name]
        series = figures.series
        assert series.mean is not None
        assert series.max is not None
        assert series.bytes is not None
        assert figures.values is not None
        means, most = ([value * 1e9 for value in values] for values in (series.mean, series.max))
        columns = (series.time, series.count, series.bytes, means, most)
        answer["seconds"][key] = [list(map(float, row)) for row in zip(*columns, strict=True)]
        answer["quantiles"][key] = [figures.values.quantile(q) * 1e9 for q in QUANTILES]
        answer["sizes"][key] = [[size.size, size.count] for size in figures.sizes]
        answer["off_grid"][key] = round((figures.off_grid or 0) * figures.count)
    return answer


def with_duckdb(path: str) -> Answer:
    """One scan of the file into a table in memory, then three queries."""
    import duckdb

    columns = ", ".join(f"'{name}': 'BIGINT'" for name in NAMES)
    base = duckdb.connect()
    base.execute("SET threads = 2; SET preserve_insertion_order = false")
    base.execute(
        'CREATE TABLE log AS SELECT "time", value, ddir, bs, "offset" FROM '
        f"read_csv(?, header = false, delim = ',', columns = {{{columns}}})",
        [path],
    )
    seconds = base.execute(
        'SELECT ddir, "time" // 1000 AS s, count(*), sum(bs), avg(value), max(value) FROM log '
        "GROUP BY ddir, s ORDER BY ddir, s"
    ).fetchall()
    quantiles = base.execute(
        f"SELECT ddir, quantile_disc(value, {list(QUANTILES)}) FROM log GROUP BY ddir"
    ).fetchall()
    sizes = base.execute(
        'SELECT ddir, bs, count(*), count(*) FILTER ("offset" % 4096 <> 0 OR bs % 4096 <> 0) '
        "FROM log GROUP BY ddir, bs ORDER BY ddir, bs"
    ).fetchall()
    return _answer(seconds, dict(quantiles), sizes)


def with_duckdb_scans(path: str) -> Answer:
    """Two queries straight over the file, without a table; percentiles by t-digest."""
    import duckdb

    columns = ", ".join(f"'{name}': 'BIGINT'" for name in NAMES)
    source = f"read_csv(?, header = false, delim = ',', columns = {{{columns}}})"
    base = duckdb.connect()
    base.execute("SET threads = 2; SET preserve_insertion_order = false")
    seconds = base.execute(
        'SELECT ddir, "time" // 1000 AS s, count(*), sum(bs), avg(value), max(value) '
        f"FROM {source} "
        "GROUP BY ddir, s ORDER BY ddir, s",
        [path],
    ).fetchall()
    rows = base.execute(
        "SELECT GROUPING(bs) AS whole, ddir, bs, count(*), "
        'count(*) FILTER ("offset" % 4096 <> 0 OR bs % 4096 <> 0), '
        f"approx_quantile(value, {list(QUANTILES)}) FROM {source} "
        "GROUP BY GROUPING SETS ((ddir), (ddir, bs)) ORDER BY ddir, bs",
        [path],
    ).fetchall()
    quantiles = {row[1]: row[5] for row in rows if row[0]}
    return _answer(seconds, quantiles, [row[1:5] for row in rows if not row[0]])


def with_polars(path: str) -> Answer:
    """Streaming; the blanks after the commas make strings of the columns, which are then cast."""
    import polars as pl

    schema = {name: pl.Int64 if name == "time" else pl.String for name in NAMES}
    rest = [pl.col(name).str.strip_chars_start(" ").cast(pl.Int64) for name in NAMES[1:5]]
    log = pl.scan_csv(path, has_header=False, schema=schema).select("time", *rest)
    off = (pl.col("offset") % 4096 != 0) | (pl.col("bs") % 4096 != 0)
    plans: list[pl.LazyFrame] = [
        log.group_by("ddir", (pl.col("time") // 1000).alias("s")).agg(
            pl.len().alias("n"),
            pl.col("bs").sum(),
            pl.col("value").mean(),
            pl.col("value").max().alias("top"),
        ),
        log.group_by("ddir").agg(
            pl.col("value").quantile(q, "lower").alias(str(q)) for q in QUANTILES
        ),
        log.group_by("ddir", "bs").agg(pl.len().alias("n"), off.sum().alias("off")),
    ]
    seconds, quantiles, sizes = pl.collect_all(plans, engine="streaming")
    groups = {row[0]: list(row[1:]) for row in quantiles.rows()}
    return _answer(sorted(seconds.rows()), groups, sorted(sizes.rows()))


def with_pandas(path: str) -> Answer:
    """Its C parser, with the types told."""
    import pandas as pd

    types = dict.fromkeys(NAMES, "int64")
    log = pd.read_csv(
        path, header=None, names=list(NAMES), dtype=types, skipinitialspace=True,
        usecols=list(NAMES[:5]), engine="c",
    )  # fmt: skip
    log["s"] = log["time"] // 1000
    log["off"] = (log["offset"] % 4096 != 0) | (log["bs"] % 4096 != 0)
    seconds = log.groupby(["ddir", "s"]).agg(
        n=("bs", "size"), bytes=("bs", "sum"), mean=("value", "mean"), top=("value", "max")
    )
    quantiles = log.groupby("ddir")["value"].quantile(list(QUANTILES)).unstack()
    sizes = log.groupby(["ddir", "bs"]).agg(n=("off", "size"), off=("off", "sum"))
    groups = {key: list(row) for key, row in zip(quantiles.index, quantiles.values, strict=True)}
    return _answer(list(seconds.reset_index().itertuples(index=False)), groups,
                   list(sizes.reset_index().itertuples(index=False)))  # fmt: skip


READERS: dict[str, Callable[[str], Answer]] = {
    "iosonde": with_iosonde,
    "duckdb": with_duckdb,
    "duckdb, two scans": with_duckdb_scans,
    "polars": with_polars,
    "pandas": with_pandas,
}


def _answer(seconds: list[tuple], quantiles: dict, sizes: list[tuple]) -> Answer:  # type: ignore[type-arg]
    answer: Answer = {"seconds": {}, "quantiles": {}, "sizes": {}, "off_grid": {}}
    for ddir, *row in seconds:
        answer["seconds"].setdefault(str(int(ddir)), []).append(list(map(float, row)))
    for ddir, row in quantiles.items():
        answer["quantiles"][str(int(ddir))] = list(map(float, row))
    for ddir, size, count, off in sizes:
        key = str(int(ddir))
        answer["sizes"].setdefault(key, []).append([int(size), int(count)])
        answer["off_grid"][key] = answer["off_grid"].get(key, 0) + int(off)
    return answer


def write_log(path: Path, lines: int) -> None:
    """A log of that many lines in the shape of the real one, 30 I/Os per millisecond."""
    import numpy as np
    import polars as pl

    real = np.array([list(map(int, line.split(", "))) for line in REAL.read_text().splitlines()])
    chance = np.random.default_rng(1)
    with path.open("wb") as out:
        for begin in range(0, lines, 1_000_000):
            count = min(1_000_000, lines - begin)
            like = real[chance.integers(0, len(real), count)]
            aligned = chance.integers(0, 2**40 // 4096, count) * 4096
            columns = {
                "time": (np.arange(begin, begin + count)) // 30,
                "value": (like[:, 1] * chance.lognormal(0, 0.5, count)).astype(np.int64) + 1,
                "ddir": like[:, 2],
                "bs": chance.choice([4096, 16384, 512], count, p=[0.6, 0.3, 0.1]),
                "offset": aligned + np.where(chance.random(count) < 0.02, 512, 0),
            }
            text = pl.DataFrame(columns).select(
                pl.format("{}, {}, {}, {}, {}, 0\n", *NAMES[:5]).str.join("")
            )
            out.write(text.item().encode())


def _timed(reader: str, path: Path) -> tuple[float, int, Answer]:
    """Seconds, peak of resident memory in bytes, and the answer of one reader's own process."""
    argv = [sys.executable, "-m", "bench.log_reader", reader, str(path)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    seconds, memory, answer = json.loads(done.stdout)
    return float(seconds), int(memory), answer


def _timed_wc(path: Path) -> float:
    begin = time.perf_counter()
    subprocess.run(["wc", "-l", str(path)], check=True, capture_output=True)
    return time.perf_counter() - begin


def check(mine: Answer, other: Answer, reader: str) -> None:
    """The same figures: counts exactly, percentiles within the histogram's error.

    Raises:
        AssertionError: they are not.
    """
    assert mine["sizes"] == other["sizes"], reader
    assert mine["off_grid"] == other["off_grid"], reader
    for key in ("0", "1"):
        for readings, two in zip(mine["seconds"][key], other["seconds"][key], strict=True):
            close = all(
                abs(a - b) <= 1e-9 * abs(b) + 1e-6 for a, b in zip(readings, two, strict=True)
            )
            assert close, (reader, readings, two)
        # A t-digest of DuckDB's is up to 15 % off at the 99.99th percentile.
        allowed = 0.2 if reader == "duckdb, two scans" else 0.016
        for a, b in zip(mine["quantiles"][key], other["quantiles"][key], strict=True):
            assert abs(a - b) <= allowed * b, (reader, a, b)


def run(*, quick: bool) -> list[BenchFigure]:
    """Medians of three rounds; 2 million lines with `quick`, else 20 million."""
    lines = 2_000_000 if quick else 20_000_000
    folder = Path(tempfile.mkdtemp(prefix="iosonde-bench-"))
    try:
        path = folder / "made_lat.1.log"
        write_log(path, lines)
        return _measured(path, lines)
    finally:
        shutil.rmtree(folder)


def _measured(path: Path, lines: int) -> list[BenchFigure]:
    times: dict[str, list[float]] = {reader: [] for reader in (*READERS, "wc -l")}
    memory: dict[str, int] = {}
    for _ in range(ROUNDS):
        answers: dict[str, Answer] = {}
        times["wc -l"].append(_timed_wc(path))
        for reader in READERS:
            seconds, peak, answers[reader] = _timed(reader, path)
            times[reader].append(seconds)
            memory[reader] = max(peak, memory.get(reader, 0))
        for reader in READERS:
            check(answers["iosonde"], answers[reader], reader)
    medians = {reader: statistics.median(seconds) for reader, seconds in times.items()}
    mine, size = medians["iosonde"], path.stat().st_size
    figures = [
        BenchFigure("log-reader.speed", size / mine, "B/s", "2 GB/s", size / mine / 2e9),
        BenchFigure("log-reader.lines", lines / mine, "1/s"),
        BenchFigure("log-reader.memory", memory["iosonde"], "B"),
    ]
    others = [reader for reader in (*READERS, "wc -l") if reader != "iosonde"]
    figures += [
        BenchFigure("log-reader.time", mine, "s", reader, medians[reader] / mine)
        for reader in others
    ]
    figures += [
        BenchFigure(f"log-reader.memory of {reader}", memory[reader], "B", "iosonde",
               memory[reader] / memory["iosonde"])
        for reader in READERS if reader != "iosonde"
    ]  # fmt: skip
    return figures


def _child(reader: str, path: str) -> None:
    """One reader in this process: what `_timed` reads."""
    modules = {"iosonde": "iosonde.loads.fio.logs", "duckdb, two scans": "duckdb"}
    __import__(modules.get(reader, reader))
    begin = time.perf_counter()
    answer = READERS[reader](path)
    seconds = time.perf_counter() - begin
    # ru_maxrss would begin with what the parent had when it forked.
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024
    json.dump([seconds, peak, answer], sys.stdout)


if __name__ == "__main__":
    _child(sys.argv[1], sys.argv[2])
