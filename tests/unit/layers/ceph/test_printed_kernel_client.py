"""Files of Ceph's kernel client. Oracle: sums and products that the files themselves hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from iosonde.layers.ceph.printed_kernel_client import (
    CephCaps,
    CephMdsRequests,
    CephMdsSessions,
    CephMetrics,
    CephOsdRequests,
)
from tests.mangle import counters, folded, mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "ceph-composed" / "kernel-client.txt").read_text()
TOOLS = {
    reader.tool
    for reader in (CephMetrics, CephOsdRequests, CephMdsRequests, CephCaps, CephMdsSessions)
}


def _files(text: str) -> dict[str, dict[str, Any]]:
    return {row.tool: dict(row.values) for row in counters(text, *TOOLS)}


def test_metrics_agree_with_themselves() -> None:
    metrics = _files(TEXT)["ceph metrics"]
    for name, row in metrics["size"].items():
        assert row["total"] * row["avg_sz"] == row["total_sz"]
        assert row["total"] == metrics["latency"][name]["total"]
    for row in metrics["latency"].values():
        assert row["min_lat"] <= row["avg_lat"] <= row["max_lat"]
    assert metrics["latency"]["read"]["avg_lat"] == 0.0015
    assert metrics["cache"]["caps"] == {"total": 77, "miss": 68, "hit": 10702}
    assert (metrics["opened_files"], metrics["total_inodes"]) == (2, 77)


def test_requests_are_as_many_as_the_head_says() -> None:
    requests = _files(TEXT)["ceph osdc"]
    assert requests == {
        "requests": 3, "homeless": 1, "by_osd": {"osd.3": 2, "osd.-1": 1},
        "by_operation": {"write": 2, "read": 1},
    }  # fmt: skip
    assert sum(requests["by_osd"].values()) == requests["requests"]


def test_requests_to_the_metadata_server() -> None:
    assert _files(TEXT)["ceph mdsc"] == {
        "requests": 2, "unsafe": 1, "oldest_tid": 4021, "by_operation": {"getattr": 1, "create": 1},
        "by_mds": {"mds0": 2},
    }  # fmt: skip


def test_caps_and_sessions() -> None:
    caps = _files(TEXT)["ceph caps"]
    assert caps["avail"] + caps["used"] + caps["reserved"] == caps["total"]
    assert caps["listed"] == caps["used"]
    (state,) = [state for state in states(TEXT) if state.tool == "ceph mds_sessions"]
    assert state.subjects[0].values == {"global_id": 4150, "name": "admin", "mds_0": "open"}


def test_older_metrics_of_sessions() -> None:
    text = "session       caps            miss            hit\n" + "-" * 49
    text += (
        "\n0             54              3               106\n1             108    13     3254\n"
    )
    text = (
        "item          total           miss            hit\n"
        + "-" * 49
        + "\n"
        + ("d_lease       131             24              2891\n\n" + text)
    )
    assert _files(text)["ceph metrics"]["sessions"] == {
        "0": {"caps": 54, "miss": 3, "hit": 106}, "1": {"caps": 108, "miss": 13, "hit": 3254},
    }  # fmt: skip


@pytest.mark.parametrize("width", [72, 76])
def test_rows_that_a_mail_broke(width: int) -> None:
    assert _files(folded(TEXT, width))["ceph metrics"] == _files(TEXT)["ceph metrics"]


@pytest.mark.parametrize(
    "text",
    [
        "The item total avg_lat(us) is what we look at\n",
        "REQUESTS 3 homeless people\n",
        "total 12\nused 3\n",
        "ls /sys/kernel/debug/ceph/x/mdsc\nnothing is there\n",
        "global_id 4150 was evicted\n",
        "item          total           miss            hit\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _files(text) == {}
    assert [state for state in states(text) if state.tool in TOOLS] == []


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _files(changed) == _files(TEXT), shape
