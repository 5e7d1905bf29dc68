"""e4defrag, badblocks and tune2fs. Oracle: their lines, added by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, read, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "e2fsprogs-composed"
DEFRAG, BLOCKS = ((PLACE / f"{name}.txt").read_text() for name in ("defrag", "badblocks"))


def test_how_fragmented_a_device_is_and_what_was_put_together() -> None:
    for shape, text in mangled(DEFRAG, wraps=False):
        device, folder = counters(text, "e4defrag")
        assert device.name == "sdz1", shape
        assert {name: device.values[name] for name in device.values if name != "files"} | {
            "e4defrag_version": "1.46.5",
        } == {
            "e4defrag_version": "1.46.5", "total_extents": 278213, "best_extents": 276747,
            "average_extent_size": 36 << 10, "fragmentation_score": 7,
            "verdict": "does not need defragmentation",
        }, shape  # fmt: skip
        assert device.values["files"] == [
            {"file": "/var/log/oak.1", "extents": 23, "best_extents": 1, "extent_size": 4096},
            {"file": "/srv/data/a rather long name of a file that takes a line of its own",
             "extents": 20, "best_extents": 2, "extent_size": 152 << 10},
        ], shape  # fmt: skip
        assert folder.name == "/srv/data"
        assert folder.values == {
            "defragmented_files": 2, "failed_files": 0, "all_files": 2, "extents_before": 21,
            "extents": 3, "fragmented_before": 0.5, "fragmented": 0.0,
            "files": [
                {"file": "/srv/data/oak", "done": 1.0, "extents_before": 20, "extents": 2},
                {"file": "/srv/data/elm", "done": 1.0, "extents_before": 1, "extents": 1},
            ],
        }, shape  # fmt: skip


def test_bad_blocks_and_parameters() -> None:
    for shape, text in mangled(BLOCKS, wraps=False):
        (blocks,) = counters(text, "badblocks")
        assert (blocks.kind, blocks.name) == ("disk", "sdz"), shape
        assert blocks.values == {
            "first_block": 0, "last_block": 488386583, "mode": "read-only", "done": 0.0025,
            "elapsed": 62, "read_errors": 1, "write_errors": 2, "compare_errors": 0,
            "bad_blocks": 3,
        }, shape  # fmt: skip
        (tuned,) = subjects_in(text, "tune2fs")
        assert tuned.name == ("" if shape == "with blank lines" else "sdz1")  # too far below it
        version = {"tune2fs_version": "1.46.5", "tune2fs_date": "30-Dec-2021"}
        assert dict(tuned.values) | version == {
            **version, "max_mount_count": 30,
            "check_interval": 15552000, "reserved_share": 0.005, "reserved_blocks": 65536,
        }, shape  # fmt: skip


@pytest.mark.parametrize("text", [
    "The Fragmentation score of ext4 is 5 | 6\n",
    "ext4 defragmentation for our hosts and those of others is a project\n",
    "Checking blocks one by one took 5 hours\n",
    "Setting inode size is done by mke2fs\n",
    "Setting stripe width to what the array has helps\n",
])  # fmt: skip
def test_what_looks_like_them(text: str) -> None:
    tools = {"e4defrag", "badblocks", "tune2fs"}
    assert not [part for part in read(text) if getattr(part, "tool", "") in tools]
