"""Parts of what mdadm prints, as they stand alone in mails.

The table of members below `mdadm --detail`; `mdadm --examine … | grep Events` of several members;
Intel's metadata (IMSM) of a disk, and `mdadm --detail-platform`.

Source: mdadm 4.3, Detail.c (Detail: "Number   Major   Minor   RaidDevice State"), Examine.c,
super-intel.c (examine_super_imsm: "Usable Size" in sectors; detail_platform_imsm).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde.layers.md.facts_mdadm import MDADM_DEVICE, MDADM_PAIR, as_mdadm_says
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, before, close_rows, nearest
from iosonde.units import SECTOR

_TABLE = re.compile(r"\s*Number\s+Major\s+Minor\s+RaidDevice(?:\s+State)?\s*$")
_STATE = (
    "active|sync|removed|faulty|spare|rebuilding|writemostly|journal|failfast|blocked|replacement"
    r"|missing|set-[A-Z]"
)
_ROW = re.compile(
    r"\s*(?P<number>\d{1,5}|-|this)\s+(?P<major>\d{1,5})\s+(?P<minor>\d{1,7})\s+"
    r"(?P<place>\d{1,5}|-)\s+"
    rf"(?P<state>(?:{_STATE})(?:\s+(?:{_STATE})){{0,4}})(?:\s+/dev/(?P<name>\S{{1,80}}))?\s*$"
)
_ARRAY = re.compile(r"/dev/(md[\w/.-]{1,60})")
_EVENTS = re.compile(r"\s*(?:Events|Update Time|Array State|Device Role) : \S")
_CONTAINER = re.compile(r"\s*Magic : Intel Raid ISM Cfg Sig")
_DISK = re.compile(r"\s*Disk\d{2} Serial : (?P<serial>\S{1,60})\s*$")
_PAIR = re.compile(r"\s*([A-Z0-9][A-Za-z0-9'/() -]{1,40}?) : (\S.*?)\s*$")
_HEXADECIMAL = {"Orig Family": "orig_family", "Family": "family", "Generation": "generation"}
"""Eight hexadecimal figures each ("%08x"), kept as they are printed."""
_VOLUME = re.compile(r"\s*\[[^\]]{1,32}\]:\s*$")
_PLATFORM = re.compile(r"\s*Platform : \S")
_MOST = 200


class MdadmTable(StateOutput):
    """The members of an array, without what stands above them."""

    tool = "mdadm members"
    anchors = ("RaidDevice",)
    commands = ("mdadm",)
    beginning = _TABLE
    nothing = "no member follows"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first + 1, _ROW.match, _MOST, gap=3)
        if not rows:
            return last, []
        above = " ".join(cursor.line(index) for index in range(max(first - 3, 0), first))
        arrays = _ARRAY.findall(prompt.command or above)
        name = arrays[-1] if arrays else ""
        return last, [PrintedSubject("md", name, dict(_members(rows)), prompt.host)]


def _members(matches: list[re.Match[str]]) -> Iterator[tuple[str, Scalar]]:
    """How many members are active, how many places are empty, and the names of the others."""
    rows = [(match["name"] or "", match["state"]) for match in matches]
    yield (
        "member_states",
        "; ".join(
            f"{match['place']} {match['name'] or ''} {' '.join(match['state'].split())}".replace(
                "  ", " "
            )
            for match in matches
        ),
    )
    if devices := [
        f"{match['number']} {match['major']}:{match['minor']} {match['name']}"
        for match in matches if match["name"]
    ]:  # fmt: skip
        yield "member_devices", "; ".join(devices)
    yield "active_members", sum("active" in state for _, state in rows)
    if removed := sum(state in {"removed", "missing"} for _, state in rows):
        yield "degraded", removed
    for fact in ("faulty", "rebuilding", "journal"):
        if names := [name for name, state in rows if fact in state.split()]:
            yield fact, " ".join(names)
    if names := [name for name, state in rows if state == "spare"]:  # none that rebuilds
        yield "spares", " ".join(names)
    if names := [name for name, _ in rows if name]:
        yield "below", " ".join(names)


class MdadmLines(StateOutput):
    """Lines that somebody chose of what members say."""

    tool = "mdadm --examine"
    anchors = (
        "Events : ", "Update Time : ", "Array State : ", "Device Role : ",
    )  # fmt: skip
    commands = ("mdadm", "for")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _EVENTS.match(cursor.line(cursor.at)):
            return None
        return nearest(cursor, 8, MDADM_DEVICE.match, between=MDADM_PAIR.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        members: dict[str, dict[str, str]] = {}
        name, last = "", first
        for index, line in lines(cursor, first, _MOST):
            if head := MDADM_DEVICE.match(line):
                name = head["name"]
            elif (pair := MDADM_PAIR.match(line)) and name:
                members.setdefault(name, {})[pair[1]] = pair[2]
                last = index
            elif line or index > last + 3:
                break
        return last, [
            PrintedSubject("md_member", member, _said(pairs), prompt.host)
            for member, pairs in members.items()
        ]


def _said(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """What the lines of a member say, by mdadm's names where discovery has none."""
    return (
        as_labelled(pairs, frozenset({"Device Role"}))
        | as_mdadm_says(pairs)
        | ({"role": pairs["Device Role"]} if "Device Role" in pairs else {})
    )


class Imsm(StateOutput):
    """A container of IMSM and its disks; volumes are mdadm's."""

    tool = "mdadm IMSM"
    anchors = (
        "Intel Raid ISM", "Usable Size : ", " Platform : Intel",
    )  # fmt: skip
    commands = ("mdadm",)
    reach = 4
    nothing = "neither a container nor a disk follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _PLATFORM.match(line):
            return cursor.at
        if _CONTAINER.match(line):
            above = before(cursor, cursor.at)
            return above if MDADM_DEVICE.match(cursor.line(above)) else cursor.at
        return nearest(cursor, 9, _DISK.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        pairs: dict[str, str] = {}
        disks: dict[str, dict[str, str]] = {}
        below, last, name = pairs, first, ""
        for index, line in lines(cursor, first, _MOST):
            head = MDADM_DEVICE.match(line)
            if _VOLUME.match(line) or index > last + 4 or (head and index > first):
                break
            if head:
                name = head["name"]
            elif disk := _DISK.match(line):
                below = disks.setdefault(disk["serial"], {})
            elif pair := _PAIR.match(line):
                more = f"{below[pair[1]]}, " if pair[1] in below else ""
                below[pair[1]] = f"{more}{pair[2]}"
            elif line:
                break
            last = index if line else last
        return last, list(_of_imsm(name, pairs, disks, prompt))


def _of_imsm(
    name: str, pairs: Mapping[str, str], disks: Mapping[str, Mapping[str, str]], prompt: Prompt
) -> Iterator[PrintedSubject]:
    """The container or the platform, and each disk by its serial number."""
    if "Platform" in pairs:
        yield PrintedSubject("controller", "", as_labelled(pairs, frozenset()), prompt.host)
    elif pairs:
        values = as_labelled(pairs, frozenset({"Magic", *_HEXADECIMAL}))
        values |= {_HEXADECIMAL[label]: pairs[label] for label in pairs if label in _HEXADECIMAL}
        yield PrintedSubject("md_member", name, values, prompt.host)
    for serial, disk in disks.items():
        sectors = disk.get("Usable Size", "").partition(" ")[0]
        values = {"state": disk["State"]} if "State" in disk else {}
        if sectors.isdecimal():
            values["usable_size"] = int(sectors) * SECTOR
        yield PrintedSubject("md_member", serial, values, prompt.host)
