"""The last lines of resize2fs and e2fsck."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import mangled, read, states

OUTPUTS = Path(__file__).parents[3] / "outputs"
TEXT = (OUTPUTS / "e2fsprogs-composed" / "sizes.txt").read_text()


def test_sizes_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        sizes = {s.name: s.values for state in states(given) for s in state.subjects}
        assert sizes["vg3/data"] == {"blocks": 26214400, "block_size": 4096}, shape
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
