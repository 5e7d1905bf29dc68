"""md: its attributes in sysfs and /proc/mdstat.

`chunk_size` is what lies on one member before the next one's turn; `data_members` the members that
hold data in each stripe, so that `stripe_width` is chunk × data members. `data_offset` is where
data begin on the members.

Source: Linux Documentation/admin-guide/md.rst (attributes of md/ and md/dev-NAME in sysfs);
drivers/md/md.c, md_seq_show() and status_resync() (blocks of 1024 bytes); raid0.c, raid5.c,
raid10.c, …_status() for chunk and layout; md-bitmap.c, bitmap_status().
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from iosonde.layers._mounts.traits import CarriedContent
from iosonde.layers._raid.geometry import STRIPED, copies_layout, data_members
from iosonde.records.printed import without_none
from iosonde.records.stack import Scalar
from iosonde.units import KIB, SECTOR, parse_bytes

ATTRIBUTES = (
    "level", "raid_disks", "degraded", "chunk_size", "layout", "array_state", "sync_action",
    "sync_completed", "sync_speed", "metadata_version", "consistency_policy", "mismatch_cnt",
    "reshape_position", "uuid", "bitmap/location", "bitmap/chunksize",
)  # fmt: skip
"""Files of md/ that say what an array is."""
MEMBER_ATTRIBUTES = ("state", "slot", "offset")
"""Files of md/dev-NAME that say what a member is."""


def geometry(level: str | None, disks: int | None, chunk: int | None, layout: int | None,
              ) -> dict[str, Scalar]:  # fmt: skip
    """What follows from an array's level, members, bytes of a chunk and number of its layout."""
    data = data_members(level, disks, layout or 0) if level and disks else None
    return {
        "level": level or None,
        "raid_disks": disks,
        "chunk_size": chunk or None,
        "layout": layout,
        "data_members": data,
        "stripe_width": chunk * data if chunk and data else None,
    }


# ── sysfs ─────────────────────────────────────────────────────────────────────────────────────


def array_facts(attributes: Mapping[str, str]) -> dict[str, Scalar]:
    """What an array is, from its attributes in sysfs.

    Args:
        attributes: name → text, those that the kernel has.
    """
    level = attributes.get("level", "")
    chunk = _figure(attributes.get("chunk_size")) if level in STRIPED else None
    disks, layout = (_figure(attributes.get(name)) for name in ("raid_disks", "layout"))
    return without_none({
        **geometry(level, disks, chunk, layout),
        "degraded": _figure(attributes.get("degraded")),
        "array_state": attributes.get("array_state"),
        "metadata_version": attributes.get("metadata_version"),
        "consistency_policy": attributes.get("consistency_policy"),
        "mismatch_cnt": _figure(attributes.get("mismatch_cnt")),
        "sync_action": attributes.get("sync_action"),
        "sync_share": _share(attributes.get("sync_completed", "")),
        "sync_speed": (_figure(attributes.get("sync_speed")) or 0) * KIB or None,
        "uuid": attributes.get("uuid"),
        **_bitmap(attributes),
        **_reshape(attributes),
    })  # fmt: skip


def _bitmap(attributes: Mapping[str, str]) -> dict[str, Scalar]:
    """Where the write-intent bitmap lies, "none", "+8" (sectors from the superblock) or a file."""
    place = attributes.get("bitmap/location")
    if place in {None, "none"}:
        return {"bitmap": place}
    kind = "internal" if place[:1] in {"+", "-"} else place
    return {"bitmap": kind, "bitmap_chunk": _figure(attributes.get("bitmap/chunksize"))}


def _reshape(attributes: Mapping[str, str]) -> dict[str, Scalar]:
    """How far a reshape is, in bytes of the array, and from how many disks: "4 (3)"."""
    position = _figure(attributes.get("reshape_position"))
    if position is None:
        return {}
    _, _, former = attributes.get("raid_disks", "").partition(" ")
    return {
        "reshape_position": position * SECTOR,
        "raid_disks_before": _figure(former.strip("()")),
    }


