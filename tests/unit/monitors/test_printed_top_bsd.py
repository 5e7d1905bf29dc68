"""FreeBSD's top. Oracle: figures of the sample that are sums of others."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[2] / "outputs" / "freebsd-composed" / "top.txt").read_text()


def test_load_memory_and_arc_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        (row,) = counters(given)
        values = cast("dict[str, float]", row.values)
        assert row.values["load_average"] == [0.52, 0.48, 0.41], shape
        assert values["uptime"] == 12 * 86_400 + 3 * 3_600 + 4 * 60 + 5, shape
        states = ("running", "sleeping", "zombies")
        assert sum(values[name] for name in states) == values["tasks"], shape
        shares = [value for name, value in values.items() if name.startswith("cpu_")]
        assert sum(shares) == pytest.approx(1), shape
        assert values["swap_used"] + values["swap_free"] == values["swap_total"], shape
        parts = sum(values[f"arc_{name}"] for name in ("mfu", "mru", "anon", "header", "other"))
        assert parts == pytest.approx(values["arc_total"], rel=1e-3), shape
        ratio = values["arc_uncompressed"] / values["arc_compressed"]
        assert ratio == pytest.approx(values["arc_compression_ratio"]), shape
        assert (values["wired"], values["memory_free"]) == (12 << 30, 1 << 30), shape


def test_processes() -> None:
    (row,) = counters(TEXT)
    first, second = cast("list[dict[str, object]]", row.values["processes"])
    assert first == {
        "pid": 4711, "user": "root", "state": "zio->i", "cpu": 0.255, "virtual": 96 << 20,
        "resident": 40 << 20, "priority": 20, "nice": 0, "threads": 12, "processor": 2,
        "cpu_seconds": 754, "command": "zfs",
    }  # fmt: skip
    assert second["command"] == "rsync --server"


def test_a_head_that_was_cut_off() -> None:
    text = "\n".join(TEXT.splitlines()[4:7])
    (row,) = counters(text)
    assert row.values["arc_mru"] == 2048 << 20
    assert "swap_total" not in row.values


@pytest.mark.parametrize("text", [
    "last pid: 12 is what it says; load averages: many\n",
    "Mem: 512M Active and 12G Wired is too much\n",
    "ARC: 9216M Total of which 6144M MFU\n",
])  # fmt: skip
def test_prose(text: str) -> None:
    assert counters(text, "top") == []
