"""The last lines of resize2fs and e2fsck."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs"
TEXT = (OUTPUTS / "e2fsprogs-composed" / "sizes.txt").read_text()


def test_sizes_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        sizes = {s.name: s.values for state in states(given) for s in state.subjects}
        size = dict(sizes["vg3/data"])
        if shape != "with blank lines":  # a version above a blank line stands alone
            assert size.pop("resize2fs_version") == "1.46.5", shape
        assert size == {"blocks": 26214400, "block_size": 4096}, shape
        assert sizes["sdr1"]["free_blocks"] == 2621440 - 300000
        assert sizes["sdr1"]["inodes"] == 655360


def test_counts_of_a_superblock() -> None:
    text = (OUTPUTS / "e2fsprogs-1.47" / "dumpe2fs-h.txt").read_text()
    ((ext,),) = [state.subjects for state in states(text)]
    for label, name in (("Block count", "blocks"), ("Free blocks", "free_blocks"),
                        ("Inode size", "inode_size")):  # fmt: skip
        (line,) = [line for line in text.split("\n") if line.startswith(f"{label}:")]
        assert ext.values[name] == int(line.split()[-1])


def test_prose_is_none() -> None:
    assert read("The filesystem is already 100 (4k) blocks long, they say.") == []
    assert read("/dev/sda1: 12/20 files are lost") == []


def _sizes(text: str) -> list[tuple[str, dict[str, Scalar]]]:
    return [(subject.name, dict(subject.values)) for subject in subjects_in(text, "resize2fs")]


def _run(*argv: str | Path) -> str:
    done = subprocess.run(
        list(map(str, argv)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False, env={"LC_ALL": "C"},
    )  # fmt: skip
    return done.stdout


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "image"
    with path.open("wb") as file:
        file.truncate(16 << 20)
    _run("/sbin/mke2fs", "-q", "-t", "ext4", "-b", "1024", path)
    with path.open("r+b") as file:
        file.truncate(40 << 20)
    return path


def test_what_the_real_program_says(image: Path) -> None:
    ((name, grown),) = _sizes(_run("/sbin/resize2fs", "-p", image))
    assert name == str(image)
    assert grown["blocks"] == grown["wanted_blocks"] == 40 << 10
    assert grown["block_size"] == 1024
    ((_, least),) = _sizes(_run("/sbin/resize2fs", "-P", image))
    ((_, shrunk),) = _sizes(_run("/sbin/resize2fs", "-M", image))
    assert least["minimum_blocks"] == shrunk["blocks"]
    _run("/sbin/e2fsck", "-f", "-y", image)
    text = _run("/sbin/resize2fs", image, "1K")
    ((_, refused),) = _sizes(text)
    assert "blocks" not in refused
    assert int(str(refused["minimum_blocks"])) <= int(str(shrunk["blocks"]))


def test_one_that_is_mounted() -> None:
    text = (
        "Filesystem at /dev/sdz1 is mounted on /srv; on-line resizing required\n"
        "old_desc_blocks = 12, new_desc_blocks = 24\n"
        "The filesystem on /dev/sdz1 is now 52428800 (4k) blocks long.\n"
    )
    assert _sizes(text) == [
        ("sdz1", {"mount": "/srv", "online": True, "old_desc_blocks": 12, "new_desc_blocks": 24,
                  "blocks": 52428800, "block_size": 4096}),
    ]  # fmt: skip


def test_a_resize_that_did_not_end() -> None:
    text = (
        "resize2fs 1.47.0 (5-Feb-2023)\n"
        "Resizing the filesystem on /dev/sdz1 to 130816 (4k) blocks.\n"
    )
    ((_, values),) = _sizes(f"# resize2fs /dev/sdz1\n{text}\nand there it hangs\n")
    assert values == {"wanted_blocks": 130816, "block_size": 4096, "resize2fs_version": "1.47.0"}


def test_one_that_a_mail_broke() -> None:
    text = (
        "resize2fs 1.47.0 (5-Feb-2023)\nFilesystem at /dev/loop9 is mounted on /srv; on-line\n"
        "resizing required\nold_desc_blocks = 1, new_desc_blocks = 1\nSegmentation fault\n"
    )
    assert _sizes(text) == [
        ("loop9", {"resize2fs_version": "1.47.0", "mount": "/srv", "online": True,
                   "old_desc_blocks": 1, "new_desc_blocks": 1}),
    ]  # fmt: skip


def test_a_size_beyond_the_device_is_refused() -> None:
    (state,) = states(
        "# resize2fs /dev/vg0/backups 10G\n"
        "resize2fs 1.42.9 (28-Dec-2013)\n"
        "The containing partition (or device) is only 1308672 (4k) blocks.\n"
        "You requested a new size of 2621440 blocks.\n"
    )
    (subject,) = state.subjects
    assert subject.name == "vg0/backups"
    assert subject.values == {
        "resize2fs_version": "1.42.9", "device_blocks": 1308672, "block_size": 4096,
        "requested_blocks": 2621440,
    }  # fmt: skip


def test_before_1_43_the_size_of_a_block_is_not_said_of_the_result() -> None:
    (state,) = states("The filesystem on /dev/vg0/data is now 5240832 blocks long.\n")
    assert state.subjects[0].values == {"blocks": 5240832}
    assert not states("The story of the disk is now 5240832 blocks long.\n")


def test_what_it_says_is_kept_without_its_steps() -> None:
    said = (
        "resize2fs 1.47.0 (5-Feb-2023)",
        "Filesystem at /dev/vg/pond is mounted on /srv; on-line resizing required",
        "The filesystem on /dev/vg/pond is now 2621440 (4k) blocks long.",
    )
    steps = "old_desc_blocks = 1, new_desc_blocks = 2"
    (state,) = states("\n".join(("# resize2fs /dev/vg/pond", *said[:2], steps, said[2], "")))
    assert state.messages == said
