"""tiobench, AS SSD, winsat and CrystalDiskMark 2. Oracle: the units that their texts name."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedTrial, Unread
from tests.mangle import mangled, read, trials

OUTPUTS = Path(__file__).parents[2] / "outputs"
TIO, AS_SSD, WINSAT, CRYSTAL = (
    (OUTPUTS / name).read_text()
    for name in (
        "tiobench-composed/two-threads.txt", "as-ssd-composed/one.txt",
        "winsat-composed/disk.txt", "diskmark/crystal-2.2.txt",
    )
)  # fmt: skip


def figures(entries: list[PrintedTrial]) -> list[dict[str, float]]:
    return [
        {name: float(f"{value:.9g}") for name, value in trial.loops[0].metrics.items()}
        for trial in entries
    ]


def test_rows_of_tiobench() -> None:
    rows = trials(TIO)
    assert [(row.options["rw"], row.options["numjobs"]) for row in rows] == [
        ("read", 1), ("read", 2), ("randread", 1), ("write", 1),
    ]  # fmt: skip
    for row in rows:
        (rate,) = (
            value for name, value in row.loops[0].metrics.items() if name.endswith("bandwidth")
        )
        cpu = float(str(row.details["cpu"]))
        assert rate / 2**20 / cpu == pytest.approx(row.details["cpu_efficiency"])
        assert (row.options["size"], row.options["bs"]) == (8000 << 20, 4096)
    assert rows[3].loops[0].metrics["write.latency.max"] == pytest.approx(2.31012)
    assert rows[3].details["over_2s"] == 1.25e-5
    assert (rows[0].host, rows[0].details["identifier"]) == ("old5", "5.10.0-19-amd64")


def test_old_tables_of_tiobench_have_no_sizes() -> None:
    text = """Sequential Reads
                              Num                   Avg      Maximum     Lat%    CPU
Kernel                        Thr   Rate  (CPU%)  Latency    Latency     >10s    Eff
---------------------------- ---  ----------------------------------------------------
2.4.18                         8   20.00 10.00%     3.125     8123.45  0.00000     200
"""
    (row,) = trials(text)
    assert row.loops[0].metrics["read.bandwidth"] == 20 << 20
    assert row.options == {"rw": "read", "numjobs": 8}


def test_as_ssd() -> None:
    rows = trials(AS_SSD)
    assert [row.options["rw"] for row in rows] == [
        "read", "write", "randread", "randwrite", "randread", "randwrite", "randread", "randwrite",
    ]  # fmt: skip
    assert figures(rows)[:2] == [{"read.bandwidth": 512.31e6}, {"write.bandwidth": 491.22e6}]
    assert figures(rows)[6:] == [{"read.latency.mean": 41e-6}, {"write.latency.mean": 31e-6}]
    assert rows[4].options["numjobs"] == 64
    assert 512.31e6 + rows[0].steps["read.bandwidth"] >= 512.31 * 2**20
    assert rows[0].details["score.total"] == 1051
    assert {row.target for row in rows} == {"Samsung SSD 840 EVO 250GB"}
    assert figures(trials(AS_SSD.replace("512.31", "512,31"))) == figures(rows)


def test_winsat() -> None:
    rows = trials(WINSAT)
    assert figures(rows) == [
        {"read.bandwidth": 411.23e6}, {"read.bandwidth": 1412.11e6},
        {"write.bandwidth": 912.11e6}, {"read.latency.mean": 112e-6},
        {"read.latency.mean": 121e-6},
    ]  # fmt: skip
    assert (rows[0].options, rows[0].target) == ({"rw": "randread", "bs": 16384}, "D:")
    assert rows[0].details["latency.maximum"] == pytest.approx(3.112e-3)
    assert rows[0].command == "winsat disk -drive d"


def test_crystal_of_before_its_unit_was_said() -> None:
    rows = trials(CRYSTAL)
    assert figures(rows)[0] == {"read.bandwidth": 81.123e6}
    assert rows[4].options == {
        "rw": "randread", "bs": 4096, "size": 100 << 20, "iodepth": 1, "numjobs": 1,
    }  # fmt: skip
    assert 81.123e6 + rows[0].steps["read.bandwidth"] >= 81.123 * 2**20
    alone = trials(CRYSTAL[CRYSTAL.index("   Sequential") : CRYSTAL.index("\n\n         Test")])
    assert figures(alone) == figures(rows)
    assert alone[0].steps == rows[0].steps


@pytest.mark.parametrize("text", [TIO, AS_SSD, WINSAT, CRYSTAL])
def test_every_shape(text: str) -> None:
    expected = figures(trials(text))
    for shape, changed in mangled(text, wraps=False):
        assert figures(trials(changed)) == expected, shape


@pytest.mark.parametrize("text", [
    "Sequential Reads are slow: the columns Thr   Rate  (CPU%)  Latency say so\n",
    "AS SSD Benchmark 1.7 says 512 MB/s\n",
    "Read: 512.31 MB/s\nWrite: 12.00 MB/s\n",
    "Disk  Random reads are 16.0 times slower\n",
    "The Average Read Time with Sequential Writes was awful\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    tools = {"tiobench", "AS SSD Benchmark", "winsat", "CrystalDiskMark"}
    entries = [entry for entry in read(text) if not isinstance(entry, Unread)]
    assert not tools & {entry.tool for entry in entries}


def test_a_row_that_is_torn_is_said() -> None:
    torn = TIO.replace("  0.00000  0.00000   400\n\nRandom", "  0.0\n\nRandom")
    assert len(trials(torn)) == 3
    assert any(
        isinstance(entry, Unread) and entry.reason == "1 of its rows are torn"
        for entry in read(torn)
    )
