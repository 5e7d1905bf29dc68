"""/proc/meminfo: kB there are 1024 bytes."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import counters, mangled, read

TEXT = (Path(__file__).parents[2] / "outputs" / "meminfo-composed" / "file.txt").read_text()


def test_the_file_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        (memory,) = counters(given)
        assert memory.values["Dirty"] == 512000 * 1024, shape
        assert memory.values["Writeback"] == 4 << 20
        assert "HugePages_Total" not in memory.values


def test_several_moments_are_several_outputs() -> None:
    lines = "11:04:52 Dirty:  254328 kB  MemFree:  1480148 kB\n11:24:53 Dirty:  56 kB\n"
    assert [counter.values["Dirty"] for counter in counters(lines)] == [254328 * 1024, 56 * 1024]


def test_prose_is_none() -> None:
    assert read("Dirty: 12 kB is nothing, says MemFree: 3 kB of it.") == []
