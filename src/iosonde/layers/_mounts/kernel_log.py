"""What the kernel's log says of F2FS, FAT, exFAT and NTFS.

A flag that a volume was not unmounted, and a superblock that is none (the kernel tries types one
after the other), are no damage; nor is an F2FS that was shut down by request or to inject faults.

Source: Linux 6.12 fs/f2fs/super.c, f2fs_printk(), f2fs_fill_super(), f2fs_handle_critical_error();
    fs/f2fs/checkpoint.c, node.c, inode.c, segment.c, segment.h and gc.c; include/linux/f2fs_fs.h,
    enum stop_cp_reason; fs/fat/fat.h and misc.c, __fat_fs_error(); fs/fat/inode.c; fs/exfat/misc.c,
    __exfat_fs_error(); super.c; fs/ntfs3/super.c, ntfs_printk() (before "ntfs3: sda1: ")
    and fsntfs.c, ntfs_set_state(); Linux 2.6.32 fs/fat/misc.c, fat_fs_error();
    Linux 6.6 fs/ntfs/debug.c, __ntfs_error() and __ntfs_warning().
"""

from __future__ import annotations

from collections.abc import Mapping

from iosonde.layers._kernel_log.events import KernelMessage, Trouble

_DEVICE = r"(?P<name>[\w!.-]{1,40})"
_FUNCTION = r"(?:\w{3,60}: )?"
_F2FS_DAMAGE = (
    rf"{_FUNCTION}(?!.{{0,60}}quota|inject )(?:SIT is corrupted|NAT is corrupt"
    r"|access invalid blkaddr"
    r"|[Ii]nconsistent (?!rbtree|encryption)|incorrect node reference|mismatched blkaddr"
    r"|Wrong (?:user_block_count|valid_user_blocks|valid_node_count|bitmap size|cp_pack_start_sum"
    r"|journal entry|valid blocks)|Mismatch valid blocks|Bitmap was wrongly|checksum invalid"
    r"|out-of-range nid|[Cc]orrupted |inode \(\d{1,18}\) has |(?:lookup|list|set) inode \(\d"
    r"|inode \(ino=\w{1,16}\) has |invalid (?:blkaddr|journal entries|namelen)|Invalid segment type"
    r"|Failed to get valid F2FS checkpoint|Failed to read (?:root|node|F2FS meta data) "
    r"|Failed to initialize F2FS (?:segment|node) manager \(-(?:5|117)\)"
    r"|Cannot recover all fsync data|l\w{2,6} decompress failed|.{0,80}?un fsck to (?:fix|repair))"
    r".{0,160}"
)
_FAT_FAILED = (
    r"(?:Can't find a valid FAT filesystem|bogus |invalid (?:media|boot|fs_name)|unable to (?:read"
    r"|set) |failed to (?:recognize|load|read boot|init)|codepage |IO charset |get root inode"
    r"|logical sector size too small|count of clusters too big).{0,100}"
)
_UNCLEAN = r"(?:V|v)olume (?:was not properly unmounted|is dirty).{0,100}"
_SIGNS: Mapping[str, Trouble] = {
    "filesystem_errors": "damage",
    "hfs_errors": "damage",
    "read_only_remounts": "damage",
    "squashfs_errors": "damage",
    "transfer_errors": "data",
    "unanswered_calls": "unanswered",
}
"""Counters that mean the same of every file system without a folder of its own."""


def filesystem_messages(
    literal: str, before: str, *rests: tuple[str, str], kind: str = "filesystem"
) -> tuple[KernelMessage, ...]:
    """The messages of a file system that all begin alike, and what else it says as a notice.

    Args:
        literal: see `KernelMessage`; it stands in each of them.
        before: pattern of what they begin with; its group `name` is the device or the server.
        rests: a counter, and the pattern of the rest of the messages that add to it, in the order
            in which they are tried. What no group names is kept as an error where the counter is
            a sign of trouble or of a failure, else as a notice.
        kind: of what `name` is.
    """
    messages = [
        KernelMessage(literal, before + _kept(counts, rest), kind, counts, _SIGNS.get(counts))
        for counts, rest in rests
    ]
    notice = KernelMessage(literal, before + _kept("", r"\S.{1,160}"), kind, "other_messages")
    return (*messages, notice)


def _kept(counts: str, rest: str) -> str:
    """The pattern with a group for all of it, unless it names what it holds."""
    if "(?P<" in rest:
        return rest
    group = "failures" if counts in _SIGNS or counts.startswith("failed") else "notices"
    return f"(?P<{group}>{rest})"


MESSAGES = (
    *filesystem_messages(
        "F2FS-fs (", rf"F2FS-fs \({_DEVICE}\): ",
        ("stopped_filesystems", r"Stopped filesystem due to reason: (?P<requested>[01])\b"),
        ("read_only_remounts", r"(?:Stopped filesystem due to reason: \d{1,3}"
         r"|Remounting filesystem read-only|\w{5,30} failed err:-\d{1,5}, stop checkpoint)"),
        ("filesystem_errors", _F2FS_DAMAGE),
        ("failed_mounts", r"(?:Can't find valid F2FS filesystem|Failed to (?:find|start|init)"
         r"|Need to recover fsync data|Unrecognized mount option|Unable to read \d).{0,120}"),
        ("failed_discards", r"(?:Issue discard\(|Discard zone failed).{0,80}"),
        ("mounts", r"Mounted with checkpoint version = (?P<checkpoints>[\da-f]{1,16})"),
        ("blocked_checkpoints", r"(?:checkpoint was blocked|blocked on checkpoint) for "
         r"(?P<blocked_ms>\d{1,9}) ms"),
    ),
    *filesystem_messages(
        "FAT-fs (", rf"(?:ex|EX)?FAT-fs \({_DEVICE}\): ",
        ("read_only_remounts", r"[Ff]ile ?system has been set read-only"),
        ("filesystem_errors", r"error, .{2,120}"),
        ("transfer_errors", r"(?:Directory bread\(block \d|FAT read failed|bread failed"
         r"|unable to read (?:inode )?block|unable to read boot sector to mark).{0,80}"),
        ("failed_mounts", _FAT_FAILED),
        ("unclean_mounts", _UNCLEAN),
    ),
    KernelMessage(
        "FAT: Filesystem error (dev", rf"FAT: Filesystem error \(dev {_DEVICE}\)", "filesystem",
        "filesystem_errors", "damage",
    ),
    *filesystem_messages(
        "ntfs3", rf"ntfs3(?:\(|: (?=[a-z]\w{{1,30}}: )){_DEVICE}\)?: "
        r"(?:ino=[\da-f]{1,16},[^ ]{0,60} )?",
        ("filesystem_errors", r"(?:Mark volume as dirty due to NTFS errors"
         r"|(?:Looks like )?\$?\w{3,12} is corrupted).{0,80}"),
        ("failed_mounts", r"(?:Failed to (?:load|read|init)|failed to replay"
         r"|.{0,30}signature is not).{0,80}"),
        ("unclean_mounts", _UNCLEAN),
    ),
    *filesystem_messages(
        "NTFS-fs ", rf"NTFS-fs (?:error|warning) \(device {_DEVICE}\): (?:\w{{3,60}}\(\): )?",
        ("unclean_mounts", r"(?:V|v)olume is dirty.{0,100}"),
        ("filesystem_errors", r"(?!.{0,100}not an NTFS).{0,80}?[Cc]orrupt.{0,80}"),
    ),
)  # fmt: skip
