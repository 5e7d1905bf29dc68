"""What grep or head chose of `hdparm -I`: labels, features and security below the command.

The command says which drive it is; without one such lines are not read, as other tools have the
same labels. Features are said to be there or not by their star; those that were not chosen are not
known.

Source: hdparm 9.65, identify.c, identify() (as printed_hdparm.py and facts_hdparm.py).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.disk.facts_hdparm import identity_rest
from iosonde.layers.disk.printed_hdparm import values_of
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, prompt_in
from iosonde.text.reader import Items, StateOutput, close_rows, top_of

_COMMAND = re.compile(
    r"(?:sudo )?(?:/\S{1,20}/)?hdparm (?:-\S{1,20} )*?-[a-zA-Z]*I[a-zA-Z]* ?(?:-\S{1,20} )*"
    r"/dev/(?P<name>[\w/.:-]{1,120}) ?(?:2>\S{1,20} ?)?\| ?(?:e|f|z)?(?:grep|head|tail|sed|awk)\b"
)
_LINE = re.compile(
    r"\s*(?:Security:$|--$|Master password revision code = "
    r"|[A-Z][\w/ -]{2,45}:\s*\S|\*\s+\S|not\s+(?:supported|enabled|locked|frozen|expired)\b"
    r"|(?:supported|enabled|locked|frozen|expired)\b|device size with M = |cache/buffer size\s+= "
    r"|LBA\s|bytes/sector: |R/W multiple sector|DMA: |PIO: |\d{1,6}min for "
    r"|(?:Logical|Physical)\s+Sector size|[A-Z{][\w{][\w/ ,.(){}|+-]{2,70}$)"
)
_FEATURE = re.compile(r"\s*+(?:(?P<star>\*)\s++)?+(?P<what>[A-Z{][\w/ ,.(){}|\[\]+-]{2,70})$")
_STATE = re.compile(
    r"\s*(?:not\s+)?(?:supported(?:: enhanced erase)?|enabled|locked|frozen|expired)"
)
_MOST = 120


class HdparmCut(StateOutput):
    tool = "hdparm -I chosen"
    anchors = (
        "Model Number:", "Serial Number:", "Firmware Revision:", "Transport:", "Sector size:",
        "Rotation Rate:", "Form Factor:", "Queue depth:", "device size with M", "TRIM supported",
        "Write cache", "signaling speed", "Native Command Queueing", "frozen", "read ZEROs after",
        "SANITIZE", "Look-ahead", "power management level", "cache/buffer size", "SCT Error",
        "(SCT)", "SMART feature set", "ERASE UNIT", "user addressable sectors",
        "Power-Up In Standby", "Write-Read-Verify", "WRITE_UNCORRECTABLE",
    )  # fmt: skip
    commands = ("hdparm",)
    reach = 12
    nothing = "no value of it is known"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _LINE.match(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, _is_chosen, most=_MOST)
        _, prompt = command_before(cursor, first, self.commands, reach=3)
        return first if _COMMAND.match(prompt.command) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        command = _COMMAND.match(prompt.command)
        if command is None:
            raise Unreadable("no command names its drive")
        chosen, last = close_rows(
            cursor, first, lambda line: line if _is_chosen(line) else None, _MOST
        )
        values = values_of(chosen) | _rest(chosen)
        return last, [
            PrintedSubject("disk", command["name"], values, prompt.host)
        ] if values else []


def _is_chosen(line: str) -> bool:
    """Whether a line may be one of those chosen, and no command."""
    return _LINE.match(line) is not None and prompt_in(line) is None


def _rest(chosen: list[str]) -> dict[str, Scalar]:
    """Features and security, each as below its heading, which grep left out."""
    states = [line for line in chosen if _STATE.match(line)]
    features = [
        line for line in chosen
        if (feature := _FEATURE.match(line)) and (feature["star"] or "\t" in line or "   " in line)
    ]  # fmt: skip
    features = [line for line in features if line not in states and ":" not in line]
    return (
        identity_rest([line for line in chosen if line not in states and line not in features])
        | identity_rest(["Security:", *states] if states else [])
        | identity_rest(["Commands/features:", *features] if features else [])
    )
