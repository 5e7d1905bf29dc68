"""Listings of `dmsetup table` and `dmsetup status`: lines of targets, whoever reads them.

A listing holds lines of several targets; each target's file says what its arguments mean, and
whichever recognises the listing first reads all of it. flashcache's lines, which go over many, end
it.

Source: dmsetup(8); tools/dmsetup.c of LVM2 2.03, _status(): "NAME: " goes before a line unless the
command names one device; then START, LENGTH in sectors of 512 bytes, target and its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TypeAlias

from iosonde import units
from iosonde.layers.layer import Target
from iosonde.layers.outputs._torn import joinings
from iosonde.passage import Passage, Prompt, command_before, prompt_in
from iosonde.printed import PrintedCounters, PrintedState, Reading, Subject, Unreadable
from iosonde.records import Json, Scalar

_OWN = "iosonde.layers.outputs"
_READERS: Mapping[str, str] = {
    "cache": f"{_OWN}.dm_cache:told",
    "writecache": f"{_OWN}.dm_writecache:told",
    **dict.fromkeys(
        (
            "linear", "striped", "crypt", "multipath", "thin", "thin-pool", "snapshot",
            "snapshot-origin", "snapshot-merge", "mirror", "raid", "error", "zero", "delay",
            "flakey", "verity", "integrity", "era", "clone", "unstriped",
        ),
        f"{_OWN}.dmsetup:told",
    ),
}  # fmt: skip
_TARGETS = "|".join(sorted((*_READERS, "flashcache-wt", "flashcache"), key=len, reverse=True))
HEAD = re.compile(
    r"(?:^|[\s|])(?:(?P<name>[^\s:|][^\s|]{0,126}): )?(?P<start>\d{1,15}) (?P<length>\d{1,15}) "
    rf"(?P<target>{_TARGETS})(?= |$|\|)(?P<words>.*)$"
)
"""The first line of a target, whatever stands before it in its line."""

_UNCOUNTED = frozenset({"delay", "flakey", "verity", "integrity", "era", "clone", "unstriped"})
"""Targets whose arguments are not told apart: what stands in the next line is not theirs."""
_OPTION_WITH_VALUE = frozenset({"--target", "-j", "--major", "-m", "--minor", "-u", "--uuid"})
_MORE = 4
_MOST = 2000


@dataclass(frozen=True, slots=True)
class Told:
    """What a target's line says: the kind of layer, its values, and what it counts."""

    kind: str
    values: Mapping[str, Scalar]
    counters: Mapping[str, Json] = field(default_factory=dict)


Reader: TypeAlias = Callable[[Target], "Told | None"]
"""None where the arguments are not those of the target, as when a word is missing."""


@dataclass(slots=True)
class _Device:
    """What a listing says of one device: one line for each segment of it."""

    name: str
    kind: str
    size: int = 0
    segments: list[Target] = field(default_factory=list)
    values: dict[str, Scalar] = field(default_factory=dict)
    counters: dict[str, Json] = field(default_factory=dict)


def device_of(command: str) -> str:
    """The device that a command asks dmsetup about; empty where it asks about all."""
    words = command.partition("|")[0].split()
    verb = next((word for word in words if word in {"status", "table", "info"}), "")
    skip = False
    for word in words[words.index(verb) + 1 :] if verb else ():
        if not skip and re.match(r"[\w/]", word):
            return word.rstrip(";").removeprefix("/dev/mapper/").removeprefix("/dev/")
        skip = word in _OPTION_WITH_VALUE
    return ""


def begin_listing(passage: Passage) -> int | None:
    """Index of the first line of the listing in which an anchor stands; None where it is none."""
    first = None
    line = passage.line(passage.at) or ""
    if re.search(r"dmsetup\s(?:.*\s)?(?:table|status)\b", line):
        after = (index for index in (passage.at + 1, passage.at + 2) if passage.line(index))
        index = next(after, -1)
        head = HEAD.search(passage.line(index) or "") if index > 0 else None
        return index if head and not head["target"].startswith("flashcache") else None
    gap = 0
    for index in range(passage.at, max(passage.at - 80, -1), -1):
        line = passage.line(index) or ""
        head = HEAD.search(line)
        if head and head["target"].startswith("flashcache"):
            break
        if head:
            first, gap = index, 0
        elif prompt_in(line) or gap > _MORE:
            break
        else:
            gap += 1
    return first


