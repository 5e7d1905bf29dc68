"""Checks about monitors, crashes, caches, heartbeats. Oracle: what the checks count below them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from iosonde.layers.ceph import findings, findings_health
from iosonde.verbs.explain import explain
from tests.mangle import mangled, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
TEXT = (OUTPUTS / "health-daemons.txt").read_text()
OLD = (OUTPUTS / "health-ping-old.txt").read_text()
GIB = 1 << 30


def _things(text: str) -> dict[str, dict[str, Any]]:
    things: dict[str, dict[str, Any]] = {}
    for state in states(text):
        if state.tool.startswith("ceph"):
            for subject in state.subjects:
                things.setdefault(subject.name, {}).update(subject.values)
    return things


def _remedies(tmp_path: Path, text: str) -> dict[str, str]:
    names = {rule.name for rule in (*findings.RULES, *findings_health.RULES)}
    path = tmp_path / "page.txt"
    path.write_text(text)
    return {x.rule: x.remedy for x in explain(str(path)).findings if x.rule in names}


def test_monitors_crashes_groups_and_caches() -> None:
    things = _things(TEXT)
    cluster = things["ceph"]
    assert (cluster["monitors_down"], cluster["monitors"], cluster["quorum"]) == (1, 3, "elm,ash")
    assert things["mon.oak"] == {
        "rank": 1, "address": "[v2:10.9.0.2:3300/0,v1:10.9.0.2:6789/0]", "status": "down",
    }  # fmt: skip
    times = things["osd.6"]["crashed_at"].split(", ")
    assert len(times) + len([things["client.rgw.shop"]["crashed_at"]]) == cluster["recent_crashes"]
    assert (cluster["pgs_inactive"], cluster["incomplete_pgs"]) == (2, 1)
    assert things["mds.homes.elm.abcdef"] == {
        "rank": 0, "cache_used": 9 * GIB, "cache_limit": 4 * GIB, "inodes_in_use": 812345,
        "stray_files": 12,
    }  # fmt: skip
    assert cluster["slow_daemons"] == "mon.elm"


def test_heartbeats_of_ceph_14() -> None:
    things = _things(OLD)
    cluster = things["ceph"]
    assert cluster["longest_heartbeat_back"] == max(things["osd.1"].values()) == 1.212107
    assert cluster["longest_heartbeat_front"] == things["osd.9"]["heartbeat_front_to_osd.12"]
    assert things["mds.homes-b"]["cache_limit"] == GIB


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("HEALTH_WARN 1 MDSs report oversized cache; 1 clients failing to respond to cache "
         "pressure\n\nwhat now?\n", "ceph",
         {"health": "HEALTH_WARN", "mds_with_oversized_cache": 1,
          "health_checks": "1 MDSs report oversized cache; 1 clients failing to respond to cache "
                           "pressure"}),
        ("It says\n    mds.a(mds.0): MDS cache is too large (9GB/4GB); 0 inodes in use by clients, "
         "0 stray files\n", "mds.a",
         {"rank": 0, "cache_used": 9 * GIB, "cache_limit": 4 * GIB, "inodes_in_use": 0,
          "stray_files": 0}),
        ("Slow OSD heartbeats on back from osd.1 [] to osd.2 [] 1234.5 msec\n", "osd.1",
         {"heartbeat_back_to_osd.2": 1.2345}),
        ("1/3 mons down, quorum a,c\n2 daemons have recently crashed\n", "ceph",
         {"monitors_down": 1, "monitors": 3, "quorum": "a,c", "recent_crashes": 2,
          "health_checks": "1/3 mons down, quorum a,c; 2 daemons have recently crashed"}),
        ("5 slow ops, oldest one blocked for 123 sec, daemons [osd.1,osd.3] have slow ops.\n",
         "ceph", {"slow_requests": 5, "oldest_blocked": 123, "slow_daemons": "osd.1,osd.3",
                  "health_checks": "5 slow ops, oldest one blocked for 123 sec, daemons "
                                   "[osd.1,osd.3] have slow ops."}),
        ("HEALTH_WARN 1 mons down, quorum 0,2 a,c\nand I do not know why\n", "ceph",
         {"health": "HEALTH_WARN", "monitors_down": 1, "quorum": "a,c",
          "health_checks": "1 mons down, quorum 0,2 a,c"}),
    ],
)  # fmt: skip
def test_lines_alone(text: str, name: str, values: dict[str, Any]) -> None:
    assert _things(text) == {name: values}


@pytest.mark.parametrize(
    "text",
    [
        "2 daemons have recently crashed here, and nobody knows why\n",
        "HEALTH_WARN 3 days ago\n",
        "our 1 MDSs report nothing\n",
        "The MDS cache is too large (9GB/4GB) for this host\n",
        "osd.3 crashed on host n3 at night\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


def test_remedies_are_those_of_the_checks(tmp_path: Path) -> None:
    remedies = _remedies(tmp_path, TEXT)
    assert set(remedies) == {
        "degraded", "monitors-down", "recent-crash", "oversized-cache", "slow-requests",
    }  # fmt: skip
    assert "incomplete" in remedies["degraded"]
    assert "ceph osd tree" not in remedies["degraded"]  # none is down
    assert "ceph daemon mon.NAME ops" in remedies["slow-requests"]
    assert "num_caps" in remedies["oversized-cache"]
    old = _remedies(tmp_path, OLD)
    assert set(old) == {"slow-heartbeats", "oversized-cache"}
    assert "num_caps" not in old["oversized-cache"]  # no client holds an inode


def test_osds_that_are_down_are_named_where_some_are(tmp_path: Path) -> None:
    text = "HEALTH_WARN 1 osds down; Degraded data redundancy: 20 pgs degraded\n"
    assert "ceph osd tree" in _remedies(tmp_path, text)["degraded"]
    text = "HEALTH_WARN Degraded data redundancy: 20 pgs degraded\n"
    assert "ceph osd tree" not in _remedies(tmp_path, text)["degraded"]


def test_every_shape() -> None:
    for text in (TEXT, OLD):
        expected = _things(text)
        for shape, changed in mangled(text, wraps=False):
            if shape != "with blank lines":
                assert _things(changed) == expected, shape


@pytest.mark.parametrize(("check", "severity"), [("LOW", "warning"), ("CRIT", "error")])
def test_monitors_whose_disk_fills(tmp_path: Path, check: str, severity: str) -> None:
    (tmp_path / "page.txt").write_text(
        "# ceph health detail\nHEALTH_WARN mons elm,oak are low on available space\n"
        f"[WRN] MON_DISK_{check}: mons elm,oak are low on available space\n"
        "    mon.elm has 22% avail\n    mon.oak has 24% avail\n"
    )
    (said,) = explain(str(tmp_path / "page.txt")).findings
    assert (said.rule, said.severity) == ("out-of-space", severity)
    assert "(22 % at mon.elm, 24 % at mon.oak): below 5 %, unless set, a monitor" in said.message
    assert "ceph tell mon.NAME compact" in said.remedy


STATUS = """
  cluster:
    id:     5d0d2a0c-6f7e-401b-ba66-18eec5b5e26a
    health: HEALTH_WARN
            {check}

  services:
    mon: 3 daemons, quorum elm,ash,oak (age 38m)
    osd: 5 osds: 5 up (since 38m), 5 in (since 38m)
"""


@pytest.mark.parametrize(("check", "rule"), [
    ("clock skew detected on mon.ash, mon.oak", "clock-skew"),
    ("clock skew detected on mon.ash", "clock-skew"),
    ("noout,norecover flag(s) set", "recovery-held"),
    ("noscrub,nodeep-scrub flag(s) set", ""),
    ("noout flag(s) set", ""),
    ("1 pool(s) have no replicas configured", ""),
])  # fmt: skip
def test_clocks_and_flags(tmp_path: Path, check: str, rule: str) -> None:
    assert list(_remedies(tmp_path, STATUS.format(check=check))) == ([rule] if rule else [])


def test_the_monitors_whose_clocks_differ() -> None:
    things = _things(STATUS.format(check="clock skew detected on mon.ash, mon.oak"))
    assert things["ceph"]["monitors_with_clock_skew"] == "ash,oak"
