"""`invalid vdev specification`: compared by hand with the sample."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "zfs-composed" / "vdevs.txt").read_text()


def test_what_is_on_each_device() -> None:
    assert [(each.kind, each.name, each.values) for each in subjects_in(TEXT, "zpool")] == [
        ("zpool", "", {"failed": "use devices", "reason": "invalid vdev specification",
                       "may_be_forced": True}),
        ("disk", "sdc1", {"part_of_pool": "old", "pool_state": "exported"}),
        ("disk", "disk/by-id/ata-EXAMPLE_HD1-part3", {"signature": "ext4", "in_use": False}),
        ("zpool", "", {
            "failed": "use devices", "may_be_forced": True,
            "reason": "mismatched replication level: pool uses raidz and new vdev is disk",
        }),
    ]  # fmt: skip


def test_a_sentence_about_it() -> None:
    assert not states("It says invalid vdev specification\nand stops\n")
