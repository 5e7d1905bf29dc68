"""diskspd. Oracle: requests times the block size are the rate, reads and writes the total."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read, trials

TEXT = (Path(__file__).parents[2] / "outputs" / "commands-composed" / "diskspd.txt").read_text()


def test_reads_and_writes_of_a_mixed_run() -> None:
    (trial,) = trials(TEXT)
    metrics = trial.loops[0].metrics
    assert metrics["read.iops"] + metrics["write.iops"] == 20_000
    for way in ("read", "write"):
        rate, step = metrics[f"{way}.bandwidth"], trial.steps[f"{way}.bandwidth"]
        assert metrics[f"{way}.iops"] * 8192 == pytest.approx(rate, abs=step * 1.01)
    assert metrics["write.latency.p99_9"] == pytest.approx(0.01)
    assert metrics["read.latency.mean"] == pytest.approx(0.003)
    assert (trial.target, trial.elapsed) == (r"D:\io.dat", (10.0,))
    assert trial.options == {"rw": "randrw", "bs": 8192, "iodepth": 32, "numjobs": 2}


@pytest.mark.parametrize(("line", "paced"), [
    ("\t\tthink time: 0ms", False), ("\t\tthink time: 20ms", True),
    ("\t\tthroughput rate-limited to 200 IOPS", True),
    ("\t\tthroughput rate-limited to 1024 B/ms", True),
])  # fmt: skip
def test_a_load_that_is_held_back_is_paced(line: str, paced: bool) -> None:
    head, size, rest = TEXT.partition("\t\tblock size:")
    (trial,) = trials(f"{head}{line}\n{size}{rest}")
    assert trial.options.get("paced", False) is paced


@pytest.mark.parametrize(("printed", "size"), [("8KiB", 8192), ("8192", 8192), ("1MiB", 1 << 20)])
def test_block_sizes_have_units_in_new_versions(printed: str, size: int) -> None:
    (trial,) = trials(TEXT.replace("block size: 8192", f"block size: {printed}"))
    assert trial.options["bs"] == size


def test_result_without_its_head_and_without_latencies() -> None:
    part = TEXT[TEXT.index("Total IO") : TEXT.index("\n\ntotal:\n")]
    (trial,) = trials(part.replace(" |    3.000 |     0.900", "").replace("MiB/s", "MB/s"))
    assert trial.loops[0].metrics["read.iops"] == 14_000
    assert "read.latency.mean" not in trial.loops[0].metrics
    assert trial.options["rw"] == "rw"


@pytest.mark.parametrize(("text", "reason"), [
    (TEXT[: TEXT.index("Total IO")], "no result follows"),
    (TEXT[: TEXT.index("total:  ")], "no result follows"),
])  # fmt: skip
def test_what_is_cut_off(text: str, reason: str) -> None:
    (entry,) = read(text)
    assert isinstance(entry, Unread)
    assert entry.reason == reason


def test_totals_alone_are_counters() -> None:
    text = TEXT[TEXT.index("Total IO") : TEXT.index("Read IO")].replace("MiB/s", " MB/s")
    (total,) = counters(f"I ran it and got this :\n{text}")
    assert (total.tool, trials(text)) == ("diskspd", [])
    values = cast("dict[str, Any]", total.values)
    assert values["total"]["bytes"] == values["total"]["count"] * 8192
    assert values["total"]["latency.mean"] == 0.0032
    rows = values["total_threads"]
    assert sum(row["count"] for row in rows) == values["total"]["count"]
    assert rows[1]["file"] == r"D:\io.dat (4GiB)"


def test_the_deviation_of_requests_a_second_is_no_latency() -> None:
    head, row = " |  AvgLat  | LatStdDev |", " |    3.000 |     0.900"
    text = TEXT.replace(head, " |  AvgLat  | IopsStdDev | LatStdDev |")
    text = text.replace(row, " |    3.000 |    125.50 |     0.900")
    metrics = trials(text)[0].loops[0].metrics
    assert metrics["read.latency.stdev"] == pytest.approx(0.0009)
    assert cast("Any", trials(text)[0].details["read"])["iops.stdev"] == 125.5
    only = TEXT.replace(head, " | IopsStdDev |").replace(row, " |    125.50")
    assert "read.latency.mean" not in trials(only)[0].loops[0].metrics


def test_processors_and_percentiles_of_all_requests() -> None:
    details = cast("dict[str, Any]", trials(TEXT)[0].details)
    assert details["cpus"]["avg"] == {"usage": 0.2, "user": 0.02, "kernel": 0.18, "idle": 0.8}
    assert details["total_latency"]["p99_9"] == 0.0095
    assert (details["duration"], details["warm_up_time"]) == ("10s", "5s")
    assert details["read"]["count"] + details["write"]["count"] == details["total"]["count"]


def test_every_shape() -> None:
    expected = [dict(trial.loops[0].metrics) for trial in trials(TEXT)]
    for shape, changed in mangled(TEXT, wraps=False):
        assert [dict(trial.loops[0].metrics) for trial in trials(changed)] == expected, shape


@pytest.mark.parametrize("text", [
    "Command Line: is the first line that diskspd prints\n",
    "thread | bytes | I/Os | MiB/s | I/O per s | are the columns\n",
])  # fmt: skip
def test_prose(text: str) -> None:
    assert trials(text) == []
