"""What the kernel's log says of ext4.

Source: Linux 6.12 fs/ext4/super.c, __ext4_error() and ext4_handle_error(); fs/jbd2/journal.c,
jbd2_journal_abort(); fs/ext4/page-io.c, ext4_end_bio();
Linux 2.6.32 fs/ext3/super.c, ext3_abort() and __ext3_std_error().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

MESSAGES = (
    KernelMessage(
        "ext4_end_bio:",
        r"EXT4-fs warning \(device (?P<name>[\w!-]{1,32})\): ext4_end_bio:\d+: "
        r"I/O error (?P<errors>-?\d{1,5}) writing to inode (?P<inodes>\d{1,18})",
        "ext4", "write_errors", "data",
    ),
    KernelMessage(
        "-fs error (device",
        r"EXT[234]-fs error \(device (?P<name>[\w!-]{1,32})\): \w+:\d+: ",
        "ext4", "filesystem_errors", "damage",
    ),
    KernelMessage(
        "emounting filesystem read-only",
        r"EXT[234]-fs \((?P<name>[\w!-]{1,32})\): (?:error: r|R)emounting filesystem read-only",
        "ext4", "read_only_remounts", "damage",
    ),
    KernelMessage(
        ": error",
        r"EXT[34]-fs \((?P<name>[\w!-]{1,32})\): error(?: in \w{3,60})?: .{0,40}?"
        r"(?P<aborted>Journal has aborted|Detected aborted journal)",
        "ext4", "aborted_operations", "damage",
    ),
    KernelMessage(
        "Aborting journal on device",
        r"(?:JBD2: )?Aborting journal on device (?P<name>dm-\d+|[\w!]{1,32})(?:-\d+)?\.",
        "ext4", "journal_aborts", "damage",
    ),
)  # fmt: skip
