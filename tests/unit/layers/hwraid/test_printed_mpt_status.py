"""mpt-status: volumes and disks of Fusion-MPT controllers, and how far a resync is."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "mpt-status-composed"
STATUS, RESYNC, SHORT = (
    (PLACE / f"{name}.txt").read_text() for name in ("status", "resync", "short")
)
GIB = 1 << 30


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(s.kind, s.name): dict(s.values) for state in states(text) for s in state.subjects}


def test_a_degraded_mirror_in_every_shape() -> None:
    for shape, given in mangled(STATUS):
        named = things(given)
        volume = named["hwraid", "ioc0/v1"]
        assert (volume["state"], volume["raid_level"]) == ("degraded", "raid1"), shape
        assert (volume["size"], volume["disks"], volume["data_disks"]) == (465 * GIB, 2, 1)
        assert named["disk", "ioc0/phy0"]["state"] == "failed"
        assert named["disk", "ioc0/phy0"]["flags"] == "OUT_OF_SYNC"
        assert named["disk", "ioc0/phy1"]["scsi_id"] == 8
        assert "flags" not in named["disk", "ioc0/phy1"]
        asked = named["disk", "ioc0/phy2"]
        assert (asked["state"], "flags" in asked) == ("failed requested", False), shape
    assert states(STATUS)[0].host == "mail2"
    assert things(STATUS)["disk", "ioc0/phy1"]["model"] == "ATA ST3500320NS SN05"


def test_a_resync_and_what_a_disk_predicts() -> None:
    for shape, given in mangled(RESYNC):
        named = things(given)
        assert named["hwraid", "ioc0/v3"]["active_operations"] == "resync 42 %", shape
        disk = named["disk", "ioc0/phy1"]
        assert (disk["progress"], disk["smart_alert"], disk["size"]) == (0.42, True, 137 * GIB)
        assert "smart_alert" not in named["disk", "ioc0/phy0"]
    assert things(RESYNC)["disk", "ioc0/phy1"]["model"] == "FUJITSU MAY2073RC"


def test_states_alone() -> None:
    assert things(SHORT) == {
        ("hwraid", "v0"): {"volume": "v0", "state": "degraded"},
        ("disk", "phy0"): {"state": "missing"},
        ("disk", "phy1"): {"state": "online"},
        ("disk", "phy2"): {"state": "failed", "role": "spare"},
    }


def test_prose_and_a_cut_row() -> None:
    for text in (
        "The vol_id 3 is set by log_id 4 there.\n",
        "ioc0 vol_id 1 type IM, 2 phy, 465 GB, state\n",
        "log_id 17 of the catalogue\n",
    ):
        assert things(text) == {}, text
    assert read("SCSI scsi_id 3 on the bus\n") == []
