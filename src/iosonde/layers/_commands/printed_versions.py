"""Which version a storage tool says it is: `mdadm --version`, `btrfs --version`, `zfs version`.

Source: mdadm 4.2, ReadMe.c (Version); btrfs-progs 6.2, btrfs.c (cmd_version); OpenZFS 2.2,
zfs_main.c, zfs_do_version(); LVM2 2.03.16, tools/toollib.c, version(); e2fsprogs 1.47, mke2fs -V;
xfsprogs 6.1, mkfs.xfs -V; nvme-cli 2.3, plugin.c; drbd-utils 9.22, drbdadm --version;
open-iscsi 2.1, iscsiadm.c; quota-tools 4.09, common.c, version(); each line as a whole.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_V = r"(?P<version>\d{1,5}(?:\.\d{1,5}){1,3}[\w.+~()/-]{0,40})"
_FORMS = tuple((tool, re.compile(rf"\s*{pattern}\s*$")) for tool, pattern in (
    ("btrfs-progs", rf"btrfs-progs v{_V}"),
    ("drbd-utils", r"DRBDADM_VERSION=(?P<version>\d[\d.]{2,20})"),
    ("drbd", r"DRBD_KERNEL_VERSION=(?P<version>\d[\d.]{2,20})"),
    ("e2fsprogs", rf"(?:mke2fs|tune2fs|e2fsck|dumpe2fs|resize2fs) {_V} \([\w-]{{10,11}}\)"),
    ("libdevmapper", rf"Library version:\s+{_V} \(\d{{4}}-\d\d-\d\d\)"),
    ("dm-driver", r"Driver version:\s+(?P<version>\d{1,3}\.\d{1,3}\.\d{1,3})"),
    ("lvm2", rf"LVM version:\s+{_V} \(\d{{4}}-\d\d-\d\d\)"),
    ("mdadm", rf"mdadm - v{_V} - .{{4,60}}"),
    ("nvme-cli", rf"nvme version {_V}(?: \(git.{{0,60}}\))?"),
    ("open-iscsi", rf"iscsiadm version {_V}"),
    ("quota", r"Quota utilities version "
     r"(?P<version>\d{1,3}(?:\.\d{1,4}){1,3}(?:-\w{1,10})?)\.?"),
    ("xfsprogs", rf"(?:mkfs\.xfs|xfs_repair|xfs_info|xfs_growfs|xfs_db) version {_V}"),
    ("zfs", rf"zfs-{_V}"),
    ("zfs-kmod", rf"zfs-kmod-{_V}"),
))  # fmt: skip
_HEADED = {
    "btrfs-progs": re.compile(
        r"(?:leaf|node) \d|[a-z ]{2,30} tree(?: key|$)|See http|Label:|parent transid verify"
        r"|checksum verify|bad tree block|bytenr mismatch|Super(?:block thinks| think's)|Well block"
    ),
    "e2fsprogs": re.compile(r"(?!Using EXT2FS)"),
}  # fmt: skip
"""What follows where the version is the first line of another output, which keeps it."""
_FEATURES = re.compile(r"\s*(?:[-+][A-Z\d]{3,20} ){2,}")
"""`btrfs --version` since 6.5: what it was built with."""
_MOST = 8


class ToolVersions(StateOutput):
    tool = "tool versions"
    anchors = (
        "btrfs-progs v", "DRBDADM_VERSION=", "DRBD_KERNEL_VERSION=", "2fs 1.", "e2fsck 1.",
        "LVM version:", "mdadm - v", "nvme version ", "iscsiadm version ", " version ", "zfs-",
    )  # fmt: skip
    commands = (
        "btrfs", "drbdadm", "mke2fs", "tune2fs", "e2fsck", "resize2fs", "lvm", "lvs", "pvs", "vgs",
        "lvcreate", "mdadm", "nvme", "iscsiadm", "mkfs.xfs", "xfs_repair", "xfs_info", "zfs",
        "zpool",
    )  # fmt: skip
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        said = _version(cursor.line(cursor.at))
        below = cursor.line(cursor.at + 1).strip()
        if said is None:
            return None
        headed = _HEADED.get(said[0])
        is_head = headed and below and headed.match(below) and not prompt_in(below)
        return None if is_head else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        versions: dict[str, Scalar] = {}
        last = first
        for index, line in close_lines(cursor, first, _MOST):
            said = _version(line)
            if index > first and _FEATURES.match(f"{line} "):
                versions["btrfs_progs_features"], last = line.strip(), index
                continue
            if said is None or said[0] in versions or (index > first and prompt_in(line)):
                break
            versions[said[0]] = said[1]
            if said[0] == "btrfs-progs":
                versions["btrfs_progs"] = f"v{said[1]}"  # as it is printed
            last = index
        return last, [PrintedSubject("host", "", versions, prompt.host)]


def _version(line: str) -> tuple[str, str] | None:
    """The package of the tool that a line is of, and its version."""
    for tool, form in _FORMS:
        if match := form.match(line):
            return tool, match["version"]
    return None
