"""What zfs and zpool answer when they refuse, and what else is said of a pool in one line.

`cannot destroy 'tank/a': filesystem has children`: the reason is kept as printed, and what is to be
done where it stands in the line below. What a suspended pool refuses is said of the pool.

Source: OpenZFS 2.2, lib/libzfs/libzfs_util.c (zfs_verror(): "%s: %s", action and description;
zfs_common_error() and zpool_common_error(): EAGAIN is "pool I/O is currently suspended"),
lib/libzfs/libzfs_dataset.c, libzfs_pool.c and libzfs_sendrecv.c (the actions, "cannot %s '%s'" and
"cannot receive …"; "destination '%s' exists", below it "must specify -F to overwrite it";
zpool_get_errlog()); TrueNAS 24.10, src/middlewared/middlewared/alert/source/volume_status.py,
VolumeStatusAlertClass. Other programs say `cannot import 'x': …` too: without a command of ZFS
above only what is received or suspended, and alerts.
"""

from __future__ import annotations

import re
from dataclasses import replace

from typing_extensions import override

from iosonde.layers.zfs.facts import STATES, SUSPENDED
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
_DEVICE = re.compile(
    r"\s*cannot (?P<verb>attach|clear errors for|degrade|detach|expand|fault|initialize|offline"
    rf"|online|remove|replace|split|trim) (?P<name>{_NAME})(?: (?:to|with) (?P<other>{_NAME}))?: "
    r"(?P<reason>\S.{2,200}?)\s*$"
)
"""What is refused of a device of a pool, whose name stands without quotes."""
_RECEIVED = re.compile(
    r"\s*cannot receive(?: (?:new|incremental|full|resume)(?: filesystem)?)?(?: stream)?: "
    r"(?P<reason>\S.{2,200}?)\s*$"
)
_WHAT = re.compile(r"(?:destination|dataset) '?(?P<name>[A-Za-z][\w.:%@/-]{0,255})'? ")
_ADVICE = re.compile(
    r"\s*(?P<advice>(?:must (?:specify|destroy)|use '?-[^.!?\s]{1,60})"
    r"(?: [^.!?\s]{1,60}){1,12})[:.]?\s*$"
)
_POOL = r"(?P<pool>[A-Za-z][\w.:-]{0,80})"
_SUSPENDED = re.compile(
    rf".{{0,120}}?\b(?:cannot|could not|unable to) "
    rf"(?P<refused>[a-z]{{3,20}}(?: [a-z]{{2,20}}){{0,3}}) "
    rf"'{_POOL}(?:[/@#][^']{{0,200}})?': {SUSPENDED}"
)
_NAMELESS = re.compile(rf"\s{{0,20}}errors: List of errors unavailable: {SUSPENDED}\.?$")
_ALERT = re.compile(
    rf"[^A-Za-z\d]{{0,12}}Pool '?{_POOL}'? state is (?P<state>{'|'.join(STATES)}): "
    r"(?P<status>\S.{10,400})"
)
_OF_DEVICES = frozenset({
    "attach", "degrade", "detach", "expand", "fault", "offline", "online", "remove", "replace",
})  # fmt: skip
_MOST = 60


class ZfsAnswers(StateOutput):
    tool = "zfs"
    answers = True
    anchors = (
        "cannot receive new filesystem stream: ", "cannot receive incremental stream: ",
        "cannot receive: ", "cannot receive resume stream: ", "cannot destroy '", "cannot import '",
        "cannot export '", "cannot create '", "cannot mount '", "cannot unmount '",
        "cannot open '", "cannot replace '",
        "cannot rename '", "cannot rollback to '", "cannot send '",
        "cannot set property for '", "cannot create snapshot '", "cannot add to '",
        "cannot clone '", "cannot promote '",
        "cannot attach ", "cannot clear errors for ", "cannot degrade ", "cannot detach ",
        "cannot expand ", "cannot fault ", "cannot initialize ", "cannot offline ",
        "cannot online ", "cannot remove ", "cannot replace ", "cannot trim ",
        "cannot hold '", "cannot scrub '", "cannot share '", "cannot upgrade '",
        SUSPENDED, *(f" state is {state}: " for state in STATES[:7]),
    )  # fmt: skip
    commands = ("zfs", "zpool")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _of_pool(line):
            return cursor.at
        if not _answer(cursor, cursor.at):
            return None
        _, prompt = command_before(cursor, cursor.at, self.commands, reach=self.reach)
        return cursor.at if prompt.command or _RECEIVED.match(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        answers, last = close_messages(cursor, first, _answer, _MOST, apart=0)
        return last, [replace(answer, host=prompt.host) for answer in answers]


def _kind(name: str, values: dict[str, Scalar]) -> str:
    """A dataset, or a pool; what is refused of a device stands under its name."""
    if values["failed"] in _OF_DEVICES:
        return "zpool_device"
    return "dataset" if "/" in name or "@" in name else "zpool"


def _answer(cursor: TextCursor, index: int) -> tuple[PrintedSubject, int] | None:
    """What is refused, and why, or what is said of a pool; index of the last line that says so."""
    line = cursor.line(index)
    if pool := _of_pool(line):
        return pool, index
    match = _REFUSED.match(line) or _DEVICE.match(line) or _RECEIVED.match(line)
    if match is None or prompt_in(line):
        return None
    groups = match.groupdict()
    reason = groups["reason"].rstrip(".")
    what = _WHAT.match(reason)
    values: dict[str, Scalar] = {"failed": groups.get("verb") or "receive", "reason": reason}
    below = index + 1 if cursor.line(index + 1) else index + 2
    advice = None if prompt_in(cursor.line(below)) else _ADVICE.match(cursor.line(below))
    if advice:
        values["advice"] = advice["advice"].rstrip(":.")
    if other := groups.get("other"):
        values["other_device"] = other
    name = groups.get("name") or (what["name"] if what else "")
    return PrintedSubject(_kind(name, values), name, values), below if advice else index


def _of_pool(line: str) -> PrintedSubject | None:
    """That a pool is suspended, or in the state of which an alert tells."""
    if SUSPENDED in line:
        if match := _SUSPENDED.match(line):
            facts = {"errors": SUSPENDED, "refused": match["refused"]}
            return PrintedSubject("zpool", match["pool"], facts)
        return PrintedSubject("zpool", "", {"errors": SUSPENDED}) if _NAMELESS.match(line) else None
    if match := _ALERT.match(line):
        return PrintedSubject(
            "zpool", match["pool"], {"state": match["state"], "status": match["status"].strip()}
        )
    return None
