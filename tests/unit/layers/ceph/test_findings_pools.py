"""Health in single lines and of pools, and OSDs that are slow: what is found, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.verbs.explain import explain

MANY = (
    "HEALTH_WARN 1 pools have many more objects per pg than average\n"
    "[WRN] MANY_OBJECTS_PER_PG: 1 pools have many more objects per pg than average\n"
    "    pool vm-data objects per pg (52000) is more than 13.2 times cluster average (3939)\n"
)
OMAP = (
    "HEALTH_WARN 1 large omap objects\n"
    "[WRN] LARGE_OMAP_OBJECTS: 1 large omap objects\n"
    "    1 large objects found in pool 'zone.rgw.buckets.index'\n"
    "    Search the cluster log for 'Large omap object found' for more details.\n"
)


@pytest.mark.parametrize(("text", "rule", "said"), [
    ("HEALTH_WARN 3/12 in osds are down\n", "degraded", "3 of its OSDs are down"),
    ("What to do?\n 2/6 in osds are down\n 24 pgs stuck inactive\n", "degraded",
     "2 of its OSDs are down, 24 placement groups are inactive"),
    ("HEALTH_ERR 24 pgs are stuck inactive for more than 300 seconds; 24 pgs stuck inactive; "
     "30 pgs stuck unclean\n", "degraded", "24 placement groups are inactive"),
    ("HEALTH_WARN Reduced data availability: 4 pgs inactive; Degraded data redundancy: 12/3456 "
     "objects degraded (0.347%), 8 pgs degraded\n", "degraded", "8 placement groups lack copies"),
    (MANY, "few-placement-groups", "vm-data has 52,000 objects in a placement group"),
    (MANY, "few-placement-groups", "together have 3,939 (13.2 times as many)"),
    (MANY.splitlines(keepends=True)[0], "few-placement-groups", "1 pool has many more objects"),
    (MANY.splitlines(keepends=True)[2], "few-placement-groups", "vm-data has 52,000 objects"),
    ("HEALTH_WARN pool data has many more objects per pg than average (too few pgs?)\n",
     "few-placement-groups", "1 pool has many more objects"),
    (OMAP, "large-omap", "1 object of Ceph (in zone.rgw.buckets.index) has more keys"),
    (OMAP.splitlines(keepends=True)[0], "large-omap", "1 object of Ceph has more keys"),
    ("    3 large objects found in pool 'log'\n", "large-omap", "3 objects of Ceph (in log) have"),
])  # fmt: skip
def test_what_a_health_says(tmp_path: Path, text: str, rule: str, said: str) -> None:
    (tmp_path / "text").write_text(text)
    (finding,) = explain(str(tmp_path / "text")).findings
    assert finding.rule == rule
    assert said in finding.message


@pytest.mark.parametrize("text", [
    "HEALTH_OK\n",
    "We had 2/6 in osds are down some weeks ago, and nobody knows why.\n",
    "HEALTH_WARN noout flag(s) set\n",
    "    pool 3 'data' replicated size 3 min_size 2 crush_rule 0 object_hash rjenkins pg_num 32\n",
])  # fmt: skip
def test_what_looks_alike(tmp_path: Path, text: str) -> None:
    (tmp_path / "text").write_text(text)
    assert explain(str(tmp_path / "text")).findings == ()


def _perf(*latencies: int) -> str:
    rows = (f"{number:3d} {ms:20d} {ms:20d}" for number, ms in enumerate(latencies))
    return "\n".join(["osd  commit_latency(ms)  apply_latency(ms)", *rows, ""])


@pytest.mark.parametrize(("latencies", "slow"), [
    ((2, 3, 412, 2, 4, 3, 2, 3), ["osd.2"]),
    ((0, 0, 0, 0, 0, 150), ["osd.5"]),
    ((2, 3, 4, 2, 3, 90), []),  # slow, but as disks at work are
    ((2, 3, 4, 2, 400), []),  # too few others
    ((1, 1, 130, 1, 120, 1, 140, 1), []),  # two kinds of disks
    ((20, 30, 25, 40, 60, 120, 30, 20), []),  # a range, not one apart
    ((*[3] * 15, 300), ["osd.15"]),
    ((*[3] * 14, 320, 300), ["osd.15", "osd.14"]),
])  # fmt: skip
def test_an_osd_is_slow_beside_the_others(
    tmp_path: Path, latencies: tuple[int, ...], slow: list[str]
) -> None:
    (tmp_path / "text").write_text(_perf(*latencies))
    findings = explain(str(tmp_path / "text")).findings
    assert [finding.subject for finding in findings] == slow
    assert {finding.rule for finding in findings} <= {"slow-osd"}


def test_an_osd_is_compared_with_those_of_its_class(tmp_path: Path) -> None:
    tree = "ID  CLASS  WEIGHT   TYPE NAME      STATUS  REWEIGHT  PRI-AFF\n" + "".join(
        f"{number:2d}    {'hdd' if number == 7 else 'ssd'}  0.50000  osd.{number}  up  1.00000  "
        "1.00000\n" for number in range(8)
    )  # fmt: skip
    (tmp_path / "text").write_text(f"{tree}\n{_perf(1, 1, 1, 1, 1, 1, 1, 140)}")
    assert explain(str(tmp_path / "text")).findings == ()