@dataclass(frozen=True, slots=True)
class ArrayMember:
    """One device of an array: its state ("in_sync", "spare", "faulty", "write_mostly,in_sync" …).

    `slot` is its place, None for one without; `offset` where data begin on it, bytes.
    """

    name: str
    state: str
    slot: int | None
    offset: int | None

    @property
    def role(self) -> str:
        """`active`, `rebuilding`, `spare`, `faulty` or `journal`."""
        flags = set(self.state.split(","))
        for word in ("faulty", "journal"):
            if word in flags:
                return word
        if "in_sync" in flags:
            return "active"
        return "spare" if self.slot is None else "rebuilding"


def member_directory(name: str) -> str:
    """A member's directory below md/: sysfs writes "!" for "/"."""
    return f"dev-{name.replace('/', '!')}"


def parse_member(name: str, attributes: Mapping[str, str]) -> ArrayMember:
    """A member of an array.

    Args:
        name: the kernel's name of the device.
        attributes: path below md/ → text.
    """
    place = member_directory(name)
    state, slot, offset = (
        attributes.get(f"{place}/{attribute}", "") for attribute in MEMBER_ATTRIBUTES
    )
    sectors = _figure(offset)
    return ArrayMember(name, state, _figure(slot), None if sectors is None else sectors * SECTOR)


def member_facts(members: Sequence[ArrayMember]) -> dict[str, Scalar]:
    """How many members there are of each role, and where data begin on all of them."""
    facts: dict[str, Scalar] = {}
    for role, fact in (("active", "active_members"), ("spare", "spares"), ("faulty", "faulty"),
                       ("rebuilding", "rebuilding"), ("journal", "journal")):  # fmt: skip
        names = [member.name for member in members if member.role == role]
        if role == "active":
            facts[fact] = len(names)
        elif names:
            facts[fact] = " ".join(names)
    if mostly := [member.name for member in members if "write_mostly" in member.state]:
        facts["write_mostly"] = " ".join(mostly)
    offsets = {member.offset for member in members if member.role in {"active", "rebuilding"}} - {
        None
    }
    if len(offsets) == 1:
        facts["data_offset"] = offsets.pop()
    return facts


def _figure(text: str | None) -> int | None:
    """A number, of which RAID levels print a comment behind some: "1000 (system)"."""
    first = (text or "").split(" ")[0]
    return int(first) if first.isdecimal() else None


def _share(text: str) -> float | None:
    """`sync_completed`: "1234 / 5678" in sectors, or "none" or "delayed"."""
    done, slash, whole = text.partition("/")
    if not slash or not whole.strip().isdecimal() or not int(whole):
        return None
    return int(done) / int(whole)


# ── /proc/mdstat ──────────────────────────────────────────────────────────────────────────────

MDSTAT_ARRAY = re.compile(r"^\s*(?P<name>md[\w.-]*) ?: (?:active|inactive|broken)\b", re.MULTILINE)
"""How an array begins in /proc/mdstat."""
_HEAD = re.compile(
    r"(?P<name>md[\w.-]*):(?P<state>active|inactive|broken)(?:\((?P<mode>[a-z-]+)\))?"
    r"(?P<level>raid\d+|linear|faulty)?(?P<members>(?:[A-Za-z][\w!/.-]*\[\d+\](?:\([A-Z]\))*)*)"
    r"(?P<blocks>\d+)blocks"
)
_SLOT = re.compile(r"([A-Za-z][\w!/.-]*)(\[\d+\](?:\([A-Z]\))*)")
_LONGEST = 400  # characters of the first line of an array with its blocks
_MEMBER = re.compile(r"([A-Za-z][\w!/.-]*)\[\d+\]((?:\([A-Z]\))*)")
_METADATA = re.compile(
    r"super(1\.[0-2]|0\.\d\d|external:(?:[-/]md\w{1,32}?/\d|imsm|ddf)|non-persistent)"
)
_CHUNK = re.compile(r"(\d+)([kKM])(?:chunk|rounding)")
_WORKING = re.compile(r"\[(\d+)/(\d+)\]\**\[([U_]+)\]")
_WORK = re.compile(
    r"(?P<operation>resync|recovery|reshape|check|repair)="
    r"(?:(?P<share>\d+(?:\.\d+)?)%(?:\((?P<done>\d+)/(?P<of>\d+)\))?(?:finish=(?P<left>\d+(?:\.\d+)?)min)?(?:speed=(?P<speed>\d+)K/sec)?"
    r"|(?P<waits>DELAYED|PENDING|REMOTE))"
)
_BITMAP = re.compile(
    r"bitmap:(?P<dirty>\d+)/(?P<pages>\d+)pages\[(?P<memory>\d*KB)?[^\]]*\],(?P<chunk>\d+)(?P<unit>[KM])?Bchunk"
    r"(?:,file:(?P<file>\S+))?"
)
_ALGORITHM = re.compile(r"algorithm(\d+)")
_COPIES = re.compile(r"(\d+)(near|far|offset)-copies")
_MARKS = {"F": "faulty", "S": "spares", "J": "journal", "W": "write_mostly"}


