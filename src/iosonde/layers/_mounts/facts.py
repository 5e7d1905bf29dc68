"""Mounts as states: what /etc/fstab, mount, findmnt and a mount command have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from iosonde.layers import FSTYPES, MOUNTS
from iosonde.layers._mounts.options import options_of
from iosonde.layers._mounts.traits import CarriedContent
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar

MountValues: TypeAlias = Callable[[str, str, Mapping[str, Scalar]], dict[str, Scalar]]
"""Type, source and options of a mount → what they say of it."""

STORAGE = frozenset({
    *FSTYPES, "ceph", "cifs", "exfat", "f2fs", "gfs2", "glusterfs", "jfs", "nilfs2", "ntfs",
    "ntfs3", "ocfs2", "reiserfs", "smb3", "swap", "vfat", "zfs",
})  # fmt: skip
SERVED = frozenset({"ceph", "glusterfs", "juicefs", "mergerfs", "s3fs", "sshfs"})
"""File systems that store and are served by a program: types `fuse.glusterfs` and the like."""
TYPES = STORAGE | {
    "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts",
    "devtmpfs", "efivarfs", "fuse", "fuseblk", "fusectl", "hostfs", "hugetlbfs", "iso9660",
    "mqueue", "nfsd", "overlay", "proc", "pstore", "ramfs", "rootfs", "rpc_pipefs", "securityfs",
    "selinuxfs", "squashfs", "sysfs", "tmpfs", "tracefs", "udf", "usbfs",
}  # fmt: skip
_OF_SERVICES = frozenset({
    "fuse.gvfsd-fuse", "fuse.lxcfs", "fuse.portal", "fuse.vmware-vmblk",
})  # fmt: skip
"""What desktops and containers show through FUSE, and store nowhere."""
REMOTE = next(iter(MOUNTS))
"""The type of a mount of HOST:/FOLDER whose type is not said (mount(8), libmount)."""
OPTIONS = r"[A-Za-z][\w=,.:/%@+~\[\]{}*-]*"
"""What a list of mount options may hold."""
_MARKS = re.compile(r"^[\s`*|•-]*(?=[/\w<\"])")


def unmarked(line: str) -> str:
    """A line without what makes it an item of a list or a cell."""
    return _MARKS.sub("", line.strip()).rstrip("`| \\")


def base_of(fstype: str) -> str:
    """The file system of a type: of `fuse.glusterfs` what the program serves."""
    base, _, served = fstype.partition(".")
    return served if base == "fuse" and served in SERVED else base


def subject(source: str, point: str, fstype: str, options: str) -> PrintedSubject | None:
    """A mount as a state; None for file systems that store nothing.

    What a program serves that is not known by itself is of kind "fuse", with its type.
    """
    base, named = base_of(fstype), options_of(options.split(","))
    if base in {"fuse", "fuseblk"} and fstype not in _OF_SERVICES:
        return PrintedSubject("fuse", point, {"device": source, "fstype": fstype, **named})
    if base not in STORAGE | SERVED:
        return None
    name = source.removeprefix("/dev/") if base == "swap" else point
    values: dict[str, Scalar] = {"device": source, **named}
    if base in MOUNTS:
        values |= MOUNTS.load(base)(base, source, named)
    if printed_kind(base) != fstype:
        values["type"] = fstype  # nfs4, fuse.glusterfs
    return PrintedSubject(printed_kind(base), name, values)


def printed_kind(fstype: str) -> str:
    """What a mount of this type is called: a local one by its type."""
    return FSTYPES[fstype] if fstype in MOUNTS else fstype


SWAP_SPACE = CarriedContent(
    what="is swap space",
    instead="there are no files on it; look for the right device in `lsblk -f`",
)
