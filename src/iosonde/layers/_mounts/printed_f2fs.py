"""f2fs-tools: mkfs.f2fs, fsck.f2fs and resize.f2fs.

Source: f2fs-tools 1.9 and 1.16, mkfs/f2fs_format_main.c (f2fs_show_info()), mkfs/f2fs_format.c,
lib/libf2fs.c (get_device_info(), f2fs_get_device_info()), fsck/mount.c and fsck/fsck.c
(fsck_verify(): after each check `[Ok..]` or `[Fail]` and a count in hexadecimal).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from typing_extensions import override

from iosonde.layers._mounts.phrases import PhrasedOutput, phrases
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt

_N = r"\d{1,19}"
_CHECKS = {
    "Unreachable nat entries": "unreachable_nat_entries",
    "SIT valid block bitmap checking": "sit_bitmap",
    "Hard link checking for regular file": "hard_links",
    "valid_block_count matching with CP": "valid_blocks",
    "valid_node_count matc?h?ing with CP \\(de lookup\\)": "valid_nodes",
    "valid_node_count matc?h?ing with CP \\(nat lookup\\)": "valid_nodes_in_nat",
    "valid_inode_count matched with CP": "valid_inodes",
    "free segment_count matched with CP": "free_segments",
    "next block offset is free": "next_block_offset",
    "Write pointers consistency": "write_pointers",
    "other corrupted bugs": "other_corruption",
}
"""What fsck_verify() calls its checks."""
_OTHERS = (
    "Info: Debug level", "Info: MKFS version", "Info: FSCK version", "Info: format version",
    "Info: format success", "Info: No error was", "Info: Fix the reported", "Info: Force to fix",
    "Info: Mounted device", "Info: Disable heap", "Info: Enable heap", "Info: Add new ext",
    "Info: Check FS only", "Info: Use default preen", "Info: Write valid nat",
    "Info: Found valid nat", "Info: This device doesn", "Info: No support kernel",
    "Info: Set (?:Casefold|Encryption|conf for)", "Info: Enable (?:Compression|Project quota)",
    "Info: heap allocation is", "Info: Checked valid nat", "Info: not exist /proc/version",
    r"Info: Device\[\d", "Error: Not available", r"\[FSCK\] fixing SIT",
    r"(?:from|to) \"[^\"]{5,250}\"$", r"\"[^\"]{5,250}\"$", r"Done(?:\.|: )",
)  # fmt: skip
"""Beginnings of lines without figures of the file system."""


class F2fs(PhrasedOutput):
    tool = "f2fs-tools"
    kind = "f2fs"
    anchors = (
        "F2FS-tools: ", "Info: Segments per section", "Info: Sections per zone",
        "Info: Overprovision ", "Info: checkpoint state = ", "Info: total FS sectors",
        "[FSCK] ", "Info: superblock features", "Info: CKPT version",
    )  # fmt: skip
    commands = (
        "mkfs.f2fs", "fsck.f2fs", "resize.f2fs", "mkfs", "fsck", "dump.f2fs", "defrag.f2fs",
    )  # fmt: skip
    reach = 4
    forms = phrases(
        r"F2FS-tools: (?P<program>[a-z]{2,8}\.f2fs) Ver: (?P<f2fs_tools_version>\d[\w.~-]{0,20}) "
        r"\((?P<f2fs_tools_date>\d{4}-\d\d-\d\d)\)",
        r"Info: Label = (?P<label>\S.{0,99}?)",
        r"Info: Trim is (?P<trim>enabled|disabled)",
        rf"Info: Segments per section = (?P<segments_per_section>{_N})",
        rf"Info: Sections per zone = (?P<sections_per_zone>{_N})",
        rf"Info: block size = (?P<block_size>{_N})",
        r"Info: checkpoint stop reason: (?P<stop_reason>\S.{0,200}?)",
        r"Info: fs errors: (?P<errors_recorded>\S.{0,200}?)",
        rf"Info: sector size = (?P<logical_block_size>{_N})",
        rf"Info: total (?:FS )?sectors = (?P<sectors>{_N}) \({_N} MB\)",
        rf"Info: total device sectors = (?P<device_sectors>{_N}) \(in \d{{3,5}} bytes\)",
        rf"Info: zone aligned segment0 blkaddr: (?P<first_segment_block>{_N})",
        r"Info: Overprovision ratio = (?P<overprovision_share>\d{1,2}\.\d{3})%",
        rf"Info: Overprovision segments = (?P<overprovision_segments>{_N}) "
        rf"\(GC reserved = (?P<gc_reserved_segments>{_N})\)",
        r"Info: \[(?P<device>/[^\]\s]{1,80})\] Disk Model: (?P<model>\S.{0,79}?)",
        r"Info: \[(?P<discarding>/[^\]\s]{1,80})\] Discarding device",
        r"Info: Host-(?P<zoned>aware|managed) zoned block device:",
        rf"(?P<zones>{_N}) zones, (?P<randomly_writable_zones>{_N}) randomly writeable zones",
        rf"(?P<blocks_per_zone>{_N}) blocks per zone",
        r"Info: superblock features = (?P<feature_bits>[\da-f]{1,8}) : *"
        r"(?P<features>[a-z][a-z_ ]{0,200})?",
        r"Info: superblock encrypt level = (?P<encryption_level>\d{1,3}), salt = [\da-f]{32}",
        r"Info: CKPT version = (?P<checkpoint_version>[\da-f]{1,16})",
        r"Info: checkpoint state = (?P<checkpoint_bits>[\da-f]{1,8}) : *"
        r"(?P<checkpoint_state>[a-z][a-z_ -]{0,200})?",
        *(
            rf"\[FSCK\] {text} {{1,40}}\[(?P<{name}>Ok\.\.|Fail)\]"
            rf"(?: \[(?P<{name}_counted>0x[\da-f]{{1,8}})\])?"
            for text, name in _CHECKS.items()
        ),
        rf"\[FSCK\] Max image size: (?P<image_size_limit>{_N}) MB, Free space: (?P<free>{_N}) MB",
    )
    states = (
        ("Info: format successful", "formatted", True),
        ("Info: No error was reported", "reported_error", False),
        ("Info: Fix the reported corruption", "fixing", True),
        ("Info: Force to fix corruption", "fixing", True),
        ("Info: Mounted device!", "mounted", True),
        ("Error: Not available on mounted device", "mounted", True),
        ("Info: Disable heap-based policy", "heap_allocation", False),
        ("This device doesn't support BLKSECDISCARD", "secure_discard", False),
    )
    sums: ClassVar[Mapping[str, re.Pattern[str]]] = {
        "discarded": re.compile(rf"\s*Info: (?:Secure )?Discarded (?P<amount>{_N}) MB\s*$"),
        "unreachable_nodes": re.compile(r"\s*NID\[0x[\da-f]{1,8}\] is unreachable\s*$"),
        "failed_assertions": re.compile(r"\s*\[ASSERT\] \("),
        "fixes": re.compile(r"\s*\[FIX\] \("),
    }
    others = re.compile(rf"\s*+(?:{'|'.join(_OTHERS)})")
    texts = frozenset({
        "label", "model", "feature_bits", "checkpoint_bits", "checkpoint_version",
    })  # fmt: skip
    repeated = frozenset({"device", "model", "discarding", "zoned"})
    scales: ClassVar[Mapping[str, int]] = {
        "discarded": 1 << 20, "image_size_limit": 1 << 20, "free": 1 << 20,
    }  # fmt: skip
    gap = 4

    @override
    def put_more(self, values: dict[str, Scalar]) -> None:
        for name in _CHECKS.values():
            if name in values:
                values[name] = "ok" if values[name] == "Ok.." else "failed"
        sector, sectors = values.get("logical_block_size"), values.get("sectors")
        if isinstance(sector, int) and isinstance(sectors, int):
            values["size"] = sector * sectors

    @override
    def name(self, values: dict[str, Scalar], prompt: Prompt) -> str:
        discarding = str(values.pop("discarding", ""))
        device = str(values.pop("device", "")) or discarding
        return (prompt.path or device).removeprefix("/dev/")
