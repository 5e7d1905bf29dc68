"""db_bench, YCSB and memtier. Oracle: rates are counts over times, sums those of parts."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs" / "databases-composed"
DB, YCSB, MEMTIER = (
    (OUTPUTS / f"{name}.txt").read_text() for name in ("db-bench", "ycsb", "memtier")
)


def test_operations_of_db_bench() -> None:
    fill, reads, settings = counters(DB)
    assert (fill.name, reads.name, fill.host) == ("fillseq", "readrandom", "kv2")
    for row in (fill, reads):
        values = cast("dict[str, float]", row.values)
        assert values["operations"] / values["seconds"] == values["operations_per_second"]
        assert values["latency.mean"] == pytest.approx(1 / values["operations_per_second"])
    assert fill.values["bandwidth"] == pytest.approx(400000 * 116, rel=2e-3)
    assert (reads.values["hits"], reads.values["lookups"]) == (900000, 1000000)
    assert reads.values["latency.p99.9"] == pytest.approx(48e-6)
    assert settings.values["DB path"] == "/mnt/nvme/db"
    assert settings.values["Compression"] == "Snappy"


def test_rows_of_leveldb_have_no_counts() -> None:
    (row,) = counters("fillseq      :       2.000 micros/op;   55.3 MB/s\n")
    assert row.values == {"latency.mean": 2e-6, "bandwidth": 55.3 * 2**20}


def test_ycsb() -> None:
    overall, collector, reads, updates = counters(YCSB)
    assert overall.values == {"seconds": 12.5, "operations_per_second": 8000}
    assert collector.values == {"Count": 12}
    both = cast("int", reads.values["operations"]) + cast("int", updates.values["operations"])
    assert both / 12.5 == 8000
    assert reads.values["latency.mean"] == pytest.approx(512.1123456789e-6)
    assert reads.values["latency.p99"] == pytest.approx(3.123e-3)
    assert len(counters(YCSB + YCSB)) == 8  # two runs


def test_memtier() -> None:
    sets, gets, totals, asked = (cast("dict[str, float]", row.values) for row in counters(MEMTIER))
    assert asked == {"threads": 4, "connections_per_thread": 50, "requests_per_client": 10000}
    rate = sets["operations_per_second"] + gets["operations_per_second"]
    assert totals["operations_per_second"] == rate
    assert totals["bandwidth"] == pytest.approx(sets["bandwidth"] + gets["bandwidth"])
    assert sets["bandwidth"] == 1150.5 * 1024
    assert "hits_per_second" not in sets
    assert gets["hits_per_second"] + gets["misses_per_second"] == gets["operations_per_second"]
    assert gets["latency.p99.9"] == pytest.approx(5.151e-3)


def test_a_variance_and_a_summary_of_raw_data() -> None:
    text = (
        "[OVERALL], RunTime(ms), 1000\n[READ], Operations, 2\n"
        "[READ], LatencyVariance(us), 2500.0\n"
        "[SCAN], Total Operations, 9\n"
        "[SCAN], Below is a summary of latency in microseconds:, -1\n"
        "[SCAN], Average, 120.5\n[SCAN], Max, 4000\n[SCAN], p99.9, 3900\n"
    )
    values = {counter.name: counter.values for counter in counters(text)}
    assert values["READ"]["latency.variance"] == pytest.approx(2500e-12)
    assert values["SCAN"] == {
        "operations": 9, "latency.mean": 120.5e-6, "latency.max": 0.004, "latency.p99.9": 0.0039,
    }  # fmt: skip


def test_commands_and_a_cluster_of_memtier() -> None:
    text = (
        "Type         Ops/sec     Hits/sec   Misses/sec    MOVED/sec      ASK/sec    Avg. Latency"
        "       KB/sec \n" + "-" * 100 + "\n"
        "Hsets        1000.00          ---          ---         2.00         0.50         0.25000"
        "       100.00 \n"
        "Totals       1000.00         0.00         0.00         2.00         0.50         0.25000"
        "       100.00 \n"
    )
    first, total = counters(text)
    assert (first.name, first.values["moved_per_second"]) == ("Hsets", 2.0)
    assert (total.values["ask_per_second"], total.values["latency.mean"]) == (0.5, 0.00025)


def test_a_row_that_lost_a_cell_is_left_out() -> None:
    torn = MEMTIER.replace("150000.00    120000.00     30000.00", "150000.00    120000.00")
    assert [row.name for row in counters(torn)] == ["Sets", "Totals", ""]


def test_histogram_seed_and_levels_of_db_bench() -> None:
    _, reads, settings = counters(DB)
    assert reads.values["histogram.mean"] == reads.values["latency.mean"]
    assert reads.values["histogram.median"] == reads.values["latency.p50"]
    assert reads.values["histogram.count"] == reads.values["operations"]
    assert reads.values["histogram.max"] == pytest.approx(812e-6)
    assert settings.values["seed"] == 1700000000123456
    levels = "\nLevel Files Size(MB)\n--------------------\n"
    levels += "  0        2       64\n  1        0        0\n"
    *_, first, second, _ = counters(DB + levels)
    assert (first.kind, first.name) == ("level", "0")
    assert first.values == {"files": 2, "size": 64 * 2**20}
    assert second.values == {"files": 0, "size": 0}
    assert all(row.kind != "level" for row in counters(DB + "\n1  3  4\n"))


@pytest.mark.parametrize("text", [DB, YCSB, MEMTIER])
def test_every_shape(text: str) -> None:
    expected = [(row.name, dict(row.values)) for row in counters(text)]
    for shape, changed in mangled(text, wraps=False):
        if "underscores" in shape:
            continue
        assert [(row.name, dict(row.values)) for row in counters(changed)] == expected, shape


@pytest.mark.parametrize("text", [
    "It took 2.5 micros/op here, he said\n",
    "[OVERALL], that is in all, it was slow\n",
    "Type         Ops/sec of what?\n",
])  # fmt: skip
def test_prose(text: str) -> None:
    assert [entry for entry in read(text) if not isinstance(entry, Unread)] == []
