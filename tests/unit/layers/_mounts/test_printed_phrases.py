"""mkfs.fat, fsck.fat, ntfsprogs, chkdsk, fsutil. Oracle: sums that the figures must give."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "foreign-checks-composed"
FAT, NTFS, CHKDSK = ((PLACE / f"{name}.txt").read_text() for name in ("fat", "ntfs", "chkdsk"))


def things(text: str) -> dict[tuple[str, str, str], dict[str, Scalar]]:
    return {
        (state.tool, thing.kind, thing.name): dict(thing.values)
        for state in states(text)
        for thing in state.subjects
    }


def number(values: dict[str, Scalar], name: str) -> int:
    value = values[name]
    assert isinstance(value, int), name
    return value


def test_fat() -> None:
    for shape, given in mangled(FAT, wraps=False):
        named = things(given)
        made, checked = named["mkfs.fat", "vfat", "sdq1"], named["fsck.fat", "vfat", "sdq1"]
        data = number(made, "clusters") * number(made, "cluster_size")
        assert data == number(checked, "data_size") == 7953620992, shape
        fats = number(made, "fats") * number(made, "sectors_per_fat")
        assert number(checked, "data_first_sector") == fats + number(made, "reserved_sectors"), (
            shape
        )
        assert made["hidden_sectors"] == checked["hidden_sectors"] == 2048, shape
        assert (made["label"], made["volume_serial"]) == ("CAMERA", "7c01d9e4"), shape
        assert checked["dirty"] is checked["changed"] is checked["written"] is True, shape
        used = number(checked, "clusters_used") + number(checked, "free_clusters")
        assert used == checked["clusters"] == checked["data_clusters"], shape
        assert (checked["files"], checked["reclaimed_chains"]) == (733, 3), shape
        assert number(checked, "reclaimed_clusters") * 4096 == checked["reclaimed"], shape


def test_ntfs() -> None:
    for shape, given in mangled(NTFS, wraps=False):
        named = things(given)
        volume, fixed = named["ntfsprogs", "ntfs", "sdr3"], named["ntfsprogs", "ntfs", "sdr5"]
        assert volume["size"] == 125829115392, shape
        assert (volume["used"], volume["used_share"]) == (47186 * 10**6, 0.375), shape
        assert (volume["least_size"], volume["freed"]) == (47185920000, 78644 * 10**6), shape
        assert (volume["ordinary_last_used"], volume["ordinary_inode"]) == (118733 * 10**6, 152004)
        assert fixed == {
            "dirty": True, "windows_cache_kept": True, "journal_emptied": True,
            "ntfs_version": "3.1", "state": "processed",
        }, shape  # fmt: skip


def test_windows() -> None:
    for shape, given in mangled(CHKDSK, wraps=False):
        named = things(given)
        volume = next(values for (tool, _, _), values in named.items() if tool == "chkdsk")
        assert volume["size"] == 488384511 * 1024, shape
        parts = ("files_size", "index_size", "bad_sectors_size", "system_size", "available")
        assert sum(number(volume, name) for name in parts) <= number(volume, "size"), shape
        assert volume["bad_sectors_size"] == 24 * 1024, shape
        assert (volume["state"], volume["unindexed_files"]) == ("corrected", 2), shape
        assert (volume["recovered_files"], volume["duration"]) == (1, 91.804), shape
        ntfs = next(values for (tool, _, _), values in named.items() if tool == "fsutil ntfsinfo")
        assert ntfs["clusters"] == volume["clusters"] == 122096127, shape
        assert ntfs["free_clusters"] == volume["clusters_available"], shape
        assert (ntfs["mft_first_cluster"], ntfs["mft_size"]) == (0xC0000, 345 << 18), shape


def test_windows_names_its_volume() -> None:
    assert {name for _, _, name in things(CHKDSK)} == {"F:", "G:", "H:"}


def test_windows_7_and_fat32() -> None:
    """Figures in the base of 16 without "NTFS" before the version; folders and commas."""
    named = things(CHKDSK)
    old, card = named["fsutil ntfsinfo", "mount", "G:"], named["chkdsk", "mount", "H:"]
    assert number(old, "sectors") == 0x1D1C4FFF == number(old, "clusters") * 8 + 7
    assert (old["ntfs_version"], old["reserved_clusters"]) == ("3.1", 2000)
    assert "physical_block_size" not in old
    parts = sum(number(card, f"{part}_size") for part in ("hidden", "folders", "files"))
    assert number(card, "size") == parts + number(card, "available") + 32768
    assert (card["folders"], card["files"]) == (52, 4107)
    assert number(card, "clusters") * number(card, "cluster_size") == card["size"]


def test_the_size_of_the_log() -> None:
    log = (
        "The type of the file system is NTFS.\nThe current log file size is 65536 KB.\n"
        "The default log file size for this volume is 32768 KB.\n"
    )
    values = things(log)["chkdsk", "mount", ""]
    assert (values["log_size"], values["default_log_size"]) == (65536 << 10, 32768 << 10)


@pytest.mark.parametrize("near_miss", [
    "The type of the file system is what matters here.\n",
    "It left 24 KB available on disk.\n",
    "Of the address space 38 KB are available.\n",
    "fsck.fat is what checks FAT, and dosfsck was its name.\n",
    "My FAT size is wrong, and provides 12 clusters of grapes.\n",
    "Was sdr5 processed? It was processed successfully.\n",
    "NTFS volume version of old disks\n",
])  # fmt: skip
def test_what_looks_like_it(near_miss: str) -> None:
    assert read(near_miss) == []


def test_another_run_is_another_output() -> None:
    again = FAT[FAT.index("fsck.fat 4.2") :]
    both = again + again.replace("733 files", "734 files")
    counts = [
        thing.values["files"] for state in states(both) for thing in state.subjects
    ]  # fmt: skip
    assert counts == [733, 734]


def test_the_end_of_chkdsk_alone() -> None:
    end = (
        "Windows has scanned the file system and found no problems.\nNo further action is required."
    )
    (state,) = states(f"{end}\n        0 KB in bad sectors.\n")
    assert state.subjects[0].values == {"state": "no problems", "bad_sectors_size": 0}
    assert not states("Windows has scanned the file system of my laptop all night.\n")
    assert not states("There were 0 KB in bad sectors, and no other trouble.\n")
