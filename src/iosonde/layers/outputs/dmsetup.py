"""`dmsetup table` and `dmsetup status` of targets that are no caches.

Numbers of devices stay "MAJOR:MINOR", as printed; the key of dm-crypt is not looked at.

Source: Linux Documentation/admin-guide/device-mapper (linear, striped, dm-crypt, snapshot,
thin-provisioning, dm-raid, delay, zero); drivers/md/dm-mpath.c, multipath_status();
drivers/md/dm-raid1.c, mirror_status(). Sizes are in sectors of 512 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from iosonde.layers.dm import table_facts
from iosonde.layers.dm_crypt import crypt_facts
from iosonde.layers.layer import Target
from iosonde.layers.multipath import paths_of
from iosonde.layers.multipath import table_facts as multipath_facts
from iosonde.layers.outputs._dmsetup import Told, begin_listing, read_listing
from iosonde.passage import Passage
from iosonde.printed import Reading
from iosonde.records import Scalar
from iosonde.units import SECTOR

_DEVICE = re.compile(r"\d+:\d+$|/dev/\S+$")
_SHARE = re.compile(r"(\d+)/(\d+)$")
_OF_POOL = (
    "rw", "ro", "out_of_data_space", "discard_passdown", "no_discard_passdown", "ignore_discard",
    "queue_if_no_space", "error_if_no_space", "needs_check", "-",
)  # fmt: skip
_OF_RAID = ("idle", "frozen", "resync", "recover", "check", "repair", "reshape", "undef", "-", "A",
            "D")  # fmt: skip


class Dmsetup:
    """See `iosonde.passage.Output`."""

    tool: ClassVar[str] = "dmsetup"
    anchors: ClassVar[tuple[str, ...]] = (
        "dmsetup table", "dmsetup status", " linear 8:", " linear 9:", " linear 25", " linear 7:",
        " linear 98:", " linear /dev/", " striped ", " crypt aes", " crypt serpent",
        " thin-pool ", " thin 25", " multipath ", " snapshot 25", " snapshot-origin ", " raid raid",
    )  # fmt: skip

    def begin(self, passage: Passage) -> int | None:
        """See `Output.begin`."""
        return begin_listing(passage)

    def read(self, passage: Passage, first: int) -> Reading:
        """See `Output.read`."""
        return read_listing(passage, first)


def told(target: Target) -> Told | None:
    """What a line of such a target says, of table or status; a status may have no arguments."""
    words = target.words
    general: dict[str, Scalar] = {"target": target.name, "segments": 1}
    if target.name == "crypt":
        return _crypt(words)
    if target.name == "multipath":
        return _multipath(words)
    read = _TARGETS.get(target.name)
    if read is None or not words:
        return Told("dm", general)
    values = read(target)
    if values is None:
        return None
    known = {name: value for name, value in values.items() if value is not None}
    return Told("dm", {**general, **known})


def _crypt(words: Sequence[str]) -> Told | None:
    if not words:
        return Told("dm_crypt", {})
    if len(words) < 5 or not _DEVICE.match(words[3]) or not words[4].isdecimal():
        return None
    flags = words[5:6]
    if flags and (not flags[0].isdecimal() or len(words) != 6 + int(flags[0])):
        return None
    return Told("dm_crypt", {**crypt_facts(words), "device": words[3]})


def _multipath(words: Sequence[str]) -> Told | None:
    paths = paths_of(words)
    if paths:
        failed = sum(not one.active for one in paths)
        return Told("multipath", {"paths": len(paths), "failed_paths": failed})
    devices = [word for word in words if _DEVICE.match(word)]
    facts = multipath_facts(words)
    if not devices or not facts:
        return None
    return Told("multipath", {**facts, "paths": len(devices)})


def _linear(target: Target) -> dict[str, Scalar] | None:
    words = target.words
    if len(words) != 2 or not _DEVICE.match(words[0]) or not words[1].isdecimal():
        return None
    return {"device": words[0], "offset": int(words[1]) * SECTOR}


def _striped(target: Target) -> dict[str, Scalar] | None:
    words = target.words
    if not words[0].isdecimal():
        return None
    count = int(words[0])
    if len(words) == 2 + 2 * count and words[1].isdecimal() and _DEVICE.match(words[2]):
        return dict(table_facts((target,)))
    if len(words) == 3 + count and re.fullmatch(r"[AD]+", words[-1]):
        return {"stripes": count, "failed_stripes": words[-1].count("D")}
    return None


def _thin_pool(target: Target) -> dict[str, Scalar] | None:
    words = target.words
    if words in {("Fail",), ("Error",)}:
        return {"state": "failed"}
    if len(words) >= 4 and _DEVICE.match(words[0]) and words[2].isdecimal():
        flags = words[5:]
        if words[4:5] and (not words[4].isdecimal() or len(flags) != int(words[4])):
            return None
        return {
            "metadata_device": words[0], "device": words[1], "block_size": int(words[2]) * SECTOR,
            **dict.fromkeys(flags, True),
        }  # fmt: skip
    metadata, data = (_share(word) for word in (*words, "", "", "")[1:3])
    if metadata is None or data is None or len(words) < 4:
        return None
    if not all(word.isdecimal() or word in _OF_POOL for word in words[3:]):
        return None
    state = next((word for word in words if word in _OF_POOL[:3]), None)
    return {"metadata_used_share": metadata, "used_share": data, "state": state}


def _thin(target: Target) -> dict[str, Scalar] | None:
    words = target.words
    if words == ("Fail",):
        return {"state": "failed"}
    if _DEVICE.match(words[0]):
        return {"device": words[0]} if len(words) in {2, 3} and words[1].isdecimal() else None
    if len(words) != 2 or not words[0].isdecimal() or not re.fullmatch(r"\d+|-", words[1]):
        return None
    return {"mapped": int(words[0]) * SECTOR}


def _snapshot(target: Target) -> dict[str, Scalar] | None:
    words = target.words
    if words[0] in {"Invalid", "Overflow", "Merge"}:
        return {"state": " ".join(words).lower()}
    if len(words) >= 4 and _DEVICE.match(words[0]) and words[2][:1] in {"P", "N"}:
        if not words[3].isdecimal():
            return None
        return {
            "device": words[0], "cow_device": words[1], "block_size": int(words[3]) * SECTOR,
            "persistent": words[2].startswith("P"),
        }  # fmt: skip
    used = _share(words[0])
    if used is None or len(words) != 2 or not words[1].isdecimal():
        return None
    return {"used_share": used}


def _raid(target: Target) -> dict[str, Scalar] | None:
    words = target.words
    if len(words) >= 4 and words[1].isdecimal() and re.fullmatch(r"[ADa]+", words[2]):
        synced, rest = _share(words[3]), words[4:]
        if len(words[2]) != int(words[1]) or synced is None:
            return None
        if not all(word.isdecimal() or word in _OF_RAID for word in rest):
            return None
        failed = words[2].count("D")
        return {
            "level": words[0], "raid_disks": int(words[1]), "degraded": failed > 0,
            "failed_disks": failed, "sync_share": synced, "sync_action": rest[0] if rest else None,
        }  # fmt: skip
    if len(words) < 4 or not words[1].isdecimal() or not words[2].isdecimal():
        return None
    rest = words[2 + int(words[1]) :]
    if not rest or not rest[0].isdecimal() or len(rest) != 1 + 2 * int(rest[0]):
        return None
    chunk = int(words[2]) * SECTOR or None  # 0 for raid1, which has none
    return {"level": words[0], "chunk_size": chunk, "raid_disks": int(rest[0])}


def _mirror(target: Target) -> dict[str, Scalar] | None:
    words = target.words
    if words[0].isdecimal():
        return _mirror_status(words)
    if len(words) < 2 or not words[1].isdecimal():
        return None
    rest = words[2 + int(words[1]) :]
    if not rest or not rest[0].isdecimal():
        return None
    flags = rest[1 + 2 * int(rest[0]) :]
    if flags and (not flags[0].isdecimal() or len(flags) != 1 + int(flags[0])):
        return None
    return {"mirrors": int(rest[0]), "mirror_log": words[0]}


def _mirror_status(words: Sequence[str]) -> dict[str, Scalar] | None:
    """Mirrors, their devices, share in sync, a figure, health, arguments of the log."""
    count = int(words[0])
    rest = words[1 + count :]
    synced = _share(rest[0]) if len(rest) > 3 else None
    if synced is None or not rest[3].isdecimal() or len(rest) != 4 + int(rest[3]):
        return None
    return {"mirrors": count, "sync_share": synced, "failed_mirrors": rest[2].count("D")}


def _origin(target: Target) -> dict[str, Scalar] | None:
    words = target.words
    return {"device": words[0]} if len(words) == 1 and _DEVICE.match(words[0]) else None


def _alone(target: Target) -> dict[str, Scalar] | None:
    """Targets without arguments."""
    return None if target.words else {}


def _share(word: str) -> float | None:
    """The part of `USED/TOTAL`."""
    found = _SHARE.match(word)
    return int(found[1]) / int(found[2]) if found and int(found[2]) else None


_TARGETS: Mapping[str, Callable[[Target], dict[str, Scalar] | None]] = {
    "linear": _linear, "striped": _striped, "thin-pool": _thin_pool, "thin": _thin,
    "snapshot": _snapshot, "snapshot-merge": _snapshot, "snapshot-origin": _origin,
    "raid": _raid, "mirror": _mirror, "error": _alone, "zero": _alone,
}  # fmt: skip
