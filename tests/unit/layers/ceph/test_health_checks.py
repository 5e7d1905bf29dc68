"""Checks of `ceph health detail`. Oracle: the longest of each list, the counts that it repeats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mangle import mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "ceph-composed" / "health-slow.txt").read_text()
MIB = 1 << 20


def _things(text: str) -> dict[str, dict[str, Any]]:
    return {
        subject.name: dict(subject.values)
        for state in states(text)
        if state.tool.startswith("ceph health")
        for subject in state.subjects
    }


def test_what_is_slow() -> None:
    things = _things(TEXT)
    cluster = things["ceph"]
    assert (cluster["slow_requests"], cluster["oldest_blocked"]) == (30, 100)
    assert cluster["slow_daemons"] == "osd.1,osd.3"
    assert "health" not in cluster  # its line is cut off
    pings = things["osd.0"]
    assert pings == {"heartbeat_back_to_osd.1": 1.118001, "heartbeat_back_to_osd.2": 1.030123}
    assert max(pings.values()) == cluster["longest_heartbeat_back"]
    assert things["mds.a"] == {
        "rank": 0, "slow_metadata": 12, "blocked_longer_than": 30.0, "oldest_blocked": 360.0,
    }  # fmt: skip
    assert things["osd.98"] == {
        "spilled_over": 78 * MIB, "db_used": round(1.2 * 1024 * MIB), "db_size": 20 << 30,
    }  # fmt: skip
    slow = [name for name, values in things.items() if values.get("slow_bluestore")]
    assert f"{len(slow)} OSD(s)" in cluster["BLUESTORE_SLOW_OP_ALERT"]


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("HEALTH_WARN 2 slow ops, oldest one blocked for 1234 sec, osd.7 has slow ops\n", "ceph",
         {"health": "HEALTH_WARN", "slow_requests": 2, "oldest_blocked": 1234,
          "slow_daemons": "osd.7",
          "health_checks": "2 slow ops, oldest one blocked for 1234 sec, osd.7 has slow ops"}),
        ("OSD_DOWN 2 osds down\n    osd.3 (root=default,host=n1) is down\n", "osd.3",
         {"place": "root=default,host=n1", "status": "down"}),
        ("REQUEST_SLOW 2 slow requests are blocked > 32 sec\n    1 ops are blocked > 65.536 sec\n"
         "    osd.1 has blocked requests > 65.536 sec\n", "osd.1",
         {"blocked_longer_than": 65.536}),
    ],
)  # fmt: skip
def test_lines_alone(text: str, name: str, values: dict[str, Any]) -> None:
    assert _things(text)[name] == values


@pytest.mark.parametrize(
    "text",
    [
        "OSD_DOWN is what you get\n",
        "HEALTH_WARN means that something is wrong\n",
        "[WRN] somewhere: 3 things\n",
        "POOL_SIZE 3 is what we set\n",
        "mds.a is slow, its requests are blocked > 30 secs\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


def test_every_shape() -> None:
    expected = _things(TEXT)
    for shape, changed in mangled(TEXT, wraps=False):
        if shape != "with blank lines":
            assert _things(changed) == expected, shape
