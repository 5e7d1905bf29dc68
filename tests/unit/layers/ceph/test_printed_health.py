"""Details of a cluster's health. Oracle: the checks above them count the same things."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import folded, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
OLD = (OUTPUTS / "health-old.txt").read_text()
ALONE = "\n".join(line for line in OLD.split("\n") if line.startswith(("pg ", "osd.", "100 ops")))


def _things(text: str) -> dict[str, dict[str, object]]:
    return {
        subject.name: dict(subject.values)
        for subject in subjects_in(text, "ceph health", "ceph health detail")
    }


def test_groups_and_osds_below_the_checks() -> None:
    things = _things(OLD)
    assert things["0.5f"] == {
        "stuck": "inactive", "stuck_for": 6855.424316, "state": "creating", "acting": "[11,7,4]",
    }  # fmt: skip
    assert things["3.8"]["stuck_since"] == "forever"
    assert (things["3.9"]["state"], things["3.9"]["unfound"]) == ("active+undersized+degraded", 1)
    assert things["osd.2"] == {
        "status": "down", "down_since_epoch": 81, "address": "192.168.0.3:6800/2231",
    }  # fmt: skip
    assert things["osd.3"] == {
        "fullness": "near full", "full": 0.86, "blocked_operations": 100,
        "blocked_longer_than": 32.768,
    }  # fmt: skip
    stuck = [thing for thing in things.values() if thing.get("stuck") == "unclean"]
    assert f"{len(stuck)} pgs stuck unclean" in str(things["ceph"]["health_checks"])


def test_health_without_its_command() -> None:
    assert _things(OLD.split("\n", 1)[1]) == _things(OLD)


def test_lines_alone() -> None:
    expected = _things(OLD)
    del expected["ceph"]
    assert _things(ALONE) == expected
    assert _things("    pg 2.3 is active+clean+inconsistent, acting [2,1,3]\n") == {
        "2.3": {"state": "active+clean+inconsistent", "acting": "[2,1,3]"}
    }
    assert _things("    pg 2.f is stuck inactive for 41m, current state undersized+peered, last"
                   " acting []\n") == {
        "2.f": {"stuck": "inactive", "stuck_for": "41m", "state": "undersized+peered",
                "acting": "[]"},
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "It is stuck inactive for 300 seconds\n",
        "pg 3.8 is stuck and nobody knows why\n",
        "osd.3 is full at times\n",
        "The disk is near full at 86%\n",
        "100 ops are blocked > 30 sec\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


def test_every_shape() -> None:
    for text in (OLD, ALONE):
        expected = _things(text)
        for shape, changed in mangled(text, wraps=False):
            if shape not in {"with blank lines", "escaped"} or text == ALONE:
                assert _things(changed) == expected, shape
    assert _things(folded(ALONE, 72)) == _things(ALONE)


def test_pools_that_no_application_uses_or_that_have_no_copies() -> None:
    given = (
        "HEALTH_WARN application not enabled on 1 pool(s); 1 pool(s) have no replicas configured\n"
        "[WRN] POOL_APP_NOT_ENABLED: application not enabled on 1 pool(s)\n"
        "    application not enabled on pool 'plum'\n"
        "    use 'ceph osd pool application enable <pool-name> <app-name>', where <app-name> is "
        "'cephfs', 'rbd', 'rgw', or freeform for custom applications.\n"
        "[WRN] POOL_NO_REDUNDANCY: 1 pool(s) have no replicas configured\n"
        "    pool 'pear' has no replicas configured\n"
        "[WRN] POOL_TOO_FEW_PGS: 1 pools have too few placement groups\n"
        "    Pool fig has 8 placement groups, should have 32\n"
    )
    pools = {
        each.name: dict(each.values) for each in subjects_in(given) if each.kind == "ceph_pool"
    }
    assert pools == {
        "plum": {"application": "not enabled"}, "pear": {"replicas": "no replicas"},
        "fig": {"pgs": 8, "pgs_wanted": 32},
    }  # fmt: skip
    assert not subjects_in("I see application not enabled on pool 'x' in the old notes.\n")
