"""What the kernel's log says of ext4.

Source: Linux 6.12 fs/ext4/super.c, __ext4_error(), ext4_handle_error() and __ext4_fill_super() (the
access since 6.5, "r/w" or "ro"); fs/ext4/orphan.c, ext4_orphan_cleanup(); fs/ext4/ioctl.c,
ext4_force_shutdown(); fs/namespace.c, mnt_warn_timestamp_expiry(); fs/jbd2/journal.c,
jbd2_journal_abort() and jbd2_journal_bmap(); fs/jbd2/recovery.c, do_one_pass(); fs/jbd2/commit.c;
fs/ext4/page-io.c, ext4_end_bio(); fs/ext4/inode.c, mpage_map_and_submit_extent();
Linux 2.6.32 fs/ext3/super.c, ext3_abort() and __ext3_std_error().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage, bare_messages

_DEVICE = r"\(device (?P<name>[\w!-]{1,32})\)"
_ON = r"EXT[234]-fs \((?P<name>[\w!-]{1,32})\): "
_PLACE = r"(?P<functions>\w{3,60}):(?:\d{1,6}:)? "  # the line since 2.6.36
_INODE = (
    r"(?:inode #(?P<inodes>\d{1,18}): )?(?:block (?P<blocks>\d{1,18}): )?"
    r"(?:lblock \d{1,18}: )?(?:comm \(?(?P<processes>[^:()]{1,32})\)?: )?"
)
_JOURNAL = r"(?P<name>dm-\d+|[\w!]{1,32})(?:[-:]\d+)?"  # a colon before 2.6.36

MESSAGES = (
    KernelMessage(
        "ext4_end_bio:",
        r"EXT4-fs warning \(device (?P<name>[\w!-]{1,32})\): ext4_end_bio:\d+: "
        r"I/O error (?P<errors>-?\d{1,5}) writing to inode (?P<inodes>\d{1,18})"
        r"(?: \(offset (?P<offsets>\d{1,20}) size (?P<sizes>\d{1,12}))?"
        r"(?: starting block (?P<blocks>\d{1,18}))?",
        "ext4", "write_errors", "data",
    ),
    KernelMessage(
        "-fs error (device",
        rf"EXT[234]-fs error {_DEVICE}: {_PLACE}{_INODE}(?P<errors>\S.{{2,120}})",
        "ext4", "filesystem_errors", "damage",
    ),
    KernelMessage(
        "-fs error (device",
        rf"EXT[234]-fs error {_DEVICE} in (?P<functions>\w{{3,60}}):\d{{1,6}}: "
        r"(?P<errors>\S.{2,60})", "ext4", "filesystem_errors", "damage",
    ),
    KernelMessage(
        "-fs warning (device",
        rf"EXT[234]-fs warning {_DEVICE}: {_PLACE}{_INODE}(?P<warnings>\S.{{2,120}})",
        "ext4", "filesystem_warnings",
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
        r"(?:JBD2: )?Aborting journal on device (?P<name>dm-\d+|[\w!]{1,32})(?:[-:]\d+)?\.",
        "ext4", "journal_aborts", "damage",
    ),
    KernelMessage(
        "O error while writing superblock", rf"{_ON}I/O error while writing superblock",
        "ext4", "superblock_errors", "data",
    ),
    KernelMessage(
        "O error to superblock detected", rf"{_ON}previous I/O error to superblock detected",
        "ext4", "earlier_superblock_errors",
    ),
    KernelMessage(
        "Delayed block allocation failed",
        rf"{_ON}Delayed block allocation failed for inode (?P<inodes>\d{{1,18}}) at logical offset "
        r"\d{1,18} with max blocks \d{1,9} with error (?P<errors>\d{1,5})",
        "ext4", "failed_allocations", "data",
    ),
    KernelMessage(
        "group descriptors corrupted", rf"{_ON}group descriptors corrupted!",
        "ext4", "corrupt_descriptors", "damage",
    ),
    KernelMessage(
        "ext4_check_descriptors: ",
        rf"{_ON}ext4_check_descriptors: (?P<failures>[A-Z][\w ]{{3,40}} for group "
        r"\d{1,12} [a-z][\w ]{3,80})", "ext4", "wrong_descriptors", "damage",
    ),
    KernelMessage(
        "bad geometry: block count ",
        rf"{_ON}bad geometry: block count (?P<excesses>\d{{1,18}} exceeds size of device "
        r"\(\d{1,18} blocks\))", "ext4", "beyond_device",
    ),
    KernelMessage(
        "bad geometry: ",
        rf"{_ON}bad geometry: (?P<failures>(?!block count \d)[a-z].{{3,80}})", "ext4",
        "wrong_sizes", "damage",
    ),
    KernelMessage(
        "Could not load journal inode",
        rf"{_ON}(?P<errors>Could not load journal inode)", "ext4", "unloaded_journals",
    ),
    KernelMessage(
        "Cannot locate journal superblock",
        r"(?P<functions>jbd2_journal_init_inode): (?P<errors>Cannot locate journal superblock)",
        "ext4", "unloaded_journals",  # where memory is short as well
    ),
    KernelMessage(
        "error loading journal",
        rf"{_ON}error loading journal", "ext4", "failed_journals", "damage",
    ),
    KernelMessage(
        "error count since last fsck",
        rf"{_ON}error count since last fsck: (?P<errors_since_check>\d{{1,12}})",
        "ext4", "earlier_error_reports", "damage",
    ),
    KernelMessage(
        " error at time ",
        rf"{_ON}(?P<error_times>(?:initial|last) error at time \d{{1,12}}: \w{{3,60}}:\d{{1,6}})",
        "ext4", "earlier_error_reports", "damage",
    ),
    KernelMessage(
        "mounting fs with errors", rf"{_ON}warning: mounting fs with errors, running e2fsck is",
        "ext4", "mounts_with_errors", "damage",
    ),
    KernelMessage(
        ": mounted filesystem",
        rf"{_ON}mounted filesystem(?: (?P<uuids>[\da-f-]{{36}}))?(?: (?P<access>ro|r/?w))? "
        r"(?:with (?P<data_modes>ordered data|writeback data|journalled data) mode|"
        r"(?P<journals>without journal))", "ext4", "mounts",
    ),
    KernelMessage(
        ": re-mounted", rf"{_ON}re-mounted(?:\.| (?P<uuids>[\da-f-]{{36}}))", "ext4", "remounts",
    ),
    KernelMessage(
        ": unmounting filesystem",
        rf"{_ON}unmounting filesystem(?: (?P<uuids>[\da-f-]{{36}}))?\.", "ext4", "unmounts",
    ),
    KernelMessage(": recovery complete", rf"{_ON}recovery complete", "ext4", "recoveries"),
    KernelMessage(
        "resized filesystem to ", rf"{_ON}resized filesystem to (?P<resized_blocks>\d{{1,18}})",
        "ext4", "resizes",
    ),
    KernelMessage(
        "JBD2: journal transaction",
        rf"JBD2: journal transaction (?P<transactions>\d{{1,18}}) on {_JOURNAL} is corrupt",
        "ext4", "corrupt_transactions", "damage",
    ),
    KernelMessage(
        "detected when updating journal superblock",
        rf"JBD2: Error (?P<errors>-\d{{1,5}}) detected when updating journal superblock for "
        rf"{_JOURNAL}",
        "ext4", "journal_errors", "data",
    ),
    KernelMessage(
        "O error when updating journal superblock",
        rf"JBD2: I/O error when updating journal superblock for {_JOURNAL}",
        "ext4", "journal_errors", "data",
    ),
    KernelMessage(
        "Detected IO errors while flushing",
        rf"JBD2: Detected IO errors while flushing file data on {_JOURNAL}",
        "ext4", "unflushed_data", "data",
    ),
    KernelMessage(
        "INFO: recovery required on readonly",
        rf"{_ON}INFO: recovery required on readonly filesystem", "ext4",
        "recoveries_before_reading",
    ),
    KernelMessage(
        "write access will be enabled during recovery",
        rf"{_ON}write access will be enabled during recovery", "ext4", "writable_recoveries",
    ),
    KernelMessage(
        " orphan inode",
        rf"{_ON}(?P<deleted_orphans>\d{{1,9}}) orphan inodes? deleted", "ext4", "orphan_cleanups",
    ),
    *(
        KernelMessage(
            f" {noun} cleaned up", rf"{_ON}(?P<finished_truncates>\d{{1,9}}) {noun} cleaned up",
            "ext4", "truncate_cleanups",
        )
        for noun in ("truncate", "truncates")
    ),
    KernelMessage(
        ": shut down requested (",
        rf"{_ON}shut down requested \((?P<shutdown_flags>\d)\)", "ext4", "requested_shutdowns",
    ),
    KernelMessage(
        ": jbd2_start: ",
        rf"{_ON}(?P<functions>\w{{3,60}}): jbd2_start: (?P<asked_pages>\d{{1,18}}) pages, ino "
        r"(?P<inodes>\d{1,18}); err (?P<errors>-\d{1,5})", "ext4", "refused_writebacks", "data",
    ),
    KernelMessage(
        ": barriers disabled", rf"{_ON}barriers disabled", "ext4", "mounts_without_barriers",
    ),
    KernelMessage(
        "running e2fsck is recommended",
        rf"{_ON}warning: (?P<due>maximal mount count|checktime) reached, running e2fsck is "
        r"recommended", "ext4", "due_checks",
    ),
    KernelMessage(
        "journal block not found at offset",
        rf"jbd2_journal_bmap: journal block not found at offset (?P<offsets>\d{{1,18}}) on "
        rf"{_JOURNAL}",
        "ext4", "missing_journal_blocks", "damage",
    ),
    KernelMessage(
        "ext4 filesystem being ",
        r"ext4 filesystem being (?:re)?mounted at (?P<name>/\S{0,200}) supports timestamps until "
        r"(?P<last_timestamps>\d{4})", "ext4", "short_timestamps",
    ),
    KernelMessage(
        "JBD2: Invalid checksum recovering",
        r"JBD2: Invalid checksum recovering (?:data )?block (?P<blocks>\d{1,18}) in log", "host",
        "journal_checksum_errors", "damage",
    ),
    KernelMessage(
        "recovery failed", r"JBD2: (?:journal )?recovery failed", "host",
        "failed_journal_recoveries", "damage",
    ),
    KernelMessage(
        "This should not happen!! Data will be lost",
        rf"{_ON}This should not happen!! {{1,2}}Data will be lost", "ext4", "lost_writes", "data",
    ),
    KernelMessage(": mount failed", rf"{_ON}mount failed", "ext4", "failed_mounts"),
    KernelMessage(": no journal found", rf"{_ON}no journal found", "ext4", "missing_journals"),
    *(
        KernelMessage(literal, rf"{_ON}(?P<space>{literal}\d{{1,20}})", "ext4", "reported_space")
        for literal in ("free_blocks=", "dirty_blocks=", "i_reserved_data_blocks=",
                        "Total free blocks count ")
    ),
    *bare_messages(
        "ext4", ("-fs (", _ON), ("-fs warning (device", rf"EXT[234]-fs warning {_DEVICE}: "),
    ),
)  # fmt: skip
