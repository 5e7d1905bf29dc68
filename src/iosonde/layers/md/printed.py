"""/proc/mdstat, `mdadm --detail` and `mdadm --examine` in any text."""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.md.facts import MDSTAT_ARRAY, parse_mdstat
from iosonde.layers.md.facts_mdadm import MDADM_DEVICE, MDADM_PAIR, as_mdadm_says, parse_mdadm
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined, lines, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput

_MDSTAT_LINE = re.compile(
    r"(?<!/)md\w* ?:|blocks|\[[=.>]{3}|[=.>]{4,}|finish=|in=|bitmap:|Personalities|unused devices|"
    r"chunk|"
    r"\[[\dU_]+[\]/]|[U_]+\]|speed=|sec\b|level|algorithm|super|copies|\[\d+\]|"
    r"^\s*(?![A-Z][a-z]{2,20}$)[\w/+]{0,24}\]?$|"
    r"\(\d+/\d+\)|resync|DELAYED|PENDING|^\s*read_ahead|^\s*\[\w+\](?: \[\w+\])*$"
)
_READ = frozenset({
    "Version", "Raid Level", "Raid Devices", "Layout", "Chunk Size", "Data Offset", "Device Role",
    "Array UUID", "UUID", "Array State", "Array Size", "Used Dev Size", "RAID Level",
})  # fmt: skip
_ADDED = re.compile(r"^\s*\+", re.MULTILINE)
"""The mark of a line that a patch adds."""
_SPARE = r"[a-z][\w/!-]{1,31}+(?: [a-z][\w/!-]{1,31}+){0,63}+"
_NO_ARRAY = re.compile(
    r"^[^\n]*Personalities :[^\n]*(?:\n[ \t]*\[[\w\[\] ]{1,120}\][ \t]*)?\s+"
    rf"unused devices: (?:<none>|&lt;none&gt;|{_SPARE})\s*$"
)
"""The file of a host without arrays, whole."""
_UNUSED = re.compile(rf"^\s*unused devices: (?P<names>{_SPARE})\s*$", re.MULTILINE)
"""Members that are in no array (md.c, status_unused())."""
_ANY_ARRAY = re.compile(r" (?=md[\w.-]{1,32} ?: (?:active|inactive|broken) )")
_INSIDE = re.compile(r"(?<=\S)\s+(?=md[\w.-]{1,32} ?: (?:active|inactive|broken)\b)")


class Mdadm(StateOutput):
    tool = "mdadm"
    anchors = (
        "Raid Level :", "Raid Devices :", "Array UUID :", "RAID Level :",
    )  # fmt: skip

    commands = ("mdadm",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The device above the pairs, or the first pair."""
        first = None
        for index in range(cursor.at, max(cursor.at - 24, -1), -1):
            line = cursor.line(index)
            if MDADM_DEVICE.match(line):
                return index
            if MDADM_PAIR.match(line):
                first = index
            elif line:
                break
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        report, last = parse_mdadm(_up_to_prompt(cursor.block(first, 120)))
        if report.pairs.keys().isdisjoint({"Raid Level", "RAID Level", "Active Devices"}):
            raise Unreadable("the level of the array is missing")
        kind = "md_member" if report.examined else "md"
        facts = report.facts | as_mdadm_says(report.pairs)
        facts = as_labelled(report.pairs, _READ) | facts
        name = report.name.strip("[]")
        return first + last, [PrintedSubject(kind, name, facts, prompt.host)]


def _up_to_prompt(block: list[str]) -> list[str]:
    """The lines up to the next command: what that prints may have pairs of names and values."""
    below = (place for place, line in enumerate(block) if place and prompt_in(line))
    return block[: next(below, len(block))]


class Mdstat(StateOutput):
    tool = "mdstat"
    anchors = (
        ": active raid", ": active (", ": inactive ", ": active linear", ": broken ",
        "Personalities :",
    )  # fmt: skip

    commands = ("cat", "watch")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if "Personalities :" in line:
            return cursor.at
        if not MDSTAT_ARRAY.match(line):
            return None
        for index in range(cursor.at - 1, max(cursor.at - 4, -1), -1):
            before = cursor.line(index)
            if before.lstrip().startswith("read_ahead "):
                continue
            if before and "Personalities" not in before:
                break
            if before:
                return index
        return cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = _last_line(cursor, first)
        text = _INSIDE.sub("\n", _ADDED.sub("", joined(cursor, first, last)))
        arrays = list(parse_mdstat(text)) or list(parse_mdstat(_reflowed(text)))
        subjects = tuple(
            PrintedSubject("md", array.name, array.facts | array.printed, prompt.host)
            for array in arrays
        )
        unused = _UNUSED.search(text)
        of_host: dict[str, Scalar] = {"md_unused_devices": unused["names"]} if unused else {}
        if not subjects and _NO_ARRAY.search(text):
            return last, [PrintedSubject("host", "", {"md_arrays": 0} | of_host, prompt.host)]
        if not subjects:
            cut = MDSTAT_ARRAY.search(text)
            raise Unreadable(
                "the lines of its arrays are cut off" if cut else "no array follows its head"
            )
        host = PrintedSubject("host", "", of_host, prompt.host)
        return last, (*subjects, host) if unused else subjects


def _reflowed(text: str) -> str:
    """The text with each array in a line of its own, where whoever passed it on filled lines."""
    return _ANY_ARRAY.sub("\n", " ".join(text.split()))


def _last_line(cursor: TextCursor, first: int) -> int:
    """Where it ends: with the unused devices, before another one, or before other text."""
    last = first
    for index, line in lines(cursor, first, 600):
        if index - last > 4 or (line and not _MDSTAT_LINE.search(line)):
            break
        if "Personalities" in line and index > first:
            break
        last = index if line else last
        if "unused devices" in line:
            break
    return last
