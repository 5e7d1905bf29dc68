"""/proc/partitions. Oracle: the file of the machine of the test, and sysfs beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.disk.printed_partitions import ProcPartitions
from tests.mangle import mangled, read, states, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs"
TEXT = (OUTPUTS / "partitions-composed" / "partitions.txt").read_text()


def _sizes(text: str) -> dict[tuple[str, str], object]:
    return {
        (subject.kind, subject.name): subject.values["size"]
        for state in states(text)
        for subject in state.subjects
        if state.tool == ProcPartitions.tool
    }


def test_devices_by_kind() -> None:
    assert _sizes(TEXT) == {
        ("disk", "nvme0n1"): 500107608 << 10, ("partition", "nvme0n1p1"): 1 << 30,
        ("disk", "sdb"): 7814026584 << 10, ("partition", "sdb1"): 7814025543 << 10,
        ("md", "md127"): 7813893120 << 10, ("dm", "dm-0"): 50 << 30,
        ("disk", "sr0"): 1048575 << 10,
    }  # fmt: skip


def test_the_file_of_this_machine() -> None:
    sizes = _sizes(Path("/proc/partitions").read_text())
    by_name = {name: size for (_, name), size in sizes.items()}
    of_sysfs = {
        path.parent.name.replace("!", "/"): int(path.read_text()) * 512
        for path in Path("/sys/class/block").glob("*/size")
    }
    shared = by_name.keys() & of_sysfs.keys()
    if not shared:
        pytest.skip("needs a block device")
    assert {name: by_name[name] for name in shared} == {
        name: of_sysfs[name] // 1024 * 1024 for name in shared
    }


@pytest.mark.parametrize("text", ["major minor  #blocks  name, they say\n", "   8   0  12 sda\n"])
def test_what_is_no_such_file(text: str) -> None:
    assert _sizes(text) == {}


def test_a_head_without_devices_is_unread_with_the_reason() -> None:
    (unread,) = read("major minor  #blocks  name\n\n")
    assert "no device follows" in str(unread)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _sizes(text) == _sizes(TEXT), shape


def test_rows_without_their_head() -> None:
    rows = [line for line in TEXT.splitlines() if line[:4].strip().isdigit()]
    expected = _sizes(TEXT)
    for given in ("$ cat /proc/partitions | grep -v blocks\n", "They are:\n\n", "> "):
        mark = given if given == "> " else ""
        text = ("" if mark else given) + "".join(f"{mark}{row}\n" for row in rows)
        assert _sizes(text) == expected, given
    for other in (
        "   8        0        100 sda\n   8        1         90 sda1\n",  # too few
        "  17        3        100 sda\n  18        4         90 sdb\n  19        5   80 sdc\n",
        "r   8  0 100 sda\n",
    ):
        assert not _sizes(other)


def test_the_number_of_each_device_is_said() -> None:
    text = (
        "major minor  #blocks  name\n\n   8       48 2930266584 sdd\n"
        " 259        3   63475712 nvme0n1p5\n"
    )
    named = {subject.name: subject.values for subject in subjects_in(text)}
    assert named["sdd"] == {"size": 2930266584 * 1024, "maj_min": "8:48"}
    assert named["nvme0n1p5"]["maj_min"] == "259:3"
