"""parted's dialogue. Oracle: the messages of libparted/labels/gpt.c and parted.c."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs/partitions-composed/parted-dialogue.txt").read_text()


def things(text: str, tool: str = "parted messages") -> dict[str, dict[str, Scalar]]:
    named: dict[str, dict[str, Scalar]] = {}
    for state in states(text):
        for thing in state.subjects if state.tool == tool else ():
            named.setdefault(thing.name, {}).update(thing.values)
    return named


def test_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        named = things(given)
        assert named["sdm"]["unused_sectors"] == 419430400, shape
        assert named["sdm"]["gpt_backup"] == "corrupt", shape
        assert named["sdm"]["asked_first_sector"] == 419430367, shape
        if shape != "with blank lines":  # an answer stands in the line below
            assert named["sdm3"]["aligned"] is False, shape
            assert named["sdm1"] == {"alignment_checked": "min", "aligned": True}, shape


@pytest.mark.parametrize("blank", [" ", "\n"])
def test_fdisk_says_it_before_the_disk_that_it_opens(blank: str) -> None:
    text = (
        "# fdisk -l\nDisk /dev/sdq: 10 GiB, 10737418240 bytes, 20971520 sectors\n"
        "Disklabel type: dos\n\n"
        "The backup GPT table is corrupt, but the primary appears OK, "
        f"so that{blank}will be used.\n"
        "Disk /dev/sdr: 20 GiB, 21474836480 bytes, 41943040 sectors\nDisklabel type: gpt\n"
    )
    assert {name: "gpt_backup" in values for name, values in things(text).items()} == {"sdr": True}


def test_columns_of_the_table() -> None:
    named = things(TEXT, "partitions")
    assert named["sdm"]["disk_flags"] == "pmbr_boot"
    first = named["sdm1"]
    assert (first["fstype"], first["label"], first["flags"]) == ("fat32", "boot", "boot, esp")
    assert (first["start_printed"], first["end_printed"]) == ("1049kB", "106MB")
    assert named["sdm2"]["label"] == "root one"
    assert "flags" not in named["sdm2"]


def test_a_table_whose_columns_were_moved_has_no_cells() -> None:
    moved = TEXT.replace(" 1      1049kB  106MB  105MB  fat32        boot      boot, esp",
                         " 1 1049kB 106MB 105MB fat32 boot boot, esp")  # fmt: skip
    assert "fstype" not in things(moved, "partitions")["sdm1"]


@pytest.mark.parametrize("near_miss", [
    "Not all of the space available to users is used.\n",
    "(parted) align-check opt 1\n2 aligned\n",
    "The backup GPT table is at the end of the disk.\n",
    "It is not properly aligned for best performance, I think.\n",
])  # fmt: skip
def test_what_looks_like_it(near_miss: str) -> None:
    assert things(near_miss) == {}
    assert read(near_miss.partition("\n")[2]) == []


USED = """# parted /dev/sdm
(parted) mklabel gpt
Warning: The existing disk label on /dev/sdm will be destroyed and all data on this disk will be
lost. Do you want to continue?
Yes/No? yes
(parted) rm 2
Warning: Partition /dev/sdm2 is being used. Are you sure you want to continue?
Yes/No? y
Error: Partition(s) 2 on /dev/sdm have been written, but we have been unable to inform the kernel of
the change, probably because it/they are in use.  As a result, the old partition(s) will remain in
use.  You should reboot now before making further changes.
Ignore/Cancel? i
"""


def test_what_it_asks_before_it_destroys() -> None:
    for shape, given in mangled(USED, wraps=False):
        named = things(given)
        assert named["sdm"]["not_read_again"] == "partitions 2 are in use", shape
        assert named["sdm2"] == {"in_use": True}, shape
        if shape != "with blank lines":
            assert named["sdm"]["relabel"] == "yes", shape
    assert things(USED.replace("Yes/No? yes", "Yes/No? No"))["sdm"]["relabel"] == "no"
    assert things(USED.replace("Yes/No? yes", "Yes/No?"))["sdm"]["relabel"] == "asked"
    busy = "parted: Partition(s) on /dev/sdm are being used.\n"
    assert things(busy) == {"sdm": {"in_use": True}}


@pytest.mark.parametrize("near_miss", [
    "Partition /dev/sdm2 is being used for the pool.\n",
    "The existing disk label on the box will be replaced.\n",
    "Partition(s) 2 on the plan have been written down.\n",
])  # fmt: skip
def test_talk_of_partitions_in_use(near_miss: str) -> None:
    assert all(output.tool != "parted messages" for output in read(near_miss))


def test_before_3_4_the_warning_of_alignment_has_no_figures() -> None:
    warning = "Warning: The resulting partition is not properly aligned for best performance."
    (state,) = states(f"# parted /dev/sdj mkpart primary 0 10GiB\n{warning}\nIgnore/Cancel? I\n")
    (disk,) = state.subjects
    assert (disk.name, disk.values) == ("sdj", {"asked_aligned": False})


@pytest.mark.parametrize("said", [
    "Information: You may need to update /etc/fstab.", "信息: 你可能需要 /etc/fstab。",
])  # fmt: skip
def test_a_table_that_it_wrote(said: str) -> None:
    (state,) = states(f"# parted /dev/sdq mkpart primary ext4 0% 20%\n{said}\n")
    assert [(each.name, each.values) for each in state.subjects] == [("sdq", {"written": True})]
    assert state.messages == (said,)


def test_a_sentence_about_fstab_is_of_its_author() -> None:
    assert not states("Note: then add both lines to /etc/fstab.\n")


LISTED = """\
Model: Oak SN1 1TB (nvme)
Disk /dev/nvme0n1: 1000GB
Sector size (logical/physical): 512B/512B
Partition Table: gpt
Disk Flags:

Number  Start   End     Size    File system  Name  Flags
 1      1049kB  1000GB  1000GB  ext4


Error: /dev/nvme2n1: unrecognised disk label
Model: Oak SN1 500GB (nvme)
Disk /dev/nvme2n1: 500GB
Sector size (logical/physical): 512B/512B
Partition Table: unknown
Disk Flags:

Warning: Unable to open /dev/sr0 read-write (Read-only file system).  /dev/sr0
has been opened read-only.
Error: /dev/nvme1n1: unrecognised disk label
Model: Elm SN2 2TB (nvme)
Disk /dev/nvme1n1: 2000GB
Sector size (logical/physical): 512B/512B
Partition Table: unknown
Disk Flags:
"""


def test_what_is_said_between_two_disks_is_of_the_second() -> None:
    tables = things(LISTED, "partitions")
    assert {name: tables[name]["model"] for name in ("nvme0n1", "nvme2n1", "nvme1n1")} == {
        "nvme0n1": "Oak SN1 1TB (nvme)", "nvme2n1": "Oak SN1 500GB (nvme)",
        "nvme1n1": "Elm SN2 2TB (nvme)",
    }  # fmt: skip
    unknown = {"partition_table": "unknown"}
    assert things(LISTED) == {
        "nvme2n1": unknown, "nvme1n1": unknown,
        "sr0": {"read_only": True},
    }  # fmt: skip


def test_a_dialogue_that_changed_something_ends_with_a_hint() -> None:
    text = "# parted /dev/sdq\n(parted) quit\nInformation: You may need to update /etc/fstab.\n"
    assert things(text) == {"sdq": {"written": True}}
    assert not things("You may need to update /etc/fstab. Error: an unrecognised disk label\n")
