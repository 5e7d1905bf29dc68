"""`dmsetup deps`, `dmsetup targets` and the answers of `dmraid -ay` and `-an`.

Source: LVM2 2.03, libdm/dm-tools/dmsetup.c, _deps() ("%s: ", "%d dependencies", a tab
and a colon, then " (%d, %d)" or " (%s)"; a device that was named has no name there) and _targets();
dmraid 1.0.0.rc16, lib/activate/activate.c ("RAID set NAME already active", "was activated",
"was not activated", "was deactivated", "is not active").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before
from iosonde.text.reader import Items, StateOutput, close_rows, top_of

_DEPS = re.compile(
    r"\s*(?:(?P<name>[\w.+-]{1,120}): )?(?P<count>\d{1,4}) dependencies\s*:"
    r"(?P<below>(?: \([^()]{1,120}\)){0,256})\s*$"
)
_BELOW = re.compile(r"\((?:(?P<major>\d{1,4}), ?(?P<minor>\d{1,7})|(?P<device>[^()]{1,120}))\)")
_TARGET = re.compile(r"\s*(?P<name>[a-z][\w-]{1,30}) +v(?P<version>\d{1,3}\.\d{1,3}\.\d{1,3})\s*$")
_SET = re.compile(
    r"\s*(?:ERROR: )?RAID set \"(?P<name>[^\"]{1,80})\" (?P<state>already active|was activated"
    r"|was not activated|was deactivated|is not active)\s*$"
)
_ACTIVE = frozenset({"already active", "was activated"})


class DmsetupDeps(StateOutput):
    tool = "dmsetup deps"
    anchors = (" dependencies\t:", " dependencies :", " dependencies  :")
    commands = ("dmsetup",)
    reach = 3
    nothing = "not as many devices follow as it counts"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of(cursor, _DEPS.match) if _DEPS.match(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects = list[PrintedSubject]()
        rows, last = close_rows(cursor, first, _DEPS.match)
        for row in rows:
            below = [
                each["device"] or f"{each['major']}:{each['minor']}"
                for each in _BELOW.finditer(row["below"])
            ]
            name = row["name"] or _asked(prompt.command)
            if name and len(below) == int(row["count"]):
                values: dict[str, Scalar] = {"stands_on": " ".join(below)}
                subjects.append(PrintedSubject("dm", name, values, prompt.host))
        return last, subjects


def _asked(command: str) -> str:
    """The device that the command names last."""
    asked = re.search(
        r"\bdeps (?:-\S{1,20} |devname |devno |blkdevname )*(/dev/mapper/)?([\w.+-]+)$", command
    )
    return asked[2] if asked else ""


class DmsetupTargets(StateOutput):
    tool = "dmsetup targets"
    anchors = ("linear           v", "striped          v", "error            v")
    commands = ("dmsetup",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _TARGET.match(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, _TARGET.match)
        command = command_before(cursor, first, self.commands, reach=self.reach)[1].command
        return first if " targets" in command else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first, _TARGET.match)
        values: dict[str, Scalar] = {f"dm_target.{row['name']}": row["version"] for row in rows}
        return last, [PrintedSubject("host", "", values, prompt.host)]


class DmraidAnswers(StateOutput):
    tool = "dmraid answers"
    answers = True
    anchors = ('RAID set "',)
    commands = ("dmraid",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of(cursor, _SET.match) if _SET.match(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first, _SET.match)
        sets = {row["name"]: row["state"] in _ACTIVE for row in rows}
        return last, [
            PrintedSubject("dmraid", name, {"active": active}, prompt.host)
            for name, active in sets.items()
        ]
