"""Maps and services of a status. Oracle: figures that the status says twice, and sums of states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mangle import counters, mangled, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
OLD, NEW = ((OUTPUTS / f"{name}.txt").read_text() for name in ("status-firefly", "status-services"))


def _cluster(text: str) -> dict[str, Any]:
    read = [state for state in states(text) if state.tool == "ceph -s"]
    return dict(read[0].subjects[0].values) if read else {}


def test_the_maps_of_a_status_of_firefly() -> None:
    values = _cluster(OLD)
    assert values == {
        "id": "2b5c1a04-7a5c-4a6e-b0a0-7d8e5e0d1c3f", "health": "HEALTH_OK", "monmap_epoch": 1,
        "monitors": 1, "election_epoch": 2, "quorum": "a", "mdsmap_epoch": 4,
        "mds_up": 1, "mds_in": 1, "mds_max": 1, "mds_standby": 2, "mds_active": "a",
        "osdmap_epoch": 26, "osds": 2, "osds_up": 2, "osds_in": 2, "pgmap_version": 57, "pgs": 64,
        "pools": 1, "stored": 12, "objects": 1, "used": 2070 << 20, "available": 10 << 30,
        "size": 12 << 30, "pgs_active+clean": 64,
    }  # fmt: skip
    assert values["monitors"] == len(values["quorum"].split(","))
    (rates,) = counters(OLD)
    assert rates.values == {
        "read.bandwidth": 1336, "write.bandwidth": 2 << 20, "iops": 5,
        "recovery.bandwidth": 1 << 20, "recovery.objects": 3,
    }  # fmt: skip


def test_the_services_of_a_status() -> None:
    values = _cluster(NEW)
    assert values["monitors"] == len(values["quorum"].split(","))
    assert (values["quorum_age"], values["osds_up_since"], values["osds_in_since"]) == (
        "5d", "5d", "4w",
    )  # fmt: skip
    assert (values["osds"], values["osds_up"], values["osds_in"]) == (3, 3, 3)
    assert (values["osdmap_epoch"], values["flags"]) == (83, "noout")
    assert (values["mgr_active"], values["mgr_standbys"]) == ("x", "y,z")
    assert (values["mgr_active_since"], values["mds_up"], values["mds_standby"]) == ("5d", 1, 2)
    assert (values["mds_active"], values["rgw_names"]) == ("a", "gw1")
    assert (values["rgw_daemons"], values["volumes"], values["volumes_healthy"]) == (1, 1, 1)
    assert values["pgs_not_active_share"] == values["pgs_peering"] / values["pgs"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("osd: 3 osds: 3 up (since 5d), 3 in (since 5d); epoch: e83",
         {"osds": 3, "osds_up": 3, "osds_up_since": "5d", "osds_in": 3, "osds_in_since": "5d",
          "osdmap_epoch": 83}),
        ("osd: 3 osds: 3 up, 3 in\n     nfs: 1 daemon active (gw1)\n"
         "     tcmu-runner: 4 portals active (gw1, gw2)",
         {"osds": 3, "osds_up": 3, "osds_in": 3, "nfs_daemons": 1, "nfs_names": "gw1",
          "tcmu_runner_daemons": 4, "tcmu_runner_names": "gw1,gw2"}),
        ("osd: 12 osds: 11 up (since 2h), 12 in (since 3d); 12 remapped pgs",
         {"osds": 12, "osds_up": 11, "osds_up_since": "2h", "osds_in": 12, "osds_in_since": "3d",
          "remapped_pgs": 12}),
        ("pgmap v9: 64 pgs, 1 pools, 12 kB data, 3 objects; 2070 MB used, 10 GB / 12 GB avail;"
         " 21 B/s rd, 5op/s",
         {"pgmap_version": 9, "pgs": 64, "pools": 1, "stored": 12 << 10, "objects": 3,
          "used": 2070 << 20, "available": 10 << 30, "size": 12 << 30}),
        ("osdmap e26: 2 osds: 2 up, 1 in",
         {"osdmap_epoch": 26, "osds": 2, "osds_up": 2, "osds_in": 1}),
        ("monmap e1: 1 mons at {a=10.1.0.4:6789/0}, election epoch 2, quorum 0 a",
         {"monmap_epoch": 1, "monitors": 1, "election_epoch": 2, "quorum": "a"}),
        ("mon: 3 daemons, quorum a,b (age 2h), out of quorum: c",
         {"monitors": 3, "quorum": "a,b", "quorum_age": "2h", "monitors_out_of_quorum": "c"}),
        ("mdsmap e4: 1/1/1 up {0=a=up:active}",
         {"mdsmap_epoch": 4, "mds_up": 1, "mds_in": 1, "mds_max": 1, "mds_active": "a"}),
        ("pgmap v57: 192 pgs: 192 active+degraded; 8730 bytes data, 2070 MB used, 10 GB / 12 GB"
         " avail; 20/40 degraded (50.000%)",
         {"pgmap_version": 57, "pgs": 192, "stored": 8730, "used": 2070 << 20,
          "available": 10 << 30, "size": 12 << 30, "objects_degraded": 20, "degraded_share": 0.5,
          "pgs_active+degraded": 192}),
    ],
)  # fmt: skip
def test_lines_alone(line: str, expected: dict[str, Any]) -> None:
    assert _cluster(f"     {line}\n") == expected


@pytest.mark.parametrize(
    "text",
    [
        "The monmap e1 was lost, and the quorum with it.\n",
        "mon: 3 daemons, quorum\n",
        "The osdmap epoch: e83 is old.\n",
        "mdsmap e4: nobody is up\n",
        "We have 3 osds: all of them up, none in\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _cluster(text)


def test_rates_of_the_line_of_the_map_of_groups() -> None:
    (rates,) = counters(
        "pgmap v9: 64 pgs, 1 pools, 12 kB data, 3 objects; 2070 MB used, 10 GB / 12 GB avail; "
        "21 B/s rd, 5op/s\n"
    )
    assert rates.values == {"read.bandwidth": 21, "iops": 5}


@pytest.mark.parametrize("text", [OLD, NEW])
def test_every_shape(text: str) -> None:
    expected = _cluster(text)
    for shape, changed in mangled(text, wraps=False):
        if shape != "with blank lines":  # blank lines part the sections of a status
            assert _cluster(changed) == expected, shape
