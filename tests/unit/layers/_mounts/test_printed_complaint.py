"""What mount complains of: the kernel's own words, and where."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import mangled, read, states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "mount-composed" / "errors.txt").read_text()


def test_complaints_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        points = {s.name: s.values for state in states(given) for s in state.subjects}
        assert points["/srv/a"]["mount_error_reason"] == "Structure needs cleaning", shape
        assert points["/srv/b"] == {
            "mount_error": "No space left on device", "device": "/dev/mapper/vg-b",
        }  # fmt: skip
        assert points["/srv/c"]["device"] == "/dev/sdq1"
        assert len(states(given)) == 5


def test_the_command_names_what_the_complaint_does_not() -> None:
    text = "# mount -t nfs filer:/vol/d /mnt/d\nmount.nfs: Connection timed out\n"
    ((point,),) = [state.subjects for state in states(text)]
    assert (point.name, point.values["device"]) == ("/mnt/d", "filer:/vol/d")


def test_a_point_without_its_colon() -> None:
    text = "  mount: /mnt wrong fs type, bad option, bad superblock on /dev/sdq, or other error.\n"
    ((point,),) = [state.subjects for state in states(text)]
    assert (point.name, point.values["device"]) == ("/mnt", "/dev/sdq")
    assert read("mount: /mnt is wrong, fs type and bad option\n") == []


def test_prose_and_mounts_are_no_complaints() -> None:
    assert read("mount: /srv is where the data are, see mount(8).") == []
    assert read("mount.nfs: see nfs(5).") == []


def test_the_point_behind_a_sentence_is_not_part_of_the_device() -> None:
    text = "mount: /mnt/a: can't read superblock on /dev/loop4.\n"
    ((point,),) = [state.subjects for state in states(text)]
    assert (point.name, point.values["device"]) == ("/mnt/a", "/dev/loop4")
    text = "# mount /srv/a.img /mnt/b\nmount: /mnt/b: wrong fs type, bad option\n"
    ((point,),) = [state.subjects for state in states(text)]
    assert point.values["device"] == "/srv/a.img"


def test_a_line_of_fstab_that_is_broken() -> None:
    (subject,) = subjects_in("# mount -a\nmount: /etc/fstab: parse error at line 12 -- ignored\n")
    assert subject.values == {
        "mount_error": "/etc/fstab: parse error at line 12 -- ignored",
        "file": "/etc/fstab", "line": 12,
    }  # fmt: skip
    assert not subjects_in("mount: /etc/fstab: parse error somewhere\n", "mount's error")


def test_why_mount_knows_no_place_and_its_words_as_they_stand() -> None:
    for said, error in (
        ("mount: can't find /oak in /etc/fstab", "can't find /oak in /etc/fstab"),
        ("mount: /oak: can't find in /etc/fstab.", "can't find in /etc/fstab."),
        ("mount: you must specify the filesystem type", "you must specify the filesystem type"),
    ):
        (state,) = states(f"$ sudo mount -t /dev/sdx /oak\n[sudo] password for elm:\n{said}\n")
        (place,) = state.subjects
        assert (place.name, place.values["mount_error"]) == ("/oak", error)
        assert state.messages == (said,)
    assert not states("I mount: can't find my notes in /etc/fstab any more.\n")
