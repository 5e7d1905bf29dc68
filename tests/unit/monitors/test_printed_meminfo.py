"""/proc/meminfo: kB there are 1024 bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, read

TEXT = (Path(__file__).parents[2] / "outputs" / "meminfo-composed" / "file.txt").read_text()


def test_the_file_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        (memory,) = counters(given)
        assert memory.values["Dirty"] == 512000 * 1024, shape
        assert memory.values["Writeback"] == 4 << 20
        assert memory.values["HugePages_Total"] == 0


def test_the_file_of_this_host() -> None:
    text = Path("/proc/meminfo").read_text()
    (memory,) = counters(f"$ cat /proc/meminfo\n{text}")
    for line in text.splitlines():
        name, count, *unit = line.replace(":", " ").split()
        if unit and name in memory.values:
            assert memory.values[name] == int(count) * 1024
    free, total = memory.values["MemFree"], memory.values["MemTotal"]
    assert isinstance(free, int)
    assert isinstance(total, int)
    assert 0 < free < total


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MemAvailable:   15120 kB\n", {"MemAvailable": 15120 << 10}),
        ("Active(file):   8 kB\nUnevictable:  4 kB\nAnonPages:  2 kB\n",
         {"Active(file)": 8192, "Unevictable": 4096, "AnonPages": 2048}),
        ("HugePages_Total:      12\nHugePages_Free:       3\nHugepagesize:    2048 kB\n",
         {"HugePages_Total": 12, "HugePages_Free": 3, "Hugepagesize": 2 << 20}),
    ],
)  # fmt: skip
def test_some_lines_of_it(text: str, expected: dict[str, int]) -> None:
    (memory,) = counters(f"It has\n\n{text}\nnow.\n")
    assert memory.values == expected


def test_several_moments_are_several_outputs() -> None:
    lines = "11:04:52 Dirty:  254328 kB  MemFree:  1480148 kB\n11:24:53 Dirty:  56 kB\n"
    assert [counter.values["Dirty"] for counter in counters(lines)] == [254328 * 1024, 56 * 1024]


def test_prose_is_none() -> None:
    assert read("Dirty: 12 kB is nothing, says MemFree: 3 kB of it.") == []


def test_what_somebody_remarked_behind_a_line() -> None:
    lines = "SwapCached:            8 kB     # came back\nSReclaimable:     128 kB     # slab\n"
    (row,) = counters(f"$ cat /proc/meminfo | grep -E 'SReclaimable|SwapCached'\n{lines}")
    assert row.values == {"SwapCached": 8 << 10, "SReclaimable": 128 << 10}
