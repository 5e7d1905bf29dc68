"""`btrfs filesystem usage -T`: the figures are those that stand in the sample."""

from __future__ import annotations

from pathlib import Path

from iosonde.layers.btrfs.printed_usage_table import BtrfsUsageTable
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "usage-table.txt").read_text()
KIB, MIB, GIB, TIB = (1024**power for power in (1, 2, 3, 4))


def table(text: str) -> tuple[str, dict[str, Scalar]]:
    subject = states(text)[-1].subjects[0]
    return subject.name, dict(subject.values)


def test_types_devices_and_sums() -> None:
    name, values = table(TEXT)
    assert name == "/mnt/data"
    assert values == {
        "data_profile": "raid1", "metadata_profile": "raid1", "system_profile": "raid1",
        "data_sda1": 925 * GIB, "metadata_sda1": 6 * GIB, "system_sda1": 32 * MIB,
        "unallocated_sda1": round(465.23 * GIB), "size_sda1": round(1.36 * TIB), "slack_sda1": GIB,
        "data_sdb1": 925 * GIB, "metadata_sdb1": 6 * GIB,
        "unallocated_sdb1": round(465.29 * GIB), "size_sdb1": round(1.36 * TIB),
        "data_total": 925 * GIB, "metadata_total": 6 * GIB, "system_total": 32 * MIB,
        "unallocated": round(930.52 * GIB), "size": round(2.73 * TIB), "slack": GIB,
        "data_used": round(915.15 * GIB), "metadata_used": round(4.42 * GIB),
        "system_used": 160 * KIB, "below": "sda1 sdb1",
    }  # fmt: skip


def test_old_tables_end_with_what_is_unallocated() -> None:
    old = "\n".join(
        line[:53].rstrip() if line[:1] in {" ", "I", "-"} and "Device" not in line else line
        for line in TEXT.split("\n")[14:]
    )
    _, values = table(f"# btrfs fi usage -T /srv\n{old}")
    assert values["unallocated_sda1"] == round(465.23 * GIB)
    assert values["unallocated"] == round(930.52 * GIB)
    assert "size_sda1" not in values


def test_a_device_that_is_missing_and_one_that_is_being_removed() -> None:
    text = TEXT.replace("/dev/sdb1", "missing  ").replace("  465.23GiB", " -465.23GiB")
    _, values = table(text)
    assert values["devices_missing"] is True
    assert (values["below"], values["data_missing_2"]) == ("sda1", 925 * GIB)
    assert values["unallocated_sda1"] == -round(465.23 * GIB)


def test_two_profiles_of_one_type() -> None:
    text = TEXT.replace("Data      Metadata System", "Data      Data     System").replace(
        "RAID1     RAID1    RAID1", "RAID1     single   RAID1"
    )
    _, values = table(text)
    assert (values["data_profile"], values["data_single_profile"]) == ("raid1", "single")
    assert (values["data_sda1"], values["data_single_sda1"]) == (925 * GIB, 6 * GIB)


def test_torn_copies_say_the_same_or_less() -> None:
    _, whole = table(TEXT)
    for shape, text in mangled(TEXT):
        for state in states(text):
            for subject in state.subjects:
                said = {name: whole[name] for name in subject.values if name.endswith("_sda1")}
                assert said.items() <= subject.values.items(), shape


def test_other_tables_of_devices_are_none() -> None:
    stats = "Id Path      Write errors Read errors\n-- --------- ------------ -----------\n"
    assert [each.tool for each in read(stats + " 1 /dev/sda1            0           0\n")] != [
        BtrfsUsageTable.tool
    ]
