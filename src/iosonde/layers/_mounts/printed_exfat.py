"""exfatprogs: mkfs.exfat and fsck.exfat.

Source: exfatprogs 1.4.2, mkfs/mkfs.c (make_exfat()) and fsck/fsck.c (exfat_show_info(),
bytes_to_human_readable(): prefixes of 1024, cut off after two decimals).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from iosonde.layers._mounts.phrases import PhrasedOutput, phrases

_N = r"\d{1,19}"
_SIZE = r"\d{1,4}\.\d\d [KMGTP]?B"
_STEPS = {
    "Writing volume boot record": "boot_record",
    "Writing backup volume boot record": "backup_boot_record",
    "Fat table creation": "fat_table",
    "Allocation bitmap creation": "allocation_bitmap",
    "Upcase table creation": "upcase_table",
    "Writing root directory entry": "root_directory",
    "Discarding blocks": "discarding",
}


class Exfat(PhrasedOutput):
    tool = "exfatprogs"
    kind = "exfat"
    anchors = (
        "exfatprogs version", "Creating exFAT filesystem(", "volume boot record: ",
        ": clean. directories ", ": corrupted. directories ", ": files corrupted ",
        "sector size:  ", "volume size:  ",
    )  # fmt: skip
    commands = ("mkfs.exfat", "fsck.exfat", "mkfs", "fsck")
    reach = 4
    forms = phrases(
        r"exfatprogs version : (?P<exfatprogs_version>\d[\w.-]{0,20})"
        r"(?: \((?P<exfatprogs_date>\d{4}-\d\d-\d\d)\))?",
        rf"Creating exFAT filesystem\((?P<device>[^,\s]{{1,100}}), "
        rf"cluster size=(?P<cluster_size>{_N})\)",
        *(rf"{text}: {{1,4}}(?P<{name}>done|failed)" for text, name in _STEPS.items()),
        rf"Zeroing out (?P<zeroed>{_N}) bytes: {{1,4}}(?:done|failed)",
        rf"sector size: {{1,4}}(?P<logical_block_size>{_SIZE})",
        rf"cluster size: {{1,4}}(?P<cluster_size>{_SIZE})",
        rf"volume size: {{1,4}}(?P<size>{_SIZE})",
        rf"(?P<device>[^:\s]{{1,100}}): (?P<state>clean|corrupted)\. directories "
        rf"(?P<directories>{_N}), files (?P<files>{_N})",
        rf"(?P<device>[^:\s]{{1,100}}): files corrupted (?P<files_corrupted>{_N}), files fixed "
        rf"(?P<files_fixed>{_N})",
    )
    states = (
        ("exFAT format complete!", "formatted", True),
        ("exFAT format fail!", "formatted", False),
    )
    sums: ClassVar[Mapping[str, re.Pattern[str]]] = {"errors": re.compile(r"\s*ERROR: \S")}
    others = re.compile(
        r"\s*(?:Synchronizing\.\.\.|exFAT format (?:complete|fail)!"
        r"|Detected (?:partition table|filesystem) type: )"
    )
    texts = frozenset({"device"})
