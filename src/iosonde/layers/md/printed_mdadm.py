"""mdadm --detail and --examine: one array, or one member, as pairs of name and value.

Source: mdadm 4.2, Detail.c and super1.c, examine_super1(): sizes in KiB (Detail) or sectors.
"""

from __future__ import annotations

import re
from typing import ClassVar

from iosonde import units
from iosonde.layers._raid.geometry import copies_layout, data_members, layout_number
from iosonde.printed import PrintedState, Reading, Subject, Unreadable
from iosonde.records import Scalar
from iosonde.text.passage import Passage, command_before, lines

_PAIR = re.compile(r"^\s*([A-Z][A-Za-z /]+?) : (.+?)\s*$")
_ARRAY = re.compile(r"^\s*(/dev/\S+?):\s*$")
_MEMBER = re.compile(
    r"^\s+(?:\d+|-)\s+\d+\s+\d+\s+(?:\d+|-)\s+(?P<state>\S+(?:\s+\S+)*?)\s+(?P<path>/dev/\S+)$"
)
_REST = re.compile(r"^\s+Number\s+Major|RaidDevice|^\s+(?:\d+|-)\s+\d+\s+\d+\s|replacing\)$")
_OFFSET = re.compile(r"(\d+) sectors")
_COPIES = re.compile(r"(near|far|offset)=(\d+)")
_ACTIONS = {"Rebuild": "recover", "Resync": "resync", "Reshape": "reshape", "Check": "check"}


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
            if _ARRAY.match(line):
                return index
            if _PAIR.match(line):
                first = index
            elif line:
                break
        return first

    def read(self, passage: Passage, first: int) -> Reading:
        """See `Output.read`."""
        pairs: dict[str, str] = {}
        members: list[tuple[str, str]] = []
        last = first
        head = _ARRAY.match(passage.line(first) or "")
        for index, line in lines(passage, first, 120):
            if index > first and (_ARRAY.match(line) or index - last > 5):
                break
            pair, member = _PAIR.match(line), _MEMBER.match(line)
            if pair and pair[1] not in pairs:
                pairs[pair[1]] = pair[2]
            elif member:
                members.append((member["path"].removeprefix("/dev/"), member["state"]))
            elif line and index > first and not _REST.search(line):
                break
            last = index if line else last
        if "Raid Level" not in pairs:
            raise Unreadable("the level of the array is missing")
        asked = command_before(passage, first, ("mdadm",))
        host = asked[1].host if asked else ""
        name = head[1].removeprefix("/dev/") if head else ""
        examined = "Data Offset" in pairs or "Device Role" in pairs
        subject = _member(name, pairs, host) if examined else _array(name, pairs, members, host)
        state = PrintedState(self.tool, (subject,), host, asked[1].command if asked else "")
        return Reading(asked[0] if asked else first, last, states=(state,))


def _geometry(pairs: dict[str, str]) -> dict[str, Scalar]:
    level = pairs["Raid Level"]
    disks = _number(pairs.get("Raid Devices"))
    layout = pairs.get("Layout", "")
    code = layout_number(level, layout) if layout else None
    if copies := {word: int(count) for word, count in _COPIES.findall(layout)}:
        far = copies.get("far") or copies.get("offset") or 1
        code = copies_layout(copies.get("near", 1), far, offset="offset" in copies)
    chunk = units.parse_bytes(pairs["Chunk Size"]) if "Chunk Size" in pairs else None
    data = data_members(level, disks, code or 0) if disks else None
    return {
        "level": level, "raid_disks": disks, "chunk_size": chunk,
        "layout": code if code is not None else layout or None,
        "data_members": data, "stripe_width": chunk * data if chunk and data else None,
        "metadata_version": pairs.get("Version"),
    }  # fmt: skip


def _array(name: str, pairs: dict[str, str], members: list[tuple[str, str]], host: str) -> Subject:
    size = _number(pairs.get("Array Size"))
    raid, active = _number(pairs.get("Raid Devices")), _number(pairs.get("Active Devices"))
    state = pairs.get("State", "")
    action, progress = _action(pairs)
    values: dict[str, Scalar] = {
        **_geometry(pairs), "size": size * units.KIB if size else None,
        "array_state": state.split(",")[0].strip() or None,
        "degraded": raid - active if raid is not None and active is not None else None,
        "sync_action": action, "sync_share": progress,
        "bitmap": pairs.get("Intent Bitmap", "").lower() or None,
        "faulty": " ".join(one for one, word in members if "faulty" in word) or None,
        "spares": " ".join(one for one, word in members if word == "spare") or None,
        "rebuilding": " ".join(one for one, word in members if "rebuilding" in word) or None,
        "below": " ".join(one for one, _ in members) or None, "uuid": pairs.get("UUID"),
    }  # fmt: skip
    return Subject("md", name, _known(values), host)


def _action(pairs: dict[str, str]) -> tuple[str | None, float | None]:
    """What it is busy with, by sysfs' words, and how far it is."""
    for key, word in _ACTIONS.items():
        found = re.match(r"(\d+)%", pairs.get(f"{key} Status", ""))
        if found:
            return word, int(found[1]) / 100
    for state, word in (("recovering", "recover"), ("resyncing", "resync"),
                        ("reshaping", "reshape"), ("checking", "check")):  # fmt: skip
        if state in pairs.get("State", ""):
            return word, None
    return None, None


def _member(name: str, pairs: dict[str, str], host: str) -> Subject:
    offset = _OFFSET.search(pairs.get("Data Offset", ""))
    values: dict[str, Scalar] = {
        **_geometry(pairs), "data_offset": int(offset[1]) * units.SECTOR if offset else None,
        "role": pairs.get("Device Role"), "uuid": pairs.get("Array UUID"),
    }  # fmt: skip
    return Subject("md_member", name, _known(values), host)


def _number(text: str | None) -> int | None:
    found = re.match(r"\d+", text or "")
    return int(found[0]) if found else None


def _known(values: dict[str, Scalar]) -> dict[str, Scalar]:
    return {name: value for name, value in values.items() if value is not None}
