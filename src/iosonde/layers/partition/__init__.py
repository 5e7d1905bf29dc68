"""Partitions of a disk."""

OUTPUTS = {
    "bioctl": "iosonde.layers.partition.printed_disklabel:Bioctl",
    "disklabel": "iosonde.layers.partition.printed_disklabel:Disklabel",
    "diskutil_apfs": "iosonde.layers.partition.printed_diskutil_apfs:DiskutilApfs",
    "diskutil_info": "iosonde.layers.partition.printed_diskutil_info:DiskutilInfo",
    "diskutil_list": "iosonde.layers.partition.printed_diskutil:DiskutilList",
    "diskutil_said": "iosonde.layers.partition.printed_diskutil_said:DiskutilSaid",
    "fdisk_bsd": "iosonde.layers.partition.printed_fdisk_bsd:OpenbsdFdisk",
    "fdisk_dialogue": "iosonde.layers.partition.printed_dialogue:FdiskDialogue",
    "free_space": "iosonde.layers.partition.printed_lists:FreeSpace",
    "gdisk_scan": "iosonde.layers.partition.printed_gdisk:GdiskScan",
    "gdisk_verify": "iosonde.layers.partition.printed_gdisk_verify:GdiskVerify",
    "geom_list": "iosonde.layers.partition.printed_geom_list:GeomList",
    "gpart_answers": "iosonde.layers.partition.printed_gpart_answers:GpartAnswers",
    "gpart_show": "iosonde.layers.partition.printed_gpart:GpartShow",
    "growpart": "iosonde.layers.partition.printed_lists:Growpart",
    "parted_json": "iosonde.layers.partition.printed_parted_machine:PartedJson",
    "parted_machine": "iosonde.layers.partition.printed_parted_machine:PartedMachine",
    "parted_messages": "iosonde.layers.partition.printed_parted:PartedMessages",
    "parted_rows": "iosonde.layers.partition.printed_rows:NumberedRows",
    "partition_rows": "iosonde.layers.partition.printed_rows:PartitionRows",
    "partitions": "iosonde.layers.partition.printed:PartitionTable",
    "partx": "iosonde.layers.partition.printed_lists:Partx",
    "sfdisk_dump": "iosonde.layers.partition.printed_dump:SfdiskDump",
    "sfdisk_json": "iosonde.layers.partition.printed_dump:SfdiskJson",
    "sgdisk_info": "iosonde.layers.partition.printed_gdisk:SgdiskInfo",
}
RULES = {
    "partition": "iosonde.layers.partition.findings:RULES",
}
