"""What dumpe2fs printed of a file system made with stride=16,stripe_width=64, blocks of 1 KiB."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "e2fsprogs-1.47" / "dumpe2fs-h.txt").read_text()


def test_the_superblock_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        ((ext4,),) = [state.subjects for state in states(given)]
        assert ext4.kind == "ext4", shape
        assert (ext4.values["stripe_unit"], ext4.values["stripe_width"]) == (16 << 10, 64 << 10)
        assert (ext4.values["block_size"], ext4.values["journal_size"]) == (1024, 4 << 20)
        assert (ext4.values["superblock_state"], ext4.values["errors"]) == ("clean", "Continue")


def test_the_command_names_it() -> None:
    (state,) = states("# tune2fs -l /dev/sdb1\ntune2fs 1.47.0 (5-Feb-2023)\n" + TEXT)
    assert (state.subjects[0].name, state.subjects[0].values["device"]) == ("sdb1", "/dev/sdb1")


def test_what_is_cut_and_what_only_looks_alike() -> None:
    (state,) = states(TEXT[: TEXT.index("Block size")])
    values = state.subjects[0].values
    assert not values.keys() & {"block_size", "stripe_unit", "stripe_width", "journal_size"}
    assert (values["superblock_state"], values["blocks"]) == ("clean", 65536)
    (entry,) = read(TEXT[: TEXT.index("Last mounted")])
    assert isinstance(entry, Unread)
    assert entry.reason == "its lines are cut off"
    assert read('fprintf(f, "Filesystem volume name:   %s\\n", str);') == []
    assert read("dumpe2fs prints `Filesystem volume name:` first.") == []


LABELS = re.compile(r"^([A-Z][\w #]+):[ \t]+(\S.*?)\s*$", re.MULTILINE)


def test_no_line_of_the_real_program_is_lost(tmp_path: Path) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(16 << 20)
    subprocess.run(["/sbin/mke2fs", "-q", "-t", "ext4", str(image)], check=True)
    text = subprocess.run(
        ["/sbin/tune2fs", "-l", str(image)], check=True, capture_output=True, text=True
    ).stdout
    (state,) = states(text)
    said = {str(value) for value in state.subjects[0].values.values()}
    printed = {value for label, value in LABELS.findall(text) if not value.startswith("<")}
    assert printed <= said


@pytest.mark.parametrize("chosen", ["ount", "Inode|Journal", "Lifetime writes", "Filesystem feat"])
def test_lines_that_grep_chose(chosen: str) -> None:
    lines = [line for line in TEXT.splitlines() if re.search(chosen, line)]
    text = f"# tune2fs -l /dev/sdz1 | grep -E '{chosen}'\n" + "\n".join(lines) + "\n"
    (state,) = states(text)
    (whole,) = states(TEXT)
    (part,) = state.subjects
    assert part.values["device"] == "/dev/sdz1"
    assert {key: value for key, value in part.values.items() if key != "device"} == {
        key: whole.subjects[0].values[key] for key in part.values if key != "device"
    }


def test_features_that_a_mail_broke() -> None:
    names = "has_journal ext_attr dir_index fast_commit filetype extent 64bit"
    text = f"Filesystem features:      {names}\nlarge_file huge_file\n\nThat was it.\n"
    (state,) = states(text)
    assert state.subjects[0].values["features"] == f"{names} large_file huge_file"
    torn = (
        f"Mount count:              3\nFilesystem features:      {names}\nlarge_file huge_fi\nle\n"
    )
    (state,) = states(torn)
    assert state.subjects[0].values == {"mount_count": 3}


@pytest.mark.parametrize(
    "text",
    [
        "Mount count: I do not care\n", "Last checked: yesterday, by me\n",
        "Inode size:\n\nwhat is it?\n", "Errors behavior: strange\n",
        "Infrastructure:     3 arrays\n",
    ],
)  # fmt: skip
def test_lines_of_prose_are_none(text: str) -> None:
    assert not states(text)


def test_what_is_wrong_with_it_stands_below_it() -> None:
    wrong = "dumpe2fs: Superblock checksum does not match superblock while trying to open"
    for below in (f"{wrong} /dev/sdb1\n", f"\n{wrong}\n/dev/sdb1\n*** Run e2fsck now!\n"):
        (state,) = states(TEXT.rstrip("\n") + "\n" + below)
        problem = state.subjects[0].values["problem"]
        assert problem == "Superblock checksum does not match superblock", below
    (state,) = states(f"{TEXT}\ndumpe2fs: it prints that while trying out a disk\n")
    assert "problem" not in state.subjects[0].values
