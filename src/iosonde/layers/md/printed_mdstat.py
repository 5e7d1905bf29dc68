"""/proc/mdstat: md arrays, their members, and what they are busy with.

Source: Linux drivers/md/md.c, md_seq_show() and status_resync(); raid5.c, raid10.c, raid0.c,
…_status() for chunk and layout; md-bitmap.c, bitmap_status(). Blocks are of 1024 bytes.
"""

from __future__ import annotations

import re
from typing import ClassVar

from iosonde import units
from iosonde.layers._raid.geometry import copies_layout, data_members
from iosonde.printed import PrintedState, Reading, Subject, Unreadable
from iosonde.records import Scalar
from iosonde.text.passage import Passage, command_before, compact, lines

_ARRAY = re.compile(r"\s*(?P<name>md[\w.-]*) ?: (?:active|inactive|broken)\b")
_HEAD = re.compile(
    r"md[\w.-]*:(?P<state>active|inactive|broken)(?:\((?P<mode>[a-z-]+)\))?"
    r"(?P<level>raid\d+|linear|faulty)?(?P<members>(?:[A-Za-z][\w!/.-]*\[\d+\](?:\([A-Z]\))*)*)"
    r"(?P<blocks>\d+)blocks"
)
_MEMBER = re.compile(r"([A-Za-z][\w!/.-]*)\[\d+\]((?:\([A-Z]\))*)")
_METADATA = re.compile(
    r"super(1\.[0-2]|0\.\d\d|external:(?:[-/]md\w{1,32}?/\d|imsm|ddf)|non-persistent)"
)
_CHUNK = re.compile(r"(\d+)([kKM])(?:chunk|rounding)")
_WORKING = re.compile(r"\[(\d+)/(\d+)\]\[([U_]+)\]")
_BUSY = re.compile(
    r"(?P<what>resync|recovery|reshape|check|repair)=(?P<share>\d+(?:\.\d+)?)%"
    r"(?:\(\d+/\d+\))?(?:finish=[\d.]+min)?(?:speed=(?P<speed>\d+)K/sec)?"
)
_WAITS = re.compile(r"(resync|recovery|reshape|check)=(DELAYED|PENDING|REMOTE)")
_BITMAP = re.compile(r"bitmap:\d+/\d+pages\[[^\]]*\],(\d+)([KM])?Bchunk(?:,file:(\S+))?")
_ALGORITHM = re.compile(r"algorithm(\d+)")
_COPIES = re.compile(r"(\d+)(near|far|offset)-copies")
_PART = re.compile(
    r"md\w* ?:|blocks|\[[=.>]{3}|[=.>]{4,}|finish=|in=|bitmap:|Personalities|unused devices|chunk|"
    r"\[[\dU_]+[\]/]|[U_]+\]|speed=|sec\b|level|algorithm|super|copies|\[\d+\]|^\s*[\w/]{0,24}\]?$|"
    r"\(\d+/\d+\)|resync|DELAYED|PENDING"
)
_MARKS = {"F": "faulty", "S": "spares", "J": "journal", "W": "write_mostly"}


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
        if not _ARRAY.match(line):
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
        asked = command_before(passage, first, ("cat", "watch"))
        host = asked[1].host if asked else ""
        starts, last = _extent(passage, first)
        if not starts:
            raise Unreadable("there is no array in it")
        found = []
        for start, end in zip(starts, [*starts[1:], last + 1], strict=True):
            name = _ARRAY.match(passage.line(start) or "")
            subject = _array(name["name"], compact(passage, start, end - 1), host) if name else None
            if subject is not None:
                found.append(subject)
        if not found:
            raise Unreadable("the lines of its arrays are cut off")
        state = PrintedState(self.tool, tuple(found), host, asked[1].command if asked else "")
        return Reading(asked[0] if asked else first, last, states=(state,))


def _extent(passage: Passage, first: int) -> tuple[list[int], int]:
    """Where the arrays begin, and the last line."""
    starts: list[int] = []
    last = first
    for index, line in lines(passage, first, 600):
        if index - last > 4 or (line and not _PART.search(line)):
            break
        if "Personalities" in line and starts:
            break
        if _ARRAY.match(line):
            starts.append(index)
        last = index if line else last
        if "unused devices" in line:
            break
    return starts, last


def _array(name: str, text: str, host: str) -> Subject | None:
    head = _HEAD.match(text)
    if not head:
        return None
    rest = text[head.end() :]
    metadata = _METADATA.match(rest)
    rest = rest[metadata.end() :] if metadata else rest
    working, chunk, bitmap = _WORKING.search(rest), _CHUNK.search(rest), _BITMAP.search(rest)
    disks = int(working[1]) if working else None
    level, layout = head["level"], _layout(rest)
    size = units.parse_bytes(f"{chunk[1]}{chunk[2]}") if chunk else None
    if disks is None and level == "raid0":
        disks = len(_MEMBER.findall(head["members"]))
    data = data_members(level, disks, layout or 0) if level and disks else None
    values: dict[str, Scalar] = {
        "level": level, "raid_disks": disks, "size": int(head["blocks"]) * units.KIB,
        "array_state": head["mode"] or head["state"], "chunk_size": size, "layout": layout,
        "degraded": int(working[1]) - int(working[2]) if working else None,
        "data_members": data, "stripe_width": size * data if size and data else None,
        "metadata_version": metadata[1] if metadata else None,
        **_members(head["members"]),
        "bitmap": (bitmap[3] or "internal") if bitmap else None,
        "bitmap_chunk": units.parse_bytes(f"{bitmap[1]}{bitmap[2] or ''}") if bitmap else None,
        **_action(rest),
    }  # fmt: skip
    known = {key: value for key, value in values.items() if value is not None}
    return Subject("md", name, known, host)


def _members(text: str) -> dict[str, Scalar]:
    """What it stands on, and the members with a mark, by discovery's names."""
    roles: dict[str, list[str]] = {}
    for name, marks in _MEMBER.findall(text):
        roles.setdefault("below", []).append(name.replace("!", "/"))
        for mark in re.findall(r"[A-Z]", marks):
            if mark in _MARKS:
                roles.setdefault(_MARKS[mark], []).append(name.replace("!", "/"))
    return {role: " ".join(names) for role, names in roles.items()}


def _layout(text: str) -> int | None:
    """Its number in md: of RAID 10 near copies, and far ones shifted by 8, offset by 16."""
    if found := _ALGORITHM.search(text):
        return int(found[1])
    copies = {word: int(count) for count, word in _COPIES.findall(text)}
    if not copies:
        return None
    far = copies.get("far") or copies.get("offset") or 1
    return copies_layout(copies.get("near", 1), far, offset="offset" in copies)


def _action(text: str) -> dict[str, Scalar]:
    """What it is busy with, by sysfs' words, how far it is and how fast."""
    busy, waits = _BUSY.search(text), _WAITS.search(text)
    if busy:
        word = "recover" if busy["what"] == "recovery" else busy["what"]
        speed = int(busy["speed"]) * units.KIB if busy["speed"] else None
        return {"sync_action": word, "sync_share": float(busy["share"]) / 100, "sync_speed": speed}
    if waits:
        word = "recover" if waits[1] == "recovery" else waits[1]
        return {"sync_action": word, "sync_waits": waits[2].lower()}
    return {}
