"""The version of btrfs-progs that some of its commands print above what they say.

Source: btrfs-progs 6.2, cmds/inspect-dump-tree.c (PACKAGE_STRING first), mkfs/main.c ("%s", "See
%s for more information.", "Performing full device TRIM", the note on defaults); the version of a
package begins with "v" (VERSION).
"""

from __future__ import annotations

import re

from iosonde.text.cursor import TextCursor

VERSION = re.compile(r"\s*btrfs-progs (?P<version>v\d{1,4}(?:\.\d{1,5}){1,3}[\w.+~-]{0,40})\s*$")
_SITE = re.compile(r"\s*See https?://\S{4,80} for more information\.\s*$")
_NOTE = re.compile(
    r"\s*(?:Performing full device TRIM .*|WARNING: RAID5/6 support .*"
    r"|to be used besides testing or evaluation\.|NOTE: several default settings have changed .*"
    r"|sure"
    r"|this does not affect your deployments:|- .{3,60} \(-[a-zA-Z] [\w-]{2,30}\))\s*$"
)
_HEADS = ("WARNING: ", "NOTE: ", "See ")
_REACH = 14


def version_above(cursor: TextCursor, first: int) -> dict[str, str]:
    """The version that stands above a line, as printed; nothing where there is none.

    Args:
        cursor: to look at.
        first: index of the output's first line.
    """
    for index in range(first - 1, max(first - 1 - _REACH, -1), -1):
        line = cursor.line(index)
        if match := VERSION.match(line):
            return {"btrfs_progs": match["version"]}
        if line.strip() and not (_SITE.match(line) or _NOTE.match(line)):
            break
    return {}


def warnings_above(cursor: TextCursor, first: int) -> tuple[str, ...]:
    """What mkfs.btrfs warns of above a line, each in one line; the last of them last.

    Args:
        cursor: to look at.
        first: index of the output's first line.
    """
    warnings: list[str] = []
    below: list[str] = []
    for index in range(first - 1, max(first - 1 - _REACH, -1), -1):
        line = cursor.line(index).strip()
        if line and not (_SITE.match(line) or _NOTE.match(line)):
            break
        if line.startswith("WARNING: "):
            warnings.insert(0, " ".join((line, *below)))
        below = [line, *below] if line and not line.startswith(_HEADS) else []
    return tuple(warnings)
