"""vmstat of other systems. Oracle: shares that add up, and sizes in the units of the sources."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[2] / "outputs/monitors-composed/vmstat-unix.txt").read_text()


def test_three_systems_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        rows = counters(given, "vmstat")
        assert [(row.kind, row.name) for row in rows] == [
            ("host", ""), ("disk", "ada0"), ("disk", "ada1"), ("host", ""), ("disk", "s0"),
            ("disk", "s1"), ("host", ""),
        ], shape  # fmt: skip
        freebsd, solaris, aix = (
            cast("dict[str, list[float]]", row.values) for row in rows if row.kind == "host"
        )
        for values in (freebsd, solaris, aix):
            shares = [figures for name, figures in values.items() if name.startswith("cpu_")]
            for of_line in zip(*shares, strict=True):
                assert sum(of_line) == pytest.approx(1), shape
        assert freebsd["memory_free"] == [2 << 30, 1536 << 20], shape
        assert freebsd["system_calls"] == [1200, 3000], shape
        assert (freebsd["paged_in_pages"], solaris["paged_in"]) == ([2, 0], [16384, 65536]), shape
        assert solaris["swap_free"] == [4 << 30, 4190208 * 1024], shape
        assert aix["active_virtual"][0] == 2 * aix["memory_free"][0] == 1 << 30, shape
        assert aix["entitled_capacity"] == [0.125, 0.2], shape
        assert rows[1].values["iops"] == [25, 250], shape


def test_a_head_that_comes_again() -> None:
    lines = TEXT.splitlines()[:5]
    (host, *_) = counters("\n".join([*lines, *lines[1:4]]))
    assert host.values["running"] == [1, 0, 1]


@pytest.mark.parametrize("text", [
    "r b w avm fre flt re pi po fr sr in sy cs us sy id are its columns\n1 2 3\n",
    "r b w avm fre flt re pi po fr sr in sy cs us sy id\n",
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa\n 1 2\n",
])  # fmt: skip
def test_no_table(text: str) -> None:
    assert counters(text, "vmstat") == []
