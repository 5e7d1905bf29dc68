"""megarc: logical drives of MegaRAID controllers before SAS."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "megarc-composed" / "config.txt").read_text()


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(s.kind, s.name): dict(s.values) for state in states(text) for s in state.subjects}


def test_logical_drives_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        named = things(given)
        volume = named["hwraid", "c1/v0"]
        assert (volume["state"], volume["raid_level"]) == ("degraded", "raid5"), shape
        assert (volume["disks"], volume["data_disks"], volume["strip_size"]) == (3, 2, 65536)
        assert (volume["write_policy"], volume["io_policy"]) == ("write_back", "direct")
        spanned = named["hwraid", "c1/v1"]
        assert (spanned["raid_level"], spanned["disks"], spanned["data_disks"]) == ("raid10", 4, 2)
        assert spanned["write_policy"] == "write_through"
        assert named["disk", "c1/ch0:1"] == {
            "controller": "c1", "drive_group": "v0", "used_size": 0x0884A000 * 512,
            "state": "failed",
        }  # fmt: skip
        assert named["disk", "c1/ch1:2"]["state"] == "online"
    assert states(TEXT)[0].command == "megarc -dispCfg -a1"


def test_states_are_said_as_they_stand() -> None:
    text = TEXT.replace("FAIL", "RBLD").replace("Status: OPTIMAL", "Status: FAILED")
    text = text.replace("0x0884a000   ONLINE", "0x0884a000   HSP", 1)
    named = things(text)
    assert named["disk", "c1/ch0:1"]["state"] == "rebuild"
    assert named["disk", "c1/ch0:0"]["state"] == "hot spare"
    assert named["hwraid", "c1/v1"]["state"] == "offline"
    odd = things(TEXT.replace("ONLINE", "NOT RESP", 1))
    assert odd["disk", "c1/ch0:0"]["state"] == "not resp"
    assert odd["disk", "c1/ch1:2"]["state"] == "online"


def test_prose_and_a_cut_head() -> None:
    assert read("Logical Drive : 0( Adapter: 1 ): the first\n") == []
    assert read("It is on it (Adapter: 1) as told\n") == []
