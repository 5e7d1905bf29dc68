"""Smart Arrays in /proc and as cciss_vol_status prints them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import folded, mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "cciss-composed"
PROC, STATUS, PLAIN = ((PLACE / f"{name}.txt").read_text() for name in ("proc", "status", "plain"))


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(s.kind, s.name): dict(s.values) for state in states(text) for s in state.subjects}


def test_a_state_that_was_folded_is_the_same() -> None:
    changed = folded(STATUS, 72)
    assert changed != STATUS
    assert things(changed)["hwraid", "sdb"]["state"] == "degraded"


def test_the_file_in_proc_in_every_shape() -> None:
    for shape, given in mangled(PROC):
        named = things(given)
        controller = named["controller", "cciss1"]
        assert (controller["model"], controller["firmware"]) == ("HP Smart Array P411", "6.40"), (
            shape
        )
        assert controller["max_q_depth_since_init"] == 311
        assert controller["current_commands_on_controller"] == 5
        assert named["hwraid", "cciss/c1d0"] == {
            "controller": "cciss1", "volume": "cciss/c1d0", "size": 299_960_000_000,
            "printed_level": "1(1+0)",
        }  # fmt: skip
        assert named["hwraid", "cciss/c1d1"]["raid_level"] == "raid6"
        assert named["hwraid", "cciss/c1d1"]["size"] == 4_000_650_000_000
    assert states(PROC)[0].host == "pg3"


def test_sizes_of_old_kernels_are_of_another_unit_and_left_out() -> None:
    (volume,) = states("cciss/c0d0:\t  72.83GB\tRAID 1(0+1)\n")[0].subjects
    assert "size" not in volume.values


def test_a_volume_without_a_drive() -> None:
    for shape, given in mangled(STATUS, wraps=False):
        named = things(given)
        volume = named["hwraid", "sdb"]
        assert (volume["state"], volume["raid_level"]) == ("degraded", "raid5"), shape
        assert volume["failed_disks"] == 1
        assert str(volume["spares"]).endswith("At least one spare drive has failed.")
        owner = "Smart Array P410"
        assert volume["controller"] == owner
        controller = named["controller", owner]
        assert (controller["firmware"], controller["physical_drives"]) == ("6.40", 3)
        assert controller["write_cache_size"] == 300 << 20
        assert controller["cache_size"] == 512 << 20
        assert controller["cache_state"] == "flash backed cache present"
        failed = named["disk", f"{owner}/2I:1:7"]
        assert (failed["state"], failed["serial"]) == ("failed", "6SL2KQ7R")
        assert named["disk", f"{owner}/2I:1:6"]["state"] == "predictive failure"
        assert named["disk", f"{owner}/2I:1:8"]["model"] == "ATA ST500NM0011"
    assert states(STATUS)[0].command == "cciss_vol_status -V /dev/sg2"


def test_volumes_and_an_enclosure_in_every_shape() -> None:
    for shape, given in mangled(PLAIN):
        named = things(given)
        assert named["hwraid", "cciss0/v0"]["state"] == "optimal", shape
        assert "raid_level" not in named["hwraid", "cciss0/v0"]  # of mirrors, too
        assert named["hwraid", "cciss0/v1"]["state"] == "offline"
        enclosure = named["enclosure", "cciss1/bus2"]
        assert enclosure["state"] == "fan failed, temperature problem"
        assert (enclosure["serial"], enclosure["port"]) == ("SGA7031K2X", "2E")


@pytest.mark.parametrize("text", [
    "A RAID 5 Volume 0 status: OK.\n",
    "/dev/sda: (Smart Array P410i) RAID 5 Volume 0 sta\n",
    "Board ID: 0x3244103c of the other machine\n",
    "Controller: the one on the left\n",
])  # fmt: skip
def test_prose_and_cut_rows(text: str) -> None:
    assert things(text) == {}
    assert not [entry for entry in read(text) if hasattr(entry, "states")]
