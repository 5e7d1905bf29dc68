"""`btrfs subvolume list -t`: compared by hand with the sample."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/btrfs-composed/subvolumes-table.txt").read_text()


def test_every_column() -> None:
    assert [(each.name, each.values) for each in subjects_in(TEXT, "btrfs subvolume list")] == [
        ("@", {"id": 256, "generation": 22981, "top_level": 5}),
        ("@/home of all", {"id": 257, "generation": 22952, "top_level": 256}),
        ("@/.snapshots/12/snapshot", {
            "id": 311, "generation": 880, "created_in": 879, "parent": 256, "top_level": 256,
            "created": "2024-03-06 10:00:00",
        }),
    ]  # fmt: skip


def test_a_head_alone() -> None:
    assert not states("ID gen top level  path\n-- --- ---------  ----\nand no more\n")
