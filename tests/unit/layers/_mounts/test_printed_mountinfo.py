"""/proc/PID/mountinfo."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, states

SAMPLE = (
    Path(__file__).parents[3] / "outputs" / "mount-composed" / "mountinfo.txt"
).read_text()  # fmt: skip


def test_mounts_in_every_shape() -> None:
    for shape, given in mangled(SAMPLE):
        (state,) = states(given)
        assert state.tool == "mountinfo", shape
        root, archive, films, nas = state.subjects
        assert (root.kind, root.name) == ("ext4", "/"), shape
        assert root.values["device"] == "/dev/mapper/vg7-root"
        assert (root.values["device_number"], root.values["stripe"]) == ("253:1", "64")
        assert (archive.values["sunit"], archive.values["swidth"]) == ("1024", "4096")
        assert "root" not in archive.values
        assert films.values["root"] == "/exports/films"
        assert (nas.name, nas.values["device"]) == ("/mnt/nas", "filer5:/vol3")


def test_read_only_is_what_the_mount_or_its_file_system_is() -> None:
    """As show_vfsmnt() says it: `ro` where either of the two is."""
    line = "27 1 8:1 / / {mount},relatime - ext4 /dev/sda1 {of_all}\n"
    for mount, of_all in (("ro", "rw"), ("rw", "ro"), ("ro", "ro"), ("rw", "rw")):
        (state,) = states(line.format(mount=mount, of_all=of_all))
        values = state.subjects[0].values
        assert ("rw" in values) == (mount == of_all == "rw"), values
        assert ("ro" in values) == (not mount == of_all == "rw"), values


@pytest.mark.parametrize("text", [
    "1 to 8:30 / every day - xfs is better\n",
    "27 1 8:1 / / maybe - ext4 /dev/sda1 rw\n",
    "27 1 8:1 / / rw,relatime - ext4\n",
    "27 1 8:1 / / rw,relatime - cgroup2 cgroup2 rw\n",
])  # fmt: skip
def test_near_misses_are_none(text: str) -> None:
    assert not any(state.tool == "mountinfo" for state in states(text))
