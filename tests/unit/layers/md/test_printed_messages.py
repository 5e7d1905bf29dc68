"""What mdadm says. Oracle: the figures of the samples, which one reads in their sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, read, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "mdadm-parts" / "messages.txt").read_text()
CREATED, ASSEMBLED, STARTED, ASKED = TEXT.split("\n\n")


def _things(text: str) -> dict[tuple[str, str], dict[str, object]]:
    return {(subject.kind, subject.name): dict(subject.values) for subject in subjects_in(text)}


def test_an_array_that_is_created() -> None:
    assert _things(CREATED) == {
        ("md", "md7"): {
            "layout": "left-symmetric", "chunk_size": 512 << 10, "used_size": 1 << 30,
            "metadata": "1.2", "started": True, "level": "raid5", "raid_disks": 4,
        },
        ("md_member", "sdb1"): {
            "superblock": True, "old_level": "raid5", "old_devices": 4,
            "old_created": "Mon May  6 07:08:09 2024",
        },
    }  # fmt: skip
    (said,) = counters(CREATED)
    assert "/dev/sdb1 appears to be part of a raid array:" in str(said.values["messages"])


def test_what_devices_hold_and_a_question_that_is_answered() -> None:
    assert _things(ASKED) == {
        ("md_member", "sdc"): {
            "contains": "ext2fs", "contained_size": 104857600 << 10,
            "contained_mtime": "Thu Jan  1 00:00:00 1970",
        },
        ("md_member", "sdd"): {"partition_table": True},
        ("md_member", "sde"): {"contains": "reiserfs", "contained_size": 2048 << 10},
        ("md", "md9"): {"metadata": "1.2", "started": True, "level": "raid0", "raid_disks": 3},
    }  # fmt: skip
    typed = ASKED.replace("array? mdadm", "array? y\nmdadm")
    assert _things(typed) == _things(ASKED)
    assert _things(typed.replace("array? y", "array [y/N]? y")) == _things(ASKED)
    assert ("md_member", "sdc") not in _things(ASKED.replace("sdc appears to contain", "sdc has"))


def test_what_devices_hold_in_a_torn_copy() -> None:
    for shape, torn in mangled(ASKED):
        contained = {
            name: values["contains"]
            for (_, name), values in _things(torn).items()
            if "contains" in values
        }
        assert contained.items() <= {"sdc": "ext2fs", "sde": "reiserfs"}.items(), shape


def test_an_array_that_is_not_started() -> None:
    things = _things(ASSEMBLED)
    assert things["md", "md7"] == {
        "slot_3": "missing", "started": False, "drives": 2, "spares": 1,
    }  # fmt: skip
    assert things["md_member", "sdc1"] == {"array": "md7", "slot": 1}
    assert things["md_member", "sdd1"] == {"array": "md7", "slot": 2, "out_of_date": True}
    assert things["md_member", "sdf1"] == {"superblock": False}


def test_an_array_that_is_started_without_all_of_its_members() -> None:
    assert _things(STARTED) == {
        ("md", "md8"): {
            "started": True, "drives": 3, "raid_disks": 4, "rebuilding": 1, "spares": 2,
        }
    }  # fmt: skip


@pytest.mark.parametrize(("begin", "end"), [
    ("mdadm: /dev/md126 assembled from 9 drives and 3 spares - not enough to ", "start the array."),
    ("mdadm: /dev/md126 assembled from 9 drives and 3 spares - not enough", "to start the array."),
])  # fmt: skip
def test_a_message_that_a_mail_broke(begin: str, end: str) -> None:
    text = f"{begin}\n{end}\n\nI see no reason for it.\n"
    assert _things(text)["md", "md126"] == {"started": False, "drives": 9, "spares": 3}
    (output,) = read(text)
    assert (output.place.first_line, output.place.last_line) == (1, 2)


def test_the_size_of_its_members() -> None:
    for phrase in ("has been set to", "unchanged at"):
        line = f"mdadm: component size of /dev/md7 {phrase} 8377344K"
        assert _things(line) == {("md", "md7"): {"used_size": 8377344 << 10}}
    (refused,) = counters("mdadm: Cannot remove /dev/sda from /dev/md7, array will be failed.\n")
    assert "array will be failed" in str(refused.values["messages"])


@pytest.mark.parametrize("message", [
    "Insufficient head-space for reshape on /dev/sda2",
    "/dev/sdc1 does not have a valid v0.90 superblock, not importing!",
    "Not enough devices to start the array while not clean - consider --force.",
    "cannot reduce component size", "/dev/md/x is already in use.",
    "invalid bitmap magic 0x0, the bitmap file appears to be corrupted",
])  # fmt: skip
def test_what_it_refuses_is_kept(message: str) -> None:
    (said,) = counters(f"mdadm: {message}\n", "mdadm")
    assert said.values["messages"] == [message]


@pytest.mark.parametrize(
    "line",
    [
        "mdadm: component size of /dev/md7 is wrong",
        "mdadm: use standard libc nftw",  # the subject of a patch
        "mdadm: added support for new devices",
        "mdadm: /dev/md0 is what we call an array",
        "Oct  2 11:22:33 nas mdadm: the monitor runs",
    ],
)
def test_other_words_behind_its_name_are_no_messages(line: str) -> None:
    assert not _things(line)
    assert not counters(line, "mdadm")


@pytest.mark.parametrize(("shape", "text"), list(mangled(ASSEMBLED, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _things(text) == _things(ASSEMBLED), shape


def test_what_it_asks_is_kept_with_its_answer() -> None:
    asked = (
        "mdadm: largest drive (/dev/sdx1) exceeds size (3906884608K) by more than 1%\n"
        "Continue creating array? y\nmdadm: array /dev/md7 started.\n"
    )
    (counted,) = counters(asked, "mdadm")
    assert counted.values["messages"] == [
        "largest drive (/dev/sdx1) exceeds size (3906884608K) by more than 1%",
        "Continue creating array? y", "array /dev/md7 started.",
    ]  # fmt: skip
