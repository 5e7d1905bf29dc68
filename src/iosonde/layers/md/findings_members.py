"""Members of md's arrays that gave read errors, or have bad blocks listed, and are still members.

Source:
    Linux Documentation/admin-guide/md.rst, dev-XXX/errors ("An approximate count of read errors
    that have been detected on this device but have not caused the device to be evicted from the
    array (either because they were corrected or because they happened while the array was
    read-only)"); it outlives restarts of arrays with metadata of version 1. mdadm 4.3, super1.c,
    examine_super1() ("Bad Block Log : … - bad blocks present." where MD_FEATURE_BAD_BLOCKS, 8, is
    in the feature map); md(4), "bad block list": an entry goes when its blocks are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.layers._backing import where_to_look
from iosonde.records.evidence import EvidenceSet, Rule, subject_of
from iosonde.records.finding import Evidence, Finding

_LISTED = 8  # MD_FEATURE_BAD_BLOCKS
_ERRORS = re.compile(r"dev-(?P<member>[\w!.-]{1,40})\.errors")


def corrected_reads(case: EvidenceSet) -> Iterator[Finding]:
    """Members that gave read errors and are still members."""
    for array in case.of_kind("md"):
        counts = {
            match["member"].replace("!", "/"): value
            for name, value in array.values.items()
            if (match := _ERRORS.fullmatch(name)) and isinstance(value, int) and value > 0
        }
        for member, count in counts.items():
            times = "a read error" if count == 1 else f"{count} read errors"
            yield Finding(
                rule="media-errors",
                severity="warning",
                subject=subject_of(array),
                message=f"md has counted {times} of {member} that did not cost it its place in "
                f"{array.name or 'the array'}: the other members gave the data, or the array was "
                "read-only.",
                evidence=(Evidence(f"dev-{member}/errors", count, "", array.where),),
                remedy=f"{where_to_look(case, array, member)}, and replace a drive where sectors "
                "are pending; a check of the whole array "
                f"(`echo check > /sys/block/{array.name or 'mdX'}/md/sync_action`) reads every "
                "sector and writes those anew that cannot be read",
                confirm="the count no longer grows after a check",
            )


def listed_blocks(case: EvidenceSet) -> Iterator[Finding]:
    """Members in whose superblock md keeps a list of bad blocks that is not empty."""
    for member in case.of_kind("md_member"):
        log = str(member.values.get("bad_block_log") or "")
        features = re.fullmatch(r"0x([0-9a-f]{1,8})", str(member.values.get("feature_map") or ""))
        if "bad blocks present" not in log and not (features and int(features[1], 16) & _LISTED):
            continue
        name = member.name or "a member"
        yield Finding(
            rule="media-errors",
            severity="warning",
            subject=subject_of(member),
            message=f"md's own list of bad blocks on {name} is not empty: of these places md takes "
            "nothing from it, whether or not the drive can read them by now, and where no other "
            "member has the data, reads of the array fail. The list goes along when a member is "
            "copied to another drive.",
            evidence=(Evidence("bad_block_log", log or str(features and features[0]), "",
                               member.where),),
            remedy=f"`mdadm --examine-badblocks /dev/{name}` names the places; save the files on "
            "them; writing a place anew, as `echo repair > /sys/block/mdX/md/sync_action` does "
            "where other members have its data, takes it off the list",
            confirm="`mdadm --examine` no longer says “bad blocks present”",
        )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("media-errors", "md", "Read errors of a member that is still one.",
         "Linux Documentation/admin-guide/md.rst, dev-XXX/errors", corrected_reads, stage="device"),
    Rule("media-errors", "md", "Members on which md keeps a list of bad blocks.",
         "mdadm super1.c, examine_super1(); md(4)", listed_blocks, stage="device"),
)  # fmt: skip
