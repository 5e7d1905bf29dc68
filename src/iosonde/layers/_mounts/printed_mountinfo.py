"""/proc/PID/mountinfo: mounts with their parents, devices and what of a file system they show.

A mount is read-only where the mount or its file system is, as /proc/mounts says it.

Source: proc_pid_mountinfo(5); Linux 6.1, fs/proc_namespace.c, show_mountinfo() and show_vfsmnt().
"""

from __future__ import annotations

import re
from dataclasses import replace

from typing_extensions import override

from iosonde.layers._mounts.facts import STORAGE, TYPES, subject
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, entries
from iosonde.text.torn import joinings

_LINE = re.compile(
    r"\d{1,7} \d{1,7} (?P<device>\d{1,4}:\d{1,7}) (?P<root>/\S{0,300}|\w{2,8}:\[\d+\]) +"
    r"(?P<point>/\S{0,300}) (?P<options>r[wo](?:,[a-z]\w{2,30})*)"
    r"(?P<propagation>(?: (?:shared|master|propagate_from):\d{1,9}| unbindable){0,3}) - "
    r"(?P<type>[a-z]\w{0,20}(?:\.\w{1,20})?) (?P<source>\S{1,300}) "
    r"(?P<of_all>r[wo](?:,[\w=,.:/@+%~\\-]{0,900})?)"
)
_BEGINS = re.compile(r"\s*\d{1,7} \d{1,7} \d{1,4}:\d{1,7} (?:/|\w)")
_MOST = 6
_WRAPPED = 66  # characters of a line that may go on in the next one


class MountInfo(StateOutput):
    tool = "mountinfo"
    anchors = tuple(f" - {name} " for name in sorted(STORAGE))
    commands = ("cat", "grep", "less", "head", "tail")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first: int | None = None
        for index in range(cursor.at, max(cursor.at - 60, -1), -1):
            line = cursor.line(index)
            if _BEGINS.match(line) and _entry(cursor, index) is not None:
                first = index
            elif not line or (first or cursor.at) - index > _MOST:
                break
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        mounts, last = entries(cursor, first, _entry, most=600)
        return last, [mount for fields in mounts if (mount := _mount(fields)) is not None]


def _entry(cursor: TextCursor, index: int) -> tuple[re.Match[str], int] | None:
    """The mount that begins in a line, and the index of its last line; None where none does."""
    parts: list[str] = []
    best: tuple[re.Match[str], int] | None = None
    for end in range(index, index + _MOST):
        line = cursor.line(end).strip()
        if not line or bool(parts) == bool(_BEGINS.match(line)):
            break
        parts.append(line)
        matches = (match for whole in joinings(parts) if (match := _LINE.fullmatch(whole)))
        match = next((match for match in matches if _is_of_a_type(match)), None)
        if match is not None:
            best = match, end
        if (match is not None and len(line) < _WRAPPED) or (match is None and best is not None):
            break
    return best


def _is_of_a_type(match: re.Match[str]) -> bool:
    return match["type"].partition(".")[0] in TYPES


def _mount(match: re.Match[str]) -> PrintedSubject | None:
    """A mount that stores something, with its device's number and the directory that it shows."""
    access, *own = match["options"].split(",")
    of_all, *others = match["of_all"].split(",")
    options = ["ro" if "ro" in {access, of_all} else "rw", *own, *others]
    joined_options = ",".join(dict.fromkeys(options))
    mount = subject(match["source"], match["point"], match["type"], joined_options)
    if mount is None:
        return None
    values: dict[str, Scalar] = {**mount.values, "device_number": match["device"]}
    if match["root"] != "/":
        values["root"] = match["root"]
    return replace(mount, values=values)
