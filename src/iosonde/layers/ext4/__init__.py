"""ext4 and its journal."""

OUTPUTS = {
    "badblocks": "iosonde.layers.ext4.printed_badblocks:Badblocks",
    "debugfs_extents": "iosonde.layers.ext4.printed_debugfs:DebugfsExtents",
    "debugfs_htree": "iosonde.layers.ext4.printed_debugfs:DebugfsHtree",
    "debugfs_inode": "iosonde.layers.ext4.printed_debugfs:DebugfsInode",
    "dumpe2fs": "iosonde.layers.ext4.printed:Superblock",
    "dumpe2fs_part": "iosonde.layers.ext4.printed:SuperblockPart",
    "e4defrag": "iosonde.layers.ext4.printed_defrag:E4defrag",
    "ext_check": "iosonde.layers.ext4.printed_check:ExtCheck",
    "ext_check_figures": "iosonde.layers.ext4.printed_check_figures:ExtCheckFigures",
    "ext_check_summary": "iosonde.layers.ext4.printed_check:ExtCheckSummary",
    "ext_check_translated": "iosonde.layers.ext4.printed_check_languages:ExtCheckTranslated",
    "ext_groups": "iosonde.layers.ext4.printed_groups:ExtGroups",
    "ext_size": "iosonde.layers.ext4.printed_resize:ExtSize",
    "lsattr": "iosonde.layers.ext4.printed_lsattr:Lsattr",
    "mke2fs": "iosonde.layers.ext4.printed_mke2fs:Mke2fs",
    "tune2fs": "iosonde.layers.ext4.printed_tune:Tune2fs",
}
RULES = {
    "journal": "iosonde.layers.ext4.findings:RULES",
}
KERNEL_MESSAGES = {
    "ext4": "iosonde.layers.ext4.kernel_log:MESSAGES",
}
