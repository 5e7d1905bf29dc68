"""targetcli ls: the tree's own counts are the check on what was read."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, states

TEXT_PATH = Path(__file__).parents[3] / "outputs" / "targetcli-composed"
TEXT = (TEXT_PATH / "ls.txt").read_text()
IQN = "iqn.2024-02.com.example:san1"


def test_a_target_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        things = {(s.kind, s.name): s.values for state in states(given) for s in state.subjects}
        target = things["iscsi_target", IQN]
        assert (target["luns"], target["acls"], target["portals"]) == (1, 1, 1), shape
        assert target["portal"] == "10.2.3.4:3260"
        assert target["initiators"] == "iqn.2024-02.com.example:web3"
        assert target["authentication"] is False
        lun = things["iscsi_target", f"{IQN}/lun_0"]
        assert (lun["lun"], lun["device"]) == (0, "/dev/vg1/vol1")
        store = things["backstore", "block/vol1"]
        assert (store["size"], store["write_policy"]) == (40 << 30, "write_thru")
        assert things["backstore", "block"]["storage_objects"] == 1


def test_a_torn_tree_and_directory_trees() -> None:
    (entry,) = read("o- alua ...................... [ALUA Groups: 1]\no- x . [LUNs: 0]\n")
    assert isinstance(entry, Unread)
    assert read("The [LUNs: 0] at the end says that none is mapped.") == []
    assert read("o- item one\no- item two [Targets: none]\n") == []


def test_a_part_of_a_tree_and_what_a_mail_made_of_it() -> None:
    part = """\
  | |   o- luns ...................................... [LUNs: 2]
  | |   o- portals ................................ [Portals: 1]
  | |     o- 192.0.2.7:3260 .............................. [iser]
"""
    values = {"luns": 2, "portals": 1, "portal": "192.0.2.7:3260", "iser": True}
    for broken in (
        part,
        part.replace(" [", "\n["),
        part.replace(" ..", "\n..").replace(" [", "\n["),
    ):
        ((piece,),) = [state.subjects for state in states(broken)]
        assert (piece.kind, piece.name, piece.values) == ("iscsi_target", "", values), broken
    whole = {s.name: s.values for state in states(TEXT) for s in state.subjects}
    torn = TEXT.replace(" [", "\n[").replace(" ..", "\n..")
    assert {s.name: s.values for state in states(torn) for s in state.subjects} == whole


def test_groups_of_alua_and_files() -> None:
    text = (TEXT_PATH / "ls-files.txt").read_text()
    for shape, given in mangled(text, wraps=False):
        things = {s.name: dict(s.values) for state in states(given) for s in state.subjects}
        assert things["fileio/img"] == {
            "size": 20 << 30, "device": "/srv/san/img.raw", "write_policy": "write_back",
            "state": "activated", "alua_default_tg_pt_gp": "Active/optimized",
            "alua_far": "Standby",
        }, shape  # fmt: skip
        assert things["fileio/spare"]["state"] == "deactivated"
        assert things["block/iso"]["readonly"] is True
        assert things["block/iso"]["size"] == 0
        assert things["block/iso"]["alua_default_tg_pt_gp"] == "Active/non-optimized"
        assert things["ramdisk/ram"] == {"size": 1 << 30, "state": "activated"}
        lun = things["iqn.2024-02.com.example:san2/lun_0"]
        assert lun["alua_tg_pt_gp_name"] == "default_tg_pt_gp"


def test_fabrics_without_a_target() -> None:
    text = "o- / ..... [...]\n  o- iscsi ..... [Targets: 0]\n  o- loopback ..... [Targets: 2]\n"
    ((iscsi, loopback),) = (state.subjects for state in states(text))
    assert (iscsi.kind, iscsi.name, iscsi.values) == ("fabric", "iscsi", {"targets": 0})
    assert loopback.values == {"targets": 2}
