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
    for shape, given in mangled(FAT):
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
    for shape, given in mangled(NTFS):
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
    for shape, given in mangled(CHKDSK):
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
    assert (card["folders"], card["files"], card["label"]) == (52, 4107, "CARD")
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
    left = (
        "Windows found problems with the file system.\nRun CHKDSK with the /F (fix) option to "
        "correct these.\n\n  102400 KB total disk space.\n"
    )
    assert states(left)[0].subjects[0].values["state"] == "problems found"
    assert not states("Windows has scanned the file system of my laptop all night.\n")
    assert not states("There were 0 KB in bad sectors, and no other trouble.\n")


def test_windows_that_repairs_a_drive() -> None:
    """Messages in between, two-line ones too, divide nothing."""
    text = (
        "C:\\>chkdsk d: /r\nThe type of the file system is exFAT.\nVolume Serial Number is "
        "51C0-77AE\n"
        "Read failure with status 0xc0000185 at offset 0x1f4000 for 0x10000 bytes.\n"
        "Read failure with status 0xc0000185 at offset 0x1f8000 for 0x1000 bytes.\n"
        "Windows replaced bad clusters in file 4711\nof name \\WOODS\\ASH.TIF.\n"
        "  93 files processed.\n"
        "Adding 1,024 bad clusters to the Bad Clusters File.\n"
        "CHKDSK discovered free space marked as allocated in the\nmaster file table bitmap.\n"
        "Windows has made corrections to the file system.\n  102400 KB total disk space.\n"
    )
    assert things(text) == {("chkdsk", "mount", "D:"): {
        "type": "exFAT", "volume_serial": "51C0-77AE", "read_failures": 2,
        "files_with_bad_clusters": 1, "files_checked": 93, "bad_clusters_added": 1024,
        "state": "corrected", "size": 102400 << 10,
    }}  # fmt: skip


def test_checks_at_the_start_name_their_volumes() -> None:
    log = "".join(
        f"Checking file system on {letter}:\nThe type of the file system is NTFS.\n\n"
        "One of your disks needs to be checked for consistency. You\nmay cancel the disk check, "
        "but it is strongly recommended\nthat you continue.\nWindows will now check the disk.\n\n"
        f"  {records} file records processed.\n"
        for letter, records in (("C", 4096), ("d", 4096))
    )
    assert {name: values["file_records"] for (_, _, name), values in things(log).items()} == {
        "C:": 4096, "D:": 4096,
    }  # fmt: skip


def test_cluster_accounting_that_fails_often() -> None:
    named = things(
        "# ntfsresize -i /dev/sdr8\nCluster size       : 4096 bytes\n"
        + "".join(
            f"Cluster accounting failed at {at} ({at:#x}): extra cluster in $Bitmap\n"
            for at in (7100, 7101, 7102)
        )
        + "Filesystem check failed! Totally 3 cluster accounting mismatches.\n"
        "ERROR: NTFS is inconsistent. Run chkdsk /f on Windows then reboot it TWICE!\n"
    )
    assert named == {("ntfsprogs", "ntfs", "sdr8"): {
        "cluster_size": 4096, "failed_cluster": 7100, "cluster_mismatches": 3,
        "state": "inconsistent",
    }}  # fmt: skip


def test_a_check_of_fat_with_messages_between() -> None:
    lines = FAT[FAT.index("fsck.fat 4.2") :].splitlines()
    lines[4:4] = ['Orphaned long file name part "ELM~1.TXT"', "  Auto-deleting.", "/BEECH/.."]
    (checked,) = things("\n".join(lines)).values()
    assert (checked["dirty"], checked["files"]) == (True, 733)
