"""flashcache: its counters (`dmsetup status`) and its configuration (`dmsetup table`).

Source: facebook/flashcache 1.0 to 3.1.3: src/flashcache_conf.c, flashcache_status_info() and
flashcache_status_table() (K and M are of 1024 bytes; percents are cut off, not rounded; sizes of
requests from 512 to 16384 bytes).
"""

from __future__ import annotations

import re

from iosonde import units
from iosonde.layers._mapper.facts import DmTarget, read_target
from iosonde.records.printed import without_none
from iosonde.records.stack import Scalar

_HEAD = re.compile(r"^(?:.+?: )?\d+ \d+ \S", re.MULTILINE)
PAIR = re.compile(r"([A-Za-z_]+)\((-?\d+)\)")
_VALUE = re.compile(r"([a-z_]+)\(([^()]*)\)")
_SIZE = re.compile(r"(\d{1,5}):(\d{1,20})")
_LARGEST = 16384
_NAMES = (
    "reads", "writes", "read hits", "read hit percent", "write hits", "write hit percent",
    "dirty write hits", "dirty write hit percent", "replacement", "write replacement",
    "write invalidates", "read invalidates", "invalidates", "checksum store", "checksum valid",
    "checksum invalid", "pending enqueues", "pending inval", "metadata dirties", "metadata cleans",
    "metadata batch", "metadata ssd writes", "cleanings", "fallow cleanings", "no room",
    "front merge", "back merge", "force_clean_block", "disk reads", "disk writes", "ssd reads",
    "ssd writes", "uncached reads", "uncached writes", "uncached IO requeue", "disk read errors",
    "disk write errors", "ssd read errors", "ssd write errors", "uncached sequential reads",
    "uncached sequential writes", "pid_adds", "pid_dels", "pid_drops", "pid_expiry",
    "lru hot blocks", "lru warm blocks", "lru promotions", "lru demotions", "cache hits",
    "cache hit percent", "cache reads", "cache writes",
)  # fmt: skip
_BY_LETTERS = {name.replace(" ", "").replace("_", "").lower(): name for name in _NAMES}
_MODES = {
    "WRITE_BACK": "writeback", "WRITE_THROUGH": "writethrough", "WRITETHROUGH": "writethrough",
    "WRITE_AROUND": "writearound", "WRITE_CACHE": "writeonly",
}  # fmt: skip


def counters(text: str, pairs: re.Pattern[str] = PAIR) -> dict[str, int]:
    """What a device counted, by the names of `dmsetup status`, up to the first that comes again.

    Args:
        text: a status; blanks do not matter.
        pairs: how name and figure are written: `NAME(FIGURE)`.
    """
    values: dict[str, int] = {}
    for letters, figure in pairs.findall("".join(text.split())):
        name = _BY_LETTERS.get(letters.replace("_", "").lower())
        if name is None:
            continue
        if name in values:
            break
        values[name] = int(figure)
    return values


def table_facts(text: str) -> dict[str, Scalar]:
    """Mode, sizes and use of a cache by its table, whatever its blanks; empty where it is none."""
    values = dict(_VALUE.findall("".join(text.split())))
    total, cached, dirty = (
        _whole(values.get(name)) for name in ("totalblocks", "cachedblocks", "dirtyblocks")
    )
    mode = values.get("cachemode") or values.get("mode")
    if mode is None and dirty is not None:
        mode = "WRITE_BACK"  # 1.0 had no other
    if total is None and mode is None:
        return {}
    facts: dict[str, Scalar] = {
        "mode": _MODES.get(mode, mode.lower()) if mode else None,
        "block_size": _bytes(values.get("datablocksize") or values.get("blocksize")),
        "metadata_block_size": _bytes(values.get("metadatablocksize")),
        "sequential_cutoff": _bytes(values.get("skipsequentialthresh")),
        "cache_device": values.get("ssddev"),
        "disk_device": values.get("diskdev"),
        "cache_size": _bytes(values.get("capacity")),
        "associativity": _whole(values.get("associativity")),
        "disk_associativity": _bytes(values.get("diskassoc")),
        "cache_blocks": total,
        "cached_blocks": cached,
        "used_share": cached / total if total and cached is not None else None,
        "dirty_blocks": dirty,
        "dirty_share": dirty / total if total and dirty is not None else None,
        "queued": _whole(values.get("nr_queued")),
    }
    return without_none(facts)


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def _bytes(text: str | None) -> int | None:
    """Bytes of `4K`, `57018M` or `4096b`."""
    if not text or not text[:-1].isdecimal():
        return None
    scale = {"K": units.KIB, "M": units.MIB, "b": 1}.get(text[-1])
    return int(text[:-1]) * scale if scale else None


def size_histogram(text: str) -> dict[int, int]:
    """Requests by size in bytes, from what follows `Size Hist:`, ascending.

    A line may break between two pairs or inside of one.
    """
    parts: list[str] = []
    for part in text.split("\n"):
        first, *rest = part.split() or [""]
        apart = parts and ":" in parts[-1] and ":" in first[1:]
        if parts and first and not apart:
            parts[-1] += first
        elif first:
            parts.append(first)
        parts += rest
    sizes: dict[int, int] = {}
    before = 0
    for word in parts:
        pair = _SIZE.fullmatch(word)
        size = int(pair[1]) if pair else 0
        if pair is None or not before < size <= _LARGEST or size % units.SECTOR:
            break
        sizes[size] = int(pair[2])
        before = size
    return sizes


def of_device(text: str, name: str) -> str:
    """What `dmsetup table` or `dmsetup status` of all devices says of one: its lines."""
    start = re.search(rf"^{re.escape(name)}: \d+ \d+ flashcache", text, re.MULTILINE)
    if start is None:
        return ""
    after = _HEAD.search(text, start.end())
    return text[start.end() : after.start() if after else len(text)]


TARGET = DmTarget("flashcache", read_target, has_listing=True)
