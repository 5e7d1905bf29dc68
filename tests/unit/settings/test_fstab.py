"""An option is set in any fstab that mount(8) reads; findmnt(8) is asked what the result says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iosonde.errors import Refused
from iosonde.settings import remount
from iosonde.settings.remount import WAS, Remount, edited, without_edits

LINES = {
    "plain": "/dev/sda /data ext4 defaults 0 2\n",
    "indented": "  \t/dev/sda /data ext4 defaults 0 2\n",
    "tabs": "/dev/sda\t/data\text4\trw,relatime\t0\t2\n",
    "no check": "/dev/sda /data ext4 rw 0\n",
    "no dump": "/dev/sda /data ext4 rw\n",
    "no options": "/dev/sda /data ext4\n",
    "comment behind": "/dev/sda /data ext4 rw 0 0 # the data\n",
    "CR LF": "/dev/sda /data ext4 rw 0 0\r\n/dev/sdb /other xfs rw 0 0\r\n",
    "blank in name": "/dev/sda /data\\040two ext4 rw 0 0\n",
    "comments around": (
        "  # /dev/sda /data ext4 noatime\n#/dev/sda /data ext4 rw\n\n/dev/sda /data ext4 rw\n"
    ),
}


def listed(text: str, place: Path) -> dict[str, tuple[str, str]]:
    """Mount point → type and options, as libmount reads a fstab."""
    place.write_text(text, newline="")
    done = subprocess.run(
        ["findmnt", "--tab-file", place, "-n", "-r", "-o", "TARGET,FSTYPE,OPTIONS"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    rows = [line.split(" ") for line in done.stdout.split("\n") if line]
    return {row[0]: (row[1], row[2]) for row in rows}


@pytest.mark.parametrize("shape", LINES)
def test_an_option_is_set_and_nothing_else_changes(shape: str, tmp_path: Path) -> None:
    text = LINES[shape]
    mount = "/data two" if shape == "blank in name" else "/data"
    before = listed(text, tmp_path / "fstab")
    after = listed(edited(text, mount, "atime", "noatime"), tmp_path / "fstab")
    name = mount.replace(" ", "\\x20")
    kind, options = after[name]
    assert kind == before[name][0] == "ext4"
    assert "noatime" in options.split(",")
    assert "relatime" not in options.split(",")
    assert {**after, name: 0} == {**before, name: 0}
    assert without_edits(edited(text, mount, "atime", "noatime")) == text


@pytest.mark.parametrize("shape", LINES)
async def test_what_is_kept_is_read_from_any_line(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mount = "/data two" if shape == "blank in name" else "/data"
    text = edited(LINES[shape], mount, "commit", "30")

    async def texts(*_: object) -> dict[str, str]:
        return {"/etc/fstab": text}

    monkeypatch.setattr(remount, "texts", texts)
    address = f"commit {mount}"
    assert await Remount().kept(None, [address]) == {address: "30"}  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["# /dev/sda /data ext4 rw\n", "/dev/sda /other ext4 rw\n", ""])
def test_a_line_that_mounts_something_else_stays(text: str) -> None:
    assert edited(text, "/data", "atime", "noatime") == text
    assert WAS not in edited(text, "/data", "atime", "noatime")


def test_no_option_is_put_into_a_comment() -> None:
    from iosonde.settings.remount import with_option

    with pytest.raises(Refused, match="mounts nothing"):
        with_option("  # /dev/sda /data ext4 rw", "atime", "noatime")
