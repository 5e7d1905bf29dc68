"""gdisk, sgdisk -i. Oracle: gptpart.cc and gpt.cc; a partition's sectors go from first to last."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs/partitions-composed/gdisk.txt").read_text()


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {
        (state.tool, thing.name): dict(thing.values)
        for state in states(text)
        for thing in state.subjects
    }


def test_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        named = things(given)
        details = named["sgdisk -i", "sdk2"]
        first, last = int(str(details["first_sector"])), int(str(details["last_sector"]))
        assert last - first + 1 == details["sectors"] == 5858432512, shape
        assert details["label"] == "depot md", shape
        assert details["partuuid"] == "88B1D0E4-2C57-4F39-8A61-E09D3B7C5F20", shape
        scan = named["gdisk scan", "sdk"]
        assert (scan["gpt_state"], scan["gpt_main_header"]) == ("damaged", "ERROR"), shape
        assert scan["gpt_backup_table"] == "OK", shape


def test_the_backup_was_used() -> None:
    assert things(TEXT)["gdisk scan", "sdk"]["backup_used"] is True


def test_the_table_says_its_entries_places_and_names() -> None:
    named = things(TEXT)
    disk = named["partitions", "sdk"]
    # Source: 128 entries of 128 bytes fill 32 sectors
    assert disk["partition_entries"] == 128
    assert int(str(disk["table_last_sector"])) - int(str(disk["table_first_sector"])) + 1 == 32
    assert (disk["first_usable_sector"], disk["free_sectors"]) == (34, 3437)
    assert disk["disk_identifier"] == "3F0C7A52-91DE-4B68-A2C4-7D15E8B06F93"
    first, second = named["partitions", "sdk1"], named["partitions", "sdk2"]
    assert (first["type_code"], first["label"]) == ("EF00", "boot area")
    assert second["type_code"] == "FD00"
    assert "label" not in second


def test_details_within_a_dialogue() -> None:
    details = TEXT[TEXT.index("Partition GUID code") :].replace("'depot md'", "''")
    dialogue = f"# gdisk /dev/nvme7n1\n\nCommand (? for help): i\nUsing 1\n{details}"
    own = things(dialogue)["sgdisk -i", "nvme7n1p1"]
    assert own["type"] == "Linux RAID"
    assert "label" not in own


def test_types_with_brackets_and_sizes_in_bytes() -> None:
    """parttypes.cc names "Linux x86-64 root (/)"; BytesToIeee() prints up to 1024 in bytes."""
    details = TEXT[TEXT.index("[root@depot ~]# sgdisk -i") :]
    root = details.replace("(Linux RAID)", "(Linux x86-64 root (/))").replace(
        "(2.7 TiB)", "(512 bytes)"
    )
    own = things(root)["sgdisk -i", "sdk2"]
    assert (own["type"], own["printed_size"]) == ("Linux x86-64 root (/)", "512 bytes")
    assert own["partuuid"] == "88B1D0E4-2C57-4F39-8A61-E09D3B7C5F20"


def test_a_main_table_whose_sum_is_wrong() -> None:
    """Here gpt.cc writes "Loaded" with a capital, over two lines."""
    scan = (
        "# gdisk -l /dev/sdq\nGPT fdisk (gdisk) version 1.0.10\n\n"
        "Warning! Main partition table CRC mismatch! Loaded backup partition table\n"
        "instead of main partition table!\n\n"
        "Warning! One or more CRCs don't match. You should repair the disk!\n"
        "Main header: OK\nBackup header: OK\nMain partition table: ERROR\n"
        "Backup partition table: OK\n\nPartition table scan:\n  MBR: protective\n"
        "  BSD: not present\n  APM: not present\n  GPT: damaged\n"
    )
    own = things(scan)["gdisk scan", "sdq"]
    assert own["backup_used"] is True
    assert (own["gpt_main_header"], own["gpt_main_table"]) == ("OK", "ERROR")


def test_an_old_one_says_what_is_wrong_above_its_scan_alone() -> None:
    """Before 1.0 the parts are not listed."""
    scan = (
        "# gdisk -l /dev/sdq\nGPT fdisk (gdisk) version 0.8.10\n\n"
        "Caution: invalid backup GPT header, but valid main header; regenerating\n"
        "backup header from main header.\n\nPartition table scan:\n  MBR: protective\n"
        "  BSD: not present\n  APM: not present\n  GPT: damaged\n"
    )
    own = things(scan)["gdisk scan", "sdq"]
    assert own["gpt_backup_header"] == "ERROR"
    assert "gpt_main_header" not in own


def test_cautions_without_a_scan() -> None:
    caution = (
        "Caution: invalid backup GPT header, but valid main header; regenerating\n"
        "backup header from main header.\n\n"
    )
    own = things(f"{caution}Disk /dev/sdq: 976773168 sectors, 465.8 GiB\n")["gdisk scan", "sdq"]
    assert own == {"gpt_backup_header": "ERROR"}
    assert things(f"# sgdisk -p /dev/sdr\n{caution}")["gdisk scan", "sdr"] == own
    own = things("Warning! Main partition table CRC mismatch! Loaded backup partition table\n"
                 "instead of main partition table!\n")["gdisk scan", ""]  # fmt: skip
    assert own == {"gpt_main_table": "ERROR", "backup_used": True}


@pytest.mark.parametrize("near_miss", [
    "Partition unique GUID: is what blkid calls PARTUUID\n",
    "Main header: ERROR means that it is damaged.\n",
    "It says: Caution: invalid backup GPT header, but valid main header.\n",
    "I wonder what the Partition table scan: does\n",
])  # fmt: skip
def test_what_looks_like_it(near_miss: str) -> None:
    assert read(near_miss) == []


def test_a_torn_one_is_not_read() -> None:
    assert "not say which" in str(read("Partition table scan:\n"))


OLD = """\
Command (? for help): p
Disk /dev/sdb: 976773056 sectors, 465.8 GiB
Logical sector size: 512 bytes
Disk identifier (GUID): 6BA9CCEA-BF10-4D3D-99FA-0016432D489A
Partition table holds up to 128 entries
First usable sector is 34, last usable sector is 976773022
Partitions will be aligned on 2048-sector boundaries
Total free space is 976772989 sectors (465.8 GiB)

Number  Start (sector)    End (sector)  Size       Code  Name
"""


def test_before_1_0_4_the_logical_sector_is_said_alone() -> None:
    (state,) = states(OLD)
    (disk,) = state.subjects
    assert (disk.name, disk.values["logical_block_size"]) == ("sdb", 512)
    assert disk.values["disk_identifier"] == "6BA9CCEA-BF10-4D3D-99FA-0016432D489A"
