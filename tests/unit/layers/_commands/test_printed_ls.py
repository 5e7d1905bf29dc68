"""`ls -l` of devices. Oracle: stat(2) of the same devices of the machine of the test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from iosonde.layers._commands.printed_ls import LsDevices
from tests.mangle import folded, mangled, read, states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "commands-composed" / "ls.txt").read_text()


def _devices(text: str) -> dict[str, dict[str, object]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text, LsDevices.tool)}


def test_numbers_and_targets() -> None:
    assert _devices(TEXT) == {
        "control": {
            "type": "character", "major": 10, "minor": 236, "owner": "root", "group": "root",
            "mode": "rw-------", "directory": "/dev/mapper",
        },
        "pond-heron": {"type": "link", "target": "../dm-3", "directory": "/dev/mapper"},
        "pond-newt": {
            "type": "block", "major": 253, "minor": 11, "owner": "root", "group": "disk",
            "mode": "rw-rw----", "directory": "/dev/mapper",
        },
        "nvme-POND_HERON_0123456789-part2": {
            "type": "link", "target": "../../nvme0n1p2", "directory": "/dev/disk/by-id",
        },
    }  # fmt: skip


@pytest.mark.parametrize("style", [[], ["--time-style=full-iso"], ["--time-style=long-iso"]])
def test_the_real_tool_against_stat(style: list[str]) -> None:
    paths = ["/dev/null", "/dev/zero", "/proc/self/exe"]
    text = subprocess.run(
        ["ls", "-l", *style, *paths], capture_output=True, text=True, check=True,
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
    ).stdout  # fmt: skip
    devices = _devices(f"# ls -l {' '.join(paths)}\n{text}")
    for path in paths[:2]:
        number = Path(path).stat().st_rdev
        values = devices[path.removeprefix("/dev/")]
        assert (values["major"], values["minor"]) == (os.major(number), os.minor(number))
    assert str(devices["/proc/self/exe"]["target"]).endswith("/ls")


def test_a_link_whose_target_a_mail_put_below() -> None:
    assert _devices(folded(TEXT, 72)) == _devices(TEXT)


@pytest.mark.parametrize(
    "text",
    [
        "lrwxrwxrwx 1 root root 7 Sep 24 07:43 bin -> usr/bin\n",
        "/dev is full\nlrwxrwxrwx 1 root root 7 Sep 24 07:43 bin -> usr/bin\n",
        "-rw-r--r-- 1 root root 7 Sep 24 07:43 /dev/shm/heron\n",
        "The mode brw-rw---- is what 8, 16 should have\n",
        "+brw-rw---- 1 root disk 8, 16 Sep 24 07:43 /dev/sdb\n",
    ],
)
def test_what_is_no_device(text: str) -> None:
    assert _devices(text) == {}
    assert not [each for each in read(text) if getattr(each, "tool", "") == LsDevices.tool]


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT):
        devices = _devices(changed)
        if not shape.startswith("cut at"):
            assert devices == _devices(TEXT), shape
        for name, values in devices.items():
            assert values == _devices(TEXT).get(name, values), shape


def test_rows_without_a_command() -> None:
    assert _devices(TEXT.splitlines()[4])["pond-newt"]["minor"] == 11


@pytest.mark.parametrize("time", [
    "5月  14 09:40", "11月 30 2023", "3월  4 10:11", "Th05 14 09:40", "Th 5 14 2023",
])  # fmt: skip
def test_times_of_other_languages(time: str) -> None:
    (state,) = states(f"$ ls -l /dev/vdb\nbrw-rw---- 1 root disk 253, 16 {time} /dev/vdb\n")
    (disk,) = state.subjects
    assert (disk.name, disk.values["major"], disk.values["minor"]) == ("vdb", 253, 16)
