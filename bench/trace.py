"""Decoding of traces from text against 5 million requests a second, Polars and pandas.

One core: each reader runs in a process of its own that may use one processor, and what it took is
its processor time, which other work on the machine changes little. All hand out the same columns,
of which sums are compared. Polars and pandas read the CSV of MSR Cambridge, which suits them; the
conversion of the types into times and operations is part of everybody's work. pandas is left out
where it is not installed (`pip install 'iosonde[bench]'`).
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.figures import ROUNDS
from iosonde.records.bench import BenchFigure

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 5e6  # requests a second, of one core, from text
EPOCH = 116_444_736_000_000_000
MSR = ("time", "host", "disk", "op", "offset", "length", "response")
FORMATS = (
    "msr", "alibaba", "tencent", "systor", "iolog", "fio-log", "blkparse", "blkparse, five events",
)  # fmt: skip
# As blkparse prints them, with its widths.
_EVENT = "  8,0    1        7 {}.{}   697  @ {} {} + {} [fio]"
_EVENT_COLUMNS = ("second", "frac", "rwbs", "sector", "sectors")


def write_traces(folder: Path, count: int) -> None:
    """The same requests in every text format: Zipf over 8 million blocks, a third writes."""
    import numpy as np
    import polars as pl

    chance = np.random.default_rng(1)
    times = np.cumsum(chance.exponential(20_000, count)).astype(np.int64)
    frame = (
        pl.DataFrame(
            {
                "ns": times,
                "us": times // 1000,
                "s": times // 10**9,
                "frac": (times % 10**9).astype(str),
                "offset": (chance.zipf(1.2, count) % 8_000_000) * 4096,
                "length": chance.choice([4096, 8192, 65536, 512], count, p=[0.7, 0.15, 0.1, 0.05]),
                "write": (chance.random(count) < 1 / 3).astype(np.int64),
            }
        )
        .with_columns(
            frac=pl.col("frac").str.zfill(9),
            letter=pl.when(pl.col("write") == 1).then(pl.lit("W")).otherwise(pl.lit("R")),
            word=pl.when(pl.col("write") == 1).then(pl.lit("Write")).otherwise(pl.lit("Read")),
            action=pl.when(pl.col("write") == 1).then(pl.lit("write")).otherwise(pl.lit("read")),
            second=pl.col("s").cast(pl.String).str.pad_start(5),
            filetime=pl.col("ns") // 100 + 128_166_372_003_061_629,
            sector=pl.col("offset") // 512,
            sectors=pl.col("length") // 512,
            ms=pl.col("us") // 1000,
        )
        .with_columns(rwbs=pl.col("letter").str.pad_start(3))
    )
    lines: dict[str, tuple[str, tuple[str, ...]]] = {
        "msr": ("{},hm,1,{},{},{},413", ("filetime", "word", "offset", "length")),
        "alibaba": ("7,{},{},{},{}", ("letter", "offset", "length", "us")),
        "tencent": ("{},{},{},{},7", ("s", "sector", "sectors", "write")),
        "systor": ("{}.{},0.000413,{},3,{},{}", ("s", "frac", "letter", "offset", "length")),
        "iolog": ("{} scratch {} {} {}", ("us", "action", "offset", "length")),
        "fio-log": ("{}, 4711, {}, {}, {}, 0", ("ms", "write", "length", "offset")),
        "blkparse": (_EVENT.replace("@", "Q"), _EVENT_COLUMNS),
        "blkparse, five events": (
            "\n".join(_EVENT.replace("@", event) for event in "QGIDC"), 5 * _EVENT_COLUMNS
        ),
    }  # fmt: skip
    for name, (line, columns) in lines.items():
        head = "fio version 3 iolog\n" if name == "iolog" else ""
        text = frame.select(pl.format(line + "\n", *columns).str.join("")).item()
        (folder / name).write_text(head + text)
    with gzip.open(folder / "msr.gz", "wb", compresslevel=1) as packed:
        packed.write((folder / "msr").read_bytes())


def with_iosonde(path: str) -> list[int]:
    """The reader of this project, as Python callers use it."""
    from iosonde.trace.read import open_trace

    sums = [0, 0, 0, 0]
    trace = open_trace(path)
    for batch in trace.batches():
        row = (len(batch), batch.offsets.sum(), batch.lengths.sum(), batch.ops.sum())
        sums = [number + int(other) for number, other in zip(sums, row, strict=True)]
    assert trace.damage.count == 0
    return sums


def with_describe(path: str) -> list[int]:
    """All of `iosonde trace describe` but the printing."""
    from iosonde.trace.describe import describe
    from iosonde.trace.read import sources

    description = describe(sources([path])[0])
    return [description.requests]


def with_polars(path: str) -> list[int]:
    """Columns of the same types, from its CSV reader."""
    import polars as pl

    frame = (
        pl.scan_csv(path, has_header=False, new_columns=list(MSR))
        .select(
            ((pl.col("time") - EPOCH) * 100).cast(pl.UInt64),
            (pl.col("op") == "Write").cast(pl.UInt8),
            pl.col("offset").cast(pl.UInt64),
            pl.col("length").cast(pl.UInt64),
        )
        .collect()
    )
    sums = (frame["offset"].sum(), frame["length"].sum(), frame["op"].cast(pl.UInt64).sum())
    return [len(frame), *map(int, sums)]


def with_pandas(path: str) -> list[int]:
    """The same by its C parser, with the types told."""
    import pandas as pd

    frame = pd.read_csv(
        path, header=None, names=list(MSR), engine="c",
        dtype={"time": "uint64", "host": "category", "disk": "uint32", "op": "category",
               "offset": "uint64", "length": "uint64", "response": "uint64"},
    )  # fmt: skip
    times = (frame["time"] - EPOCH) * 100
    writes = (frame["op"] == "Write").astype("uint8")
    assert len(times) == len(writes)
    return [len(frame), int(frame["offset"].sum()), int(frame["length"].sum()), int(writes.sum())]


READERS: dict[str, Callable[[str], list[int]]] = {
    "iosonde": with_iosonde,
    "describe": with_describe,
    "polars": with_polars,
    "pandas": with_pandas,
}
_MODULES = {"iosonde": "iosonde.trace.read", "describe": "iosonde.trace.describe"}


def _timed(reader: str, path: Path) -> tuple[float, int, list[int]]:
    """Processor seconds, peak of resident memory in bytes, and the sums."""
    argv = [sys.executable, "-m", "bench.trace", reader, str(path)]
    values = {**os.environ, "POLARS_MAX_THREADS": "1"}
    done = subprocess.run(argv, check=True, capture_output=True, text=True, env=values)
    seconds, memory, sums = json.loads(done.stdout)
    return float(seconds), int(memory), sums


def run(*, quick: bool) -> list[BenchFigure]:
    """Medians of three rounds; 200,000 requests with `quick`, else five million."""
    count = 200_000 if quick else 5_000_000
    folder = Path(tempfile.mkdtemp(prefix="iosonde-bench-"))
    try:
        write_traces(folder, count)
        return _measured(folder, count)
    finally:
        shutil.rmtree(folder)


def _measured(folder: Path, count: int) -> list[BenchFigure]:
    peers = [name for name in ("polars", "pandas") if importlib.util.find_spec(name)]
    asked = [("iosonde", name) for name in (*FORMATS, "msr.gz")]
    asked += [("describe", "msr"), *((peer, "msr") for peer in peers)]
    times: dict[tuple[str, str], list[float]] = {pair: [] for pair in asked}
    memory: dict[tuple[str, str], int] = {}
    for _ in range(ROUNDS):
        answers: dict[tuple[str, str], Any] = {}
        for reader, name in asked:
            seconds, peak, answers[reader, name] = _timed(reader, folder / name)
            times[reader, name].append(seconds)
            memory[reader, name] = max(peak, memory.get((reader, name), 0))
        for pair, sums in answers.items():
            assert sums == answers["iosonde", "msr"][: len(sums)], pair
    speed = {pair: count / statistics.median(seconds) for pair, seconds in times.items()}
    limit = "5 million a second"
    figures = [
        BenchFigure(f"trace.decode {name}", speed["iosonde", name], "1/s", limit,
               speed["iosonde", name] / LIMIT)
        for name in (*FORMATS, "msr.gz")
    ]  # fmt: skip
    mine = speed["iosonde", "msr"]
    figures += [
        BenchFigure("trace.decode msr", mine, "1/s", peer, mine / speed[peer, "msr"])
        for peer in peers
    ]
    figures += [
        BenchFigure("trace.describe msr", speed["describe", "msr"], "1/s"),
        BenchFigure("trace.memory", memory["iosonde", "msr"], "B"),
        BenchFigure("trace.memory of describe", memory["describe", "msr"], "B"),
    ]
    return figures


def _child(reader: str, path: str) -> None:
    """One reader in this process: what `_timed` reads."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    __import__(_MODULES.get(reader, reader))
    begin = time.process_time()
    sums = READERS[reader](path)
    seconds = time.process_time() - begin
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024
    json.dump([seconds, peak, sums], sys.stdout)


if __name__ == "__main__":
    _child(sys.argv[1], sys.argv[2])
