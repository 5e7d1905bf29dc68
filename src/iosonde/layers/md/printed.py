"""/proc/mdstat, `mdadm --detail` and `mdadm --examine` in any text."""

from __future__ import annotations

import re
from typing import ClassVar

from iosonde.layers.md.facts import (
    MDADM_DEVICE,
    MDADM_PAIR,
    MDSTAT_ARRAY,
    parse_mdadm,
    parse_mdstat,
)
from iosonde.records.printed import PrintedState, Reading, Subject, Unreadable
from iosonde.text.passage import Passage, Prompt, command_before, joined, lines

_MDSTAT_LINE = re.compile(
    r"md\w* ?:|blocks|\[[=.>]{3}|[=.>]{4,}|finish=|in=|bitmap:|Personalities|unused devices|chunk|"
    r"\[[\dU_]+[\]/]|[U_]+\]|speed=|sec\b|level|algorithm|super|copies|\[\d+\]|^\s*[\w/]{0,24}\]?$|"
    r"\(\d+/\d+\)|resync|DELAYED|PENDING"
)


class Mdadm:
    """See `iosonde.text.passage.Output`."""

    tool: ClassVar[str] = "mdadm"
    anchors: ClassVar[tuple[str, ...]] = ("Raid Level :", "Raid Devices :", "Array UUID :")

    def begin(self, passage: Passage) -> int | None:
        """See `Output.begin`. The device above the pairs, or the first pair."""
        first = None
        for index in range(passage.at, max(passage.at - 24, -1), -1):
            line = passage.line(index)
            if line is None:
                break
            if MDADM_DEVICE.match(line):
                return index
            if MDADM_PAIR.match(line):
                first = index
            elif line:
                break
        return first

    def read(self, passage: Passage, first: int) -> Reading:
        """See `Output.read`."""
        report, last = parse_mdadm(passage.block(first, 120))
        if "Raid Level" not in report.pairs:
            raise Unreadable("the level of the array is missing")
        begin, prompt = command_before(passage, first, ("mdadm",)) or (first, Prompt(""))
        kind = "md_member" if report.examined else "md"
        subject = Subject(kind, report.name, report.facts, prompt.host)
        state = PrintedState(self.tool, (subject,), prompt.host, prompt.command)
        return Reading(begin, first + last, states=(state,))


class Mdstat:
    """See `iosonde.text.passage.Output`."""

    tool: ClassVar[str] = "mdstat"
    anchors: ClassVar[tuple[str, ...]] = (
        ": active raid", ": active (", ": inactive ", ": active linear", ": broken ",
        "Personalities :",
    )  # fmt: skip

    def begin(self, passage: Passage) -> int | None:
        """See `Output.begin`."""
        line = passage.line(passage.at) or ""
        if "Personalities :" in line:
            return passage.at
        if not MDSTAT_ARRAY.match(line):
            return None
        for index in range(passage.at - 1, max(passage.at - 4, -1), -1):
            before = passage.line(index)
            if before is None or (before and "Personalities" not in before):
                break
            if before:
                return index
        return passage.at

    def read(self, passage: Passage, first: int) -> Reading:
        """See `Output.read`."""
        last = _last_line(passage, first)
        text = joined(passage, first, last)
        begin, prompt = command_before(passage, first, ("cat", "watch")) or (first, Prompt(""))
        subjects = tuple(
            Subject("md", array.name, array.facts, prompt.host) for array in parse_mdstat(text)
        )
        if not subjects:
            cut = MDSTAT_ARRAY.search(text)
            raise Unreadable(
                "the lines of its arrays are cut off" if cut else "there is no array in it"
            )
        state = PrintedState(self.tool, subjects, prompt.host, prompt.command)
        return Reading(begin, last, states=(state,))


def _last_line(passage: Passage, first: int) -> int:
    """Where it ends: with the unused devices, before another one, or before other text."""
    last = first
    for index, line in lines(passage, first, 600):
        if index - last > 4 or (line and not _MDSTAT_LINE.search(line)):
            break
        if "Personalities" in line and index > first:
            break
        last = index if line else last
        if "unused devices" in line:
            break
    return last
