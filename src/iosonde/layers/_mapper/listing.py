"""Listings of `dmsetup table` and `dmsetup status`: lines of targets, whoever reads them.

A listing holds lines of several targets; each target's file says what its arguments mean, and
whichever recognises the listing first reads all of it. Lines that go over many end it
(`DmTarget.has_listing`).

Source: dmsetup(8); tools/dmsetup.c of LVM2 2.03, _status(): "NAME: " goes before a line unless the
command names one device; then START, LENGTH in sectors of 512 bytes, target and its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from typing_extensions import override

from iosonde import units
from iosonde.layers import TARGETS
from iosonde.layers._mapper.facts import (
    OWN,
    MapperTarget,
    TargetFacts,
    as_printed,
    device_of,
    table_facts,
    target_of,
)
from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    Unreadable,
)
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, prompt_in
from iosonde.text.torn import joinings

_TARGETS = "|".join(sorted((*OWN, *TARGETS), key=len, reverse=True))
HEAD = re.compile(
    r"(?:^|[\s|])(?:(?P<name>[^\s:|][^\s|]{0,126}): )?(?P<start>\d{1,15}) (?P<length>\d{1,15}) "
    rf"(?P<target>{_TARGETS})(?= |$|\|)(?P<arguments>.*)$"
)
"""The first line of a target, whatever stands before it in its line."""

_MORE = 4
_MOST = 2000


_Whole: TypeAlias = tuple[int, MapperTarget, TargetFacts]
"""Index of a target's last line, the target, and what it means."""


@dataclass(slots=True)
class _Device:
    """What a listing says of one device: one line for each segment of it."""

    name: str
    kind: str
    size: int = 0
    segments: list[MapperTarget] = field(default_factory=list)
    values: dict[str, Scalar] = field(default_factory=dict)
    counters: dict[str, Json] = field(default_factory=dict)


class Listing(Output):
    """The output of each target that has an anchor in a listing."""

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = None
        line = cursor.line(cursor.at)
        if re.search(r"dmsetup\s(?:.*\s)?(?:table|status)\b", line):
            after = (index for index in (cursor.at + 1, cursor.at + 2) if cursor.line(index))
            index = next(after, -1)
            head = HEAD.search(cursor.line(index)) if index > 0 else None
            return index if head and not target_of(head["target"]).has_listing else None
        gap = 0
        for index in range(cursor.at, max(cursor.at - 80, -1), -1):
            line = cursor.line(index)
            head = HEAD.search(line)
            if head and target_of(head["target"]).has_listing:
                break
            if head:
                first, gap = index, 0
            elif prompt_in(line) or gap > _MORE:
                break
            else:
                gap += 1
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        begin, prompt = command_before(cursor, first, ("dmsetup",), reach=3)
        named = device_of(prompt.command)
        devices: dict[tuple[str, str], _Device] = {}
        unread: list[tuple[int, int, str]] = []
        last = first
        for index, head, line in _lines(cursor, first):
            if line is None:
                unread.append((index, index, f"the arguments of {head['target']} are not whole"))
                continue
            last, target, facts = line
            name = head["name"] or named
            device = devices.setdefault((name, facts.kind), _Device(name, facts.kind))
            device.size += target.length * units.SECTOR
            device.segments.append(target)
            device.values |= facts.values
            device.counters |= facts.counters
        if not devices:
            raise Unreadable(unread[0][2] if unread else "no target follows")
        counters = tuple(
            PrintedCounters(
                device.kind.replace("_", "-"),
                device.kind,
                device.name,
                device.counters,
                prompt.host,
                prompt.command,
            )
            for device in devices.values()
            if device.counters
        )
        states = _states(devices.values(), prompt)
        return OutputReading(begin, last, states=states, counters=counters, unread=tuple(unread))


def _lines(cursor: TextCursor, first: int) -> Iterator[tuple[int, re.Match[str], _Whole | None]]:
    """Each target with the index of its first line, up to a line that is part of none.

    After one that makes no sense, a few lines may be what is left of it.
    """
    index, blank, left = first, 0, 0
    while index < first + _MOST and blank < 2:
        line = cursor.line(index)
        head = HEAD.search(line)
        if head and target_of(head["target"]).has_listing:
            return
        index += 1
        if head:
            whole = _whole(cursor, index - 1, head["target"])
            yield index - 1, head, whole
            index = whole[0] + 1 if whole else index
            blank, left = 0, 0 if whole else _MORE
        elif not line:
            blank += 1
        elif left and not prompt_in(line):
            left -= 1
        else:
            return


def _states(devices: Iterable[_Device], prompt: Prompt) -> tuple[PrintedState, ...]:
    subjects = []
    for device in devices:
        values = dict(device.values) if len(device.segments) == 1 else table_facts(device.segments)
        values |= {"size": device.size, "lines": as_printed(device.segments)}
        subjects.append(PrintedSubject(device.kind, device.name, values))
    return (PrintedState("dmsetup", tuple(subjects), prompt.host, prompt.command),)


def _whole(cursor: TextCursor, first: int, name: str) -> _Whole | None:
    """A target's line, which a wrap may have torn."""
    read, counts_itself = target_of(name).read, target_of(name).own is not None
    parts, indices = [cursor.line(first)], [first]
    for index, text in _following(cursor, first):
        if counts_itself and index > indices[-1] + 1:
            break  # a paragraph, whose words its arguments do not end before
        parts.append(text)
        indices.append(index)
    for count in range(len(parts), 0, -1):
        for text in joinings(parts[:count]):
            head = HEAD.search(text)
            if head is None:
                continue
            arguments = tuple(head["arguments"].strip(" |").split())
            target = MapperTarget(
                int(head["start"]), int(head["length"]), head["target"], arguments
            )
            if (facts := read(target)) is not None:
                return indices[count - 1], target, facts
    return None


def _following(cursor: TextCursor, first: int) -> Iterator[tuple[int, str]]:
    """Lines that may go on with a target: up to the next one, a prompt or a gap."""
    blank = count = 0
    for index in range(first + 1, first + 2 * _MORE + 1):
        text = cursor.line(index)
        if blank > 1 or count >= _MORE:
            return
        if not text.strip():
            blank += 1
        elif HEAD.search(text) or prompt_in(text):
            return
        else:
            blank, count = 0, count + 1
            yield index, text
