"""`omreport storage`. Oracle: the exact bytes beside rounded sizes; rules on the states."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from iosonde.verbs.explain import explain
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "omreport-composed"
VOLUMES, DRIVES = ((PLACE / f"{name}.txt").read_text() for name in ("vdisk", "pdisk"))


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(s.kind, s.name): dict(s.values) for state in states(text) for s in state.subjects}


def test_virtual_disks_in_every_shape() -> None:
    for shape, given in mangled(VOLUMES, wraps=False):
        named = things(given)
        volume = named["hwraid", "sda"]
        assert (volume["raid_level"], volume["state"]) == ("raid1", "degraded"), shape
        assert (volume["size"], volume["strip_size"]) == (599550590976, 65536), shape
        assert (volume["write_policy"], volume["disk_cache"]) == ("write_back", "disabled"), shape
        assert volume["controller"] == "PERC H710 Mini", shape
        assert named["hwraid", "sdb"]["state"] == "optimal", shape


def test_physical_disks_in_every_shape() -> None:
    for shape, given in mangled(DRIVES, wraps=False):
        named = things(given)
        failing = named["disk", "physical disk 0:1:0"]
        assert (failing["state"], failing["rotational"]) == ("predictive failure", True), shape
        assert (failing["model"], failing["serial"]) == ("ACME600MM0006", "S0M0ABCD"), shape
        assert named["disk", "physical disk 0:1:1"]["state"] == "failed", shape
        assert "remaining_rated_write_endurance" not in failing, shape


def test_what_is_wrong_is_said() -> None:
    findings = {(f.rule, f.subject) for f in explain(str(PLACE / "vdisk.txt")).findings}
    assert {rule for rule, subject in findings if "sdb" in subject} == set()
    assert ("degraded", "r720: sda") in findings
    drives = {(f.rule, f.subject) for f in explain(str(PLACE / "pdisk.txt")).findings}
    assert ("drive-failing", "r720: physical disk 0:1:0") in drives
    assert ("drive-failed", "r720: physical disk 0:1:1") in drives


def test_states_in_the_words_of_other_controllers() -> None:
    for printed, state in (
        ("Failed Redundancy", "degraded"), ("Degraded Redundancy", "partially degraded"),
        ("Failed", "offline"), ("Resynching", "rebuild"), ("Formatting", "formatting"),
    ):  # fmt: skip
        text = VOLUMES.replace(": Degraded", f": {printed}")
        assert things(text)["hwraid", "sda"]["state"] == state, printed
    for printed, state in (
        ("Removed", "missing"), ("SMART Alert Detected", "predictive failure"),
        ("Ready", "predictive failure"), ("Failed", "failed"), ("Foreign", "predictive failure"),
    ):  # fmt: skip
        text = DRIVES.replace(": Online", f": {printed}")
        assert things(text)["disk", "physical disk 0:1:0"]["state"] == state, printed


def test_what_is_none() -> None:
    assert things("The Failure Predicted : Yes made me replace it.\n") == {}
    assert things("ID : 1\nStripe Element Size : 64 KB\n\nand so on\n") == {}
    assert not [
        s
        for entry in read("Layout : RAID-1\nState : Degraded\n")
        for s in getattr(entry, "states", ())
    ]


def test_rows_with_semicolons() -> None:
    rows = (PLACE / "pdisk-rows.txt").read_text()
    for shape, given in mangled(rows, wraps=False):
        drive = things(given)["disk", "physical disk 0:1:0"]
        assert (drive["state"], drive["size"]) == ("predictive failure", 299439751168), shape
        assert drive["controller"] == "PERC H710P Mini", shape
    torn = rows.replace(";Online;", ";")
    assert not things(torn)
    assert things(torn + rows)
