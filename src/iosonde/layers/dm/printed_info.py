"""`dmsetup info`, `dmsetup info -c` and `dmsetup ls`: names, numbers and states of devices.

The uuid says which kind of layer a device is, as far as it does.

Source: dmsetup(8); tools/dmsetup.c of LVM2 2.03, _display_info_long(), _ls(): read-ahead in sectors
of 512 bytes; the status in -c is four letters (L live, I inactive, s suspended, r or w).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.layers._mapper.facts import kind_of
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.text.cursor import Prompt, TextCursor, compact, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, nearest

_LONG = re.compile(
    r"Name:(?P<name>.{1,200}?)State:(?P<state>ACTIVE|SUSPENDED)(?P<mode>\(READ-ONLY\))?"
    r"(?:\(DEFERREDREMOVE\))?"
    r"ReadAhead:(?P<ahead>\d+)Tablespresent:(?P<tables>[A-Z&a-z]+?)Opencount:(?P<open>\d+)"
    r"Eventnumber:(?P<event>\d+)Major,minor:(?P<major>\d+),(?P<minor>\d+)"
    r"Numberoftargets:(?P<targets>\d+)(?:UUID:(?P<uuid>\S{1,200}))?"
)
_OF_LONG = re.compile(
    r"^\s*(?:Name: |State: |Read Ahead: |Tables present: |Open count: |Event number: "
    r"|Major, minor: |Number of targets: |UUID:)"
)
_ROW = re.compile(
    r"^[\s|]*(?P<name>\S+)\s+(?P<major>\d+)\s+(?P<minor>\d+)\s+(?P<stat>[L-][I-][s-][rw-])\s+"
    r"(?P<open>\d+)\s+(?P<targets>\d+)\s+(?P<event>\d+)(?:\s+(?P<uuid>\S+))?"
)
_LISTED = re.compile(
    r"^\s*(?!=E2=94)(?P<name>[^\s\u2500-\u257f|`]\S*)\s+"
    r"\((?P<major>\d{1,4})[:,] ?(?P<minor>\d{1,6})\)\s*$"
)
_BRANCH = re.compile(
    r"^(?P<branch>[\s|\u2502]*(?:\u251c\u2500|\u2514\u2500|\|-|`-)+[\s\u2500-]{0,3})"
    r"(?:(?P<name>[^\s(]\S{0,200}) )?\s*\((?P<major>\d{1,4})[:,] ?(?P<minor>\d{1,6})\)\s*$"
)
"""A row of `dmsetup ls --tree`: what the device above it with fewer branches stands on."""
_HEAD = re.compile(r"^[\s|]*Name\s+Maj\s+Min\s+Stat\s")
_TABLES = {"L-": "live", "-I": "inactive", "LI": "live&inactive", "--": "none"}
"""What stands of them in the long form, by the first letters of `Stat`."""
_MOST = 4000
_WIDE = 60
"""Columns of a line that a wrap may have torn: shorter ones it leaves alone."""


class DmsetupInfo(StateOutput):
    tool = "dmsetup"
    anchors = (
        "Tables present:", "Number of targets:", " Maj Min Stat Open", "dmsetup ls",
    )  # fmt: skip

    commands = ("dmsetup",)
    reach = 3
    nothing = "no device follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _HEAD.match(line):
            return cursor.at
        if "dmsetup ls" in line:
            after = (
                index_after
                for index_after in (cursor.at + 1, cursor.at + 2)
                if cursor.line(index_after)
            )
            index = next(after, cursor.at)
            return index if _LISTED.match(cursor.line(index)) else None
        return nearest(
            cursor, 16, lambda line: line.lstrip().startswith("Name: "), between=_OF_LONG.match
        )

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first)
        if _HEAD.match(line):
            return _rows(cursor, first + 1, _ROW)
        below = (cursor.line(first + 1), cursor.line(first + 2))
        if _LISTED.match(line) and any(map(_BRANCH.match, below)):
            return _tree(cursor, first)
        if _LISTED.match(line):
            return _rows(cursor, first, _LISTED)
        return _blocks(cursor, first)


def _rows(
    cursor: TextCursor, first: int, pattern: re.Pattern[str]
) -> tuple[int, list[PrintedSubject]]:
    """One device in each line; a uuid that was folded into the next line tells its kind only."""
    subjects: list[PrintedSubject] = []
    last, strange = first, 0
    for index, line in lines(cursor, first, _MOST):
        device = pattern.match(line)
        if device:
            subjects.append(_subject(device))
            last, strange = index, 0
            continue
        uuid = line.strip()
        if subjects and strange == 0 and re.fullmatch(r"[\w-]{1,200}", uuid):
            subjects[-1] = _without_uuid(subjects[-1])  # the rest of it stands here
        if subjects and strange == 0 and re.fullmatch(r"[A-Z][\w-]{8,200}", uuid):
            subjects[-1] = _as_kind(subjects[-1], uuid)
            last = index
        if prompt_in(line) or strange >= 3:
            break
        strange += 1
    return last, subjects


def _tree(cursor: TextCursor, first: int) -> tuple[int, list[PrintedSubject]]:
    """Each named device with what it stands on, by name or number."""
    below: dict[str, list[str]] = {}
    devices: dict[str, PrintedSubject] = {}
    above: list[tuple[int, str]] = []
    last = first
    for index, line in lines(cursor, first, _MOST):
        row = _BRANCH.match(line) or _LISTED.match(line)
        if index > last + 2 or (line and row is None) or prompt_in(line):
            break
        if row is None:
            continue
        groups = row.groupdict()
        depth = len(groups.get("branch") or "")
        while above and above[-1][0] >= depth:
            above.pop()
        label = groups["name"] or f"{groups['major']}:{groups['minor']}"
        if depth and above and label not in below.setdefault(above[-1][1], []):
            below[above[-1][1]].append(label)
        if groups["name"]:
            devices[label] = _subject(row)
        above.append((depth, label))
        last = index
    return last, [
        PrintedSubject(
            subject.kind,
            name,
            without_none({**subject.values, "stands_on": " ".join(below.get(name, ())) or None}),
        )
        for name, subject in devices.items()
    ]


def _without_uuid(subject: PrintedSubject) -> PrintedSubject:
    """The device without a uuid that lost its end."""
    values = {name: value for name, value in subject.values.items() if name != "uuid"}
    return PrintedSubject(subject.kind, subject.name, values, subject.host)


def _as_kind(subject: PrintedSubject, uuid: str) -> PrintedSubject:
    kind = kind_of(uuid) if subject.kind == "dm" else subject.kind
    return PrintedSubject(kind, subject.name, subject.values)


def _subject(device: re.Match[str]) -> PrintedSubject:
    groups = device.groupdict()
    stat = groups.get("stat") or ""
    return PrintedSubject(
        kind_of(groups.get("uuid") or ""),
        device["name"],
        without_none(
            {
                "number": f"{device['major']}:{device['minor']}",
                "suspended": stat[2:3] == "s" if stat else None,
                "read_only": stat[3:4] == "r" if stat else None,
                "open_count": int(groups["open"]) if groups.get("open") else None,
                "segments": int(groups["targets"]) if groups.get("targets") else None,
                "event_number": int(groups["event"]) if groups.get("event") else None,
                "tables": _TABLES.get(stat[:2]),
                "uuid": groups.get("uuid") or None,
            }
        ),
    )


def _blocks(cursor: TextCursor, first: int) -> tuple[int, list[PrintedSubject]]:
    """One device in each block of lines."""
    last, before = first, ""
    for index, line in lines(cursor, first, _MOST):
        torn = len(before) >= _WIDE and re.fullmatch(r"\s*[\w-]{1,200}", line)
        if index > last + 4 or (line and not torn and not _OF_LONG.match(line)):
            break
        if line:
            last, before = index, line
    return last, list(_long(compact(cursor, first, last)))


def _long(packed: str) -> Iterator[PrintedSubject]:
    for part in re.split(r"(?=Name:.{1,200}?State:)", packed):
        device = _LONG.match(part)
        if device is None:
            continue
        uuid = device["uuid"] or ""
        yield PrintedSubject(
            kind_of(uuid),
            device["name"],
            without_none(
                {
                    "number": f"{device['major']}:{device['minor']}",
                    "suspended": device["state"] == "SUSPENDED",
                    "read_only": device["mode"] is not None,
                    "read_ahead_kb": int(device["ahead"]) * units.SECTOR // units.KIB,
                    "open_count": int(device["open"]),
                    "segments": int(device["targets"]),
                    "event_number": int(device["event"]),
                    "tables": device["tables"].lower(),
                    "uuid": uuid or None,
                }
            ),
        )
