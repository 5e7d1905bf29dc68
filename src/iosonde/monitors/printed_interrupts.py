"""/proc/interrupts: how often each interrupt came to which CPU, and whose it is.

Source: proc(5); Linux kernel/irq/proc.c, show_interrupts(): number, a count of ten places a CPU,
the chip, the hardware's number with the kind of trigger (with the chip on old kernels), and the
devices, divided by commas where several share the line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from typing_extensions import override

from iosonde.records.printed import OutputReading, PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Output, TextCursor, command_before

_HEAD = re.compile(r"^\s*(?:CPU\d+\s*)+$")
_NUMBERED = re.compile(r"^\s*(?P<irq>\d{1,6}):(?=\s+\d)")
_NAMED = re.compile(r"^\s*(?P<name>[A-Z][A-Z0-9]{2}):(?=\s|$)")
_CHIP = re.compile(
    r"(?P<chip>[A-Za-z][\w./:-]*+)(?:\s++\S{0,40}(?:[Ee]dge|[Ll]evel|fasteoi|msi)\S*+)*"
    r"(?:\s++\d++(?=\s+\S))?(?:\s++(?:Edge|Level)(?=\s))?(?P<devices>(?:\s++\S++)*+)$"
)
_MOST_CPUS = 4096
_REACH = 78
_LONG = 48  # shorter lines were not broken by anyone
_FEW = 4  # words of a device with what stands before it; more are a sentence
_LIST = re.compile(r"\s*\S+(?:, \S+)*,?$")  # devices, as they go on in the next line


class Interrupts(Output):
    tool = "interrupts"
    anchors = (
        "IO-APIC", "PCI-MSI", "XT-PIC", "GICv", "IR-PCI-MSI", "xen-pirq", "xen-dyn", "CPU0 ",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The first line with CPUs."""
        first = None
        for index in range(cursor.at, max(cursor.at - _REACH, -1), -1):
            line = cursor.line(index)
            if _HEAD.match(line) and line.strip():
                first = index
                if "CPU0" in line:
                    return first
            elif first is not None and line:
                break
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        lines = [(first + at, line) for at, line in enumerate(cursor.block(first, 3000)) if line]
        head = 0
        while head < len(lines) and _HEAD.match(lines[head][1]):
            head += 1
        cpus = sum(len(line.split()) for _, line in lines[:head])
        if not cpus or cpus > _MOST_CPUS:
            raise Unreadable("its CPUs are not told")
        width = max(len(line) for _, line in lines[: head + 60])
        begin, prompt = command_before(cursor, first, ("cat", "grep", "watch"))
        host = prompt.host
        counters, last, place = [], lines[head - 1][0], head
        while place < len(lines) and lines[place][0] - last <= 3:
            group = _group(lines, place, cpus, width)
            if not group:
                break
            last, place = group[-1][0], place + len(group)
            row = _row([line for _, line in group], cpus, width)
            if row is not None:
                counters.append(PrintedCounters(self.tool, "interrupt", row[0], row[1], host))
        if not counters:
            raise Unreadable("no interrupt follows")
        return OutputReading(begin, last, counters=tuple(counters))


def _group(
    lines: Sequence[tuple[int, str]], place: int, cpus: int, width: int
) -> list[tuple[int, str]]:
    """The lines of one row: it begins with a number or a name, and goes on until it is whole."""
    if not (_NUMBERED.match(lines[place][1]) or _NAMED.match(lines[place][1])):
        return []
    count, end = len(lines[place][1].split()), place + 1
    while end < len(lines) and end - place < 80:
        before, line = lines[end - 1], lines[end]
        if _NUMBERED.match(line[1]) or _NAMED.match(line[1]) or line[0] - before[0] > 2:
            break
        cut = len(before[1]) >= width and len(line[1].split()) <= _FEW
        more = count < cpus + 3 or cut or _LIST.match(line[1])
        if len(before[1]) < _LONG or not more:
            break
        count += len(line[1].split())
        end += 1
    return list(lines[place:end])


def _row(parts: Sequence[str], cpus: int, width: int) -> tuple[str, dict[str, Json]] | None:
    """Number or name and figures of a row, made whole; None where it says nothing whole."""
    text = parts[0]
    for before, part in pairwise(parts):
        text += part if len(before) >= width else f" {part}"
    match = _NUMBERED.match(text)
    if not match:
        return _named_row(text, cpus)
    fields = text[match.end() :].split(None, cpus)
    if len(fields) <= cpus or not all(word.isdecimal() for word in fields[:cpus]):
        return None
    chip = _CHIP.match(fields[cpus].strip())
    if not chip:
        return None
    devices = [name.strip() for name in chip["devices"].split(",")]
    values: dict[str, Json] = {
        "counts": [int(word) for word in fields[:cpus]],
        "devices": [name for name in devices if name],
        "controller": chip["chip"],
    }
    return match["irq"], values


def _named_row(text: str, cpus: int) -> tuple[str, dict[str, Json]] | None:
    """What a row of a processor's own interrupts says; ERR and MIS have a single count."""
    match = _NAMED.match(text)
    if not match:
        return None
    fields = text[match.end() :].split(None, cpus)
    single = len(fields) == 1 and match["name"] in {"ERR", "MIS"}
    counts = fields[: 1 if single else cpus]
    if not all(word.isdecimal() for word in counts) or len(counts) < (1 if single else cpus):
        return None
    values: dict[str, Json] = {"counts": [int(word) for word in counts]}
    if len(fields) > cpus:
        values["description"] = fields[cpus].strip()
    return match["name"], values