def read_listing(passage: Passage, first: int) -> Reading:
    """Everything that a listing says.

    Raises:
        Unreadable: not one of its lines makes sense.
    """
    begin, prompt = command_before(passage, first, ("dmsetup",), reach=3) or (first, Prompt(""))
    named = device_of(prompt.command)
    devices: dict[tuple[str, str], _Device] = {}
    unread: list[tuple[int, int, str]] = []
    last = first
    for index, head, found in _lines(passage, first):
        if found is None:
            unread.append((index, index, f"the arguments of {head['target']} are not whole"))
            continue
        last, target, told = found
        name = head["name"] or named
        device = devices.setdefault((name, told.kind), _Device(name, told.kind))
        device.size += target.length * units.SECTOR
        device.segments.append(target)
        device.values |= told.values
        device.counters |= told.counters
    if not devices:
        raise Unreadable(unread[0][2] if unread else "no target follows")
    counters = tuple(
        PrintedCounters(
            one.kind.replace("_", "-"), one.kind, one.name, one.counters, prompt.host,
            prompt.command,
        )
        for one in devices.values() if one.counters
    )  # fmt: skip
    states = _states(devices.values(), prompt)
    return Reading(begin, last, states=states, counters=counters, unread=tuple(unread))


def _lines(
    passage: Passage, first: int
) -> Iterator[tuple[int, re.Match[str], tuple[int, Target, Told] | None]]:
    """Each target with the index of its first line, up to a line that is part of none.

    After one that makes no sense, a few lines may be what is left of it.
    """
    index, blank, left = first, 0, 0
    while index < first + _MOST and blank < 2:
        line = passage.line(index)
        head = HEAD.search(line) if line else None
        if line is None or (head and head["target"].startswith("flashcache")):
            return
        index += 1
        if head:
            found = _whole(passage, index - 1, _reader(head["target"]))
            yield index - 1, head, found
            index = found[0] + 1 if found else index
            blank, left = 0, 0 if found else _MORE
        elif not line:
            blank += 1
        elif left and not prompt_in(line):
            left -= 1
        else:
            return


def _states(devices: Iterable[_Device], prompt: Prompt) -> tuple[PrintedState, ...]:
    subjects = []
    for one in devices:
        values = dict(one.values) if len(one.segments) == 1 else _several(one)
        subjects.append(Subject(one.kind, one.name, values | {"size": one.size}))
    return (PrintedState("dmsetup", tuple(subjects), prompt.host, prompt.command),)


def _several(device: _Device) -> dict[str, Scalar]:
    """Of a device of several segments: what they are; offsets and the like are each one's own."""
    names = dict.fromkeys(one.name for one in device.segments)
    return {"target": ", ".join(names), "segments": len(device.segments)}


def _reader(target: str) -> Reader:
    module, _, name = _READERS[target].partition(":")
    reader: Reader = getattr(import_module(module), name)
    return reader


def _whole(passage: Passage, first: int, reader: Reader) -> tuple[int, Target, Told] | None:
    """A target's line, which a wrap may have torn: index of its last line, and what it means."""
    parts, indices = [passage.line(first) or ""], [first]
    head = HEAD.search(parts[0])
    counted = head is not None and head["target"] not in _UNCOUNTED
    for index, text in _following(passage, first) if counted else ():
        parts.append(text)
        indices.append(index)
    for count in range(len(parts), 0, -1):
        for text in joinings(parts[:count]):
            found = HEAD.search(text)
            if found is None:
                continue
            words = tuple(found["words"].strip(" |").split())
            target = Target(int(found["start"]), int(found["length"]), found["target"], words)
            if (told := reader(target)) is not None:
                return indices[count - 1], target, told
    return None


def _following(passage: Passage, first: int) -> Iterator[tuple[int, str]]:
    """Lines that may go on with a target: up to the next one, a prompt or a gap."""
    blank = found = 0
    for index in range(first + 1, first + 2 * _MORE + 1):
        text = passage.line(index)
        if text is None or blank > 1 or found >= _MORE:
            return
        if not text.strip():
            blank += 1
        elif HEAD.search(text) or prompt_in(text):
            return
        else:
            blank, found = 0, found + 1
            yield index, text
