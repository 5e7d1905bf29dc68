"""ntfs-3g's programs: mkntfs, ntfsresize and ntfsfix.

Source: ntfs-3g 2022.10, ntfsprogs/ntfsresize.c (print_volume_size(), print_disk_usage(),
print_num_of_relocations(), print_hint(), show smallest size; a MB is 10^6 bytes), ntfsfix.c,
mkntfs.c.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from typing_extensions import override

from iosonde.layers._mounts.phrases import PhrasedOutput, phrases
from iosonde.records.stack import Scalar

_MB = 1000**2
_N = r"\d{1,19}"
_FEATURES = (
    ("$MFT", "mft"), ("Multi-Record", "multi_record"), ("$MFTMirr", "mft_mirror"),
    ("Compressed", "compressed"), ("Sparse", "sparse"), ("Ordinary", "ordinary"),
    ("$LogFile", "log_file"), ("$BadClust:$Bad", "bad_clusters"),
)  # fmt: skip


class NtfsTools(PhrasedOutput):
    tool = "ntfsprogs"
    kind = "ntfs"
    anchors = (
        "Current volume size: ", "Current device size: ", "NTFS volume version",
        "You might resize at ", "Going to empty the journal", "Processing $MFT and $MFTMirr",
        "Needed relocations :", " was processed successfully.",
        "Cluster accounting failed at ",
    )  # fmt: skip
    commands = ("ntfsresize", "ntfsfix", "mkntfs", "mkfs.ntfs", "mkfs")
    reach = 4
    forms = phrases(
        r"ntfsresize v(?P<ntfsprogs_version>\d[\w.]{2,20}) \(libntfs(?:-3g| [\d:]{1,12})?\)",
        r"Device name +: (?P<device>/\S{1,80})",
        r"NTFS volume version(?:: | is )(?P<ntfs_version>\d\.\d)\.?",
        rf"Cluster size +: (?P<cluster_size>{_N}) bytes",
        rf"Current volume size: (?P<size>{_N}) bytes \({_N} MB\)",
        rf"Current device size: (?P<device_size>{_N}) bytes \({_N} MB\)",
        rf"New volume size +: (?P<new_size>{_N}) bytes \({_N} MB\)",
        rf"Space in use +: (?P<used>{_N}) MB \((?P<used_share>\d{{1,3}}\.\d)%\)",
        rf"Needed relocations : (?P<relocated_clusters>{_N}) \((?P<relocated>{_N}) MB\)",
        rf"You might resize at (?P<least_size>{_N}) bytes (?:or {_N} MB )?"
        r"\(freeing (?P<freed>\d{1,12} MB|\d{1,19} bytes)\)\.",
        *(
            rf"{re.escape(text)} *: +(?P<{name}_last_used>{_N}) MB +(?P<{name}_inode>{_N})"
            for text, name in _FEATURES
        ),
        r"NTFS partition (?P<partition>/\S{1,80}) was processed successfully\.",
        rf"Cluster size has been automatically set to (?P<set_cluster_size>{_N}) bytes\.",
        rf"Filesystem check failed! Totally (?P<cluster_mismatches>{_N}) cluster accounting "
        r"mismatches\.",
        rf"Cluster accounting failed at (?P<failed_cluster>{_N}) \(0x[\da-f]{{1,16}}\): "
        r"(?:missing|extra) cluster in \$Bitmap",
    )
    states = (
        ("was processed successfully", "state", "processed"),
        ("The read-only test run ended successfully", "state", "the test run succeeded"),
        ("Successfully resized NTFS on device", "state", "resized"),
        ("Nothing to do: NTFS volume size is already OK", "state", "nothing to do"),
        ("mkntfs completed successfully", "state", "made"),
        ("The disk contains an unclean file system", "dirty", True),
        ("Windows is hibernated, refused to mount", "hibernated", True),
        ("Metadata kept in Windows cache, refused to mount", "windows_cache_kept", True),
        ("Volume is corrupt. You should run chkdsk", "state", "corrupt"),
        ("NTFS is inconsistent. Run chkdsk", "state", "inconsistent"),
        ("Volume is scheduled for check", "state", "scheduled for chkdsk"),
        ("Going to empty the journal ($LogFile)... OK", "journal_emptied", True),
    )
    others = re.compile(
        r"\s*+(?:Checking (?:filesystem|the alternate|for bad)|\d{1,3}\.\d\d percent completed"
        r"|Accounting clusters|Collecting |Estimating |File feature|Please make a test|Mounting vol"
        r"|Metadata kept|FAILED|OK$|Attempting to correct|Process|Reading |Comparing |Setting "
        r"|Going to empty|Schedule chkdsk|Resetting |Relocating |Updating |The read-only test"
        r"|Syncing device|Successfully resized|You can go on|to shrink|defined|The disk contains"
        r"|WARNING: Every sanity|safe|The partition start sector|Windows (?:is|will)|Initializ"
        r"|Creating NTFS|mkntfs completed|It has been|obtained automatically|To boot|The number of"
        r"|Nothing to do|Are you sure|Volume is|ERROR(?:\(\d{1,3}\))?: |Remount|Cleaning|Fix|Fuse"
        r"|Setting the volume|Clearing|Correcting|Found |No need|The startup data|Please |Warning"
        r"|and try|Any |shutdown|partition start|filesystem|Cluster accounting|The NTFS |NTFS is "
        r"|Unmounted|Success|Run chkdsk|turned off|fast restart)"
    )
    scales: ClassVar[Mapping[str, int]] = {
        "used": _MB, "relocated": _MB, **{f"{name}_last_used": _MB for _, name in _FEATURES},
    }  # fmt: skip
    texts = frozenset({"ntfs_version", "freed"})
    repeated = frozenset({"failed_cluster"})

    @override
    def put_more(self, values: dict[str, Scalar]) -> None:
        freed = values.get("freed")
        if isinstance(freed, str):
            amount, unit = freed.split()
            values["freed"] = int(amount) * (_MB if unit == "MB" else 1)
        if partition := values.pop("partition", ""):
            values.setdefault("device", partition)
