"""What single commands of btrfs answer. Oracle: the arguments of the commands above them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "answers.txt").read_text()


def _things(text: str) -> list[tuple[str, str, dict[str, object]]]:
    return [(s.kind, s.name, dict(s.values)) for s in subjects_in(text, "btrfs")]


def test_answers_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        assert _things(given) == [
            ("btrfs_subvolume", "/mnt/data/home", {"state": "created"}),
            ("btrfs_subvolume", "/mnt/data/before",
             {"state": "created", "snapshot_of": "/mnt/data/home", "readonly": False}),
            ("btrfs_subvolume", "/mnt/data/kept",
             {"state": "created", "snapshot_of": "/mnt/data/home", "readonly": True}),
            ("btrfs_subvolume", "/mnt/data/old", {"state": "deleted"}),
            ("btrfs_subvolume", "/mnt/data/older", {"state": "deleted", "id": 261}),
            ("btrfs_subvolume", "FS_TREE", {"id": 5, "default": True}),
            ("disk", "sdb5", {"device_id": 1, "old_size": 4 << 30, "new_size": 3 << 30}),
        ], shape  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Create subvolume 'home' first, then mount it\n",
        "Delete subvolume 261 when it is old\n",
        "ID 5 (FS_TREE) is the top level\n",
        "Resize device id 1 (/dev/sdb5) from small to large\n",
        "Create a snapshot of '/mnt/data/home' in the night\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _things(text) == []


def test_a_scrub_that_was_started() -> None:
    fsid = "0a1b2c3d-0000-4000-8000-00000000000e"
    (thing,) = _things(f"# btrfs scrub start /srv\nscrub started on /srv, fsid {fsid} (pid=77)\n")
    assert thing == ("btrfs", "/srv", {"uuid": fsid, "scrub_status": "started"})
