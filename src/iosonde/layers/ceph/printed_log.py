"""`ceph -w`, the cluster's log, `ceph pg stat`, `mon stat` and `mds stat`: maps and messages.

Source:
    Ceph 0.30 to 0.94, mon/PGMap.cc (print_summary(), recovery_summary(), client_io_rate_summary()),
    osd/OSDMap.cc and mds/MDSMap.cc (print_summary()), mon/MonMap.h, common/LogEntry.cc; Ceph 18,
    mon/PGMap.cc (print_oneline_summary()), mds/FSMap.cc (print_summary()).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from typing_extensions import override

from iosonde.layers.ceph.facts import (
    COUNT,
    SIZE,
    client_rates,
    count,
    groups_by_state,
    not_whole,
    size,
)
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, nearest

_STAMP = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.:+Z-]{0,20}"
_ENTRY = re.compile(
    rf"\s*+(?:\S{{1,40}}\[\d{{1,7}}\]: )?(?:(?:cluster|audit) )?(?:{_STAMP}\s+)?(?:log {_STAMP} )?"
    r"(?P<source>(?:mon|osd|mds|mgr|client|rgw)[.\d][^\s:\[]{0,60})\s+"
    r"(?:(?:mon|osd|mds|mgr|client)\.\d{1,9}\s+(?=\S))?"
    r"(?:\([a-z]{3,10}\.[^\s)]{1,60}\)\s+|\S{3,160}/\d{1,12}\]?\s+)?(?:\d{1,12} : )?"
    r"(?:cluster |audit )?\[(?P<level>INF|WRN|ERR|DBG|SEC)\](?P<text>.*)$"
)
_BARE = re.compile(
    rf"\s*+(?:{_STAMP}\s+)?(?P<text>(?:pg )?v\d{{1,12}}: \d{{1,9}} pgs: \d.*|"
    r"(?:mds )?e\d{1,9}: \d{1,4}/\d{1,4}/\d{1,4} up.*|osd e\d{1,9}: \d{1,7} osds: .*|"
    r"(?:mon )?e\d{1,9}: \d{1,4} mons at \{.*|"
    r"[A-Za-z][\w.-]{0,60}(?:-\d{1,4}/\d{1,4}/\d{1,4} up |:\d{1,4}) +\{\d{1,4}=\S{1,60}=up:.*)$"
)
_PASSED = re.compile(rf"\s*(?:{_STAMP}\s+)?class \w{{1,30}} \(v[^)]{{1,40}}\)")
_BEGUN = re.compile(rf"\s*(?:log )?{_STAMP}\s")
_ITEM = (
    rf"(?:{SIZE}/s(?: rd| wr)?|{COUNT} ?op/s(?: rd| wr)?|\d{{1,9}} (?:objects|keys)/s|"
    rf"\d{{1,15}}/\d{{1,15}} (?:objects )?(?:degraded|misplaced|unfound)(?: \(-?[\d.]{{1,12}}%\))?|"
    rf"recovering {COUNT} o/s|[\d.]{{1,9}}% pgs [a-z ]{{5,12}})(?: recovering)?"
)
_PGMAP = re.compile(
    rf"(?:pgmap |pg )?v(?P<version>\d{{1,12}}): (?P<pgs>\d{{1,9}}) pgs: "
    rf"(?P<states>\d[^;]{{0,1500}}); (?P<stored>{SIZE}) data, (?P<used>{SIZE}) used, "
    rf"(?P<available>{SIZE}) / (?P<size>{SIZE}) avail(?P<rest>(?:[;,] {{1,2}}{_ITEM}){{0,9}})"
)
_OSDMAP = re.compile(
    r"osd(?:map)? e(?P<epoch>\d{1,9}): (?P<osds>\d{1,7}) (?:osds:|total,) (?P<osds_up>\d{1,7}) up, "
    r"(?P<osds_in>\d{1,7}) in(?P<full> full| nearfull)?"
)
_MDSMAP = re.compile(
    r"(?:mdsmap |fsmap |mds )?(?:e(?P<epoch>\d{1,9}): )?(?:(?P<filesystem>[A-Za-z][\w.-]{0,60})"
    r"(?:-|:(?=\d{1,4} )))?(?P<mds_up>\d{1,4})(?:/(?P<mds_in>\d{1,4})/(?P<mds_max>\d{1,4}) up)?"
    r"(?: +(?P<ranks>\{\d[^}]{0,900}\}))?,?(?: (?P<standby>\d{1,4}) up:standby)?"
    r"(?:, (?P<mds_failed>\d{1,4}) failed)?"
)
_IS_MDSMAP = re.compile(
    r"(?:(?:mdsmap|fsmap|mds) )?(?:e\d{1,9}: \d{1,4}/\d{1,4}/\d{1,4} up|"
    r"[A-Za-z][\w.-]{0,60}(?:-\d{1,4}/\d{1,4}/\d{1,4} up|:\d{1,4}) +\{)"
)
_MONMAP = re.compile(
    r"(?:monmap |mon )?e(?P<epoch>\d{1,9}): (?P<monitors>\d{1,4}) mons at "
    r"\{(?P<addresses>[^}]{0,1500})\}(?: removed_ranks: \{[\d,]{0,99}\}"
    r"(?: disallowed_leaders: \{[\d,]{0,99}\})?)?"
    r"(?:, election epoch (?P<election_epoch>\d{1,9})(?:, leader (?P<leader>\d{1,4}) \S{1,60})?"
    r", quorum (?P<quorum>[\d,]{1,99}) (?P<quorum_names>\S{1,900}))?"
)
_NUMBERED = re.compile(r"\D{1,8}\d{1,12}: \d")
_LEFT = re.compile(
    r"(?P<count>\d{1,15})/(?P<total>\d{1,15}) (?:objects )?(?P<what>degraded|misplaced|unfound)"
)
_RECOVERY = re.compile(
    rf"recovering (?P<old>{COUNT}) o/s, (?P<rate>{SIZE})/s|"
    rf"(?P<bandwidth>{SIZE})/s(?=, \d{{1,9}} (?:keys|objects)/s| recovering)|"
    r"(?P<objects>\d{1,9}) objects/s"
)
_INACTIVE = re.compile(r"(?P<share>[\d.]{1,9})% pgs (?P<what>[a-z ]{5,12})(?=[;,]|$)")
_ROOM = ("stored", "used", "available", "size")
_LONG = 60
"""Characters of a line that a mail may have broken."""
_PIECES = 6
_MOST = 5000


def is_entry(line: str) -> bool:
    """Whether a line is an entry of the cluster's log."""
    return _ENTRY.match(line) is not None


