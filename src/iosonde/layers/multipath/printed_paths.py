"""Paths of multipath without their map, as grep leaves them, and what multipathd logs of paths.

Source: multipath-tools 0.9, libmultipath/print.c (snprint_path) and multipathd/main.c (check_path,
"%s: %s - %s checker reports path is %s"; "%s: remaining active paths: %d").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_PATH = re.compile(
    r"[\s|`+\\_-]*(?P<hctl>\d{1,5}:\d{1,5}:\d{1,5}:\d{1,8}) +(?P<device>[a-z]\w{1,20}) +\d+:\d+ +"
    r"(?P<dm>active|failed|undef) +(?P<checker>ready|faulty|shaky|ghost|undef|delayed) +"
    r"(?P<online>running|offline|blocked|transport-offline|undef|unknown)\s*$"
)
_LOGGED = re.compile(
    r"(?:.{0,40}\d\d:\d\d:\d\d\S{0,14} )?(?:(?P<host>[A-Za-z][\w.-]{0,62}) )?"
    r"multipathd(?:\[\d{1,10}\])?: "
    r"(?P<map>[\w.:-]{1,100}): "
    r"(?:(?P<device>[a-z]\w{1,20}) - (?P<message>\w+ checker (?:reports path is \w+|timed out))"
    r"|remaining active paths: (?P<active>\d{1,5}))\s*$"
)
_MOST = 2000


class MultipathPaths(StateOutput):
    tool = "multipath paths"
    anchors = (" faulty running", " ready running", " faulty offline")
    commands = ("multipath", "multipathd")
    reach = 2
    beginning = _PATH

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        paths: dict[str, dict[str, Scalar]] = {}
        last = first
        for index, line in close_lines(cursor, first, _MOST):
            path = _PATH.match(line)
            if path is None:
                break
            state = f"{path['dm']} {path['checker']} {path['online']}"
            paths[path["device"]] = {"hctl": path["hctl"], "path_state": state}
            last = index
        return last, [
            PrintedSubject("disk", name, values, prompt.host) for name, values in paths.items()
        ]


class MultipathdLog(StateOutput):
    tool = "multipathd"
    anchors = (
        " checker reports path is ", ": remaining active paths: ", " checker timed out",
    )  # fmt: skip
    commands = ("journalctl", "grep", "tail", "cat")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _LOGGED.match(cursor.stamped(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        maps: dict[str, dict[str, Scalar]] = {}
        host, last = prompt.host, first
        for index in range(first, first + _MOST):
            line = cursor.stamped(index)
            if index > last + 3:
                break
            match = _LOGGED.match(line)
            if match is None:
                continue
            last, host = index, host or match["host"] or ""
            values = maps.setdefault(match["map"], {})
            if match["active"]:
                values["active_paths"] = int(match["active"])
            else:
                values[f"path_{match['device']}"] = match["message"]
        return last, [
            PrintedSubject("multipath", name, values, host) for name, values in maps.items()
        ]
