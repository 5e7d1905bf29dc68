"""`racadm raid get`. Oracle: Dell's guide; omreport's exact sizes, which are in units of 1024."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from iosonde.verbs.explain import explain
from tests.mangle import mangled, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "racadm-composed" / "disks.txt"
TEXT = PLACE.read_text()
DRIVE = "Disk.Bay.1:Enclosure.Internal.0-1:RAID.Integrated.1-1"
VOLUME = "Disk.Virtual.0:RAID.Integrated.1-1"


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text)}


def test_drives_and_a_volume_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        named = things(given)
        assert named[DRIVE] == {"state": "failed", "size": 931 * 2**30}, shape
        volume = named[VOLUME]
        assert (volume["raid_level"], volume["state"]) == ("raid1", "optimal"), shape
        assert (volume["strip_size"], volume["write_policy"]) == (65536, "write_back"), shape


def test_a_drive_that_failed_is_said_and_states_of_volumes() -> None:
    findings = {(finding.rule, finding.subject) for finding in explain(str(PLACE)).findings}
    assert findings == {("drive-failed", DRIVE)}
    degraded = TEXT.replace("State                            = Online\n   Layout",
                            "State                            = Degraded\n   Layout")  # fmt: skip
    assert things(degraded)[VOLUME]["state"] == "degraded"


def test_what_is_none() -> None:
    assert not things("racadm raid blink:Disk.Bay.6:Enclosure.Internal.0-1:RAID.Integrated.1-1\n")
    assert not things("Disk.Bay.1:Enclosure.Internal.0-1\nis the second one\n")
