"""e2fsck. Oracle: the real program on an image that debugfs damaged."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.mangle import counters, mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "e2fsprogs-composed" / "check.txt").read_text()
FILL = {
    "blocks", "inodes", "used_blocks", "used_inodes", "free_blocks", "free_inodes",
    "non_contiguous",
}  # fmt: skip
"""What its last line says."""


def _checks(text: str) -> list[tuple[str, dict[str, object]]]:
    return [
        (subject.name, dict(subject.values))
        for state in states(text)
        for subject in state.subjects
        if state.tool == "e2fsck"
    ]


def _run(*argv: str | Path) -> str:
    done = subprocess.run(
        list(map(str, argv)), capture_output=True, text=True, check=False, env={"LC_ALL": "C"}
    )
    return done.stdout  # what it prints of its version goes to standard error


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "image"
    with path.open("wb") as file:
        file.truncate(8 << 20)
    _run("/sbin/mke2fs", "-q", "-t", "ext4", path)
    return path


@pytest.mark.parametrize(("answer", "mended"), [("-y", True), ("-n", False)])
def test_what_the_real_program_mends(image: Path, answer: str, mended: bool) -> None:
    for request in ("set_super_value free_blocks_count 7", "set_inode_field <12> links_count 9"):
        _run("/sbin/debugfs", "-w", "-R", request, image)
    said = _run("/sbin/e2fsck", "-f", answer, image)
    text = f"# e2fsck -f {answer} {image}\n{said}"
    ((name, values),) = _checks(text)
    questions = len(re.findall(r"\? (?:yes|no)$", text, re.MULTILINE))
    assert questions
    assert values["mended" if mended else "left_as_it_was"] == questions
    assert values.get("modified_by_check", False) is mended is ("WAS MODIFIED" in text)
    assert values.get("errors_remain", False) is ("still has errors" in text)
    assert values["check_passes"] == "5"
    assert name == str(image)


def test_a_sound_file_system_is_only_checked(image: Path) -> None:
    ((name, values),) = _checks(_run("/sbin/e2fsck", "-f", "-y", image))
    assert name == str(image)
    assert values.keys() - FILL == {"check_passes"}


def test_its_summary_has_the_figures_of_the_superblock(image: Path) -> None:
    superblock = _run("/sbin/dumpe2fs", "-h", image)
    for text in (_run("/sbin/e2fsck", "-f", "-y", image), _run("/sbin/e2fsck", "-p", image)):
        (summary,) = (
            subject
            for state in states(text)
            for subject in state.subjects
            if "inodes" in subject.values
        )
        assert summary.name == str(image)
        for label, name in (("Block count", "blocks"), ("Free blocks", "free_blocks"),
                            ("Inode count", "inodes"), ("Free inodes", "free_inodes")):  # fmt: skip
            (line,) = re.findall(rf"^{label}: +(\d+)$", superblock, re.MULTILINE)
            assert summary.values[name] == int(line)


def test_a_file_system_with_errors() -> None:
    ((name, values),) = _checks(TEXT)
    assert name == "sdz1"
    assert values == {
        "journal_recovered": True, "check_passes": "5", "mended": 3, "modified_by_check": True,
        "check_forced": "contains a file system with errors", "e2fsck_version": "1.47.0",
        "e2fsck_date": "5-Feb-2023", "inodes": 1280, "used_inodes": 11, "free_inodes": 1269,
        "non_contiguous": 0,
        "blocks": 5120, "used_blocks": 1234, "free_blocks": 3886,
    }  # fmt: skip


def test_the_summary_of_another_file_system_is_not_taken() -> None:
    text = TEXT.replace("/dev/sdz1: 11/1280 files", "/dev/sdz2: 11/1280 files")
    checks = dict(_checks(text))
    assert checks.keys() == {"sdz1", "sdz2"}
    assert not checks["sdz1"].keys() & FILL
    assert checks["sdz2"].keys() == FILL


def test_what_the_tables_do_not_name_is_kept_as_printed() -> None:
    text = (
        "e2fsck 1.47.0 (5-Feb-2023)\nPass 1: Checking inodes, blocks, and sizes\n"
        "Pass 5: Checking group summary information\n"
        "Orphan file (inode 12) block 2 is not clean.\nClear? no\n\n"
        "Failed to initialize orphan file.\nRecreate? no\n\n\n"
        "pic: ********** WARNING: Filesystem still has errors **********\n\n"
        "pic: 12/8650752 files (16.7% non-contiguous), 2180049/34603008 blocks\n"
    )
    ((name, values),) = _checks(text)
    assert (name, values["left_as_it_was"], values["used_blocks"]) == ("pic", 2, 2180049)
    (problems,) = counters(text)
    assert problems.values == {
        "other_problems": 2,
        "other_messages": [
            "Orphan file (inode 12) block 2 is not clean.", "Failed to initialize orphan file.",
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "My file system was modified, and Pass 1: Checking inodes took an hour\n",
        "It says: recovering journal\n",
        "md0: recovery forced, check forced by me\n",
    ],
)
def test_sentences_about_checks_are_none(text: str) -> None:
    assert not _checks(text)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    ((name, values),) = _checks(TEXT)
    if shape == "with blank lines":  # a version above a blank line stands alone
        del values["e2fsck_version"], values["e2fsck_date"]
    assert _checks(text) == [(name, values)], shape


def test_the_version_stands_above_the_summary() -> None:
    text = (
        "fsck from util-linux 2.34\ne2fsck 1.45.3 (14-Jul-2019)\n"
        "/dev/md0: clean, 11274/366276608 files, 5285497435/5860419840 blocks\n"
    )
    (state,) = states(text)
    assert state.subjects[0].values["e2fsck_version"] == "1.45.3"
    assert state.subjects[0].values["free_blocks"] == 5860419840 - 5285497435


def test_features_that_it_does_not_know() -> None:
    text = (
        "/dev/nvme9n1p2 has unsupported feature(s): fast_commit\n"
        "e2fsck: Get a newer version of e2fsck!\n\n"
        "/dev/nvme9n1p2: ********** WARNING: Filesystem still has errors **********\n"
    )
    assert _checks(text) == [
        ("nvme9n1p2", {"unsupported_features": "fast_commit", "errors_remain": True})
    ]


@pytest.mark.parametrize(("head", "version"), [
    ("fsck from util-linux 2.38.1", "util-linux 2.38.1"), ("fsck 1.40.8 (13-Mar-2008)", "1.40.8"),
    ("fsck from util-linux is slow", None),
])  # fmt: skip
def test_the_version_of_the_program_above_it(head: str, version: str | None) -> None:
    text = (
        f"{head}\n/dev/sdz1: recovering journal\n/dev/sdz1: clean, 11/1280 files, 12/5120 blocks\n"
    )
    ((name, values),) = _checks(text)
    assert (name, values.get("fsck_version")) == ("sdz1", version)
    assert values["used_inodes"] == 11


def test_a_file_system_that_is_longer_than_its_device(image: Path) -> None:
    with image.open("r+b") as file:
        file.truncate(5 << 20)
    ((name, values),) = _checks(f"# e2fsck -n {image}\n{_run('/sbin/e2fsck', '-n', image)}")
    blocks = values["filesystem_blocks"], values["device_blocks"]
    assert (name, blocks) == (str(image), (8192, 5120))


def test_a_superblock_that_is_none() -> None:
    text = (
        "e2fsck 1.47.0 (5-Feb-2023)\next2fs_open2: Bad magic number in super-block\n"
        "e2fsck: Superblock invalid, trying backup blocks...\n"
        "e2fsck: Bad magic number in super-block while trying to open /dev/md0\n"
    )
    ((name, values),) = _checks(text)
    assert (name, values["superblock_error"]) == ("md0", "Bad magic number in super-block")
    assert not _checks("It printed: Bad magic number in super-block, they say.\n")
