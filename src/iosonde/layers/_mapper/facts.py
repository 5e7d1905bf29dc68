"""Text of device-mapper: tables and states of targets, as dmsetup prints them.

What the arguments of a target mean is read by the technology that it belongs to, which
`layers.TARGETS` names; those that belong to none (linear, striped, thin, snapshot, raid …) are read
here.

Source: dmsetup(8); tools/dmsetup.c of LVM2 2.03, _status(): "NAME: " goes before a line unless the
command names one device; then START, LENGTH in sectors of 512 bytes, target and its arguments;
Linux Documentation/admin-guide/device-mapper (linear, striped, snapshot, thin-provisioning,
dm-raid, delay, zero); drivers/md/dm-raid1.c, mirror_status().
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from iosonde.layers import LAYERS, TARGETS, UUID_PREFIXES
from iosonde.layers._mapper.facts_targets import READERS
from iosonde.records.printed import without_none
from iosonde.records.stack import Json, Scalar
from iosonde.units import SECTOR

TABLE = "dmsetup table"
STATUS = "dmsetup status --noflush"
"""What is asked of a host, and by what name its answer is kept."""

DEVICE = re.compile(r"\d+:\d+$|/dev/\S+$")
"""An argument that names a device."""
_UNCLAIMED = UUID_PREFIXES[""]
_LONGEST = 4000
_KEY = re.compile(r":[0-9a-fA-F]{32,}$")
"""The key behind an algorithm, as dm-integrity has it: "internal_hash:hmac(sha256):KEY"."""
_LINE = re.compile(r"^(.+?): (\d+) (\d+) (\S+) ?(.*)$", re.MULTILINE)
_PART = re.compile(r"(\d+)/(\d+)$")
_OPTION_WITH_VALUE = frozenset({"--target", "-j", "--major", "-m", "--minor", "-u", "--uuid"})
_OF_POOL = (
    "rw", "ro", "out_of_data_space", "discard_passdown", "no_discard_passdown", "ignore_discard",
    "queue_if_no_space", "error_if_no_space", "needs_check", "-",
)  # fmt: skip
_OF_RAID = ("idle", "frozen", "resync", "recover", "check", "repair", "reshape", "undef", "-", "A",
            "D")  # fmt: skip


@dataclass(frozen=True, slots=True)
class MapperTarget:
    """One line of a device-mapper table or status.

    `start` and `length` in 512-byte units, as device-mapper counts.
    """

    start: int
    length: int
    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """What a target's arguments say: the kind of layer, its values, and what it counts."""

    kind: str
    values: Mapping[str, Scalar]
    counters: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DmTarget:
    """A target that belongs to a technology.

    Args:
        kind: of layer.
        read: a line of table or status; None where the arguments are not those of the target.
        modes: words of its table of which it has one.
        defaults: option of its table → what counts where the table has none.
        has_listing: its lines go over many, which it reads itself.
        secret: the place of a key among the arguments of its table, which no record says.
        own: how many of the words behind its name are its arguments; None where they all are.
    """

    kind: str
    read: Callable[[MapperTarget], TargetFacts | None]
    modes: tuple[str, ...] = ()
    defaults: Mapping[str, int] = field(default_factory=dict)
    has_listing: bool = False
    secret: int | None = None
    own: Callable[[Sequence[str]], int | None] | None = None


def as_printed(targets: Sequence[MapperTarget]) -> str:
    """The lines of a device as dmsetup prints them, without keys: for what no value says."""
    texts = []
    for target in targets:
        read_by = target_of(target.name)
        own = read_by.own(target.arguments) if read_by.own else None
        arguments = list(target.arguments[:own])
        if read_by.secret is not None and read_by.secret < len(arguments):
            arguments[read_by.secret] = "-"
        arguments = [_KEY.sub(":-", argument) for argument in arguments]
        texts.append(f"{target.start} {target.length} {' '.join((target.name, *arguments))}")
    return "; ".join(texts)[:_LONGEST]


