"""tgtadm --op show: targets of tgtd."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states, unread_in

TEXT = (Path(__file__).parents[3] / "outputs" / "tgt-composed" / "show.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_targets_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        values_by_name = things(given)
        target = values_by_name["iqn.2024-02.com.example:san1"]
        assert (target["driver"], target["state"], target["luns"]) == ("iscsi", "ready", 2), shape
        assert target["initiators"] == "10.2.3.0/24"
        lun = values_by_name["iqn.2024-02.com.example:san1/lun_1"]
        assert (lun["size"], lun["block_size"]) == (42950 * 10**6, 512)
        assert (lun["device"], lun["backing_store_type"]) == ("/dev/vg1/vol1", "rdwr")
        assert "device" not in values_by_name["iqn.2024-02.com.example:san1/lun_0"]
        assert values_by_name["iqn.2024-02.com.example:san2"]["initiators"] == "ALL"


def test_a_cut_target_and_what_looks_alike() -> None:
    cut = TEXT[: TEXT.index("            SCSI ID")]
    assert things(cut)["iqn.2024-02.com.example:san1"]["luns"] == 1
    assert states("    System information:\n        Driver: iscsi\n") == []
    assert not unread_in("Target 1: reach 99.9 %\n")


def test_accounts_are_counted_and_not_named() -> None:
    assert things(TEXT)["iqn.2024-02.com.example:san1"]["accounts"] == 0
    two = TEXT.replace("    Account information:\n", "    Account information:\n        ow\n"
                       "        tern (outgoing)\n", 1)  # fmt: skip
    target = things(two)["iqn.2024-02.com.example:san1"]
    assert target["accounts"] == 2
    assert target["initiators"] == "10.2.3.0/24"
    assert "tern" not in str(target)