@dataclass(frozen=True, slots=True)
class MdWork:
    """What an array does besides its work, by the word of /proc/mdstat: "recovery".

    `share` of it is done, at `speed` bytes a second; None where it waits, for what `waits` says.
    """

    operation: str
    share: float | None
    speed: int | None
    waits: str | None
    left: float | None = None
    """Seconds until it is done, by the kernel's estimate."""
    done: int | None = None
    of: int | None = None
    """Bytes of each member that are done, of all."""

    @property
    def action(self) -> str:
        """It by sysfs' word, `sync_action`."""
        return "recover" if self.operation == "recovery" else self.operation


@dataclass(frozen=True, slots=True)
class MdstatArray:
    """An array in /proc/mdstat: what it is, by discovery's names, and what it is busy with."""

    name: str
    facts: dict[str, Scalar]
    work: MdWork | None
    printed: dict[str, Scalar] = field(default_factory=dict)
    """What its lines say of its places, as they say it: `head` is its first line and its blocks,
    `working_slots` "[2/1] [U_]", `bitmap_pages` those that are not clean, of all.
    """


def parse_mdstat(text: str) -> Iterator[MdstatArray]:
    """The arrays in /proc/mdstat; blanks and line ends do not matter within one."""
    starts = [match.start() for match in MDSTAT_ARRAY.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        packed = "".join(text[start:end].split())
        if head := _HEAD.match(packed):
            yield _mdstat_array(head, packed[head.end() :])


def _mdstat_array(head: re.Match[str], rest: str) -> MdstatArray:
    metadata = _METADATA.match(rest)
    rest = rest[metadata.end() :] if metadata else rest
    working = _WORKING.search(rest)
    members = _MEMBER.findall(head["members"])
    disks = int(working[1]) if working else len(members) if head["level"] == "raid0" else None
    bitmap, work = _BITMAP.search(rest), _work(rest)
    state = _state_facts(working, bitmap, work)
    facts = {
        **_layout_facts(head["level"], disks, rest),
        "size": int(head["blocks"]) * KIB,
        "array_state": head["mode"] or head["state"],
        "degraded": state.pop("degraded"),
        "metadata_version": metadata[1] if metadata else None,
        **_marked(members),
        **state,
    }
    mode = f"({head['mode']})" if head["mode"] else ""
    slots = " ".join(f"{name}{slot}" for name, slot in _SLOT.findall(head["members"]))
    parts = (head["state"], mode, head["level"] or "", slots, head["blocks"], "blocks")
    printed = {
        "head": " ".join(filter(None, parts))[:_LONGEST],
        "working_slots": f"[{working[1]}/{working[2]}] [{working[3]}]" if working else None,
        "bitmap_pages": _pages(bitmap),
    }
    return MdstatArray(head["name"], without_none(facts), work, without_none(printed))


def parse_mdstat_part(text: str) -> dict[str, Scalar]:
    """What lines of /proc/mdstat below an array's first one say, by discovery's names."""
    packed = "".join(text.split())
    blocks, level = re.match(r"(\d{1,18})blocks", packed), re.search(r"level(\d{1,2}),", packed)
    metadata, working = _METADATA.search(packed), _WORKING.search(packed)
    raid = f"raid{level[1]}" if level else None
    places = _layout_facts(raid, int(working[1]) if working else None, packed) if raid else {}
    facts = {
        **places,
        "size": int(blocks[1]) * KIB if blocks else None,
        "metadata_version": metadata[1] if metadata else None,
        "working_slots": f"[{working[1]}/{working[2]}] [{working[3]}]" if working else None,
        "bitmap_pages": _pages(bitmap := _BITMAP.search(packed)),
        **_state_facts(working, bitmap, _work(packed)),
    }
    return without_none(facts)


def _pages(bitmap: re.Match[str] | None) -> str | None:
    """The dirty pages of all, and the memory that the kernel holds for them, as it prints them."""
    if bitmap is None:
        return None
    memory = f" [{bitmap['memory']}]" if bitmap["memory"] else ""
    return f"{bitmap['dirty']}/{bitmap['pages']} pages{memory}"


def _layout_facts(level: str | None, disks: int | None, rest: str) -> Mapping[str, Scalar]:
    chunk, algorithm = _CHUNK.search(rest), _ALGORITHM.search(rest)
    layout = int(algorithm[1]) if algorithm else near_far_layout(
        (word, count) for count, word in _COPIES.findall(rest)
    )  # fmt: skip
    return geometry(level, disks, parse_bytes(f"{chunk[1]}{chunk[2]}") if chunk else None, layout)


def _state_facts(
    working: re.Match[str] | None, bitmap: re.Match[str] | None, work: MdWork | None
) -> dict[str, Scalar]:
    """How an array is, and what it does."""
    facts: dict[str, Scalar] = {
        "degraded": int(working[1]) - int(working[2]) if working else None,
        "bitmap": (bitmap["file"] or "internal") if bitmap else None,
        "bitmap_chunk": parse_bytes(f"{bitmap['chunk']}{bitmap['unit'] or ''}") if bitmap else None,
    }
    if work:
        facts |= {"sync_action": work.action, "sync_share": work.share, "sync_speed": work.speed,
                  "sync_waits": work.waits, "sync_time_left": work.left,
                  "sync_done": work.done, "sync_size": work.of}  # fmt: skip
    return facts


def _marked(members: Sequence[tuple[str, str]]) -> dict[str, Scalar]:
    """What it stands on, and the members with a mark, by discovery's names."""
    roles: dict[str, list[str]] = {}
    for name, marks in members:
        for role in ("below", *(_MARKS[mark] for mark in marks if mark in _MARKS)):
            roles.setdefault(role, []).append(name.replace("!", "/"))
    return {role: " ".join(names) for role, names in roles.items()}


def near_far_layout(copies: Iterator[tuple[str, str]]) -> int | None:
    """The number of a RAID 10's layout, of how often it keeps near, far or offset copies."""
    counts = {word: int(count) for word, count in copies}
    if not counts:
        return None
    far = counts.get("far") or counts.get("offset") or 1
    return copies_layout(counts.get("near", 1), far, offset="offset" in counts)


def _work(text: str) -> MdWork | None:
    work = _WORK.search(text)
    if work is None:
        return None
    return MdWork(
        work["operation"],
        float(work["share"]) / 100 if work["share"] else None,
        int(work["speed"]) * KIB if work["speed"] else None,
        work["waits"].lower() if work["waits"] else None,
        float(work["left"]) * 60 if work["left"] else None,
        int(work["done"]) * KIB if work["done"] else None,
        int(work["of"]) * KIB if work["of"] else None,
    )


MEMBER = CarriedContent(
    what="is a member of an md array",
    instead="see `cat /proc/mdstat`; `mdadm --assemble --scan` puts the array together: mount that",
)
