"""Lines of `multipath -v3`: what it learns of each path and each map, and where settings come from.

Source: multipath-tools 0.9, libmultipath/discovery.c (scsi_sysfs_pathinfo(), get_state(),
get_uid(), get_prio(): "%s: vendor = %s", "%s: %s prio = %u"), libmultipath/propsel.c ("%s: %s = %s
%s" with the origin of the setting); sizes are in sectors of 512 bytes.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput

_LINE = re.compile(
    r"\s*(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d{1,9}\.\d{1,9} )?\| (?P<text>\S.{0,300})$"
)
_ATTRIBUTE = re.compile(
    r"(?P<of>[\w.:-]{2,80}): (?P<name>[a-z][\w: ]{1,30}?) ?= (?P<value>\S.{0,160}?)"
    r"(?: \((?P<origin>setting: .{1,60}|internal default|config file default|controller setting|"
    r"multipath\.conf [a-z /]{3,40}|sysfs setting|sysfs|udev|uid_attribute|[a-z. /]{3,40}))?\)?\s*$"
)
_STATED = re.compile(
    r"(?P<of>[\w.:-]{2,80}): (?P<what>blacklisted, .{3,60}|[a-z].{3,80} rejected.{0,60})$"
)
_DISK = re.compile(r"(?:sd[a-z]{1,4}|nvme\d{1,4}(?:c\d{1,3})?n\d{1,4}|dasd[a-z]{1,4}|rbd\d{1,4})")
_MOST = 5000


class MultipathVerbose(StateOutput):
    tool = "multipath -v3"
    anchors = (
        ": mask = 0x", ": dev_t = ", ": path state = ", ": path_checker = ", ": checker timeout",
        " prio = ", ": uid_attribute = ", ": uid = ", ": vendor = ", ": no_path_retry = ",
        ": pgfailback = ", ": path_selector = ", ": features = ",
    )  # fmt: skip
    commands = ("multipath", "multipathd")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _said(cursor, cursor.at):
            return None
        first = cursor.at
        while first > 0 and _said(cursor, first - 1):
            first -= 1
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: dict[str, dict[str, Scalar]] = {}
        last = first
        for index in range(first, first + _MOST):
            line = cursor.stamped(index)
            if index > last + 2:
                break
            text = _said(cursor, index)
            if line and not text:
                break
            last = index if text else last
            if match := _ATTRIBUTE.match(text):
                _put(things.setdefault(match["of"], {}), match)
            elif stated := _STATED.match(text):
                things.setdefault(stated["of"], {})["rejected"] = stated["what"]
        return last, [
            PrintedSubject(
                "disk" if _DISK.fullmatch(name) else "multipath", name, values, prompt.host
            )
            for name, values in things.items()
        ]


def _said(cursor: TextCursor, index: int) -> str:
    """What a line says behind its time and the bar; empty where it is no such line."""
    match = _LINE.match(cursor.stamped(index))
    return match["text"] if match else ""


def _put(values: dict[str, Scalar], match: re.Match[str]) -> None:
    """Puts what a line says under its own name: the last of several."""
    (name, value), *_ = as_labelled({match["name"]: match["value"]}).items()
    if name == "size" and isinstance(value, int):
        value *= units.SECTOR
    values["hctl" if name == "h_b_t_l" else name] = value
    if match["origin"]:
        values[f"{name}_from"] = match["origin"].removeprefix("setting: ")
