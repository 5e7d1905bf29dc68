"""f2fs-tools and exfatprogs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, states

SAMPLES = Path(__file__).parents[3] / "outputs"


def sample(name: str) -> str:
    return (SAMPLES / name).read_text()


def test_mkfs_f2fs_in_every_shape() -> None:
    for shape, given in mangled(sample("f2fs-composed/mkfs.txt")):
        (state,) = states(given)
        (system,) = state.subjects
        assert (state.tool, system.kind, system.name) == ("f2fs-tools", "f2fs", "mmcblk4p3"), shape
        values = system.values
        assert (values["label"], values["formatted"]) == ("spool", True), shape
        assert values["size"] == 117456896 * 512
        assert (values["overprovision_segments"], values["gc_reserved_segments"]) == (487, 248)
        assert values["overprovision_share"] == pytest.approx(0.0084)


def test_fsck_f2fs_says_each_check() -> None:
    for shape, given in mangled(sample("f2fs-composed/fsck.txt")):
        (state,) = states(given)
        values = state.subjects[0].values
        assert (values["unreachable_nat_entries"], values["unreachable_nat_entries_counted"]) == (
            "failed", 1,
        ), shape  # fmt: skip
        assert (values["sit_bitmap"], values["other_corruption"]) == ("ok", "failed")
        assert values["valid_blocks_counted"] == 0x3D0F21
        assert values["encryption_level"] == 0
        assert (values["image_size_limit"], values["free"]) == (16214 << 20, 13582 << 20)
        assert values["valid_nodes_in_nat_counted"] == 0x1F8F
        assert str(values["checkpoint_state"]).endswith("sudden-power-off")


def test_a_label_takes_no_line_below_it() -> None:
    text = sample("f2fs-composed/mkfs.txt").replace("spool\n", "spool\nand so on\n")
    assert states(text)[0].subjects[0].values["label"] == "spool"


def test_exfat() -> None:
    for shape, given in mangled(sample("exfat-composed/fsck.txt")):
        (state,) = states(given)
        (system,) = state.subjects
        assert (system.kind, system.name) == ("exfat", "sdw1"), shape
        assert (system.values["state"], system.values["files_corrupted"]) == ("corrupted", 3)
        assert system.values["cluster_size"] == 128 << 10
        assert (system.values["files"], system.values["directories"]) == (20951, 417)
    (made,) = states(sample("exfat-composed/mkfs.txt"))
    assert made.subjects[0].values["cluster_size"] == 131072
    failed = sample("exfat-composed/mkfs.txt").replace("creation: done", "creation: failed", 1)
    assert states(failed)[0].subjects[0].values["fat_table"] == "failed"


def test_f2fs_that_fails_its_assertions() -> None:
    assertion = "[ASSERT] (sanity_check_nid: 431)  --> nid[0x72b] is orphaned or free\n"
    fix = "[FIX] (fsck_chk_inode_blk: 967)  --> [0x5d2] i_blocks=0x00000009 -> 0x2\n"
    text = sample("f2fs-composed/fsck.txt").replace("\nNID[", f"\n{(assertion + fix) * 300}\nNID[")
    (state,) = states(text)
    values = state.subjects[0].values
    assert state.subjects[0].name == "nvme3n1p6"
    assert (values["failed_assertions"], values["fixes"]) == (300, 300)
    assert (values["unreachable_nodes"], values["other_corruption"]) == (1, "failed")


def test_f2fs_of_two_devices() -> None:
    """The first that is named has the file system; what was discarded adds up."""
    made = sample("f2fs-composed/mkfs.txt").replace("# mkfs.f2fs -l spool /dev/mmcblk4p3", "$")
    text = made.replace(
        "Info: Over", "Info: [/dev/sdz] Discarding device\nInfo: Discarded 7 MB\nInfo: Over", 1
    )
    (state,) = states(text)
    assert state.subjects[0].name == "mmcblk4p3"
    assert state.subjects[0].values["discarded"] == (57352 + 7) << 20


def test_exfat_with_errors() -> None:
    checked = sample("exfat-composed/fsck.txt")
    error = "ERROR: /DCIM: invalid checksum at 0x5f20. Delete (y/N)? n\nsector size:"
    (state,) = states(checked.replace("sector size:", error))
    assert state.subjects[0].values["errors"] == 1
    assert state.subjects[0].values["exfatprogs_version"] == "1.4.2"
    alone = checked[checked.index("sector size:") :]
    other = alone.replace("sdw1", "sdx2").replace("volume size:  1", "volume size:  2")
    first, second = (state.subjects[0] for state in states(alone + other))
    assert (first.name, second.name) == ("sdw1", "sdx2")
    assert first.values["size"] != second.values["size"]


@pytest.mark.parametrize("text", [
    "The F2FS-tools: they have a version of their own.\n",
    "[FSCK] the patch makes this faster [Ok..]\n",
    "Info: checkpoint state = bad\n",
    "archive: clean. directories many, files few\n",
    "sector size:  4096\n",
])  # fmt: skip
def test_near_misses_are_none(text: str) -> None:
    assert not any(state.tool in {"f2fs-tools", "exfatprogs"} for state in states(text))
