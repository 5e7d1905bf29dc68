"""What MegaCli answers where it changed something, or where nothing goes on: a line for each thing.

Source: outputs of MegaCLI 8.x (-CfgLdAdd, -CfgLdDel, -CfgForeign, -PDHSP, -PDLocate, -PDOffline,
-PDOnline, -PDMakeGood, -PDMarkMissing, -PDRbld, -LDBI, -LDInit, -LDCC, -LDRecon, -AdpGetProp);
LSI's "MegaRAID SAS Software User Guide", chapter "MegaRAID Command Tool".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from typing_extensions import override

from iosonde.layers.hwraid.facts_megacli import MEGACLI
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines
from iosonde.text.torn import joinings

_Named: TypeAlias = Mapping[str, str | None]
_Values: TypeAlias = "Callable[[_Named], dict[str, Scalar]]"

_ADAPTER = r"\s*Adapter:? ?(?P<adapter>\d{1,3}): ?"
_DRIVE = r"EnclId-(?P<enclosure>\d{1,5}|N/A) SlotId-(?P<slot>\d{1,4})"
_VOLUME = r"VD #(?P<volume>\d{1,4})(?: \(target id #\d{1,4}\))?"
_WORK = (
    r"(?P<what>Background Initialization|Initialization|Check Consistency|Reconstruction"
    r"|Patrol Read|Clear|Copyback)(?: Progress)?"
)


def _said(**values: Scalar) -> _Values:
    """The same values whatever the line names."""
    return lambda _: dict(values)


_FORMS: tuple[tuple[str, str, _Values], ...] = (
    (rf"{_ADAPTER}Created VD (?P<volume>\d{{1,4}})\.?\s*$", "hwraid", _said(created=True)),
    (rf"{_ADAPTER}Deleted Virtual Drive ?- ?(?P<volume>\d{{1,4}}) ?\(target id ?- ?\d{{1,4}}\)",
     "hwraid", _said(deleted=True)),
    (rf"{_ADAPTER}Configured the Adapter!!", "controller", _said(configured=True)),
    (rf"{_ADAPTER}Set Physical Drive at {_DRIVE} as Hot ?[Ss]pare Success", "disk",
     _said(hot_spare=True)),
    (rf"{_ADAPTER}Removed? Physical Drive at {_DRIVE} (?:from|as) Hot ?[Ss]pare", "disk",
     _said(hot_spare=False)),
    (rf"{_ADAPTER}Device at {_DRIVE}\s{{1,4}}-- PD Locate (?P<locate>Start|Stop) Command was "
     r"successfully sent", "disk", lambda named: {"locate": named["locate"] == "Start"}),
    (rf"{_ADAPTER}{_DRIVE} state changed to (?P<state>[A-Za-z][\w() -]{{2,30}}?)\.?\s*$",
     "disk", lambda named: {"changed_to": str(named["state"]).lower()}),
    (rf"{_ADAPTER}{_DRIVE} is marked Missing", "disk", _said(changed_to="missing")),
    (r"\s*Started rebuild progress on device ?\(Encl-(?P<enclosure>\d{1,5}|N/A) "
     r"Slot-(?P<slot>\d{1,4})\)", "disk", _said(rebuilding=True)),
    (r"\s*Device ?\(Encl-(?P<enclosure>\d{1,5}|N/A) Slot-(?P<slot>\d{1,4})\) is not in rebuild "
     r"process", "disk", _said(rebuilding=False)),
    (rf"\s*{_WORK} on {_VOLUME} is not in [Pp]rogress", "hwraid",
     lambda named: {_underscored(str(named["what"])): False}),
    (r"\s*There (?:are|is) (?P<count>\d{1,3}|no) foreign configuration(?:\(s\))? on controller "
     r"(?P<adapter>\d{1,3})", "controller",
     lambda named: {"foreign_configurations": 0 if named["count"] == "no"
                    else int(str(named["count"]))}),
    (r"\s*Foreign configuration (?P<number>\d{1,3}) is (?P<done>cleared|imported) on controller "
     r"(?P<adapter>\d{1,3})", "controller", lambda named: {"foreign": named["done"]}),
    (rf"{_ADAPTER}JBOD(?: ?:| is) ?(?P<jbod>Enabled?|Disabled?)\b", "controller",
     lambda named: {"jbod": str(named["jbod"]).startswith("E")}),
    (rf"{_ADAPTER}Set JBOD to (?P<jbod>Enable|Disable) success", "controller",
     lambda named: {"jbod": named["jbod"] == "Enable"}),
    (rf"{_ADAPTER}(?P<rate>Rebuild|Patrol Read|BGI|Check Consistency|Reconstruction) ?"
     r"Rate ?=? ?(?P<share>\d{1,3})%", "controller",
     lambda named: {f"{_underscored(str(named['rate']))}_rate": int(str(named["share"])) / 100}),
)  # fmt: skip
"""How a line begins, what it is about, and what it says of it."""
_ANSWERS = tuple((re.compile(form), kind, values) for form, kind, values in _FORMS)
_REST = re.compile(r"\s*(?:Exit Code: 0x\w\w|Start Reconstruction of Virtual Drive Success\.?)\s*$")


class MegaCliAnswers(StateOutput):
    tool = "MegaCli answers"
    anchors = (
        ": Created VD ", "Deleted Virtual Drive", "Configured the Adapter!!", " SlotId-",
        "Started rebuild progress", "is not in rebuild process", "is not in progress",
        "is not in Progress", "foreign configuration", "Foreign configuration ",
        ": JBOD", ": Set JBOD", "Rebuild Rate", "Read Rate", "BGI Rate",
    )  # fmt: skip
    commands = MEGACLI
    nothing = "it answers nothing"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in (cursor.at, cursor.at - 1):  # a mail may break its line
            if index >= 0 and _at(cursor, index, ""):
                return index
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: dict[tuple[str, str], dict[str, Scalar]] = {}
        last = first - 1
        for index, line in close_lines(cursor, first, gap=4):
            if index <= last:
                continue
            if answered := _at(cursor, index, prompt.command):
                (kind, name, values), last = answered
                subjects.setdefault((kind, name), {}).update(values)
            elif not _REST.match(line):
                break
        return last, [
            PrintedSubject(kind, name, values, prompt.host)
            for (kind, name), values in subjects.items()
        ]


_Answer: TypeAlias = "tuple[str, str, dict[str, Scalar]]"


def _at(cursor: TextCursor, index: int, command: str) -> tuple[_Answer, int] | None:
    """The answer that begins in a line, and the index of its last one."""
    for count in (1, 2):
        block = cursor.block(index, count)
        for text in joinings(block) if all(block) else ():
            if answer := _answer(text, command):
                return answer, index + count - 1
    return None


def _answer(line: str, command: str) -> _Answer | None:
    """What a line is about and says; a volume of no adapter is that of the one that is asked."""
    for form, kind, values in _ANSWERS:
        if match := form.match(line):
            named = match.groupdict()
            asked = re.search(r"-a(\d{1,3})(?!\S)", command)
            adapter = f"c{named.get('adapter') or (asked[1] if asked else '0')}"
            if slot := named.get("slot"):
                enclosure = str(named["enclosure"])
                name = f"e{enclosure}/s{slot}" if enclosure.isdecimal() else f"s{slot}"
            else:
                name = f"{adapter}/v{named['volume']}" if named.get("volume") else adapter
            return kind, name, values(named)
    return None


def _underscored(text: str) -> str:
    return text.lower().replace(" ", "_")
