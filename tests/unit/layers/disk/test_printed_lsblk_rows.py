"""Rows of lsblk without a head say what they say with it."""

from __future__ import annotations

from tests.mangle import read, states

ROWS = (
    "sdd                     8:48   0   10G  0 disk\n"
    "└─md0                   9:0    0   20G  0 raid5 /mnt/r\n"
    "sde                     8:64   0   10G  0 disk\n"
    "└─md0                   9:0    0   20G  0 raid5 /mnt/r\n"
)
HEAD = "NAME                  MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINT\n"


def test_rows_say_what_they_say_below_their_head() -> None:
    (bare,), (whole,) = states(ROWS), states(HEAD + ROWS)
    assert bare.subjects == whole.subjects
    md = next(device for device in bare.subjects if device.name == "md0")
    assert md.values["below"] == "sdd sde"


def test_notes_of_the_author_are_no_cells() -> None:
    noted = HEAD + ROWS.replace("0 disk\n", "0 disk <- old\n", 1)
    assert states(noted)[0].subjects == states(HEAD + ROWS)[0].subjects


def test_what_looks_alike_is_none() -> None:
    assert read("chapter 8:48 has 0 disk in it") == []
    assert read("sdd 8:48 0 10G 0 disk was the old one") == []


def test_rows_of_a_deduplicated_device_say_what_it_is() -> None:
    rows = (
        "sdf               8:80   0 372.5G  0 disk \n"
        "└─vdo_pool      253:2    0   500G  0 vdo  /pool\n"
    )
    disk, vdo, *_ = states(rows)[0].subjects
    assert disk.values["maj_min"] == "8:80"
    assert (vdo.kind, vdo.values["type"], vdo.values["mounts"]) == ("dm", "vdo", "/pool")
