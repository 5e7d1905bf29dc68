"""pgbench, dbench, ceph osd perf and biosnoop. Oracle: figures that agree with each other."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs" / "monitors-composed"
TEXT, SNOOP = ((OUTPUTS / f"{name}.txt").read_text() for name in ("applications", "biosnoop"))


def test_transactions_that_failed_or_came_late() -> None:
    text = (
        "transaction type: <builtin: TPC-B (sort of)>\nscaling factor: 10\nquery mode: simple\n"
        "number of clients: 4\nnumber of threads: 2\nmaximum number of tries: 1\n"
        "duration: 60 s\nnumber of transactions actually processed: 6000\n"
        "number of failed transactions: 12 (0.200%)\n"
        "number of transactions skipped: 5 (0.083%)\n"
        "number of transactions above the 50.0 ms latency limit: 30/6000 (0.500%)\n"
        "latency average = 40.000 ms\nlatency stddev = 4.000 ms\n"
        "initial connection time = 8.500 ms\ntps = 100.0 (without initial connection time)\n"
    )
    for shape, given in mangled(text):
        (bench,) = counters(given)
        figures = [bench.values[f"{name}_transactions"] for name in ("failed", "skipped", "late")]
        assert figures == [12, 5, 30], shape
        assert bench.values["connection_time"] == 0.0085, shape


def test_transactions_osds_and_requests() -> None:
    bench, mix, *osds = counters(TEXT)
    values = bench.values
    assert bench.command.startswith("pgbench -c 10")
    clients = cast("float", values["tps"]) * cast("float", values["latency.mean"])
    assert clients == pytest.approx(cast("float", values["clients"]))
    assert values["transactions"] == cast("float", values["tps"]) * 60
    assert (mix.values["bandwidth"], mix.values["latency.max"]) == (250.5e6, 0.08025)
    assert [(osd.name, osd.values["commit_latency"]) for osd in osds] == [
        ("osd.2", 0.15), ("osd.1", 0.004), ("osd.0", None),
    ]  # fmt: skip


def test_transactions_at_a_limited_rate() -> None:
    """-R and --max-tries print lines between the counts and tps."""
    (bench,) = counters(
        "transaction type: <builtin: TPC-B (sort of)>\npartition method: range\npartitions: 4\n"
        "number of clients: 2\nnumber of transactions actually processed: 6000\n"
        "number of failed transactions: 3 (0.050%)\nnumber of serialization failures: 3 (0.050%)\n"
        "number of transactions retried: 7 (0.117%)\ntotal number of retries: 9\n"
        "latency average = 2.500 ms\nrate limit schedule lag: avg 0.125 (max 4.000) ms\n"
        "tps = 100.0 (without initial connection time)\n"
    )
    values = bench.values
    assert (values["tps"], values["retried_transactions"], values["retries"]) == (100, 7, 9)
    assert (values["schedule_lag.mean"], values["schedule_lag.max"]) == (0.000125, 0.004)


def test_requests_of_biosnoop_by_disk_and_direction() -> None:
    journal, data = counters(SNOOP)
    assert (journal.name, data.name) == ("vda", "vdb")
    assert {name: value for name, value in data.values.items() if name != "slowest"} == {
        "write.requests": 1, "write.bytes": 8192, "write.latencies": [0.0025],
        "read.requests": 2, "read.bytes": 8192, "read.latencies": [0.00025, 0.00075],
    }  # fmt: skip


@pytest.mark.parametrize("text", [TEXT.split("\n\n")[0], TEXT.split("\n\n")[2], SNOOP])
def test_every_shape(text: str) -> None:
    expected = [(row.name, dict(row.values)) for row in counters(text)]
    assert expected
    for shape, changed in mangled(text, wraps=False):
        assert [(row.name, dict(row.values)) for row in counters(changed)] == expected, shape


def test_a_run_without_its_rate_is_unread() -> None:
    (entry,) = read(TEXT[: TEXT.index("latency average")])
    assert isinstance(entry, Unread)
    assert entry.reason == "its transactions per second are cut off"


@pytest.mark.parametrize("text", [
    "tps = 5 is what I saw\n",
    "Throughput is low, 250 MB/sec at best with 8 clients\n",
    "osd commit_latency(ms) is what it takes to commit\n",
    "The column LAT(ms) of biosnoop is in ms: PID COMM DISK T BYTES LAT(ms) and more\n",
])  # fmt: skip
def test_prose(text: str) -> None:
    assert counters(text) == []


def test_a_sum_of_dbench_in_a_comment_or_without_clients() -> None:
    sync = "$ dbench -s -t 60 -D /srv 8\n#Throughput 412.5 MB/sec (sync open)\n"
    (mix,) = counters(sync)
    assert mix.values == {"bandwidth": 412.5e6, "sync": "open"}
    assert mix.command == "dbench -s -t 60 -D /srv 8"
    assert not counters("Throughput 412.5 MB/sec\n")  # of whatever it is


def test_the_operations_and_seconds_of_dbench() -> None:
    text = (OUTPUTS.parent / "dbench-4.00" / "two.txt").read_text()
    (mix,) = counters(text)
    assert mix.values["bandwidth"] == 1428.13e6
    assert mix.values["bandwidth.so_far"] == [1438.54e6, 1381.73e6, 1428.13e6]
    assert mix.values["Flush.count"] == 12361
    assert mix.values["Flush.latency.mean"] == pytest.approx(163e-6)
    longest = max(
        float(str(value)) for name, value in mix.values.items() if name.endswith(".latency.max")
    )
    assert mix.values["latency.max"] == pytest.approx(longest, rel=1e-3)
    (cut,) = counters(text.partition("Throughput")[0])
    assert "bandwidth" not in cut.values
    assert cut.values["Close.count"] == 129521
    marked = text.replace(" Flush ", "** Flush ").replace(" Close ", "** Close ")
    assert marked != text
    assert [thing.values for thing in counters(marked)] == [mix.values]


def test_the_head_of_dbench_and_each_of_its_seconds() -> None:
    (mix,) = counters((OUTPUTS.parent / "dbench-4.00" / "two.txt").read_text())
    assert (mix.values["version"], mix.values["load"]) == ("4.00", "/usr/share/dbench/client.txt")
    assert (mix.values["seconds"], mix.values["warmup_seconds"]) == (4, 0)
    assert mix.values["processes"] == 2
    table = cast("list[dict[str, float]]", mix.values["execute.intervals"])
    assert [row["bandwidth"] for row in table] == mix.values["bandwidth.so_far"]
    assert [row["seconds"] for row in table] == [1, 2, 3]
    assert max(row["latency"] for row in table) == mix.values["latency.max"]
    assert table[2]["operations"] == 394599


def test_progress_and_words_of_pgbench() -> None:
    rows = (
        "progress: 5.0 s, 510.0 tps, lat 19.608 ms stddev 2.125, 0 failed\n"
        "progress: 10.0 s, 490.0 tps, lat 20.408 ms stddev 2.500\n"
    )
    text = TEXT[: TEXT.index("$ dbench")]
    (bench,) = counters(text.replace("transaction type", f"{rows}transaction type"))
    table = cast("list[dict[str, float]]", bench.values["intervals"])
    assert sum(row["tps"] for row in table) / 2 == bench.values["tps"]
    for row in table:
        assert row["latency.mean"] * row["tps"] == pytest.approx(10, rel=1e-4)
    assert (table[0]["failed_transactions"], "failed_transactions" in table[1]) == (0, False)
    assert bench.values["version"] == "16.1"
    assert bench.values["transaction_type"] == "<builtin: TPC-B (sort of)>"
    assert (bench.values["query_mode"], bench.values["most_tries"]) == ("simple", 1)
    old = "tps = 85.104 (including connections establishing)\n"
    asked = "number of transactions per client: 10\n"
    (bench,) = counters(text.replace("latency average", f"{asked}{old}latency average"))
    assert bench.values["tps_including_connections"] == 85.104
    assert (bench.values["transactions_per_client"], bench.values["tps"]) == (10, 500)


def test_a_warm_up_alone_is_not_read() -> None:
    (entry,) = read("   8       123   12.50 MB/sec  warmup   1 sec  latency 9.100 ms\n")
    assert isinstance(entry, Unread)


def test_the_latencies_of_osds_before_ceph_10() -> None:
    (osd,) = counters("osdid fs_commit_latency(ms) fs_apply_latency(ms)\n    3    37    40\n")
    assert (osd.name, osd.values) == ("osd.3", {"commit_latency": 0.037, "apply_latency": 0.04})


@pytest.mark.parametrize("cut", ["...", "…", "[...]", "\n...\n", "<snip>"])
def test_lines_of_progress_above_others_that_somebody_left_out(cut: str) -> None:
    row = "progress: {}.0 s, 1234.5 tps, lat 6.400 ms stddev 2.100\n"
    sums = (
        "transaction type: <builtin: TPC-B (sort of)>\n"
        "tps = 1250.123456 (without initial connection time)\n"
    )
    above = f"root@db1:~# pgbench -P 5 -T 60 bench\npgbench (14.5)\n{row.format(5)}"
    (run,) = counters(f"{above}{cut}\n{row.format(60)}{sums}")
    assert (run.host, run.command) == ("db1", "pgbench -P 5 -T 60 bench")
    rows = cast("list[dict[str, float]]", run.values["intervals"])
    assert [each["seconds"] for each in rows] == [5.0, 60.0]
    (run,) = counters(f"{above}It went on so until the end.\n{row.format(60)}{sums}")
    assert len(cast("list[object]", run.values["intervals"])) == 1


def test_the_last_lines_of_a_run_alone() -> None:
    run = (
        "latency average = {} ms\ninitial connection time = 2.5 ms\n"
        "tps = {} (without initial connection time)\n"
    )
    first, second = counters(run.format("0.989", "10110.5") + run.format("0.104", "95233.9"))
    assert (first.values["tps"], first.values["latency.mean"]) == (10110.5, 0.000989)
    assert (second.values["tps"], second.values["latency.mean"]) == (95233.9, 0.000104)
    assert second.values["connection_time"] == 0.0025
    (bare,) = counters("latency is fine\ntps = 95233.9 (without initial connection time)\n")
    assert bare.values == {"tps": 95233.9}