def parse_targets(text: str) -> dict[str, tuple[MapperTarget, ...]]:
    """Device → its targets, from `dmsetup table` or `dmsetup status` of all devices."""
    targets: dict[str, list[MapperTarget]] = {}
    for device, start, length, name, arguments in _LINE.findall(text):
        targets.setdefault(device, []).append(
            MapperTarget(int(start), int(length), name, tuple(arguments.split()))
        )
    return {device: tuple(some) for device, some in targets.items()}


def device_of(command: str) -> str:
    """The device that a command asks dmsetup about; empty where it asks about all."""
    arguments = command.partition("|")[0].split()
    verb = next((word for word in arguments if word in {"status", "table", "info"}), "")
    skip = False
    for word in arguments[arguments.index(verb) + 1 :] if verb else ():
        if not skip and re.match(r"[\w/]", word):
            return word.rstrip(";").removeprefix("/dev/mapper/").removeprefix("/dev/")
        skip = word in _OPTION_WITH_VALUE
    return ""


def kind_of(uuid: str, targets: Iterable[str] = ()) -> str:
    """The kind of layer that a device is.

    Kinds without targets of their own (LVM, partitions) map with whatever they need: there the
    uuid tells. Else the one target of the table does, and the uuid where the table is not known.

    Args:
        uuid: of the device; its beginning says which tool made it.
        targets: names of the targets in its table.
    """
    by_uuid = _kinds_by_uuid()
    kind = by_uuid[max(filter(uuid.startswith, by_uuid), key=len)]
    names = set(targets)
    if not names or kind not in {_UNCLAIMED, *(TARGETS.load(name).kind for name in TARGETS)}:
        return kind
    return target_of(names.pop()).kind if len(names) == 1 else _UNCLAIMED


@cache
def _kinds_by_uuid() -> Mapping[str, str]:
    added = [kind for kind, place in LAYERS.items() if not place.startswith("iosonde.layers.")]
    return UUID_PREFIXES | {
        prefix: kind for kind in added for prefix in LAYERS.load(kind).uuid_prefixes
    }


def target_of(name: str) -> DmTarget:
    """The target of a name; of the kind that is left where it belongs to no technology."""
    return TARGETS.load(name) if name in TARGETS else DmTarget(_UNCLAIMED, read_target)


def mapper_name(group: str, volume: str) -> str:
    """A volume of LVM in /dev, as device-mapper names it: "mapper/vg0-data"; dashes are doubled."""
    if not group:
        return volume
    return f"mapper/{group.replace('-', '--')}-{volume.replace('-', '--')}"


def part_of(text: str) -> tuple[int, int] | None:
    """The two figures of `USED/TOTAL`; None where it is none, or of nothing."""
    figures = _PART.match(text)
    return (int(figures[1]), int(figures[2])) if figures and int(figures[2]) else None


def counted(arguments: Sequence[str]) -> Sequence[str] | None:
    """As many arguments as the first one says; None where they are not there."""
    if not arguments or not arguments[0].isdecimal() or len(arguments) < 1 + int(arguments[0]):
        return None
    return arguments[1 : 1 + int(arguments[0])]


def has_failed(arguments: Sequence[str]) -> bool:
    """Whether this is the status of a target that has given up."""
    return tuple(arguments) in {("Fail",), ("Error",)}


@dataclass(frozen=True, slots=True)
class Linear:
    """The table of a target `linear`: what it stands on, and where it begins there, bytes."""

    device: str
    offset: int


@dataclass(frozen=True, slots=True)
class Striped:
    """The table of a target `striped`: bytes of a chunk, and where each stripe begins, bytes."""

    chunk_size: int
    stripes: tuple[Linear, ...]

    def facts(self) -> dict[str, Scalar]:
        """Its geometry."""
        count = len(self.stripes)
        return {
            "stripes": count, "chunk_size": self.chunk_size,
            "stripe_width": count * self.chunk_size,
        }  # fmt: skip


