"""`mdadm --detail --scan`, `--examine --scan` and mdadm.conf: one line an array, in any text.

Source: mdadm 4.3, Detail.c and super1.c (brief_examine_super1: "ARRAY %s  level=%s metadata=%s
num-devices=%d UUID=…"), mdadm.conf(5): lines of other keywords are settings of mdadm itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import StateOutput, entries, top_of

_ARRAY = re.compile(
    r"\s*(?:INACTIVE-)?ARRAY(?: (?P<device>/dev/\S{1,60}|<ignore>))?"
    r"(?P<pairs>(?:\s+[\w-]{2,20}=[^\s=]{1,2000})+)\s*$"
)
_PAIR = re.compile(r"([\w-]{2,20})=(\S{1,2000})")
_MORE = re.compile(r"\s*(?:[\w-]{2,20}=[^\s=]{1,2000}(?:\s+|$))+$")
_KEYWORD = re.compile(
    r"\s*(?P<key>DEVICE|CREATE|HOMEHOST|HOMECLUSTER|MAILADDR|MAILFROM|PROGRAM|AUTO|POLICY"
    r"|PART-POLICY|SYSFS|MONITORDELAY)\s+(?P<value>\S.{0,400}?)\s*$"
)
_SURE = re.compile(
    r"\s*(?:DEVICE (?:partitions|containers)\b|CREATE (?:owner|group|mode|auto)="
    r"|HOMEHOST <(?:system|none|ignore)>)"
)
"""Lines of mdadm.conf that stand in no other text."""
_NAMES = {
    "level": "level", "num-devices": "raid_disks", "metadata": "metadata", "spares": "spares",
    "name": "array_name", "UUID": "uuid", "container": "container", "bitmap": "bitmap",
    "member": "member", "devices": "devices",
}  # fmt: skip
_NEAR = 6  # lines
_COUNTS = frozenset({"num-devices", "spares", "member"})
_COUNT = re.compile(r"\d{1,9}(?=[:,]?$)")
"""A colon or comma may stand behind it: mdadm.conf's are typed by hand."""
_UUID = re.compile(r"[0-9a-f]{8}(?::[0-9a-f]{8}){3}")


class MdadmScan(StateOutput):
    tool = "mdadm --scan"
    anchors = (
        "ARRAY /dev/", "ARRAY <ignore>", "ARRAY metadata=", "ARRAY container=", "ARRAY UUID=",
        "ARRAY level=", "DEVICE partitions", "DEVICE containers", "DEVICE /dev/", "HOMEHOST <",
        "CREATE owner=", "MAILADDR ",
    )  # fmt: skip
    commands = ("mdadm", "cat", "grep")
    reach = 3
    nothing = "its lines are broken"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        near = (
            *cursor.block(max(cursor.at - _NEAR, 0), _NEAR),
            *cursor.block(cursor.at + 1, _NEAR),
        )
        is_setting = _SURE.match(line) or (_KEYWORD.match(line) and any(map(_SURE.match, near)))
        if not is_setting and not _array(cursor, cursor.at):
            return None
        first = top_of(
            cursor, lambda above: _KEYWORD.match(above) or above.startswith("#"), most=40
        )
        while first < cursor.at and not _KEYWORD.match(cursor.line(first)):
            first += 1  # a comment of somebody else's
        return first

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        settings: dict[str, Scalar] = {}

        def entry(
            cursor: TextCursor, index: int
        ) -> tuple[tuple[str, dict[str, Scalar]], int] | None:
            """An array, or a line of another keyword, which is taken aside."""
            line = cursor.line(index)
            if (setting := _KEYWORD.match(line)) and not prompt_in(line):
                key, value = setting["key"].lower().replace("-", "_"), setting["value"]
                settings[key] = f"{settings[key]} {value}" if key in settings else value
                return ("", {}), index
            return _array(cursor, index)

        comment = "#" if _KEYWORD.match(cursor.line(first)) else ""
        arrays, last = entries(cursor, first, entry, gap=1, comment=comment)
        config = [PrintedSubject("md_config", "mdadm.conf", settings, prompt.host)]
        return last, [
            *(config if settings else ()),
            *(PrintedSubject("md", name, values, prompt.host) for name, values in arrays if name),
        ]


def _array(cursor: TextCursor, index: int) -> tuple[tuple[str, dict[str, Scalar]], int] | None:
    """The array that begins in a line, and the index of its last one."""
    text, last = cursor.line(index), index
    if not text.lstrip().startswith(("ARRAY ", "INACTIVE-ARRAY ")):
        return None
    while last < index + 2 and _MORE.match(following := cursor.line(last + 1)):
        text, last = f"{text} {following.strip()}", last + 1
    match = _ARRAY.match(text)
    if match is None:
        return None
    pairs = dict(_PAIR.findall(match["pairs"]))
    if "=3D" in text or ("UUID" in pairs and not _UUID.fullmatch(pairs["UUID"])):
        return None
    values: dict[str, Scalar] = {
        _NAMES[key]: int(count[0]) if key in _COUNTS and (count := _COUNT.match(value)) else value
        for key, value in pairs.items() if key in _NAMES
    }  # fmt: skip
    device = match["device"] or pairs.get("UUID", "")
    name = device.removeprefix("/dev/") if device != "<ignore>" else ""
    return (name, values), last
