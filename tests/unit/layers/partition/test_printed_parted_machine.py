"""`parted -m` and `parted -j`: the same facts as the table for people has."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "parted-composed"
MACHINE, JSON = ((PLACE / name).read_text() for name in ("machine.txt", "print.json"))
PEOPLE = """# parted /dev/sda unit s print
Model: QEMU HARDDISK (scsi)
Disk /dev/sda: 41943040s
Sector size (logical/physical): 512B/512B
Partition Table: gpt
Disk Flags:

Number  Start     End        Size       File system  Name  Flags
 1      2048s     1050623s   1048576s   fat32        EFI   boot, esp
 2      1050624s  41943006s  40892383s  ext4
"""


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {
        subject.name: dict(subject.values) for state in states(text) for subject in state.subjects
    }


def test_the_machine_form_says_what_the_table_says() -> None:
    expected = things(PEOPLE)
    said = things(MACHINE)
    assert {name: said[name] for name in expected} == expected


def test_free_space_and_bytes() -> None:
    said = things(MACHINE)
    assert list(said) == ["sda", "sda1", "sda2", "sdb", "sdb1", "sdb2", "nvme0n1", "nvme0n1p1"]
    assert said["sdb"]["free_areas"] == 1
    assert said["sdb"]["free_places"] == "32.3kB to 1049kB (1016kB)"
    assert said["sdb"]["size"] == 21_500_000_000
    assert (said["sdb1"]["start_printed"], said["sdb1"]["size"]) == ("1049kB", 537_000_000)
    assert (said["nvme0n1p1"]["start"], said["nvme0n1p1"]["size"]) == (1 << 20, 512 << 20)
    assert said["nvme0n1p1"]["label"] == "EFI System Partition"


def test_a_colon_in_a_name() -> None:
    line = "1:2048s:1050623s:1048576s:fat32:EFI:boot, esp;"
    said = things(MACHINE.replace(line, line.replace("EFI", r"a\: b\\c")))
    assert said["sda1"]["label"] == r"a: b\c"


def test_json() -> None:
    said = things(JSON)
    assert said["sda"]["disk_identifier"] == "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
    assert (said["sda"]["physical_block_size"], said["sda"]["disk_flags"]) == (4096, "pmbr_boot")
    assert said["sda1"] == {
        "size": 537_000_000, "start_printed": "1049kB", "end_printed": "538MB", "fstype": "fat32",
        "label": "EFI", "flags": "boot, esp", "role": "primary", "below": "sda",
        "type_guid": "c12a7328-f81f-11d2-ba4b-00a0c93ec93b",
        "partuuid": "aaaaaaaa-2fa1-11d2-883f-0016d3cca427",
    }  # fmt: skip


def test_torn_copies_say_the_same_or_less() -> None:
    whole = things(MACHINE)
    for shape, text in mangled(MACHINE, wraps=False):
        for name, values in things(text).items():
            assert values.items() <= whole.get(name, {}).items(), shape


@pytest.mark.parametrize(
    "text",
    [
        "The first line is BYT; and then come the partitions.\n",
        "BYT;\nsda is what I mean.\n",
        "/dev/sda:gpt:msdos:which one?\n",
        '{"disk": {"name": "sda", "size": 12}}\n',
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert all(each.tool != "parted" for each in read(text))