def read_linear(arguments: Sequence[str]) -> Linear | None:
    """DEVICE OFFSET."""
    if len(arguments) != 2 or not DEVICE.match(arguments[0]) or not arguments[1].isdecimal():
        return None
    return Linear(arguments[0], int(arguments[1]) * SECTOR)


def read_striped(arguments: Sequence[str]) -> Striped | None:
    """COUNT CHUNK, then DEVICE OFFSET of each."""
    if len(arguments) < 4 or not all(figure.isdecimal() for figure in arguments[:2]):
        return None
    pairs = [arguments[at : at + 2] for at in range(2, len(arguments), 2)]
    stripes = tuple(stripe for pair in pairs if (stripe := read_linear(pair)))
    if len(stripes) != len(pairs) or len(stripes) != int(arguments[0]):
        return None
    return Striped(int(arguments[1]) * SECTOR, stripes)


def table_facts(targets: Sequence[MapperTarget]) -> dict[str, Scalar]:
    """Which targets a device is made of, and the geometry of one that is all striped.

    Offsets and the like are those of each segment.
    """
    names = dict.fromkeys(target.name for target in targets)
    if not names:
        return {}
    facts: dict[str, Scalar] = {"target": ", ".join(names), "segments": len(targets)}
    if len(targets) == 1 and "striped" in names:
        striped = read_striped(targets[0].arguments)
        facts |= striped.facts() if striped else {}
    return facts


def read_target(target: MapperTarget) -> TargetFacts | None:
    """A line of a target that belongs to no technology; a status may have no arguments."""
    read = _TARGETS.get(target.name)
    general: dict[str, Scalar] = {"target": target.name, "segments": 1}
    if read is None or not target.arguments:
        return TargetFacts(_UNCLAIMED, general)
    values = read(target.arguments)
    if values is None:
        return None
    return TargetFacts(_UNCLAIMED, {**general, **without_none(values)})


def _linear(arguments: Sequence[str]) -> dict[str, Scalar] | None:
    linear = read_linear(arguments)
    return {"device": linear.device, "offset": linear.offset} if linear else None


def _striped(arguments: Sequence[str]) -> dict[str, Scalar] | None:
    if striped := read_striped(arguments):
        return striped.facts()
    devices, health = counted(arguments), arguments[-1]
    if devices and len(arguments) == 3 + len(devices) and re.fullmatch(r"[AD]+", health):
        return {"stripes": len(devices), "failed_stripes": health.count("D")}
    return None


def _thin_pool(arguments: Sequence[str]) -> dict[str, Scalar] | None:
    if has_failed(arguments):
        return {"state": "failed"}
    if len(arguments) >= 4 and DEVICE.match(arguments[0]) and arguments[2].isdecimal():
        flags = arguments[5:]
        if len(arguments) > 4 and counted(arguments[4:]) != flags:
            return None
        return {
            "metadata_device": arguments[0], "device": arguments[1],
            "block_size": int(arguments[2]) * SECTOR, **dict.fromkeys(flags, True),
        }  # fmt: skip
    metadata, data = (_share(argument) for argument in (*arguments, "", "", "")[1:3])
    if metadata is None or data is None or len(arguments) < 4:
        return None
    if not all(argument.isdecimal() or argument in _OF_POOL for argument in arguments[3:]):
        return None
    state = next((argument for argument in arguments if argument in _OF_POOL[:3]), None)
    return {"metadata_used_share": metadata, "used_share": data, "state": state}


def _thin(arguments: Sequence[str]) -> dict[str, Scalar] | None:
    if has_failed(arguments):
        return {"state": "failed"}
    first, count = arguments[0], len(arguments)
    if DEVICE.match(first):
        return {"device": first} if count in {2, 3} and arguments[1].isdecimal() else None
    if count != 2 or not first.isdecimal() or not re.fullmatch(r"\d+|-", arguments[1]):
        return None
    return {"mapped": int(first) * SECTOR}


