"""`powermt display dev=…` of PowerPath: the devices of an array, each with its paths.

Source: Dell EMC, PowerPath CLI Reference (display: "Pseudo name=", "SYMMETRIX|CLARiiON ID=", rows
of HBA, hardware path, I/O path, interface, mode active|asb|unlic, state alive|dead, queued I/Os,
errors); OpenSVC, checkMpathPowerpath, which reads it.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_NAME = re.compile(r"\s*Pseudo name=(?P<name>[\w./-]{3,60})$")
_ID = re.compile(
    r"\s*(?P<array>[A-Z][\w -]{2,24}) ID=(?P<id>[\w.-]{3,60})(?: \[(?P<host>[^\]]{1,60})\])?$"
)
_LUN = re.compile(r"\s*Logical device ID=(?P<lun>[\w.-]{2,60})(?: \[(?P<label>[^\]]{1,80})\])?$")
_STATE = re.compile(
    r"\s*state=(?P<state>[a-z]{3,20}); policy=(?P<policy>\w{2,30})(?:; priority=\d{1,3})?"
    r"(?:; queued-IOs=(?P<queued>\d{1,9}))?"
)
_PATH = re.compile(
    r"\s*(?P<hba>\d{1,6}) (?P<place>\S.{0,100}?)\s+(?P<path>[a-z]\w{1,24})\s+"
    r"(?P<port>[A-Z]{2} {1,2}[0-9A-Za-z:]{1,8})\s+(?P<mode>active|asb|unlic|pre-unlic|auto|manual)"
    r"(?:; ?\w{1,12})?\s+(?P<state>alive|dead|unknown)\s+\d{1,9}\s+(?P<errors>\d{1,12})$"
)
_OTHER = re.compile(r"\s*(?:={20,}|-{3,20} Host -|###\s+HW Path|Owner: |Device WWN=|Standard UID=)")


class Powermt(StateOutput):
    tool = "powermt display"
    anchors = ("Pseudo name=",)
    commands = ("powermt",)
    reach = 3
    nothing = "it names no path"
    beginning = _NAME

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        devices: list[tuple[str, dict[str, Scalar], dict[str, tuple[str, int]]]] = []
        last = first
        for index, line in close_lines(cursor, first, 20_000, gap=2):
            if name := _NAME.match(line):
                devices.append((name["name"], {}, {}))
            elif path := _PATH.match(line):
                devices[-1][2][path["path"]] = (path["state"], int(path["errors"]))
            elif own := _LUN.match(line) or _STATE.match(line):
                devices[-1][1].update(
                    {key: int(text) if key == "queued" else text
                     for key, text in own.groupdict().items() if text}
                )  # fmt: skip
            elif array := _ID.match(line):
                devices[-1][1].update({"array": array["array"], "array_id": array["id"]})
            elif not _OTHER.match(line):
                break
            last = index
        return last, [
            PrintedSubject("multipath", name, values | _of_paths(paths), prompt.host)
            for name, values, paths in devices if paths
        ]  # fmt: skip


def _of_paths(paths: dict[str, tuple[str, int]]) -> dict[str, Scalar]:
    """What the paths of a device come to."""
    dead = [name for name, (state, _) in paths.items() if state == "dead"]
    values: dict[str, Scalar] = {
        "paths": len(paths), "failed_paths": len(dead),
        "path_states": ", ".join(f"{name} {state}" for name, (state, _) in paths.items()),
        "path_errors": sum(errors for _, errors in paths.values()),
    }  # fmt: skip
    return values | ({"failed": " ".join(dead)} if dead else {})
