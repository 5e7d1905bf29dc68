"""Parts of mdadm's output. Oracle: figures that agree with each other, and a real array's table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "mdadm-parts" / "parts.txt").read_text()


def test_a_table_of_members_without_its_array() -> None:
    array = subjects_in(TEXT)[0]
    assert (array.kind, array.name) == ("md", "md127")
    assert array.values == {
        "active_members": 1, "degraded": 1, "faulty": "sdd1", "rebuilding": "sdc1",
        "spares": "sde1", "below": "sdb1 sdc1 sdd1 sde1",
        "member_devices": "8 8:17 sdb1; 9 8:33 sdc1; 5 8:49 sdd1; 10 8:65 sde1",
        "member_states": "0 removed; 1 sdb1 active sync; 2 sdc1 spare rebuilding; - sdd1 faulty; "
        "- sde1 spare",
    }  # fmt: skip


def test_events_of_each_member() -> None:
    first, second = subjects_in(TEXT)[1:3]
    assert (first.name, first.values["events"], first.values["role"]) == (
        "sdf1", 57840, "Active device 3",
    )  # fmt: skip
    assert (second.name, second.values["events"], second.values["role"]) == ("sdg1", 48959, "spare")


def test_metadata_of_firmware() -> None:
    platform, container, disk, volume, other = subjects_in(TEXT)[3:]
    assert platform.values["max_disks"] == 32
    assert platform.values["nvme_under_vmd"] == (
        "/dev/nvme0n1 (S6P1NS0T318266R), /dev/nvme1n1 (S6P1NS0T318223V)"
    )
    assert (container.name, container.values["disks"]) == ("sdh", 4)
    assert [each.name for each in (disk, other)] == ["W461NHAB", "W461SCHM"]
    size = disk.values["usable_size"]
    assert isinstance(size, int)
    assert round(size / 2**30, 2) == 1863.01
    assert (volume.name, volume.values["level"]) == ("Data", "raid5")


def test_every_shape() -> None:
    expected = subjects_in(TEXT)
    for shape, changed in mangled(TEXT, wraps=False):
        assert subjects_in(changed) == expected, shape


def test_a_command_without_a_prompt_ends_what_smartctl_says() -> None:
    smartctl = "=== START OF INFORMATION SECTION ===\nDevice Model:     ST2000NX0253\n"
    text = f"{smartctl}\nsudo mdadm --examine /dev/sdh\n" + TEXT[TEXT.index("/dev/sdh:") :]
    drive, container, *_ = subjects_in(text)
    assert (drive.values["model"], container.name) == ("ST2000NX0253", "sdh")


@pytest.mark.parametrize("text", [
    "Number Major Minor RaidDevice State\n",
    "   Number   Major   Minor   RaidDevice State\n   1  8  0  of them are gone\n",
    "Events : many\n", "/dev/sda: all Events : 7\n", "The Platform : Intel\n",
])  # fmt: skip
def test_what_says_nothing(text: str) -> None:
    assert subjects_in(text) == []


def test_hexadecimal_figures_of_imsm_are_kept_as_they_are_printed() -> None:
    text = """/dev/sdq:
          Magic : Intel Raid ISM Cfg Sig.
        Version : 1.1.00
    Orig Family : 00000000
         Family : 51312085
     Generation : 00016838
     Attributes : All supported
           UUID : da3f02a5:f8a270ee:39e54f6b:4ff045a5
    MPB Sectors : 2
"""
    ((member, *_),) = [state.subjects for state in states(text)]
    values = {name: member.values[name] for name in ("orig_family", "family", "generation")}
    assert values == {"orig_family": "00000000", "family": "51312085", "generation": "00016838"}
    assert member.values["mpb_sectors"] == 2


def test_numbers_of_members_and_of_their_devices_are_said() -> None:
    rows = (
        "    Number   Major   Minor   RaidDevice State\n"
        "       0       8       49        0      active sync   /dev/sdd1\n"
        "       -       0        0        1      removed\n"
        "       3     259        4        -      faulty   /dev/nvme2n1p1\n"
    )
    for shape, given in mangled(rows, wraps=False):
        (md,) = subjects_in(given, "mdadm members")
        assert md.values["member_devices"] == "0 8:49 sdd1; 3 259:4 nvme2n1p1", shape
        assert md.values["member_states"] == (
            "0 sdd1 active sync; 1 removed; - nvme2n1p1 faulty"
        ), shape
