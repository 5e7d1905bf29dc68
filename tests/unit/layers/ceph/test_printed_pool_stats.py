"""Pools and old trees. Oracle: Ceph's totals are the sums of the rows; its shares of objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mangle import counters, folded, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
NEW, OLD, STATS, TREE = (
    (OUTPUTS / f"{name}.txt").read_text()
    for name in ("rados-df", "rados-df-old", "pool-stats", "tree-tabs")
)
ROWS = (
    " 1    ssd  0.09769          osd.1        down         0  1.00000\n"
    " 7         1.50000  osd.7        down   1.00000\n"
)


def _pools(text: str) -> dict[str, dict[str, Any]]:
    tools = {"rados df", "ceph osd pool stats"}
    return {row.name: dict(row.values) for row in counters(text, *tools)}


def _osds(text: str) -> dict[str, dict[str, Any]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text, "ceph osd tree")}


@pytest.mark.parametrize("text", [NEW, OLD], ids=["15", "0.80"])
def test_rados_df_adds_up(text: str) -> None:
    pools = _pools(text)
    total = pools.pop("ceph")
    assert sum(pool["objects"] for pool in pools.values()) == total["objects"]
    assert total["used"] + total["available"] == total["size"]


def test_old_sizes_are_kilobytes() -> None:
    rbd = _pools(OLD)["rbd"]
    assert rbd["used"] == 5120 * (4 << 20)  # objects of 4 MiB, all of them whole
    assert (rbd["read.operations"], rbd["read.bytes"]) == (100, 4000 << 10)
    without = "\n".join(line.replace("category", "").replace(" - ", "   ") for line in
                        OLD.split("\n"))  # fmt: skip
    assert _pools(without) == _pools(OLD)


def test_what_pools_do() -> None:
    rbd, data = _pools(STATS).values()
    assert rbd["degraded_share"] == pytest.approx(0.33333, abs=1e-5)
    assert (rbd["read.iops"], rbd["write.iops"], rbd["write.bandwidth"]) == (30, 300, 12 << 20)
    assert (rbd["recovery.objects"], rbd["recovery.bandwidth"]) == (12, 2048 << 10)
    assert (rbd["cache.flush"], rbd["cache.promote"]) == (10 << 20, 1)
    assert data == {"id": 1}


def test_trees_of_tabs_and_rows_alone() -> None:
    assert _osds(TREE)["osd.1"] == {"host": "node2", "weight": 1, "status": "down", "reweight": 0}
    assert [osd["host"] for osd in _osds(TREE).values()] == ["node1", "node2", "node2"]
    assert _osds(ROWS) == {
        "osd.1": {"class": "ssd", "weight": 0.09769, "status": "down", "reweight": 0,
                  "affinity": 1},
        "osd.7": {"weight": 1.5, "status": "down", "reweight": 1},
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "pool name is what you give it\n",
        "pool rbd id 0\n",
        "The pool rbd id 0 has client io 3 op/s\n",
        "1 2 osd.7 down 0\n",
        "osd.1 down 0\n",
        "POOL_NAME USED OBJECTS\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _pools(text)
    assert not _osds(text)


@pytest.mark.parametrize("text", [NEW, OLD, STATS], ids=["15", "0.80", "stats"])
def test_every_shape_of_pools(text: str) -> None:
    expected = _pools(text)
    for shape, changed in mangled(text, wraps=False):
        assert _pools(changed) == expected, shape
    assert _pools(folded(text, 72)) == expected


@pytest.mark.parametrize("text", [TREE, ROWS], ids=["tree", "rows"])
def test_every_shape_of_trees(text: str) -> None:
    expected = _osds(text)
    for shape, changed in mangled("\n".join(line.rstrip() for line in text.split("\n"))):
        assert _osds(changed) == expected, shape
