"""What the tools of RAID controllers print, in any text: where it begins and ends."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import ClassVar

from typing_extensions import override

from iosonde.layers.hwraid.facts_megacli import MEGACLI, parse_megacli
from iosonde.layers.hwraid.facts_ssacli import SSACLI, SSACLI_CONTROLLER, is_ssacli, parse_ssacli
from iosonde.layers.hwraid.facts_storcli import STORCLI, parse_answer, parse_storcli
from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor, joined, lines, prompt_in
from iosonde.text.headings import is_section
from iosonde.text.json_output import opening
from iosonde.text.reader import Items, StateOutput


class _ControllerTool(StateOutput):
    """Output that is told by its lines, among which a few strange ones may stand."""

    reach = 4
    nothing = "it names no controller and no drive"
    strange_above: ClassVar[int] = 2
    strange_below: ClassVar[int] = 4
    """Strange lines one after the other that it has at most above an anchor, and below."""
    start: ClassVar[re.Pattern[str]]
    parse: ClassVar[Callable[[str, str], Iterator[PrintedSubject]]]

    @abstractmethod
    def is_own(self, line: str) -> bool:
        """Whether the tool prints such lines."""

    def is_neutral(self, line: str) -> bool:
        """Whether many outputs have such lines."""
        return not line

    def ends_before(self, line: str, count: int) -> bool:
        """Whether a line is no more of the output, which has so many lines above it."""
        del count
        return is_section(line) or prompt_in(line) is not None

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first, strange = None, 0
        for index in range(cursor.at, -1, -1):
            line = cursor.line(index)
            above = index < cursor.at
            if above and (prompt_in(line) or line.startswith("Exit Code")):
                break
            if self.start.search(line):
                first = index
            strange = 0 if self.is_own(line) or self.is_neutral(line) else strange + 1
            if strange > self.strange_above:
                break
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = self._last(cursor, first)
        return last, type(self).parse(joined(cursor, first, last), prompt.host)

    def _last(self, cursor: TextCursor, first: int) -> int:
        last, strange = first, 0
        for index, line in lines(cursor, first, 6000):
            if index > first and self.ends_before(line, index - first):
                break
            if self.is_own(line):
                last, strange = index, 0
                if line.startswith("Exit Code"):
                    break
            elif not self.is_neutral(line):
                strange += 1
                if strange > self.strange_below:
                    break
        return last


class Storcli(_ControllerTool):
    tool = "storcli"
    anchors = (
        "CLI Version = 00", "DG/VD TYPE", "DG Arr Row EID:Slot",
        "EID:Slt DID", "VD LIST :", "PD LIST :",
        "Cachevault_Info :", "BBU_Info :", "Write Cache(initial setting)", '"DG/VD"', '"EID:Slt"',
        '"CLI Version"', "Ctl Model", "Firmware Package Build =", "FW Package Build =",
        "Shield Counter =",
    )  # fmt: skip
    commands = STORCLI
    start = re.compile(
        r"CLI Version = |^\s*Controller = \d|Generating detailed summary|^\s*(?:VD|PD) LIST :"
        r"|^\s*(?:Virtual Drives|System Overview|TOPOLOGY|Drive Information) :"
        r"|^\s*(?:Cachevault_Info|BBU_Info) :"
        r"|DG Arr Row EID:Slot|Ctl Model {1,60}Ports PDs"
        r"|DG/VD TYPE|EID:Slt DID|^\s*VD\d+ Properties :"
        r"|^\s*(?:Drive )?/c\d+(?:/\w+)*(?: [A-Z]\w+){0,3} :"
        r"|\"Controllers\"|\"Command Status\"|\"CLI Version\""
    )
    parse = parse_storcli

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, things = super().items(cursor, first, prompt)
        every = [*things]
        return last, every or parse_answer(joined(cursor, first, last), prompt.host)

    @override
    def is_own(self, line: str) -> bool:
        return bool(_STORCLI_LINE.search(line))

    @override
    def is_neutral(self, line: str) -> bool:
        return len(line.strip()) < 8 or bool(_ROW.search(line))

    @override
    def ends_before(self, line: str, count: int) -> bool:
        return bool(prompt_in(line) and "=" not in line) or (
            count > 5 and bool(_STORCLI_NEXT.search(line))
        )

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = super().begin(cursor)
        if first is not None and '"' in cursor.line(first):
            return opening(cursor, first)
        return first


_STORCLI_NEXT = re.compile(r"CLI Version = |Generating detailed summary|^#{2,6} \S")  # or a heading
_STORCLI_LINE = re.compile(
    r"\w\)? ?= |\w=\s*$|\|\w+=\w|^\s*[-=]{3,}\s*$|\s:\s*$|^\s*\d+/\d+ +\w+\d|^\s*\d*:\d+ +\d"
    r"|^\s*\d{1,4} +(?:\d{1,4}|-) +(?:\d{1,4}|-) +(?:\d*:\d+|-) +(?:\d{1,5}|-) +[A-Z]"
    r"|^\s*(?:EID|DG|Ctl|UGUnsp|CVPM|BBU|iBBU)\b|\"\s*:\s|^\s*[{}\]]|[^|]=[^|=]+\|"
)
_ROW = re.compile(r"\S {2,}\S|^\s*[\d,]")


class MegaCli(_ControllerTool):
    tool = "MegaCli"
    anchors = (
        "-- Virtual Drive Info", "RAID Level Qualifier", "Cache Policy: Write", "(Target Id:",
        "BBU status for Adapter", "Get BBU Status Failed", "BatteryType:", "FW Package Build:",
        "Enclosure Device ID:", "Firmware state:", "Battery State",
    )  # fmt: skip
    commands = MEGACLI
    reach = 6
    strange_below = 3
    start = re.compile(
        r"^\s*(?:Adapter:? ?#?\d+(?:\s*(?:--|—|-)\s*Virtual Drive Info\w*)?:?\s*$"
        r"|Adapter \d+ (?:--|—|-) |Adapter \d+: Get BBU"
        r"|(?:CacheCade )?Virtual (?:Drive|Disk): ?\d+ ?\("
        r"|BBU status for Adapter: ?\d+|BatteryType:|Enclosure Device ID: ?\d)"
    )
    parse = parse_megacli

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = super().begin(cursor)
        of_drives = first is not None and _PICKED.match("\n".join(cursor.block(first, 2)))
        return None if of_drives else first

    @override
    def is_own(self, line: str) -> bool:
        return bool(_MEGACLI_LINE.search(line))

    @override
    def ends_before(self, line: str, count: int) -> bool:
        return super().ends_before(line, count) or (count > 8 and bool(_MEGACLI_NEXT.search(line)))


_PICKED = re.compile(r"\s*Virtual Drive: \d{1,4} \(Target Id: \d{1,4}\)\s+(?:Device Id|Raw Size): ")
"""Lines of -LdPdInfo that grep picked: none of the volume's own is left."""
_MEGACLI_LINE = re.compile(
    r"^\s*[\w(][\w ()&/.,'#-]{1,60}?\s*[:=](?:\s|$|\w)|^\s*={3,}|^\s*-{3,}|^Exit Code"
    r"|^\s*Adapter|Cache if Bad|Bad BBU"
)
_MEGACLI_NEXT = re.compile(r"^\s*BBU status for Adapter|^\s*Adapter #?\d+")


class Ssacli(_ControllerTool):
    tool = "ssacli"
    anchors = (
        "in Slot ", "physicaldrive ", "logicaldrive ", "Logical Drive: ",
        "Battery/Capacitor Status", "Fault Tolerance: ",
    )  # fmt: skip
    commands = SSACLI
    strange_above = 0
    start = SSACLI_CONTROLLER
    parse = parse_ssacli

    @override
    def is_own(self, line: str) -> bool:
        return is_ssacli(line)

    @override
    def ends_before(self, line: str, count: int) -> bool:
        """See `_ControllerTool.ends_before`: also before a sentence."""
        sentence = _SENTENCE.match(line) and not is_ssacli(line)
        return super().ends_before(line, count) or bool(sentence)


_SENTENCE = re.compile(r"^\S.*[.!?]\s*$")
