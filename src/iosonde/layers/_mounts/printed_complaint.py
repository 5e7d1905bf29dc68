"""What mount says where it fails: mount(8) of util-linux and busybox, mount.nfs, mount.cifs.

Source: util-linux 2.38, sys-utils/mount.c and libmount/src/context_mount.c (mnt_context_get_mount_
excode: "%s: mount(2) system call failed: %m"; older ones "mount %s on %s failed: %m"); nfs-utils
2.6.2, utils/mount/error.c; busybox 1.36, util-linux/mount.c; cifs-utils 7.0, mount.cifs.c.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, first_match

_WHY = (
    r"wrong fs type, bad option|can't read superblock|special device \S+ does not exist"
    r"|unknown filesystem type|mount point does not exist|mount point is not a directory"
    r"|\S+ (?:is )?already mounted|must be superuser|permission denied|only root can"
    r"|can't find (?:\S{1,200} )?in /etc/|you must specify the filesystem type"
    r"|according to mtab, "
    r"|block device \S+ is write-protected|mount point \S+ (?:does not exist|is not a directory)"
    r"|cannot (?:mount|remount)|mount\(2\) system call failed"
    r"|fsconfig\(?\)? (?:system call )?failed"
    r"|bad (?:usage|option)|no medium found|\S+ is (?:write-protected|not a block device)"
)
_FORMS = (
    re.compile(r"mount: (?P<error>(?P<file>/[^\s:]{1,200}): "
               r"parse error at line (?P<line>\d{1,9}) -- ignored)$"),
    re.compile(rf"mount: (?P<point>/[^\s:]*):? (?P<error>(?:{_WHY}).{{0,240}})$"),
    re.compile(r"mount: (?:mount|mounting) (?P<device>\S+) on (?P<point>/\S*) failed: "
               r"(?P<error>[A-Z][\w' ,()-]{2,80})\.?$"),
    re.compile(rf"mount: (?P<error>(?:{_WHY}).{{0,240}})$"),
    re.compile(r"mount\.nfs4?: (?P<error>[A-Za-z(][\w' ,()-]{3,80}"
               r"(?: while mounting (?P<device>\S+))?(?: on (?P<point>/\S*))?)$"),
    re.compile(r"mount error\((?P<number>\d{1,4})\): (?P<error>[A-Z][\w' /-]{2,80})$"),
)  # fmt: skip
_ON = re.compile(r" on (/dev/[\w/.-]+)")
_COMMAND = re.compile(r"\smount\s(?:.*\s)?(?P<device>\S*[/:]\S*)\s+(?P<point>/\S*)\s*$")
_REASON = re.compile(r": ([A-Z][\w' ]{3,60})\.?$")


class MountComplaint(StateOutput):
    tool = "mount's error"
    anchors = (
        "mount: /", "mount: mount ", "mount: mounting ", "mount: wrong fs type",
        "mount: unknown filesystem", "mount: special device", "mount: only root",
        "mount: can't find ", "mount: you must specify", "mount: according to mtab",
        "mount: block device ", "mount: mount point ", "mount: no medium", "mount: cannot ",
        "mount.nfs: ", "mount.nfs4: ", "mount error(",
    )  # fmt: skip
    commands = ("mount", "mount.nfs", "mount.cifs")
    reach = 3
    answers = True

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _complaint(cursor, cursor.at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        match = _complaint(cursor, first)
        if match is None:
            raise Unreadable("it is no complaint")
        asked = _COMMAND.search(f" {prompt.command}")
        parts = {**(asked.groupdict() if asked else {}),
                 **{name: text for name, text in match.groupdict().items() if text}}  # fmt: skip
        values: dict[str, Scalar] = {"mount_error": match["error"].strip()}
        if reason := _REASON.search(match["error"]):
            values["mount_error_reason"] = reason[1]
        device = parts.get("device") or (on[1] if (on := _ON.search(match["error"])) else "")
        if parts.get("file"):
            values |= {"file": parts["file"], "line": int(parts["line"])}
        if device:
            values["device"] = device.strip("'\"").rstrip(".")
        return first, [PrintedSubject("filesystem", parts.get("point") or "", values, prompt.host)]


def _complaint(cursor: TextCursor, index: int) -> re.Match[str] | None:
    line = cursor.line(index).strip()
    return first_match(_FORMS, line)
