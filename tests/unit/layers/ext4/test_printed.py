"""What dumpe2fs printed of a file system made with stride=16,stripe_width=64, blocks of 1 KiB."""

from __future__ import annotations

from pathlib import Path

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
    (entry,) = read(TEXT[: TEXT.index("Block size")])
    assert isinstance(entry, Unread)
    assert "block size" in entry.reason
    assert read('fprintf(f, "Filesystem volume name:   %s\\n", str);') == []
    assert read("dumpe2fs prints `Filesystem volume name:` first.") == []
