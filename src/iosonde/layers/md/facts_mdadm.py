"""What mdadm prints of arrays (--detail) and of members (--examine).

Source: mdadm 4.2, Detail.c and super1.c, examine_super1() (sizes in KiB by --detail, in sectors by
--examine); super-intel.c for volumes of firmware (IMSM).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iosonde.layers._commands.versions import PackageVersion, V
from iosonde.layers._raid.geometry import layout_number
from iosonde.layers.md.facts import geometry, near_far_layout
from iosonde.records.printed import without_none
from iosonde.records.stack import Scalar
from iosonde.units import KIB, MIB, SECTOR, parse_bytes

MDADM_DEVICE = re.compile(r"^\s*(?:/dev/|(?=\[[\w.-]{1,16}\]:))(?P<name>\S+?):\s*$")
"""How an array of --detail and a member of --examine begin, and a volume of one (IMSM)."""
MDADM_PAIR = re.compile(r"^\s*([A-Z][A-Za-z0-9'/() -]{1,40}?) : (\S.*?)\s*$")
_DISK = re.compile(r"\s*Disk\d\d Serial : ")
"""How a disk of IMSM begins, below its volumes: super-intel.c, print_imsm_disk()."""
_ROW = re.compile(
    r"^\s+(?:\d+|-)\s+\d+\s+\d+\s+(?:\d+|-)\s+(?:(?P<state>\S+(?:\s+\S+)*?)\s+)?"
    r"/dev/(?P<name>\S+)$"
)
"""A member; of an array that is not active without a state (Detail.c)."""
_REMOVED = re.compile(r"^\s+(?:-|\d+)\s+0\s+0\s+(?P<place>\d+)\s+removed$")
"""A slot without a member; mdadm before 3.4 numbers it."""
_PLACE = re.compile(r"^\s+(?P<number>\d+|-)\s+(?P<major>\d+)\s+(?P<minor>\d+)\s+(?P<place>\d+|-)\s")
_OF_TABLE = re.compile(
    r"^\s+Number\s+Major|RaidDevice|^\s*+(?:\d+|-|this)\s+\d+\s+\d+\s|replacing\)$"
    r"|^\s*(?:Layout|Flags|Member Arrays) :"
)
_COUNTED = re.compile(
    r"(?P<count>\d{1,15})(?: KiB| sectors)? \((?P<size>(?!0\.00)\d{1,9}\.\d\d) (?P<prefix>[MGT])iB"
)
"""Source: mdadm, util.c (human_size): MiB below 2 GiB, GiB below 2 TiB, else TiB (since 4.2)."""
_NAMED_COPIES = re.compile(r"(near|far|offset)=(\d+)")
_STATUS = {"Rebuild": "recover", "Resync": "resync", "Reshape": "reshape", "Check": "check"}
_STATES = {"recovering": "recover", "resyncing": "resync", "reshaping": "reshape",
           "checking": "check"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MdadmReport:
    """What mdadm says of an array, or of a member (`examined`).

    `rows` are the members of an array, with their states.
    """

    name: str
    pairs: Mapping[str, str]
    rows: Sequence[tuple[str, str]]
    places: Sequence[str] = ()
    """Each row's place in the array, member and state: "3 sdd1 active sync", "1 removed"."""
    devices: Sequence[str] = ()
    """Each member with the number that md gave it and its device's: "4 8:49 sdd1"."""

    @property
    def examined(self) -> bool:
        """Whether it is of --examine, which looks at one member."""
        return not self.pairs.keys().isdisjoint({"Data Offset", "Device Role", "RAID Level"})

    @property
    def level(self) -> str:
        """The array's level; of a volume that firmware describes (IMSM) as md calls it."""
        of_imsm = self.pairs.get("RAID Level")
        return self.pairs.get("Raid Level") or (f"raid{_becomes(of_imsm)}" if of_imsm else "")

    @property
    def facts(self) -> dict[str, Scalar]:
        """What it is, by discovery's names."""
        pairs, level = self.pairs, self.level
        layout = pairs.get("Layout", "")
        number = near_far_layout(iter(_NAMED_COPIES.findall(layout)))
        if number is None and layout:
            number = layout_number(level, layout)
        chunk = parse_bytes(_becomes(pairs["Chunk Size"])) if "Chunk Size" in pairs else None
        raid = _leading(pairs.get("Raid Devices"))
        facts = (
            geometry(level, raid, chunk, number) if level else without_none({"raid_disks": raid})
        )
        facts |= {"metadata_version": pairs.get("Version")}
        if number is None:
            facts["layout"] = layout or None
        if self.examined:
            offset = _leading(pairs.get("Data Offset"))
            return without_none({
                **facts, "array_size": _sized(pairs.get("Array Size")),
                "used_size": _sized(pairs.get("Used Dev Size")),
                "data_offset": offset * SECTOR if offset else None,
                "role": pairs.get("Device Role"), "uuid": pairs.get("Array UUID"),
            })  # fmt: skip
        size, active = (_leading(pairs.get(name)) for name in ("Array Size", "Active Devices"))
        action, share = self._action()
        lacks = raid - active if raid is not None and active is not None else None
        if not lacks and "degraded" in pairs.get("State", ""):
            lacks = (
                None  # while it is reshaped to fewer members, one that is spared counts as active
            )
        return without_none({
            **facts, "size": size * KIB if size else None,
            "used_size": _sized(pairs.get("Used Dev Size")),
            "array_state": pairs.get("State", "").split(",")[0].strip() or None,
            "degraded": lacks, "sync_action": action, "sync_share": share,
            "bitmap": pairs.get("Intent Bitmap", "").lower() or None,
            "faulty": self._in_state("faulty"), "spares": self._in_state("spare"),
            "rebuilding": self._in_state("rebuilding"), "below": self._in_state(""),
            "member_states": "; ".join(self.places) or None,
            "member_devices": "; ".join(self.devices) or None,
            "layout_name": layout if number is not None else None,
            "uuid": pairs.get("UUID"),
        })  # fmt: skip

    def _in_state(self, word: str) -> str | None:
        """Members whose state has a word; a spare that rebuilds is no spare."""
        names = [name for name, state in self.rows
                 if (state == word if word == "spare" else word in state)]  # fmt: skip
        return " ".join(names) or None

    def _action(self) -> tuple[str | None, float | None]:
        """What it is busy with, by sysfs' words, and how far it is."""
        for key, word in _STATUS.items():
            status = self.pairs.get(f"{key} Status", "")
            if "%" in status and (percent := _leading(status)) is not None:
                return word, percent / 100
        state = self.pairs.get("State", "")
        return next((word for text, word in _STATES.items() if text in state), None), None


