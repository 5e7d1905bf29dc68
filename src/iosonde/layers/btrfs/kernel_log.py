"""What the kernel's log says of btrfs.

Source: Linux 6.12 fs/btrfs/volumes.c, btrfs_dev_stat_print_on_error() and btrfs_init_dev_stats();
fs/btrfs/scrub.c; fs/btrfs/disk-io.c, btrfs_validate_extent_buffer(); fs/btrfs/btrfs_inode.h,
btrfs_print_data_csum_error(); fs/btrfs/bio.c, btrfs_repair_io_failure(); fs/btrfs/tree-checker.c;
fs/btrfs/messages.c, btrfs_state_to_string() (" state EA", since 6.1 ": state EA"),
__btrfs_handle_fs_error(); fs/btrfs/relocation.c; fs/btrfs/space-info.c, __btrfs_dump_space_info();
fs/btrfs/qgroup.c; fs/btrfs/dev-replace.c; fs/btrfs/ioctl.c, btrfs_ioctl_resize();
what a mount says is in `kernel_log_mount.py`.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

BTRFS = r"BTRFS:? (?:info|warning|error|critical) \(device (?P<name>[\w!-]{1,32})"
STATE = r"(?::? state \w{1,8})?\)"
_ON = rf"{BTRFS}{STATE}(?:: | in )"
_MEMBER = r"(?:/dev/)?(?P<other>[\w!/-]{1,64})"
_SCRUBBED = (
    rf"(?P<logical>\d{{1,20}})(?: on dev {_MEMBER}| (?:on )?mirror (?P<mirrors>\d{{1,3}}))"
    r"(?:,? physical (?P<physical>\d{1,20}))?(?:,? root (?P<roots>-?\d{1,20}))?"
    r"(?:,? inode (?P<inodes>\d{1,20}))?(?:,? offset (?P<offsets>\d{1,20}))?"
    r"(?:,? length (?P<lengths>\d{1,20}))?(?:,? links (?P<links>\d{1,9}))?"
    r"(?: \(path: (?P<paths>[^()]{1,200})\))?"
)

MESSAGES = (
    KernelMessage(
        " errs: wr ",
        r"BTRFS:? (?P<levels>info|error) \(device (?P<filesystems>[\w!-]{1,32})"
        r"(?::? state \w{1,8})?\): "
        r"bdev (?:/dev/)?(?P<name>[\w!/-]{1,64}|\(efault\)|<missing disk>) "
        r"errs: wr (?P<wr>\d{1,18}), rd (?P<rd>\d{1,18}), flush (?P<flush>\d{1,18}), "
        r"corrupt (?P<corrupt>\d{1,18}), gen (?P<gen>\d{1,18})",
        "btrfs", "error_counts",
    ),
    KernelMessage(
        "csum failed",
        rf"{_ON}csum failed (?:root (?P<roots>-?\d{{1,18}}) )?(?:ino (?P<inodes>\d{{1,20}}))?"
        r"(?: off (?P<offsets>\d{1,20}) csum (?P<checksums>0x[\da-f]{8,64}) expected csum "
        r"(?P<expected_checksums>0x[\da-f]{8,64})(?: mirror (?P<mirrors>\d{1,3}))?)?", "btrfs",
        "checksum_failures", "contents",
    ),
    KernelMessage(
        "checksum verify failed on ",
        rf"{_ON}(?:[\w!-]{{1,32}} )?checksum verify failed on (?:logical )?(?P<blocks>\d{{1,20}}) "
        r"(?:mirror (?P<mirrors>\d{1,3}) )?wanted (?P<expected_checksums>(?:0x)?[\dA-Fa-f]{8,64}) "
        r"found (?P<checksums>(?:0x)?[\dA-Fa-f]{8,64})(?: level (?P<levels>\d))?",
        "btrfs", "tree_checksum_failures", "contents",
    ),
    KernelMessage(
        "unable to fixup", rf"{_ON}unable to fixup \(\w+\) error at logical "
        rf"(?P<logical>\d{{1,20}})(?: on dev {_MEMBER}(?: physical (?P<physical>\d{{1,20}}))?)?",
        "btrfs", "unrepaired_errors", "contents",
    ),
    KernelMessage(
        "fixed up error at logical", rf"{_ON}fixed up error at logical "
        rf"(?P<logical>\d{{1,20}})(?: on dev {_MEMBER}(?: physical (?P<physical>\d{{1,20}}))?)?",
        "btrfs", "repaired_errors", "recovered",
    ),
    KernelMessage(
        "parent transid verify failed", rf"{_ON}parent transid verify failed on "
        r"(?:logical )?(?P<blocks>\d{1,20})?(?: mirror (?P<mirrors>\d{1,3}))?"
        r"(?: wanted (?P<wanted_generations>\d{1,20}) found (?P<read_generations>\d{1,20}))?",
        "btrfs", "transid_failures", "contents",
    ),
    *(
        KernelMessage(
            literal,
            rf"{_ON}corrupt(?:ed)? (?:leaf|node)[:,] (?:\w{{1,8}}=\S{{1,20}} ){{0,8}}"
            r"(?P<corrupt>[a-z].{3,120})?", "btrfs", "corruptions", "damage",
        )
        for literal in ("corrupt leaf", "corrupt node", "corrupted leaf", "corrupted node")
    ),
    KernelMessage(
        "time tree block corruption detected",
        rf"{_ON}(?:block=(?P<blocks>\d{{1,18}}) )?(?:read|write) time tree block corruption "
        r"detected",
        "btrfs", "corruptions", "damage",
    ),
    KernelMessage(
        "bad tree block start",
        rf"{_ON}bad tree block start,? (?:mirror (?P<mirrors>\d{{1,3}}) )?"
        r"(?:want )?(?P<blocks>\d{1,20})(?: (?:have )?(?P<read_blocks>\d{1,20}))?", "btrfs",
        "misplaced_blocks", "contents",
    ),
    KernelMessage(
        "level verify failed",
        rf"{_ON}level verify failed on logical (?P<blocks>\d{{1,18}}) ", "btrfs",
        "misplaced_blocks", "contents",
    ),
    KernelMessage(
        "Transaction aborted (error -28",
        r"BTRFS:?(?: (?:error|critical) \(device (?P<name>[\w!-]{1,32})(?::? state \w{1,8})?\):)? "
        r"Transaction aborted \(error (?P<errors>-28)\)", "btrfs", "aborted_transactions",
        "damage", cause="no_space",
    ),
    KernelMessage(
        "Transaction aborted (error",
        r"BTRFS:?(?: (?:error|critical) \(device (?P<name>[\w!-]{1,32})(?::? state \w{1,8})?\):)? "
        r"Transaction aborted \(error (?P<errors>-\d{1,5})\)", "btrfs", "aborted_transactions",
        "damage",
    ),
    KernelMessage(
        ": errno=-28 ",
        rf"{BTRFS}{STATE} in (?P<functions>\w{{3,60}}):\d{{1,6}}: "
        r"errno=(?P<errors>-28) (?P<reasons>[A-Za-z][\w ]{2,40})", "btrfs",
        "filesystem_errors", "damage", cause="no_space",
    ),
    KernelMessage(
        ": errno=",
        rf"{BTRFS}{STATE} in (?P<functions>\w{{3,60}}):\d{{1,6}}: "
        r"errno=(?P<errors>-\d{1,5}) (?P<reasons>[A-Za-z][\w ]{2,40})", "btrfs",
        "filesystem_errors", "damage",
    ),
    KernelMessage(
        "read error corrected: ino",
        rf"{_ON}read error corrected: ino (?P<inodes>\d{{1,18}}) off \d{{1,18}} "
        rf"\(dev {_MEMBER} sector (?P<sectors>\d{{1,18}})\)", "btrfs", "repaired_reads",
        "recovered",
    ),
    KernelMessage(
        "lost page write due to IO error on",
        rf"{_ON}lost page write due to IO error on {_MEMBER}", "btrfs", "lost_super_blocks", "data",
    ),
    KernelMessage(
        "error writing primary super block",
        rf"{_ON}error writing primary super block to device (?P<devids>\d{{1,9}})", "btrfs",
        "unwritten_super_blocks", "data",
    ),
    KernelMessage(
        "rror at logical",
        rf"{_ON}(?P<failures>i/o error)(?: \(\w+\))? at logical {_SCRUBBED}", "btrfs",
        "io_errors_in_scrub", "data",
    ),
    KernelMessage(
        "rror at logical",
        rf"{_ON}(?P<failures>checksum error|super block error|checksum/header error)(?: \(\w+\))? "
        rf"at logical {_SCRUBBED}", "btrfs", "errors_in_scrub", "contents",
    ),
    KernelMessage(
        "max tolerance is",
        rf"{_ON}chunk \d{{1,18}} missing (?P<missing>\d{{1,6}}) devices, max tolerance is "
        r"(?P<tolerated>\d{1,6})", "btrfs", "incomplete_chunks", "member",
    ),
    KernelMessage(
        " belongs to fsid ",
        r"BTRFS:? (?:error|warning): device (?:/dev/)?(?P<name>[\w!/-]{1,64}) \(\d{1,4}:\d{1,8}\) "
        r"belongs to fsid (?P<fsids>[\da-f-]{36}),? and the fs is already mounted", "btrfs",
        "refused_devices",
    ),
    KernelMessage("forced readonly", rf"{_ON}forced readonly", "btrfs", "shutdowns", "damage"),
    KernelMessage(
        " is missing", rf"{_ON}devid \d+ uuid (?P<missing_uuids>[\da-f-]{{36}}) is missing",
        "btrfs", "missing_devices", "member", "missing_uuids",
    ),
    KernelMessage("scrub: started", rf"{_ON}scrub: started on devid \d+", "btrfs", "scrubs"),
    KernelMessage(
        "scrub: finished",
        rf"{_ON}scrub: finished on devid \d+ with status: (?P<scrub_statuses>-?\d{{1,6}})",
        "btrfs", "finished_scrubs",
    ),
    KernelMessage(
        "scrub: not finished",
        rf"{_ON}scrub: not finished on devid \d+ with status: (?P<scrub_statuses>-?\d{{1,6}})",
        "btrfs", "unfinished_scrubs",
    ),
    KernelMessage(
        "relocating block group",
        rf"{_ON}relocating block group \d{{1,18}}(?: flags (?P<profiles>[a-z]\w{{3,9}}(?:\|\w+)"
        r"{0,3}))?",
        "btrfs", "relocated_block_groups",
    ),
    KernelMessage(
        "balance: start", rf"{_ON}balance: start (?P<balance_arguments>-[\w,=.| -]{{1,120}})",
        "btrfs", "balances",
    ),
    KernelMessage(
        "balance: ended", rf"{_ON}balance: ended with status: (?P<balance_statuses>-?\d{{1,6}})",
        "btrfs", "finished_balances",
    ),
    KernelMessage(
        "enospc errors during balance",
        rf"{_ON}(?P<enospc_errors>\d{{1,9}}) enospc errors during balance", "btrfs",
        "balances_without_space",
    ),
    KernelMessage(
        "space_info ",
        rf"{_ON}space_info (?P<spaces>\w{{1,20}} (?:\(sub-group id \d+\) )?has -?\d{{1,18}} "
        r"free, is "
        r"(?:not )?full)", "btrfs", "reported_spaces",
    ),
    KernelMessage(
        " extents",
        rf"{_ON}found (?P<balanced_extents>\d{{1,12}}) extents(?:, loops (?P<loops>\d{{1,9}}))?"
        r"(?:, stage: (?P<stages>[a-z]{2,12}(?: [a-z]{2,12}){0,3}))?", "btrfs",
        "balanced_block_groups",
    ),
    KernelMessage(
        "space_info total=",
        rf"{_ON}space_info (?P<space_totals>total=\d{{1,20}}, used=\d{{1,20}}, pinned=\d{{1,20}}, "
        r"reserved=\d{1,20}, may_use=\d{1,20}, readonly=\d{1,20}(?: zone_unusable=\d{1,20})?)",
        "btrfs", "reported_space_totals",
    ),
    KernelMessage(
        "_rsv: size ",
        rf"{_ON}(?P<reservations>\w{{3,30}}_rsv: size \d{{1,20}} reserved \d{{1,20}})", "btrfs",
        "reported_reservations",
    ),
    KernelMessage(
        "qgroup scan ",
        rf"{_ON}qgroup scan (?P<quota_scans>completed|paused|cancelled|failed with -\d{{1,5}})",
        "btrfs", "ended_quota_scans",
    ),
    KernelMessage(
        "failed setting block group ro",
        rf"{_ON}failed setting block group ro: (?P<errors>-\d{{1,5}})", "btrfs",
        "scrubs_without_space",
    ),
    KernelMessage(
        "Aborting unused transaction(No space left",
        rf"{BTRFS}{STATE}:? (?:in )?(?P<functions>\w{{3,60}}):\d{{1,6}}: "
        r"Aborting unused transaction\((?P<reasons>No space left)\)", "btrfs",
        "filesystem_errors", "damage", cause="no_space",
    ),
    KernelMessage(
        "Aborting unused transaction(",
        rf"{BTRFS}{STATE}:? (?:in )?(?P<functions>\w{{3,60}}):\d{{1,6}}: "
        r"Aborting unused transaction\((?P<reasons>[A-Za-z][\w /]{2,40})\)", "btrfs",
        "filesystem_errors", "damage",
    ),
    KernelMessage(
        "Skipping commit of aborted transaction",
        rf"{_ON}Skipping commit of aborted transaction", "btrfs", "skipped_commits", "damage",
    ),
    KernelMessage(
        ": balance: ",
        rf"{_ON}balance: (?P<balance_states>canceled|paused|resume skipped|resume)\b", "btrfs",
        "balance_changes",
    ),
    KernelMessage(
        "unable to find ",
        rf"{_ON}unable to find (?:chunk map for )?logical (?P<logical>\d{{1,20}}) length \d",
        "btrfs", "unmapped_blocks", "damage",
    ),
    KernelMessage(
        "unable to find ",
        rf"{_ON}unable to find (?:ref byte nr (?P<blocks>\d{{1,20}})|root key \([\d ]{{5,60}}\))",
        "btrfs", "missing_items", "damage",
    ),
    KernelMessage(
        "direct IO failed ino ",
        rf"{_ON}direct IO failed ino (?P<inodes>\d{{1,20}}) (?:rw|op) .{{1,80}} err no "
        r"(?P<errors>\d{1,5})",
        "btrfs", "failed_direct_requests", "data",
    ),
    KernelMessage(
        "has missing dev extent",
        rf"{_ON}chunk (?P<chunks>\d{{1,20}}) has missing dev extent, have (?P<have>\d{{1,6}}) "
        r"expect (?P<expected>\d{1,6})", "btrfs", "chunks_without_extents", "damage",
    ),
    KernelMessage(
        ": disk added ", rf"{_ON}disk added {_MEMBER}", "btrfs", "added_devices",
    ),
    KernelMessage(
        ": device deleted: ", rf"{_ON}device deleted: {_MEMBER}", "btrfs", "removed_devices",
    ),
    KernelMessage(
        ": resize device ",
        rf"{_ON}resize device {_MEMBER} \(devid (?P<devids>\d{{1,9}})\) from "
        r"(?P<old_sizes>\d{1,20}) to (?P<new_sizes>\d{1,20})", "btrfs", "resizes",
    ),
    KernelMessage(
        "dev_replace from ",
        rf"{_ON}dev_replace from (?P<replaced>\S{{1,64}} \(devid \d{{1,9}}\)) to {_MEMBER} "
        r"(?P<replacements>started|finished|canceled|continued|suspended)", "btrfs",
        "replacement_changes",
    ),
)  # fmt: skip
