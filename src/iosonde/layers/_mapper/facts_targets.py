"""Arguments of targets of device-mapper that people make by hand or by tools of their own.

Each function takes the arguments of a line of `dmsetup table` or `dmsetup status`, and gives None
where they are not those of its target.

Source: Linux 6.12, Documentation/admin-guide/device-mapper (delay, dm-flakey, dm-dust, verity,
dm-integrity, era, dm-clone, unstriped, vdo) and the functions *_status() in drivers/md: dm-delay.c
("%u %u %u": reads, writes, flushes), dm-verity-target.c ("V" or "C", then corrected blocks),
dm-dust.c (dust_status(): device, whether bad blocks fail, whether it is quiet),
dm-integrity.c ("%llu %llu", then the sector of the recalculation or "-"), dm-era-target.c,
dm-clone-target.c, dm-vdo/dm-vdo-target.c (device, mode, recovery, index, compression, blocks of
4 KiB used, all of them).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from iosonde.records.stack import Scalar
from iosonde.units import SECTOR

Arguments: TypeAlias = Sequence[str]
Values: TypeAlias = dict[str, Scalar]

_DEVICE = re.compile(r"\d+:\d+$|/dev/\S+$")
_DIGEST = re.compile(r"[0-9a-f]{32,128}$")
_MODES = {"J": "journal", "B": "bitmap", "D": "direct", "R": "recovery", "I": "inline"}
_DUST = frozenset({"bypass", "fail_read_on_bad_block"})
_VDO_BLOCK = 4096
_VDO_MODES = frozenset({"normal", "recovering", "read-only"})
_MILLISECONDS = 1000


def _numbers(*texts: str) -> list[int] | None:
    """The texts as whole numbers; None where one is none."""
    return [int(text) for text in texts] if all(text.isdecimal() for text in texts) else None


def _counts(text: str) -> tuple[int, int] | None:
    """The two figures of `USED/TOTAL`."""
    used, slash, total = text.partition("/")
    numbers = _numbers(used, total) if slash else None
    return (numbers[0], numbers[1]) if numbers else None


def _delay(arguments: Arguments) -> Values | None:
    """DEVICE OFFSET MS, up to three times: reads, writes, flushes; or what was delayed."""
    if counts := _numbers(*arguments):
        if len(counts) != 3:
            return None
        return dict(zip(("reads", "writes", "flushes"), counts, strict=True))
    if len(arguments) not in {3, 6, 9}:
        return None
    values: Values = {}
    for at, name in zip(range(0, len(arguments), 3), ("read", "write", "flush"), strict=False):
        device, numbers = arguments[at], _numbers(*arguments[at + 1 : at + 3])
        if not _DEVICE.match(device) or numbers is None:
            return None
        if at == 0:
            values |= {"device": device, "offset": numbers[0] * SECTOR}
        values[f"{name}_delay"] = numbers[1] / _MILLISECONDS
    return values


def _flakey(arguments: Arguments) -> Values | None:
    """DEVICE OFFSET UP DOWN [FEATURES …]."""
    numbers = _numbers(*arguments[1:4])
    if len(arguments) < 4 or not _DEVICE.match(arguments[0]) or numbers is None:
        return None
    features = " ".join(arguments[5:])
    if len(arguments) > 4 and arguments[4] != str(len(arguments) - 5):
        return None
    values: Values = {
        "device": arguments[0], "offset": numbers[0] * SECTOR, "up_interval": numbers[1],
        "down_interval": numbers[2],
    }  # fmt: skip
    return values | {"features": features} if features else values


def _dust(arguments: Arguments) -> Values | None:
    """DEVICE OFFSET BLOCK; or whether reads of its bad blocks fail, and whether it logs them."""
    numbers = _numbers(*arguments[1:])
    if len(arguments) not in {2, 3} or not _DEVICE.match(arguments[0]):
        return None
    if numbers is not None and len(numbers) == 2:
        return {"device": arguments[0], "offset": numbers[0] * SECTOR, "block_size": numbers[1]}
    if arguments[1] not in _DUST or not {*arguments[2:]} <= {"quiet", "verbose"}:
        return None
    values: Values = {"device": arguments[0], "fails_reads": arguments[1] != "bypass"}
    return values | {"quiet": arguments[2] == "quiet"} if len(arguments) == 3 else values


def _verity(arguments: Arguments) -> Values | None:
    """VERSION DATA HASH BLOCK HASH_BLOCK BLOCKS START ALGORITHM DIGEST SALT …; or V, C."""
    if arguments[0] in {"V", "C"}:
        values: Values = {"state": "verified" if arguments[0] == "V" else "corrupted"}
        if len(arguments) == 2 and arguments[1].isdecimal():
            values["corrected_blocks"] = int(arguments[1])
        return values if len(arguments) <= 2 else None
    if len(arguments) < 10 or arguments[0] not in {"0", "1"}:
        return None
    numbers = _numbers(*arguments[3:7])
    if numbers is None or not all(map(_DEVICE.match, arguments[1:3])):
        return None
    salt = arguments[9]
    if not _DIGEST.match(arguments[8]) or not (
        salt == "-" or re.fullmatch(r"[0-9a-f]{2,512}", salt)
    ):
        return None
    return {
        "device": arguments[1], "hash_device": arguments[2], "block_size": numbers[0],
        "hash_block_size": numbers[1], "data_size": numbers[0] * numbers[2],
        "hash_start": numbers[1] * numbers[3], "algorithm": arguments[7],
    }  # fmt: skip


def _integrity(arguments: Arguments) -> Values | None:
    """DEVICE RESERVED TAG MODE COUNT [OPTIONS …]; or mismatches and sectors that are provided."""
    counts = _numbers(*arguments[:2])
    if counts and len(arguments) in {2, 3}:
        values: Values = {"mismatches": counts[0], "provided_size": counts[1] * SECTOR}
        at = arguments[2] if len(arguments) == 3 else ""
        if at.isdecimal():
            values["recalculated"] = int(at) * SECTOR
        return values if at in {"", "-"} or at.isdecimal() else None
    if len(arguments) < 4 or not _DEVICE.match(arguments[0]) or arguments[3] not in _MODES:
        return None
    numbers = _numbers(arguments[1], arguments[2] if arguments[2] != "-" else "0")
    if numbers is None or not (len(arguments) == 4 or arguments[4] == str(len(arguments) - 5)):
        return None
    values = {
        "device": arguments[0], "reserved": numbers[0] * SECTOR,
        "integrity_mode": _MODES[arguments[3]],
    }  # fmt: skip
    if arguments[2] != "-":
        values["tag_size"] = numbers[1]
    for option in arguments[5:]:
        name, colon, value = option.partition(":")
        value = value.partition(":")[0]  # behind an algorithm stands its key
        values[name] = (int(value) if value.isdecimal() else value) if colon else True
    return values


def _era(arguments: Arguments) -> Values | None:
    """METADATA ORIGIN BLOCK; or block size, use of the metadata, era and its held root."""
    if len(arguments) == 3 and all(map(_DEVICE.match, arguments[:2])) and arguments[2].isdecimal():
        return {
            "metadata_device": arguments[0], "device": arguments[1],
            "block_size": int(arguments[2]) * SECTOR,
        }  # fmt: skip
    used = _counts(arguments[1]) if len(arguments) == 4 else None
    if used is None or not used[1] or not arguments[2].isdecimal():
        return None
    return {"metadata_used_share": used[0] / used[1], "era": int(arguments[2])}


def _clone(arguments: Arguments) -> Values | None:
    """METADATA DESTINATION SOURCE REGION …; or how much of the regions is hydrated."""
    if len(arguments) >= 4 and all(map(_DEVICE.match, arguments[:3])) and arguments[3].isdecimal():
        return {
            "metadata_device": arguments[0], "device": arguments[1],
            "source_device": arguments[2], "region_size": int(arguments[3]) * SECTOR,
        }  # fmt: skip
    if len(arguments) < 5 or not arguments[2].isdecimal() or not arguments[4].isdecimal():
        return None
    metadata, regions = _counts(arguments[1]), _counts(arguments[3])
    if metadata is None or regions is None or not metadata[1] or not regions[1]:
        return None
    return {
        "metadata_used_share": metadata[0] / metadata[1],
        "region_size": int(arguments[2]) * SECTOR, "hydrated_regions": regions[0],
        "regions": regions[1], "hydrating_regions": int(arguments[4]),
    }  # fmt: skip


def _unstriped(arguments: Arguments) -> Values | None:
    """STRIPES CHUNK STRIPE DEVICE OFFSET."""
    if len(arguments) != 5 or not _DEVICE.match(arguments[3]):
        return None
    numbers = _numbers(*arguments[:3], arguments[4])
    if numbers is None:
        return None
    return {
        "stripes": numbers[0], "chunk_size": numbers[1] * SECTOR, "stripe": numbers[2],
        "device": arguments[3], "offset": numbers[3] * SECTOR,
    }  # fmt: skip


def _vdo(arguments: Arguments) -> Values | None:
    """V4 DEVICE BLOCKS MINIMUM CACHE ERA …; or its mode and how many blocks are used."""
    if arguments[0] == "V4":
        numbers = _numbers(*arguments[2:6]) if len(arguments) >= 6 else None
        if numbers is None or not _DEVICE.match(arguments[1]):
            return None
        values: Values = {
            "device": arguments[1], "physical_size": numbers[0] * _VDO_BLOCK,
            "minimum_io_size": numbers[1], "block_map_cache": numbers[2] * _VDO_BLOCK,
            "block_map_era": numbers[3],
        }  # fmt: skip
        rest = arguments[6:]
        return (
            values | dict(zip(rest[::2], rest[1::2], strict=False)) if len(rest) % 2 == 0 else None
        )
    if arguments[0] in {"V1", "V2", "V3"}:  # of kvdo, the module before Linux 6.9
        return {"device": arguments[1]} if _DEVICE.match("".join(arguments[1:2])) else None
    if len(arguments) != 7 or arguments[1] not in _VDO_MODES:
        return None
    blocks = _numbers(*arguments[5:])
    if blocks is None or not blocks[1] or blocks[0] > blocks[1]:
        return None
    return {
        "device": arguments[0], "mode": arguments[1], "recovering": arguments[2] == "recovering",
        "index_state": arguments[3], "compression": arguments[4],
        "used": blocks[0] * _VDO_BLOCK, "physical_size": blocks[1] * _VDO_BLOCK,
        "used_share": blocks[0] / blocks[1],
    }  # fmt: skip


READERS: Mapping[str, Callable[[Arguments], Values | None]] = {
    "delay": _delay, "flakey": _flakey, "dust": _dust, "verity": _verity,
    "integrity": _integrity, "era": _era, "clone": _clone, "unstriped": _unstriped, "vdo": _vdo,
}  # fmt: skip
"""Target → what its arguments say."""
