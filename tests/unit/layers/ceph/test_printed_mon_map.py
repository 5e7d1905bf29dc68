"""Monitors of a cluster and their addresses, as `ceph mon dump` lists them."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import mangled, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
DUMP = (OUTPUTS / "mon-dump.txt").read_text()


def said(text: str) -> dict[str, dict[str, object]]:
    return {each.name: dict(each.values) for state in states(text) for each in state.subjects}


def test_cluster_and_monitors() -> None:
    assert said(DUMP) == {
        "ceph": {
            "monmap_epoch": 3, "id": "5f1d2c6e-8a7b-4c3d-9e0f-112233445566",
            "min_mon_release": "14 (nautilus)", "monitors": 3,
        },
        "mon.mon1": {"rank": 0, "addresses": "v2:10.1.0.1:3300/0,v1:10.1.0.1:6789/0"},
        "mon.mon2": {"rank": 1, "addresses": "v2:10.1.0.2:3300/0,v1:10.1.0.2:6789/0"},
        "mon.mon3": {"rank": 2, "addresses": "10.1.0.3:6789/0"},
    }  # fmt: skip
    assert states(DUMP)[0].host == "mon1"


def test_mail_leaves_it_as_it_is() -> None:
    for name, changed in mangled(DUMP, wraps=False):
        assert said(changed) == said(DUMP), name


def test_a_line_of_a_log_that_names_a_monitor_is_none() -> None:
    assert not states("2017-07-26 mon.0 10.1.0.1:6789/0 91 : cluster [INF] mon.mon1 is up\n")