class _Line(NamedTuple):
    """An entry: who says it, its level, what it says, when, and the index of its last line."""

    source: str
    level: str
    text: str
    time: str
    last: int


class CephLog(StateOutput):
    tool = "ceph -w"
    anchors = (
        "[INF] ", "[WRN] ", "[ERR] ", "[DBG] ", " pgs: ", " mons at {", " up {0=", "=up:active",
    )  # fmt: skip
    commands = ("ceph", "tail", "grep", "cat")
    reach = 3
    nothing = "no line of it is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return nearest(cursor, 3, lambda line: _ENTRY.match(line) or _BARE.match(line))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = first
        counters: list[PrintedCounters] = []
        messages: dict[str, dict[str, list[str]]] = {}
        for line in _entries(cursor, first):
            last = line.last
            name, values = _map(line.text)
            if values:
                when = {"time": line.time} if line.time else {}
                counters.append(self.counted("ceph", name, {**when, **values}, prompt))
            elif line.source:
                messages.setdefault(line.source, {}).setdefault(line.level, []).append(line.text)
        for source, by_level in messages.items():
            values = {level: [*texts] for level, texts in by_level.items()}
            counters.append(self.counted("ceph", source, values, prompt))
        return last, counters


def _entries(cursor: TextCursor, first: int) -> Iterator[_Line]:
    """The entries from a line on, each with what a mail broke off it."""
    last = first - 1
    for index, line in lines(cursor, first, _MOST):
        if index <= last or _PASSED.match(line):
            last = max(last, index)
            continue
        if not line:
            if index > last + 1:
                return
            continue
        entry, at = _ENTRY.match(line), index
        match = entry or _BARE.match(line)
        if match is None:  # a mail may have broken what stands before the text
            match = entry = _ENTRY.match(f"{line} {cursor.line(index + 1).strip()}")
            at += 1
        if match is None:
            return
        text = match["text"].strip()
        if not text:  # a mail broke the line behind its level
            text, at = cursor.line(at + 1).strip(), at + 1
        text, last = _whole(cursor, at, text, is_map=bool(_map_of(text)))
        stamp = re.search(_STAMP, cursor.stamped(index) or line)
        source, level = (entry["source"], entry["level"]) if entry else ("", "")
        yield _Line(source, level, text, stamp[0] if stamp else "", last)


