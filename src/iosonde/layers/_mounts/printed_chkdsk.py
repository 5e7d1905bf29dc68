"""Windows' chkdsk in English, `fsutil fsinfo ntfsinfo` and `fsutil fsinfo sectorinfo`.

Source: no source of these programs is open. The forms are those of outputs that people published
(forum posts and notes on Windows XP to 11: NTFS in three, four and five stages, FAT32 with folders
and "are available"; ntfsinfo of Windows 7, 10 and Server 2012 to 2019) and of Microsoft's pages:
Windows commands, fsutil fsinfo (four of the lines of ntfsinfo); Windows Internals, 6th and 7th
edition, "Viewing NTFS information"; sectorinfo: FILE_STORAGE_INFO and outputs of Windows 8 to 11.
The page on chkdsk shows no report. KB and GB are powers of 1024: total clusters times bytes per
cluster give the same. chkdsk's reports of MS-DOS and Windows NT, and the messages between its
figures, are not all covered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from typing_extensions import override

from iosonde.layers._mounts.phrases import PhrasedOutput, phrases
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt

_N = r"\d[\d,]{0,24}"
_ALIGNED = r"[A-Z]\w{3,12} \(0x[\da-f]{1,8}\)"
_RECORDS = {
    "file records": "file_records", "large file records": "large_file_records",
    "bad file records": "bad_file_records", "EA records": "ea_records",
    "reparse records": "reparse_records", "index entries": "index_entries",
    "data files": "data_files", "USN bytes": "usn_journal", "file SDs/SIDs": "file_descriptors",
    "security descriptors": "security_descriptors", "free clusters": "free_clusters_checked",
    "files": "files_checked",
}  # fmt: skip
_SPACES = (
    ("size", "total disk space"), ("index_size", r"in (?P<indexes>\d[\d,]{0,14}) index(?:es)?"),
    ("files_size", r"in (?P<files>\d[\d,]{0,14}) (?:user )?files?"),
    ("bad_sectors_size", "in bad sectors"), ("system_size", "in use by the system"),
    ("log_size", "occupied by the log file"), ("available", "(?:available on disk|are available)"),
    ("hidden_size", r"in (?P<hidden_files>\d[\d,]{0,14}) hidden files?"),
    ("folders_size", r"in (?P<folders>\d[\d,]{0,14}) (?:folders?|directories)"),
    ("recovered_size", r"in (?P<recovered_files>\d[\d,]{0,14}) recover(?:ed|able) files?"),
)  # fmt: skip
_CALLED = r"(?:PS )?[A-Z]:\\?[^>\n]{0,80}> ?"
_ROUNDED = r"(?: {1,40}\( {0,9}[\d.,]{1,20} [KMGTP]?B\))?"
_VOLUME = re.compile(r"\s(?P<letter>[A-Za-z]):(?=\s|\\|$)")


class Chkdsk(PhrasedOutput):
    tool = "chkdsk"
    kind = "mount"
    anchors = (
        "The type of the file system is ", " file records processed.", " KB total disk space.",
        " KB available on disk.", " KB are available.", " bytes in each allocation unit.",
        " KB in bad sectors", "Windows has scanned the file system",
    )  # fmt: skip
    commands = ("chkdsk", "CHKDSK", "chkdsk.exe", "Repair-Volume")
    reach = 6
    forms = phrases(
        rf"{_CALLED}(?i:chkdsk)(?:\.exe)?(?: (?P<volume>[A-Za-z]):?[ \w/:]{{0,60}})?",
        r"Checking file system on (?P<volume>[A-Za-z]):",
        r"The type of the file system is (?P<type>(?:ex)?[A-Z][A-Za-z\d]{2,9})\.?",
        r"Volume label is (?P<label>[^\n]{1,40}?)\.?",
        r"Volume (?P<label>\S.{0,31}?) created \d{1,4}[./-]\d\d?[./-]\d{2,4} \d\d?:\d\d.{0,6}",
        r"(?:The )?[Vv]olume [Ss]erial [Nn]umber is (?P<volume_serial>[\dA-F]{4}-[\dA-F]{4})\.?",
        *(rf"(?P<{name}>{_N}) {text} processed\." for text, name in _RECORDS.items()),
        rf"(?P<unindexed_files>{_N}) unindexed files? scanned\.",
        rf"(?P<recovered_files>{_N}) unindexed files? recovered(?: to (?:lost and found|original "
        r"directory))?\.",
        *(rf"(?P<{name}>{_N} (?:KB|bytes)) {text}\." for name, text in _SPACES),
        rf"(?P<cluster_size>{_N}) bytes in each allocation unit\.",
        rf"(?P<clusters>{_N}) total allocation units on disk\.",
        rf"(?P<clusters_available>{_N}) allocation units available on disk\.",
        r"The current log file size is (?P<log_size>\d[\d,]{0,14} KB)\.",
        r"The default log file size for this volume is (?P<default_log_size>\d[\d,]{0,14} KB)\.",
        r"Total duration: [\d.]{1,12} \w{4,12} \((?P<duration_ms>\d{1,12}) ms\)\.",
    )
    states = (
        ("found no problems", "state", "no problems"),
        ("has made corrections to the file system", "state", "corrected"),
        ("Windows found problems with the file system", "state", "problems found"),
        ("Windows found errors on the disk, but will not fix", "state", "problems found"),
        ("Errors found.  CHKDSK cannot continue in read-only", "state", "problems found"),
        ("Errors found. CHKDSK cannot continue in read-only", "state", "problems found"),
        ("with the file system that could not be corrected", "state", "problems left"),
        ("CHKDSK is scanning usn journal", "usn_journal_checked", True),
        ("Running CHKDSK in read-only mode", "read_only", True),
    )
    others = re.compile(
        r"\s*+(?:Stage \d|C(?:HKDSK|hkdsk) |WARNING!|Running CHKDSK|Checking file system on"
        r"|Windows |\w[\w ]{3,60} verification (?:completed|is complete)|Phase duration|Progress: "
        r"|(?:Delet|Recover|Correct|Insert|Repair|Add|Fix|Replac|Remov|Convert|Creat|Truncat)ing "
        r"|No f|Attribute record|Index entry|Minor inconsistencies|Read failure|Orphan|Sparse "
        r"|Detected |[\da-f]{2}(?: [\da-f]{2}){7,}|Found \d|Unable to |File \d|Master File Table"
        r"|Run CHKDSK|Please run|Errors found)"
    )
    texts = frozenset({"label"})

    sums: ClassVar[Mapping[str, re.Pattern[str]]] = {
        "read_failures": re.compile(r"\s*Read failure with status 0x[\da-fA-F]{1,8} at offset 0x"),
        "files_with_bad_clusters": re.compile(r"\s*Windows replaced bad clusters in file \d"),
        "bad_clusters_added": re.compile(rf"\s*Adding (?P<amount>{_N}) bad clusters? to the Bad"),
    }

    @override
    def put_more(self, values: dict[str, Scalar]) -> None:
        took = values.pop("duration_ms", None)
        if isinstance(took, int):
            values["duration"] = took / 1000

    @override
    def name(self, values: dict[str, Scalar], prompt: Prompt) -> str:
        return _letter(values, prompt)


class FsutilNtfs(PhrasedOutput):
    tool = "fsutil ntfsinfo"
    kind = "mount"
    anchors = ("NTFS Volume Serial Number", "Bytes Per FileRecord Seg")
    commands = ("fsutil",)
    reach = 4
    forms = phrases(
        rf"{_CALLED}(?i:fsutil +fsinfo +ntfsinfo) (?P<volume>[A-Za-z]):?\\?",
        r"NTFS Volume Serial Number ?: +(?P<volume_serial>0x[\da-f]{8,16})",
        r"(?:NTFS )?Version *: +(?P<ntfs_version>\d\.\d)",
        r"LFS Version *: +(?P<lfs_version>\d\.\d)",
        *(
            rf"{text} ?: +(?P<{name}>\d[\d,]{{0,24}}|0x[\da-f]{{1,16}}){_ROUNDED}"
            for text, name in (
                ("(?:Total|Number) Sectors *", "sectors"), ("Total Clusters *", "clusters"),
                ("Free Clusters *", "free_clusters"),
                ("Total Reserved(?: Clusters)? *", "reserved_clusters"),
                ("Reserved For Storage Reserve *", "storage_reserve_clusters"),
                ("Bytes Per Sector *", "logical_block_size"),
                ("Bytes Per Physical Sector *", "physical_block_size"),
                ("Bytes Per Cluster *", "cluster_size"),
                ("Bytes Per FileRecord Segment *", "file_record_size"),
                ("Clusters Per FileRecord Segment *", "file_record_clusters"),
                ("Mft Start Lcn *", "mft_first_cluster"),
                ("Mft2 Start Lcn *", "mft_mirror_first_cluster"),
                ("Mft Zone Start *", "mft_zone_first_cluster"),
                ("Mft Zone End *", "mft_zone_end_cluster"),
                ("Max Device Trim Extent Count *", "device_trim_extents_max"),
                ("Max Device Trim Byte Count *", "device_trim_max"),
                ("Max Volume Trim Extent Count *", "volume_trim_extents_max"),
                ("Max Volume Trim Byte Count *", "volume_trim_max"),
            )
        ),
        r"Mft Valid Data Length ?: +(?P<mft_size>[\d.,]{1,20}(?: [KMGT]?B)?|0x[\da-f]{1,16})",
        r"MFT Zone Size +: +(?P<mft_zone_size>[\d.,]{1,20} [KMGT]?B)",
    )  # fmt: skip
    others = re.compile(
        r"\s*(?:(?:Resource Manager|RM) Identifier ?:|Bytes Per Physical Sector : {1,20}<Not Supp)"
    )
    texts = frozenset({"ntfs_version", "lfs_version", "volume_serial"})
    least = 4

    @override
    def put_more(self, values: dict[str, Scalar]) -> None:
        values["type"] = "NTFS"

    @override
    def name(self, values: dict[str, Scalar], prompt: Prompt) -> str:
        return _letter(values, prompt)


class FsutilSectors(PhrasedOutput):
    """`fsutil fsinfo sectorinfo`: the sectors of the disk below a volume."""

    tool = "fsutil sectorinfo"
    kind = "mount"
    anchors = ("LogicalBytesPerSector :", "PhysicalBytesPerSectorForAtomicity :")
    commands = ("fsutil",)
    reach = 4
    forms = phrases(
        rf"{_CALLED}(?i:fsutil +fsinfo +sectorinfo) (?P<volume>[A-Za-z]):?\\?",
        r"LogicalBytesPerSector : +(?P<logical_block_size>\d{2,6})",
        r"PhysicalBytesPerSectorForAtomicity : +(?P<atomic_block_size>\d{2,6})",
        r"PhysicalBytesPerSectorForPerformance : +(?P<physical_block_size>\d{2,6})",
        r"FileSystemEffectivePhysicalBytesPerSectorForAtomicity : +(?P<filesystem_sector>\d{2,6})",
        rf"Device Alignment : +(?P<device_alignment>{_ALIGNED})",
        rf"Partition alignment on device : +(?P<partition_alignment>{_ALIGNED})",
    )
    states = (("Trim Supported", "trim", True), ("Trim Not Supported", "trim", False))
    others = re.compile(r"\s*(?:Performs Normal Seeks|No Seek Penalty|(?:Not )?DAX capable)")
    texts = frozenset({"device_alignment", "partition_alignment"})
    least = 3

    @override
    def name(self, values: dict[str, Scalar], prompt: Prompt) -> str:
        return _letter(values, prompt)


def _letter(values: dict[str, Scalar], prompt: Prompt) -> str:
    """The volume that a command names; empty where it names none."""
    volume = _VOLUME.search(prompt.command)
    letter = str(values.pop("volume", None) or (volume["letter"] if volume else ""))
    return f"{letter.upper()}:" if letter else ""
