"""What zfs and zpool answer when they refuse: `cannot destroy 'tank/a': filesystem has children`.

The reason is kept as printed, and what is to be done where it stands in the line below.

Source: OpenZFS 2.2, lib/libzfs/libzfs_util.c (zfs_verror(): "%s: %s", action and description),
lib/libzfs/libzfs_dataset.c, libzfs_pool.c and libzfs_sendrecv.c (the actions, "cannot %s '%s'" and
"cannot receive …"; "destination '%s' exists", below it "must specify -F to overwrite it").
Other programs say `cannot import 'x': …` too: without a command of ZFS above only what is received.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.zfs.facts import SUSPENDED
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, prompt_in
from iosonde.text.reader import Items, StateOutput, close_messages

_VERB = (
    r"(?:add to|attach|clear errors for|clone|create|create snapshot|create snapshots|destroy"
    r"|destroy snapshots?|detach|discover pools|export|hold|import|initialize|inherit|iterate"
    r" filesystems|label|mount|offline|online|open|promote|rename(?: to)?|release|remove|replace"
    r"|resume|rollback(?: to)?|rewind|scrub|send|set property for|share|split|trim|unmount|unshare"
    r"|upgrade)"
)
_NAME = r"[A-Za-z][\w.:%@/-]{0,255}"
_REFUSED = re.compile(
    rf"\s*(?:warning: )?cannot (?P<verb>{_VERB}) '(?P<name>{_NAME})': (?P<reason>\S.{{2,200}}?)\s*$"
)
_RECEIVED = re.compile(
    r"\s*cannot receive(?: (?:new|incremental|full|resume)(?: filesystem)?)?(?: stream)?: "
    r"(?P<reason>\S.{2,200}?)\s*$"
)
_WHAT = re.compile(r"(?:destination|dataset) '?(?P<name>[A-Za-z][\w.:%@/-]{0,255})'? ")
_ADVICE = re.compile(
    r"\s*(?P<advice>(?:must (?:specify|destroy)|use '?-[^.!?\s]{1,60})"
    r"(?: [^.!?\s]{1,60}){1,12})[:.]?\s*$"
)
_MOST = 60


class ZfsAnswers(StateOutput):
    tool = "zfs"
    answers = True
    anchors = (
        "cannot receive new filesystem stream: ", "cannot receive incremental stream: ",
        "cannot receive: ", "cannot receive resume stream: ", "cannot destroy '", "cannot import '",
        "cannot export '", "cannot create '", "cannot mount '", "cannot unmount '",
        "cannot open '", "cannot attach '", "cannot detach '", "cannot replace '",
        "cannot remove '", "cannot rename '", "cannot rollback to '", "cannot send '",
        "cannot set property for '", "cannot create snapshot '", "cannot add to '",
        "cannot offline '", "cannot online '", "cannot clone '", "cannot promote '",
        "cannot hold '", "cannot scrub '", "cannot share '", "cannot upgrade '",
    )  # fmt: skip
    commands = ("zfs", "zpool")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _answer(cursor, cursor.at):
            return None
        _, prompt = command_before(cursor, cursor.at, self.commands, reach=self.reach)
        is_sure = prompt.command or _RECEIVED.match(cursor.line(cursor.at))
        return cursor.at if is_sure else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        answers, last = close_messages(cursor, first, _answer, _MOST, apart=0)
        return last, [
            PrintedSubject(
                "dataset" if "/" in name or "@" in name else "zpool", name, values, prompt.host
            )
            for name, values in answers
        ]


def _answer(cursor: TextCursor, index: int) -> tuple[tuple[str, dict[str, Scalar]], int] | None:
    """What is refused, and why; index of the last line that says so."""
    line = cursor.line(index)
    match = _REFUSED.match(line) or _RECEIVED.match(line)
    if match is None or SUSPENDED in line or prompt_in(line):
        return None  # what a suspended pool refuses is said of the pool
    groups = match.groupdict()
    reason = groups["reason"].rstrip(".")
    what = _WHAT.match(reason)
    values: dict[str, Scalar] = {"failed": groups.get("verb") or "receive", "reason": reason}
    below = index + 1 if cursor.line(index + 1) else index + 2
    advice = None if prompt_in(cursor.line(below)) else _ADVICE.match(cursor.line(below))
    if advice:
        values["advice"] = advice["advice"].rstrip(":.")
    name = groups.get("name") or (what["name"] if what else "")
    return (name, values), below if advice else index
