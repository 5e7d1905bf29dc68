"""fdisk's dialogues. Oracle: sectors times their size are the size that fdisk itself says."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs/partitions-composed/fdisk-dialogue.txt").read_text()
OLD = """# fdisk /dev/sdq
Note: sector size is 1024 (not 512)
Building a new DOS disklabel with disk identifier 0xa1b2c3d4.

Command (m for help): [n]
Partition type:
    p   primary (0 primary, 0 extended, 4 free)
    e   extended
Select (default p): [p]
Partition number (1-4, default 1): [Enter]
Using default value 1
First sector (1024-8148439, default 1024): [Enter]
Using default value 1024
Last sector, +sectors or +size{K,M,G} (1024-8148439, default 8148439): [Enter]
Using default value 8148439

Command (m for help): [w]
The partition table has been altered!

Calling ioctl() to re-read partition table.
Syncing disks.
"""


def things(given: str) -> dict[str, dict[str, Scalar]]:
    merged: dict[str, dict[str, Scalar]] = {}
    for state in states(given):
        if state.tool == "fdisk dialogue":
            for subject in state.subjects:
                merged.setdefault(subject.name, {}).update(subject.values)
    return merged


def test_a_dialogue_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        facts = things(given)
        assert facts["sdq"] == {
            "partition_table": "dos", "disk_identifier": "0x0badcafe", "written": True,
                "not_read_again": "Device or resource busy", "fdisk_version": "2.38.1",
        }, shape  # fmt: skip
        assert facts["sdq2"] == {
            "first_sector": 2048, "size_asked": "+12G", "type": "Linux LVM", "size": 12 << 30,
            "type_code": "8e",
        }, shape  # fmt: skip
        assert set(facts) == {"sdq", "sdq2"}, shape


def test_an_old_dialogue_whose_answers_are_the_defaults() -> None:
    facts = things(OLD)
    assert facts["sdq"] == {
        "logical_block_size": 1024, "partition_table": "dos", "disk_identifier": "0xa1b2c3d4",
        "written": True,
    }  # fmt: skip
    assert facts["sdq1"] == {"first_sector": 1024, "last_sector": 8148439}


def test_a_table_within_is_that_of_fdisk_and_the_rest_has_the_same_device() -> None:
    table = (
        "Disk /dev/nvme0n1: 20 GiB, 21474836480 bytes, 41943040 sectors\n"
        "Units: sectors of 1 * 512 = 512 bytes\n"
        "Sector size (logical/physical): 512 bytes / 512 bytes\n\n"
        "Device         Boot Start      End  Sectors Size Id Type\n"
        "/dev/nvme0n1p1       2048 25167871 25165824  12G 83 Linux\n\n"
    )
    given = (
        f"# fdisk /dev/nvme0n1\n\nWelcome to fdisk (util-linux 2.29.2).\n"
        f"Command (m for help): p\n{table}"
        "Command (m for help): d\nSelected partition 1\nPartition 1 has been deleted.\n\n"
        "Command (m for help): w\nThe partition table has been altered.\n"
    )
    assert [state.tool for state in states(given)] == ["partitions", "fdisk dialogue"]
    ((disk, _), _) = [state.subjects for state in states(given)]
    assert disk.values["fdisk_version"] == "2.29.2"
    ((disk, _),) = [state.subjects for state in states(f"# fdisk -l /dev/nvme0n1\n{table}")]
    assert "fdisk_version" not in disk.values
    assert things(given) == {"nvme0n1": {"written": True}, "nvme0n1p1": {"deleted": True}}


@pytest.mark.parametrize("given", [
    "Type n at Command (m for help) and press Enter.\n",
    "The docs say that the partition table has been altered when you press w.\n",
    "Partition type: primary\n",
])  # fmt: skip
def test_prose_on_fdisk_is_none(given: str) -> None:
    assert not things(given)


def test_a_dialogue_that_changes_nothing_is_kept_as_printed() -> None:
    assert not read("# fdisk /dev/sdq\n\nCommand (m for help): q\n")


def test_the_type_that_an_old_fdisk_changed() -> None:
    given = (
        "# fdisk /dev/sdq\n\nCommand (m for help): t\nSelected partition 1\n"
        "Hex code (type L to list codes): b\nChanged system type of partition 1 to b (W95 FAT32)\n"
    )
    assert things(given) == {"sdq1": {"type": "b (W95 FAT32)", "type_code": "b"}}


def test_the_rest_of_a_dialogue_below_a_table_has_its_command_and_host() -> None:
    table = (
        "Disk /dev/sdq: 12 GiB, 12884901888 bytes, 25165824 sectors\n"
        "Units: sectors of 1 * 512 = 512 bytes\n\n"
    )
    given = (
        f"[root@pond ~]# fdisk /dev/sdq\n\nCommand (m for help): p\n{table}"
        "Command (m for help): w\nThe partition table has been altered.\n"
    )
    (state,) = [state for state in states(given) if state.tool == "fdisk dialogue"]
    assert (state.host, state.command) == ("pond", "fdisk /dev/sdq")


CYLINDERS = """# fdisk /dev/sdq
Command action
   e   extended
   p   primary partition (1-4)
