"""`sgdisk -v` and gdisk's `v`: what is wrong with a GPT, or that nothing is.

Source: gdisk 1.0.9, gpt.cc (GPTData::Verify(): each problem in a paragraph of its own, cautions
that it does not count, then "Identified N problems!" or how much is free).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, prompt_in
from iosonde.text.reader import Items, StateOutput

_IDENTIFIED = re.compile(r"\s*Identified (?P<problems>\d{1,4}) problems!\s*$")
_NONE = re.compile(r"\s*No problems found\. (?P<free>\d{1,18}) free sectors \(")
_FREE = re.compile(
    r"No problems found\. (?P<free_sectors>\d{1,18}) free sectors \([^()]{1,20}\) available in "
    r"(?P<free_segments>\d{1,6}) segments, the largest of which is "
    r"(?P<largest_free_sectors>\d{1,18}) \("
)
_PARAGRAPH = re.compile(
    r"\s*(?:Problem: |Caution: |Warning[:!] |Consult \S|Partition\(s\) in the protective MBR are "
    r"|Main partition table overlaps )"
)
_COUNTED = re.compile(r"\s*(?:Problem: |Caution: The CRC |Warning! |Partition\(s\) in the )")
_SENTENCE = re.compile(r"\s*(?:\w{1,10}[:!] )?(?P<text>.{5,200}?[.!](?=\s|$)|.{5,200})")
_DEVICE = re.compile(r"\s/dev/(?P<device>[\w/.!-]{2,60})(?:\s|$)")
_REACH = 80  # lines above the last one


class GdiskVerify(StateOutput):
    tool = "sgdisk -v"
    anchors = (" problems!", "No problems found. ")
    commands = ("sgdisk", "gdisk")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_IDENTIFIED.match(line) or _NONE.match(line)):
            return None
        first = index = cursor.at
        while index > max(cursor.at - _REACH, 0):
            index -= 1
            if not cursor.line(index):
                continue
            while cursor.line(index - 1) and not prompt_in(cursor.line(index - 1)):
                index -= 1
            if not _PARAGRAPH.match(cursor.line(index)):
                break
            first = index
        return first if _NONE.match(line) or first < cursor.at else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        texts, last = list[str](), first
        for index in range(first, first + _REACH):
            line = cursor.line(index)
            if _COUNTED.match(line):
                said = _SENTENCE.match(flow(cursor, index, index + 2))
                texts.append(said["text"] if said else line.strip())
            last = index
            if _IDENTIFIED.match(line) or _NONE.match(line):
                break
        values: dict[str, Scalar] = {}
        if count := _IDENTIFIED.match(cursor.line(last)):
            values = {"gpt_problems": int(count["problems"]), "problems": " · ".join(texts)}
        else:
            free = _FREE.match(flow(cursor, last, last + 1).strip())
            values = {"gpt_problems": 0}
            if free:
                values |= {name: int(number) for name, number in free.groupdict().items()}
                last += 1 if cursor.line(last + 1) and "segments" in cursor.line(last + 1) else 0
        device = _DEVICE.search(f"{prompt.command} ")
        name = device["device"] if device else ""
        return last, [PrintedSubject("disk", name, values, prompt.host)]