def _snapshot(arguments: Sequence[str]) -> dict[str, Scalar] | None:
    if arguments[0] in {"Invalid", "Overflow", "Merge"}:
        return {"state": " ".join(arguments).lower()}
    if len(arguments) >= 4 and DEVICE.match(arguments[0]) and arguments[2][:1] in {"P", "N"}:
        origin, store, persistence, block = arguments[:4]
        if not block.isdecimal():
            return None
        return {
            "device": origin, "cow_device": store, "block_size": int(block) * SECTOR,
            "persistent": persistence.startswith("P"),
        }  # fmt: skip
    used = _share(arguments[0])
    if used is None or len(arguments) != 2 or not arguments[1].isdecimal():
        return None
    return {"used_share": used}


def _raid(arguments: Sequence[str]) -> dict[str, Scalar] | None:
    if len(arguments) < 4 or not arguments[1].isdecimal():
        return None
    if re.fullmatch(r"[ADa]+", arguments[2]):
        return _raid_status(arguments)
    level, parameters = arguments[0], counted(arguments[1:])
    disks = arguments[2 + len(parameters) :] if parameters else ()
    if not parameters or not parameters[0].isdecimal() or not disks or not disks[0].isdecimal():
        return None
    if len(disks) != 1 + 2 * int(disks[0]):
        return None
    chunk = int(parameters[0]) * SECTOR or None  # 0 for raid1, which has none
    return {"level": level, "chunk_size": chunk, "raid_disks": int(disks[0])}


def _raid_status(arguments: Sequence[str]) -> dict[str, Scalar] | None:
    """Level, disks, the health of each, share in sync, what is going on and figures of it."""
    health, synced, rest = arguments[2], _share(arguments[3]), arguments[4:]
    if len(health) != int(arguments[1]) or synced is None:
        return None
    if not all(argument.isdecimal() or argument in _OF_RAID for argument in rest):
        return None
    failed = health.count("D")
    return {
        "level": arguments[0], "raid_disks": len(health), "degraded": failed > 0,
        "failed_disks": failed, "sync_share": synced, "sync_action": rest[0] if rest else None,
    }  # fmt: skip


def _mirror(arguments: Sequence[str]) -> dict[str, Scalar] | None:
    if arguments[0].isdecimal():
        return _mirror_status(arguments)
    log = counted(arguments[1:])
    legs = arguments[2 + len(log) :] if log is not None else ()
    if not legs or not legs[0].isdecimal():
        return None
    flags = legs[1 + 2 * int(legs[0]) :]
    if flags and counted(flags) != flags[1:]:
        return None
    return {"mirrors": int(legs[0]), "mirror_log": arguments[0]}


def _mirror_status(arguments: Sequence[str]) -> dict[str, Scalar] | None:
    """Mirrors, their devices, share in sync, a figure, health, arguments of the log."""
    count = int(arguments[0])
    rest = arguments[1 + count :]
    synced = _share(rest[0]) if len(rest) > 3 else None
    if synced is None or counted(rest[3:]) != rest[4:]:
        return None
    return {"mirrors": count, "sync_share": synced, "failed_mirrors": rest[2].count("D")}


def _origin(arguments: Sequence[str]) -> dict[str, Scalar] | None:
    named = len(arguments) == 1 and DEVICE.match(arguments[0])
    return {"device": arguments[0]} if named else None


def _none(_: Sequence[str]) -> dict[str, Scalar] | None:
    """Targets that take no arguments, and here have some."""
    return None


def _share(text: str) -> float | None:
    figures = part_of(text)
    return figures[0] / figures[1] if figures else None


_TARGETS: Mapping[str, Callable[[Sequence[str]], dict[str, Scalar] | None]] = {
    "linear": _linear, "striped": _striped, "thin-pool": _thin_pool, "thin": _thin,
    "snapshot": _snapshot, "snapshot-merge": _snapshot, "snapshot-origin": _origin,
    "raid": _raid, "mirror": _mirror, "error": _none, "zero": _none, **READERS,
}  # fmt: skip
OWN = (*_TARGETS,)
