"""`nvme show-regs`: the registers of an NVMe controller, raw and with -H.

Source: nvme-cli 2.3, nvme-print.c (nvme_show_ctrl_registers(), show_registers_*(): "cap     : %lx",
a tab and "Name (ABBREVIATION): value" with -H); NVMe Base 2.0, figure 33.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_REGISTER = re.compile(
    r"\s*(?P<name>cap|version|intms|intmc|cc|csts|nssr|aqa|asq|acq|cmbloc|cmbsz|bpinfo|bprsel|bpmbl|"
    r"cmbmsc|cmbsts|cmbebs|cmbswtp|nssd|crto|pmrcap|pmrctl|pmrsts|pmrebs|pmrswtp|pmrmscl|pmrmscu)"
    r" *: (?:0x)?(?P<value>[0-9a-f]{1,16})\s*$"
)
_FIELD = re.compile(
    r"\s*[A-Z][\w /,'-]{2,90}? {0,60}\((?P<name>[A-Z][A-Z0-9]{1,7})\) *: (?P<value>\S.{0,120})$"
)
_NOTE = re.compile(r"\s*(?:NVMe specification \d[\d.]{0,8}|[A-Z][\w /,'-]{2,90}? ?: \S.{0,80})$")
_DEVICE = re.compile(r"(?:^|\s)/dev/(?P<name>\w{1,30})")
_WHOLE = re.compile(r"\d{1,18}")
_FEWEST = 3


class NvmeRegisters(StateOutput):
    tool = "nvme show-regs"
    anchors = ("csts    : ", "intms   : ", "cap     : ", "version : ")
    commands = ("nvme",)
    reach = 3
    nothing = "too few registers follow"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _REGISTER.match(cursor.line(cursor.at)):
            return None
        return top_of(cursor, lambda line: _REGISTER.match(line) or _FIELD.match(line))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last, name, registers = first, "", 0
        for index, line in close_lines(cursor, first, 300, gap=3):
            if register := _REGISTER.match(line):
                name = register["name"]
                if name in values:
                    break
                values[name] = int(register["value"], 16)
                registers += 1
            elif field := _FIELD.match(line):
                text = field["value"].strip()
                label = f"{name}_{field['name'].lower()}" if name else field["name"].lower()
                values[label] = int(text) if _WHOLE.fullmatch(text) else text
            elif not (name and _NOTE.match(line)):
                break
            last = index
        if registers < _FEWEST:
            return last, []
        device = _DEVICE.search(prompt.command)
        name = device["name"] if device else ""
        return last, [PrintedSubject("disk", name, values, prompt.host)]