p
Partition number (1-4): 2
First cylinder (1-19452, default 1):
Using default value 1
Last cylinder or +size or +sizeM or +sizeK (1-19452, default 19452): +2G
"""


@pytest.mark.parametrize(
    "given",
    [
        CYLINDERS,
        CYLINDERS.replace("   e   ", "e ").replace("   p   ", "p "),
        CYLINDERS.replace("or +size or +sizeM or +sizeK", ", +cylinders or +size{K,M,G}"),
    ],
)
def test_one_of_cylinders_before_it_is_written(given: str) -> None:
    assert things(given) == {"sdq2": {"first_cylinder": 1, "size_asked": "+2G"}}


def test_a_default_end_in_cylinders() -> None:
    facts = things(CYLINDERS.replace(": +2G", ":\nUsing default value 19452"))
    assert facts == {"sdq2": {"first_cylinder": 1, "last_cylinder": 19452}}


@pytest.mark.parametrize("near_miss", [
    "Last cylinder or +size or +sizeM or +sizeK (1-19452, default 19452): +2G\n",
    "Partition number (1-128, default 1):\n"
    "First sector (34-1023966, default = 2048) or {+-}size{KMGTP}:\n"
    "Last sector (2048-1023966, default = 1023966) or {+-}size{KMGTP}:\n",
    "Last sector, +5 on the list, is mine.\n",
])  # fmt: skip
def test_questions_of_other_programs_and_without_a_number(near_miss: str) -> None:
    assert all(output.tool != "fdisk dialogue" for output in read(near_miss))


def test_the_words_of_2_23_and_what_it_says_by_itself() -> None:
    text = (
        "# fdisk /dev/sdq\nWelcome to fdisk (util-linux 2.23.2).\n\n"
        "Device does not contain a recognized partition table\n"
        "Building a new DOS disklabel with disk identifier 0xa1b2c3d4.\n\n"
        "Command (m for help): n\nPartition number (1-4, default 1): 1\n"
        "First sector (2048-41943039, default 2048): \nUsing default value 2048\n"
        "Last sector, +sectors or +size{K,M,G} (2048-41943039, default 41943039): +5G\n"
        "Partition 1 of type Linux and of size 5 GiB is set\n\n"
        "Command (m for help): w\nThe partition table has been altered!\n"
    )
    (state,) = states(text)
    assert state.subjects[1].values["type"] == "Linux"
    assert state.subjects[1].values["size"] == 5 << 30
    assert state.messages == (
        "Device does not contain a recognized partition table",
        "Building a new DOS disklabel with disk identifier 0xa1b2c3d4.",
        "Partition 1 of type Linux and of size 5 GiB is set",
        "The partition table has been altered!",
    )
    assert not things("Partition 1 of type Linux and of size 5 GiB is set aside for you.\n")
