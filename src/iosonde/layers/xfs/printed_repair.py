"""xfs_repair: how far it came, and what it stopped at.

Source: xfsprogs 6.1, repair/xfs_repair.c ("Phase %d - …", "done"), repair/phase2.c (the log that
must be replayed), repair/sb.c, libxfs/util.c and repair/globals.c (do_error: "fatal error -- %s").
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_PHASE = re.compile(r"\s*Phase ([1-7]) - ([a-z][\w ,'()-]{3,80}?)(?:\.\.\.)?\s*$")
_OWN = re.compile(
    r"\s*(?:- |Phase \d|done\b|ERROR: |fatal error|superblock read failed|bad |resetting |clearing "
    r"|rebuilding |found |correcting |Metadata |Inode |entry |attempting |Log |Maximum |destroy"
    r"|\.{3,}|be replayed|re-running|the -L option|Note that|of the filesystem|reinitializing )"
)
_DONE = re.compile(r"\s*done\s*$")
_READ = re.compile(
    r"superblock read failed, offset (?P<offset>\d{1,19}), size \d{1,12}, ag (?P<ag>\d{1,9})"
)
_FATAL = re.compile(r"fatal error -- ([A-Z][\w' /,()-]{2,120})")
_LOG = "The filesystem has valuable metadata changes in a log which needs to be replayed"
_DEVICE = re.compile(r"xfs_repair\s+(?:-\S+ )*(?:/dev/)?(?P<name>[\w/.-]+)\s*$")


class XfsRepair(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "xfs_repair"
    anchors: ClassVar[tuple[str, ...]] = ("Phase 1 - find", "Phase 2 - ")
    commands: ClassVar[tuple[str, ...]] = ("xfs_repair",)
    reach: ClassVar[int] = 3
    beginning: ClassVar[re.Pattern[str]] = _PHASE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, values = first, dict[str, Scalar]()
        for index, line in lines(cursor, first, 2000):
            if not line:
                continue
            if index > last + 4 or prompt_in(line) or not _OWN.match(line):
                break
            if phase := _PHASE.match(line):
                values["repair_phase"] = f"Phase {phase[1]} - {phase[2]}"
            last = index
            if _DONE.match(line):
                values["repaired"] = True
                break
        text = flow(cursor, first, last)
        if read := _READ.search(text):
            values |= {"failed_offset": int(read["offset"]), "failed_group": int(read["ag"])}
        if fatal := _FATAL.search(text):
            values["repair_error"] = fatal[1].strip()
        elif _LOG in text:
            values["repair_error"] = _LOG
        device = _DEVICE.search(prompt.command)
        return last, [PrintedSubject("xfs", device["name"] if device else "", values, prompt.host)]
