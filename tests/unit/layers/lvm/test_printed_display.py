"""lvdisplay, vgdisplay and pvdisplay: extents times their size is the check on each size."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "lvm-2.03.16" / "display.txt").read_text()
MIB = 1 << 20


def test_the_three_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        things = {s.kind: s for state in states(given) for s in state.subjects}
        size = {kind: int(str(thing.values["size"])) for kind, thing in things.items()}
        extents = {kind: int(str(thing.values["extents"])) for kind, thing in things.items()}
        volume, group, device = (things[kind] for kind in ("lvm", "lvm_group", "lvm_pv"))
        assert (volume.name, group.name, device.name) == ("mapper/vg--x-data", "vg-x", "sdq1"), (
            shape
        )
        assert size["lvm"] == extents["lvm"] * 4 * MIB
        assert (volume.values["segments"], volume.values["device_number"]) == (2, "253:4")
        for kind in ("lvm_group", "lvm_pv"):
            assert size[kind] == pytest.approx(extents[kind] * 4 * MIB, rel=0.005)
        assert group.values["free"] == 376930 * 4 * MIB
        assert device.values["volume_group"] == "vg-x"


def test_a_name_that_is_cut_off_and_prose() -> None:
    (entry,) = read("  --- Logical volume ---\n  LV Status              available\n")
    assert isinstance(entry, Unread)
    assert read("Look at the --- Logical volume --- part.") == []


MAPS = (Path(__file__).parents[3] / "outputs" / "lvm-2.03.16" / "display-maps.txt").read_text()


def test_maps_snapshots_and_labels_of_some_kinds_only() -> None:
    for shape, given in mangled(MAPS.replace("\n\n", "\n"), wraps=False):
        things = {s.name: s.values for state in states(given) for s in state.subjects}
        assert list(things) == ["mapper/pond-heron", "mapper/pond-pool", "pond", "sdc1", "sdf1"]
        heron, device = things["mapper/pond-heron"], things["sdc1"]
        assert heron["snapshots"] == "heronsnap [active]", shape
        assert heron["cache_read_hits_misses"] == "123456 / 23456", shape
        assert (heron["cache_demotions"], heron["cache_used_blocks"]) == (34, "43.21%"), shape
        assert heron["creation_time"] == "2024-02-03 10:00:00 +0100", shape
        assert heron["size"] == int(str(heron["extents"])) * 4 * MIB, shape
        mapped = str(heron["extent_map"]).split("; ")
        assert mapped[0].endswith("physical volume /dev/sdc1, physical extents 12345 to 140344")
        assert "stripe 1, physical volume /dev/sde1, physical extents 88 to 587" in mapped[1]
        assert str(device["extent_map"]).endswith("; 128000 to 238465: free"), shape
        assert (device["volume_group"], device["exported"]) == ("pond", True), shape
        assert not {"vg", "volume_group"} & set(things["sdf1"]), shape


def test_a_sentence_below_the_segments_is_none_of_them() -> None:
    given = MAPS.partition("root@n1:~# vgdisplay")[0].partition("  --- Logical volume ---\n")[2]
    first = given.partition("  --- Logical volume ---")[0]
    (state,) = states(f"  --- Logical volume ---\n{first}\nPhysical extents 9 to 99 are bad.\n")
    assert str(state.subjects[0].values["extent_map"]).endswith("physical extents 88 to 587")


PARTS = """[root@db1 ~]# pvdisplay
  --- Physical volume ---
  PV Name               /dev/sda2
  VG Name               VolGroup00
  PV Size               19.90 GB / not usable 22.49 MB
  Allocatable           yes (but full)
  PE Size (KByte)       32768
  Total PE              636
  Free PE               1
  Allocated PE          635
  PV UUID               8aSbhA-VfKn-xK1t-b1kk-3hTc-1KhV-pSyR7Q

{}

  --- Physical volume ---
  PV Name               /dev/sdb1
  VG Name               data
  PV Size               931.51 GiB / not usable 4.00 MiB
  Total PE              238466
"""


def test_an_extent_in_kilobytes_does_not_end_the_volume() -> None:
    first = states(PARTS)[0].subjects[0]
    assert (first.values["extent_size"], first.values["free"]) == (32 << 20, 32 << 20)
    assert first.values["extents"] == 636


@pytest.mark.parametrize(
    ("sentence", "host"),
    [
        ("The second disk looks like this:", "db1"),
        ("", "db1"),
        ("And this is what my other server says:", ""),
        ("# fdisk -l /dev/sdb", ""),
        ("[root@db2 ~]# lvs", ""),
    ],
)
def test_a_part_below_a_sentence_is_of_the_command_above(sentence: str, host: str) -> None:
    hosts = {
        subject.name: state.host or subject.host
        for state in states(PARTS.format(sentence))
        for subject in state.subjects
    }
    assert hosts == {"sda2": "db1", "sdb1": host}


def test_blocks_without_margins_are_whole() -> None:
    (volume,) = states(
        "--- Logical volume ---\nLV Path                /dev/vg7/a\nLV Name                a\n"
        "VG Name                vg7\nLV Write Access        read/write\n"
        "LV Creation host, time host7, 2020-09-10 11:43:05 -0700\n"
        "LV Status              available\n# open                 0\n"
        "LV Size                10.00 GiB\nCurrent LE             2560\n"
    )
    (thing,) = volume.subjects
    assert thing.name == "mapper/vg7-a"
    assert (thing.values["size"], thing.values["creation_host"]) == (10 << 30, "host7")
    (group,) = states(
        "--- Volume group ---\nVG Name              vg7\nSystem ID\nFormat               lvm2\n"
        "VG Size              44.99 GiB\nPE Size              4.00 MiB\n\nIt is large.\n"
    )
    assert [thing.name for thing in group.subjects] == ["vg7"]
    assert group.subjects[0].values["extent_size"] == 4 << 20


def test_lines_that_were_left_out_do_not_part_a_group() -> None:
    (state,) = states(
        "    --- Volume group ---\n    VG Name               vg7\n    System ID\n"
        "    Format                lvm2\n    .......\n    VG Size               <10.00 GiB\n"
    )
    assert [(thing.name, thing.values["size"]) for thing in state.subjects] == [("vg7", 10 << 30)]
