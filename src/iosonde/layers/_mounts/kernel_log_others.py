"""What the kernel's log says of the file systems that few hosts write to, and of images.

JFS, ReiserFS, NILFS, bcachefs, HFS, UDF, ISO 9660, SquashFS and EROFS. That a medium cannot be
identified is no damage: the kernel tries one type after the other.

Source: Linux 6.12 fs/jfs/super.c, jfs_error(); fs/nilfs2/super.c, __nilfs_error() and
    __nilfs_msg(); fs/bcachefs/bcachefs.h, bch2_log_msg(), error.c and io_read.c;
    fs/hfsplus/hfsplus_fs.h, pr_fmt(); fs/udf/super.c, _udf_err() and _udf_warn();
    fs/isofs/inode.c, isofs_fill_super();
    fs/squashfs/squashfs.h, ERROR(); fs/erofs/super.c, _erofs_err() (newer "erofs (device x): ");
    fs/reiserfs/prints.c, __reiserfs_error() and __reiserfs_warning(); fs/overlayfs/overlayfs.h.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage
from iosonde.layers._mounts.kernel_log import filesystem_messages

_DEVICE = r"(?P<name>[\w!:.-]{1,40})"
_ON = rf"\(device {_DEVICE}\): "

MESSAGES = (
    KernelMessage(
        "remounting filesystem as read-only", rf"ERROR: {_ON}remounting filesystem as read-only",
        "filesystem", "read_only_remounts", "damage",
    ),
    KernelMessage(
        "ERROR: (device ", rf"ERROR: {_ON}(?P<failures>\w{{3,60}}: .{{2,120}})", "filesystem",
        "filesystem_errors", "damage",
    ),
    *filesystem_messages(
        "REISERFS ", rf"REISERFS (?P<levels>error|abort|panic|warning) {_ON}",
        ("filesystem_errors", r"(?:vs|zam|jdm|nikita|pap)-\d{1,6}.{2,120}"),
        ("read_only_remounts", r"Remounting filesystem read-only|Journal write error.{0,60}"),
    ),
    KernelMessage(
        "NILFS error (device", rf"NILFS error {_ON}(?P<failures>\S.{{2,120}})", "filesystem",
        "filesystem_errors", "damage",
    ),
    *filesystem_messages(
        "NILFS (", rf"NILFS \({_DEVICE}\): ",
        ("read_only_remounts", r"Remounting filesystem read-only"),
        ("transfer_errors", r"I/O error.{0,100}"),
    ),
    *filesystem_messages(
        "bcachefs (",
        rf"bcachefs \({_DEVICE}(?: (?:sector|inum) [^()]{{1,60}})?\): (?:\w{{3,60}}\(\):? )?",
        ("read_only_remounts", r".{0,40}emergency read.only.{0,60}"),
        ("filesystem_errors", r"(?!.{0,60}opts=).{0,60}(?:checksum error|corrupt|inconsisten)"
         r".{0,80}"),
        ("transfer_errors", r"(?!.{0,60}opts=).{0,60}(?:IO errors?|(?:read|write) error)\b.{0,80}"),
        ("failed_mounts", r"error (?:starting|opening|mounting|in recovery).{0,80}"),
        ("mounts", r"(?:starting version|mounting version|mounted version) .{1,160}"),
    ),
    *(
        message
        for literal in ("hfs: ", "hfsplus: ")
        for message in filesystem_messages(
            literal, literal,
            ("unclean_mounts_of_hfs", r"[Ff]ilesystem (?:was not cleanly|is marked).{0,100}"),
            ("hfs_errors", r"(?:request for non-existent node|inconsistency in B\*Tree"
             r"|.{0,40}[Cc]orrupt|bad catalog|invalid).{0,100}"),
            kind="host",
        )
    ),
    KernelMessage(
        "UDF-fs: ", rf"UDF-fs: (?:error|warning) {_ON}(?P<notices>\S.{{1,160}})", "filesystem",
        "other_messages",
    ),
    KernelMessage(
        "isofs_fill_super: bread failed, dev=",
        rf"isofs_fill_super: bread failed, dev={_DEVICE}, iso_blknum=\d{{1,12}}, "
        r"block=(?P<blocks>-?\d{1,12})", "filesystem", "failed_mounts",
    ),
    KernelMessage(
        "ISOFS: ", r"ISOFS: (?P<notices>[A-Za-z].{2,120})", "host", "isofs_messages",
    ),
    *filesystem_messages(
        "SQUASHFS error: ", r"SQUASHFS error: ",
        ("squashfs_errors", r"(?:[Uu]nable to read (?!superblock)|[Ff]ailed to read block"
         r"|\w{2,5} decompression failed|Filesystem corrupt).{0,120}"),
        kind="host",
    ),
    *(
        message
        for literal in ("erofs: (device ", "erofs (device ")
        for message in filesystem_messages(
            literal, rf"erofs:? {_ON}",
            ("mounts", r"mounted with .{2,120}"),
            ("filesystem_errors", r"\w{3,60}: (?:failed to (?:decompress|read)|.{0,60}corrupt"
             r"|bogus |invalid (?:checksum|lz4|logical)|unexpected).{0,120}"),
            ("failed_mounts", r"\w{3,60}: (?:cannot find valid|unidentified|blkszbits).{0,100}"),
        )
    ),
    KernelMessage(
        "overlayfs: ", r"overlayfs: (?P<notices>[a-z].{2,160})", "host", "overlayfs_messages",
    ),
)  # fmt: skip