def _map_of(text: str) -> str:
    """Which map a text is about by how it begins; empty where it is a message."""
    for name, beginning in (
        ("pgmap", ("pgmap v", "pg v", "v")), ("osdmap", ("osdmap e", "osd e")),
        ("monmap", ("monmap e", "mon e", "e")),
    ):  # fmt: skip
        if text.startswith(beginning) and _NUMBERED.match(text):
            return name if name != "monmap" or " mons at {" in text else "mdsmap"
    return "mdsmap" if _IS_MDSMAP.match(text) else ""


def _whole(cursor: TextCursor, index: int, text: str, *, is_map: bool) -> tuple[str, int]:
    """The text of the entry in a line with the lines that a mail broke off, and the last one."""
    whole, last = text, index
    rest = list(_continued(cursor, index, is_map=is_map))
    for place, more in enumerate(rest, index + 1):
        text += f" {more}"
        if not is_map or len(_map(text)[1]) > len(_map(whole)[1]):
            whole, last = text, place
    return whole, last


def _continued(cursor: TextCursor, index: int, *, is_map: bool) -> Iterator[str]:
    """The lines below an entry that may be a part of it."""
    for place in range(index, index + _PIECES):
        above = cursor.stamped(place)
        line = cursor.line(place + 1)
        is_next = any(beginning.match(line) for beginning in (_ENTRY, _BARE, _PASSED, _BEGUN))
        if not line or is_next or prompt_in(line) or (not is_map and len(above) < _LONG):
            return
        yield line.strip()


def _map(text: str) -> tuple[str, Mapping[str, Json]]:
    """The name of the map that a text is about, and what it says; empty where it is a message."""
    name = _map_of(text)
    pattern = {"pgmap": _PGMAP, "osdmap": _OSDMAP, "monmap": _MONMAP, "mdsmap": _MDSMAP}.get(name)
    match = pattern.match(text) if pattern else None
    if match is None:
        return name, {}
    if name == "pgmap":
        return name, _groups(match)
    values: dict[str, Json] = {}
    for label, part in match.groupdict().items():
        if part:
            values[label] = int(part) if part.isdecimal() else part.strip()
    return name, values


def _groups(match: re.Match[str]) -> dict[str, Json]:
    """What a line of the pgmap says: groups by state, room, rates and what is not whole."""
    rest = match["rest"]
    values: dict[str, Json] = {"version": int(match["version"]), "pgs": int(match["pgs"])}
    values |= groups_by_state(match["states"])
    values |= {name: size(match[name]) for name in _ROOM}
    values |= client_rates(rest, binary="iB" not in match[0])
    for left in _LEFT.finditer(rest):
        values |= not_whole(left["what"], left["count"], left["total"])
    for recovery in _RECOVERY.finditer(rest):
        if bandwidth := recovery["rate"] or recovery["bandwidth"]:
            values["recovery.bandwidth"] = size(bandwidth)
        if recovery["objects"]:
            values["recovery.objects"] = int(recovery["objects"])
        if recovery["old"]:
            values["recovery.objects"] = count(recovery["old"], binary=True)
    for inactive in _INACTIVE.finditer(rest):
        values[f"pgs_{inactive['what'].strip().replace(' ', '_')}_share"] = (
            float(inactive["share"]) / 100
        )
    return values