_WRAPPED = 55
"""Characters of a line whose rest may stand in the line below: mails break longer ones."""


def _add(
    row: re.Match[str],
    place: re.Match[str] | None,
    rows: list[tuple[str, str]],
    places: list[str],
    devices: list[str],
) -> None:
    """Adds a row of the table of members; `place`: its numbers."""
    state = row["state"] or ""
    rows.append((row["name"], state))
    places.append(f"{place['place'] if place else '-'} {row['name']} {state}".rstrip())
    if place:
        devices.append(f"{place['number']} {place['major']}:{place['minor']} {row['name']}")


def _whole(line: str, value: str, rest: str) -> str:
    """The value of a line with what a mail broke off of it."""
    return f"{value} {rest.strip()}" if len(line) >= _WRAPPED else value


def _becomes(text: str) -> str:
    """What a volume of IMSM that migrates becomes: `5 <-- 5` (super-intel.c, print_imsm_dev())."""
    return text.partition(" <-- ")[0]


def parse_mdadm(lines: Sequence[str]) -> tuple[MdadmReport, int]:
    """What mdadm says of the first array or member, and the place of its last line."""
    pairs: dict[str, str] = {}
    rows: list[tuple[str, str]] = []
    places: list[str] = []
    devices: list[str] = []
    last = strange = 0
    head = MDADM_DEVICE.match(lines[0]) if lines else None
    for index, line in enumerate(lines):
        if index and (MDADM_DEVICE.match(line) or _DISK.match(line) or index - last > 5):
            break
        pair, row = MDADM_PAIR.match(line), _ROW.match(line)
        if strange and (above := MDADM_PAIR.match(lines[last])) and pair:
            pairs[above[1]] = _whole(lines[last], above[2], lines[index - 1])
        if pair and pair[1] not in pairs:
            pairs[pair[1]] = pair[2]
        elif row:
            _add(row, _PLACE.match(line), rows, places, devices)
        elif pair:
            break  # another device
        elif removed := _REMOVED.match(line):
            places.append(f"{removed['place']} removed")
        elif line and index and not _OF_TABLE.search(line):
            strange += 1
            if strange > 1:
                break
            continue  # the rest of a line that was wrapped, where others of its own follow
        last, strange = (index, 0) if line else (last, strange)
    return MdadmReport(head["name"] if head else "", pairs, rows, places, devices), last


def as_mdadm_says(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """The state in mdadm's words, the count of changes, how many devices there are, and bytes.

    A size that is printed without its bytes stands as it does: md's 18446744073709551615 is none.
    """
    events, devices = pairs.get("Events", ""), pairs.get("Total Devices", "")
    return without_none({
        "state": pairs.get("State"),
        "members_state": pairs.get("Array State", "").partition(" ")[0] or None,
        "events": int(events) if events.isdecimal() else None,
        "total_devices": int(devices) if devices.isdecimal() else None,
        "avail_dev_size": _sized(pairs.get("Avail Dev Size")),
        "used_dev_size": pairs.get("Used Dev Size") if "(" not in pairs.get("Used Dev Size", "(")
        else None,
    })  # fmt: skip


def _sized(text: str | None) -> int | None:
    """Bytes of "2047 (2.05 GiB 2.20 GB)", which counts KiB or sectors: the GiB tell which."""
    match = _COUNTED.match(text or "")
    if match is None:
        return None
    rounded = float(match["size"]) * MIB * KIB ** "MGT".index(match["prefix"])
    units = (unit for unit in (KIB, SECTOR) if abs(int(match["count"]) * unit / rounded - 1) < 0.02)
    return next((int(match["count"]) * unit for unit in units), None)


def _leading(text: str | None) -> int | None:
    """The number that a text begins with."""
    digits = re.match(r"\d+", text or "")
    return int(digits[0]) if digits else None


VERSION = PackageVersion(
    {"mdadm": rf"mdadm - v{V} - .{{4,60}}"}, anchors=("mdadm - v",), commands=("mdadm",)
)
"""Source: mdadm 4.2, ReadMe.c (Version)."""
