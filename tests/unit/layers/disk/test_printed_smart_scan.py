"""smartctl --scan: the drives it finds."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "smart-scan-composed"


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_drives_in_every_shape() -> None:
    for shape, given in mangled((PLACE / "scan.txt").read_text(), wraps=False):
        values_by_name = things(given)
        assert values_by_name["sda"] == {"smart_type": "scsi", "protocol": "SCSI"}, shape
        assert values_by_name["nvme0"]["protocol"] == "NVMe"
        assert values_by_name["bus/0 megaraid,3"]["smart_type"] == "megaraid,3"


def test_a_drive_that_cannot_be_opened_and_prose() -> None:
    refused = "# /dev/sdb -d sat # /dev/sdb [SAT], ATA device open failed: No such device\n"
    assert things(refused)["sdb"]["smart_problem"] == "No such device"
    assert not [entry for entry in read("It is, I think, a slow, SCSI device\n")
                if isinstance(entry, Unread)]  # fmt: skip


def test_a_type_of_its_own_makes_no_other_drive_of_it() -> None:
    given = "/dev/sdq -d sat # /dev/sdq [SAT], ATA device\n"
    assert things(given) == {"sdq": {"smart_type": "sat", "protocol": "ATA"}}
    assert list(things("/dev/sda -d 3ware,2 # /dev/sda [3ware_disk_02], ATA device\n")) == [
        "sda 3ware,2"
    ]
