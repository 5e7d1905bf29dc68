"""`multipath -ll` and `multipath -l`: maps with their groups of paths.

Source: multipath-tools 0.9, libmultipath/print.c (snprint_multipath_topology, formats of maps,
groups and paths) and libmultipath/defaults.h; older forms from 0.4.9 on, and those before it,
libmultipath/print.h of 0.4.8.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_MAP = re.compile(
    r"\s*(?:\w+: )?(?P<name>[\w.:-]{1,100}) (?:\((?P<wwid>[\w.-]{5,100})\) ?)?"
    r"(?P<sysfs>dm-\d{1,7}|undef) "
    r"(?P<product>\S(?:(?! ?size=).){0,60})"
)
_SIZE = re.compile(r"size=(?P<size>\d+(?:\.\d+)?[KMGTP]) features='(?P<features>[^']{0,200})' "
                   r"hwhandler='(?P<handler>[^']{0,60})' wp=(?P<wp>[\w-]+)")  # fmt: skip
_GROUP = re.compile(r"policy='(?P<policy>[^']{1,40})' prio=(?P<prio>-?\d*) status=(?P<status>\w+)")
_PATH = re.compile(
    r"(?P<place>\d+:\d+:\d+:\d+) (?P<device>[a-z]\w{1,20}) \d+:\d+ (?P<dm>active|failed|undef) "
    r"(?P<checker>ready|faulty|shaky|ghost|undef|delayed|i/o pending|\w+) (?P<online>\w+)"
)
_OLD_HEAD = re.compile(
    r"\s*(?P<name>[\w.:-]{1,100})(?: ?\((?P<wwid>[\w.-]{5,100})\))?(?: +dm-\d+ \S.{0,60})?"
    r"(?P<size> *\[size=\d.*)?\s*$"
)
"""A map as multipath-tools before 0.4.9 prints it."""
_OLD = (
    (re.compile(r"\[size=(\d+(?:\.\d+)?) ?([KMGTP])B?\] ?"
                r"\[features=[\"']?([^\"'\]]{0,200})[\"']?\] ?"
                r"\[hwhandler=[\"']?([^\"'\]]{0,60})[\"']?\](?:\[(r[wo])\])?"),
     r"size=\1\2 features='\3' hwhandler='\4' wp=\5-"),
    (re.compile(r"((?:round-robin|queue-length|service-time) \d+) "
                r"(?:\[prio=(-?\d+)\] ?)?\[(\w+)\]"),
     r"policy='\1' prio=\2 status=\3"),
    (re.compile(r"(\d+:\d+:\d+:\d+ \w+ +\d+:\d+) +\[(active|failed|undef) ?\] ?\[(\w+) ?\]"),
     r"\1 \2 \3 undef"),
    (re.compile(r"(\d+:\d+:\d+:\d+ \w+ +\d+:\d+) +\[(\w+) ?\] ?\[(active|failed|undef) ?\]"),
     r"\1 \3 \2 undef"),
)  # fmt: skip
"""Its parts, and how later versions print them: whether a path is online was not said."""


_BRANCHES = re.compile(r"[|`\\_+-]+(?=\s|$)|(?<=\s)[|`+]-(?=\+)")


_STATE = r"(?:active|failed|undef|ready|faulty|shaky|ghost|delayed|i/o pending|running|offline)"
_OWN = re.compile(
    r"\s*+(?:\[?(?:size|features|hwhandler|policy|prio)=|[|`+\\_-]|\d+:\d+[: ]|.*(?:status=|wp=)"
    rf"|(?:[a-z]{{2,8}} \d+:\d+ )?{_STATE}(?: {_STATE}){{0,2}}$)"
)
"""Lines of a map, and what a mail broke off of them."""


class MultipathOutput(StateOutput):
    tool = "multipath"
    anchors = (
        " hwhandler='", "policy='", " wp=rw", " wp=ro", "][hwhandler=", "] [hwhandler=",
    )  # fmt: skip
    commands = ("multipath", "multipathd")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 4, -1), -1):
            line = cursor.line(index)
            if _MAP.match(line) and _is_map(cursor, index):
                return index
        at = cursor.line(cursor.at)
        first = cursor.at - at.lstrip().startswith("[size=")
        head = _OLD_HEAD.match(cursor.line(first))
        return first if "[size=" in at and head and (head["size"] or first < cursor.at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first)
        head = _MAP.match(line) or _OLD_HEAD.match(line)
        last = first
        for index, line in lines(cursor, first + 1, 400):
            if index > last + 2 or (line and not _is_own(line)):
                break
            last = index if line else last
        text = " ".join(_BRANCHES.sub(" ", flow(cursor, first, last)).split())
        for pattern, later in _OLD:
            text = pattern.sub(later, text)
        size, paths = _SIZE.search(text), list(_PATH.finditer(text))
        if head is None or size is None:
            raise Unreadable("the line with its size is cut off", last)
        facts = _facts(size, list(_GROUP.finditer(text)), paths)
        if not paths and not _MAP.match(cursor.line(last + 1)):  # they may be cut off
            facts = {name: value for name, value in facts.items() if name not in _OF_PATHS}
        if head["wwid"]:
            facts["wwid"] = head["wwid"]
        sysfs = head.groupdict().get("sysfs")
        device = {"sysfs": sysfs, "access": size["wp"].removesuffix("-")}
        facts |= {name: text for name, text in device.items() if text and text != "undef"}
        if product := head.groupdict().get("product"):
            facts["product"] = product.strip()
        return last, [PrintedSubject("multipath", head["name"], facts, prompt.host)]


_OF_PATHS = frozenset({"paths", "failed_paths", "below", "path_states", "path_addresses"})


def _facts(
    size: re.Match[str], groups: list[re.Match[str]], paths: list[re.Match[str]]
) -> dict[str, Scalar]:
    failed = [
        path["device"] for path in paths if path["dm"] == "failed" or path["checker"] == "faulty"
    ]
    facts: dict[str, Scalar] = {
        "size": round(units.printed(size["size"], binary=True)[0]),
        "paths": len(paths),
        "failed_paths": len(failed),
        "path_groups": len(groups),
        "below": " ".join(path["device"] for path in paths),
        "path_states": ", ".join(
            f"{path['device']} {path['dm']} {path['checker']} {path['online']}" for path in paths
        ),
        "path_addresses": ", ".join(f"{path['device']} {path['place']}" for path in paths),
        "features": size["features"].partition(" ")[2],
        "queue_if_no_path": "queue_if_no_path" in size["features"],
    }
    if handler := size["handler"].partition(" ")[2]:
        facts["handler"] = handler
    if groups:
        facts["group_states"] = ", ".join(group["status"] for group in groups)
        facts["path_selector"] = groups[0]["policy"].split()[0]
        facts["group_priorities"] = ", ".join(group["prio"] for group in groups if group["prio"])
    if failed:
        facts["failed"] = " ".join(failed)
    return facts


def _is_own(line: str) -> bool:
    """Whether a line may belong to a map that began above."""
    return bool(_OWN.match(line)) and not (prompt_in(line) or _MAP.match(line))


def _is_map(cursor: TextCursor, first: int) -> bool:
    """Whether the lines below are those of a map."""
    return " size=" in cursor.line(first) or any(
        cursor.line(first + step).lstrip().startswith(("size=", "[size=")) for step in (1, 2, 3)
    )
