"""dosfstools: `mkfs.fat -v` and fsck.fat, also as mkdosfs and dosfsck of old.

Source: dosfstools 4.2, src/mkfs.fat.c (setup_tables()), boot.c (dump_boot()), check.c, fat.c,
fsck.fat.c (main()): files, clusters in use and clusters.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers._mounts.phrases import PhrasedOutput, phrases
from iosonde.records.stack import Scalar

_VERSION = (
    r"(?:mkfs\.fat|mkdosfs|fsck\.fat|dosfsck) (?P<dosfstools_version>\d[\w.+-]{0,20}) "
    r"\(\d{4}-\d\d-\d\d\)"
)
_N = r"\d{1,19}"


class MkfsFat(PhrasedOutput):
    tool = "mkfs.fat"
    kind = "vfat"
    anchors = (
        " sectors per track,", "logical sector size is ", " media descriptor, with ",
        "FAT size is ",
    )  # fmt: skip
    commands = (
        "mkfs.fat", "mkfs.vfat", "mkdosfs", "mkfs.msdos", "mkfs",
    )  # fmt: skip
    reach = 4
    forms = phrases(
        _VERSION,
        r"(?P<device>/\S{2,80}) has (?P<heads>\d{1,5}) heads? and "
        r"(?P<sectors_per_track>\d{1,5}) sectors? per track,",
        r"hidden sectors (?P<hidden_sectors>\d{1,10}|0x[\da-f]{4,8});",
        r"logical sector size is (?P<logical_block_size>\d{3,5}),",
        rf"using (?P<media_descriptor>0x[\da-f]{{2}}) media descriptor, with (?P<sectors>{_N}) "
        r"sectors;",
        r"drive number (?P<drive_number>0x[\da-f]{2});",
        r"filesystem has (?P<fats>\d) (?P<fat_bits>12|16|32)-bit FATs? and "
        r"(?P<sectors_per_cluster>\d{1,4}) sectors? per cluster\.",
        rf"FAT size is (?P<sectors_per_fat>{_N}) sectors?, and provides (?P<clusters>{_N}) "
        r"clusters?\.",
        rf"There (?:is|are) (?P<reserved_sectors>{_N}) reserved sectors?\.",
        rf"Root directory contains (?P<root_entries>{_N}) slots and uses (?P<root_sectors>{_N}) "
        r"sectors?\.",
        r"Volume ID is (?P<volume_serial>[\da-f]{8}), (?:no volume label"
        r"|volume label (?P<label>\S.{0,10}?) *)\.",
        r"Warning: (?P<warning>target too large, space at end will be left unused|"
        r"lowercase labels might not work properly[a-zA-Z ]{0,40})",
    )  # fmt: skip
    others = re.compile(
        r"\s*(?:Auto-selecting FAT|Boot jump code|Using (?:sector )?\d{1,6} |Trying |Choosing \d"
        r"|WARNING: (?:Number|Not enough) |Disabling alignment)"
    )
    texts = frozenset({
        "label", "volume_serial", "media_descriptor", "drive_number",
    })  # fmt: skip
    least = 3

    @override
    def put_more(self, values: dict[str, Scalar]) -> None:
        sector, cluster = values.get("logical_block_size"), values.get("sectors_per_cluster")
        if isinstance(sector, int) and isinstance(cluster, int):
            values["cluster_size"] = sector * cluster


class FsckFat(PhrasedOutput):
    tool = "fsck.fat"
    kind = "vfat"
    anchors = (
        "fsck.fat ", "dosfsck ", " bytes per logical sector", "Dirty bit is set. Fs was not ",
        "Free cluster summary wrong (", "FATs differ ", "There are differences between boot sect",
    )  # fmt: skip
    commands = (
        "fsck.fat", "fsck.vfat", "fsck.msdos", "dosfsck", "fsck",
    )  # fmt: skip
    reach = 4
    forms = phrases(
        _VERSION,
        r"System ID \"(?P<made_by>[^\"]{1,8})\"",
        r"Media byte (?P<media_descriptor>0x[\da-f]{2}) \([^()]{3,60}\)",
        r"(?P<logical_block_size>\d{3,5}) bytes per logical sector",
        r"(?P<cluster_size>\d{3,8}) bytes per cluster",
        rf"(?P<reserved_sectors>{_N}) reserved sectors?",
        rf"First FAT starts at byte (?P<fat_start>{_N}) \(sector (?P<fat_first_sector>{_N})\)",
        r"(?P<fats>\d) FATs, (?P<fat_bits>12|16|32) bit entries",
        rf"(?P<fat_size>{_N}) bytes per FAT \(= (?P<sectors_per_fat>{_N}) sectors\)",
        rf"Root directory starts? at (?:cluster (?P<root_cluster>{_N}) \(arbitrary size\)"
        rf"|byte (?P<root_start>{_N}) \(sector (?P<root_first_sector>{_N})\))",
        rf"(?P<root_entries>{_N}) root directory entries",
        rf"Data area starts at byte (?P<data_start>{_N}) \(sector (?P<data_first_sector>{_N})\)",
        rf"(?P<data_clusters>{_N}) data clusters \((?P<data_size>{_N}) bytes\)",
        r"(?P<sectors_per_track>\d{1,5}) sectors/track, (?P<heads>\d{1,5}) heads",
        rf"(?P<hidden_sectors>{_N}) hidden sectors",
        rf"(?P<sectors>{_N}) sectors total",
        rf"Reclaimed (?P<reclaimed_clusters>{_N}) unused clusters? \((?P<reclaimed>{_N}) bytes\)"
        rf"(?: in (?P<reclaimed_chains>{_N}) chains?)?\.?",
        rf"Free cluster summary wrong \((?P<free_clusters_written>{_N}) vs\. really "
        rf"(?P<free_clusters>{_N})\)",
        rf"(?P<device>[/\w][^:\n]{{0,100}}): (?P<files>{_N}) files, (?P<clusters_used>{_N})/"
        rf"(?P<clusters>{_N}) clusters",
    )
    states = (
        ("Dirty bit is set", "dirty", True),
        ("FATs differ but appear to be intact", "fat_copies", "differ, intact"),
        ("FATs differ and both appear to be corrupt", "fat_copies", "differ, both corrupt"),
        ("FATs differ - using first", "fat_copies", "differ, the second is corrupt"),
        ("FATs differ - using second", "fat_copies", "differ, the first is corrupt"),
        ("differences between boot sector and its backup", "boot_sector_backup", "differs"),
        ("Filesystem was changed", "changed", True),
        ("Leaving filesystem unchanged", "written", False),
        ("Leaving file system unchanged", "written", False),
        ("Performing changes", "written", True),
        ("Writing changes", "written", True),
        ("Logical sector size is zero", "state", "no FAT file system"),
    )
    others = re.compile(
        r"\s*+(?:0x[\da-f]{2}: |Checking |Automatically |Boot sector contents:"
        r"|Using (?:first|second)"
        r"|There (?:are|is) |This is mostly harmless|\d{1,4}:[\da-f]{2}/[\da-f]{2}"
        r"|Not automatically"
        r"|Reclaiming |FATs differ|Dirty bit|\*\*\* Filesystem|Writing changes|Performing changes"
        r"|Leaving file ?system|/\S|File size is |Truncating |Auto-|[1-4]\) |\? ?[1-4yn]?$"
        r"|Cluster \d"
        r"|Bad short file name|Renamed to |Contains a free|Starting |Set(?:ting)? |Logical sector"
        r"|Has a large|Duplicate directory|First  |Second |Got \d|share clusters|Fs has|\[1234"
        r"|Start does point|Start cluster |Size |Deleting|Unused |Broke cycle|Correcting|Fixing)"
    )
    texts = frozenset({"made_by", "media_descriptor"})
