"""`bcache-super-show` and `bcache-status`.

Source: bcache-tools 1.0.8, bcache-super-show.c (sizes in sectors of 512 bytes); bcache-status by
Darrick J. Wong, 2014, which prints what sysfs says with sizes made readable, and percents cut off.
A later version prints "Device" before the identity, "Dirty Data" of the set, and units right
behind the number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde import units
from iosonde.layers.bcache.facts import chosen, size
from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    Unreadable,
    without_none,
)
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, command_before, flow, lines, prompt_in
from iosonde.text.labels import as_labelled

_KEY = re.compile(r"^[\s|]*(?:sb|dev|cset)\.[a-z_.]+\s+\S+(?:\s*\[[^\]]*\])?[\s|]*$")
_PAIR = re.compile(r"((?:sb|dev|cset)\.[a-z_.]+) (\S+(?: \[[^\]]*\])?)")
_SECTION = re.compile(r"--- (bcache|Backing Device|Cache Device) ---")
_SPANS = {
    "Total": "stats_total", "Last 5min": "stats_five_minute", "Last Hour": "stats_hour",
    "Last Day": "stats_day",
}  # fmt: skip
_COUNTED = {
    "Hits": "cache_hits", "Misses": "cache_misses", "Bypass Hits": "cache_bypass_hits",
    "Bypass Misses": "cache_bypass_misses", "Bypassed": "bypassed",
}  # fmt: skip
_RATIOS = {"cache_hits": "cache_hit_ratio", "cache_bypass_hits": "cache_bypass_hit_ratio"}
"""What the share behind a count of hits is, in percent, as the kernel has it."""
_FACTS = (
    "Device", "UUID", "Block Size", "Bucket Size", "Congested?", "Read Congestion",
    "Write Congestion", "Total Cache Size", "Total Cache Used", "Total Cache Unused",
    "Evictable Cache", "Replacement Policy", "Cache Mode", "Device File", "bcache Device File",
    "Size", "Readahead", "Sequential Cutoff", "Merge sequential?", "State", "Writeback?",
    "Dirty Data", "Discard?", "I/O Errors", "Metadata Written", "Data Written", "Buckets",
    "Cache Used", "Cache Unused",
)  # fmt: skip
_KEYS = (*_FACTS, *(f"{span} {what}" for span in _SPANS for what in _COUNTED))
_ENTRY = re.compile(
    rf"(?:^|(?<= ))({'|'.join(map(re.escape, sorted(_KEYS, key=len, reverse=True)))}) "
)
_VALUE = re.compile(
    r"(?:\d[\d.]{0,15}(?: ?[A-Za-z]{1,3})?(?:\s*\(\d{1,3}%\))?|True|False|\(\w{1,12}\)"
    r"|/dev/\S{1,80}(?: \(\d{1,9}:\d{1,9}\))?|[\w ]{0,60}\[\w{1,20}\][\w ]{0,60}|[\da-f-]{36}"
    r"|no cache|\?? ?\(\?\)|\w{1,40}(?: \(\d{1,9}:\d{1,9}\))?)[\s|]*$"
)
"""What bcache-status prints behind a name; no sentence is one."""
_FOLDED = 60  # signs of a line above what a wrap moved into the next
_READ = frozenset({
    "dev.label", "dev.sectors_per_block", "dev.sectors_per_bucket", "dev.cache.cache_sectors",
    "dev.data.first_sector", "dev.cache.discard", "dev.uuid", "cset.uuid",
})  # fmt: skip
"""Keys that have another name; one of a number and a word is also kept with its number."""
_SHARE = re.compile(r"\((\d{1,3})%\)")
_DEVICE = re.compile(r"(?:/dev/)(\S+)")


class BcacheTools(Output):
    tool = "bcache"
    anchors = (
        "sb.magic", "sb.csum", "dev.data.first", "dev.cache.first", "cset.uuid",
        "--- bcache ---", "--- Backing Device ---", "--- Cache Device ---", "Evictable Cache",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _KEY.match(line):
            first = cursor.at
            for index in range(cursor.at, max(cursor.at - 30, -1), -1):
                text = cursor.line(index)
                if _KEY.match(text):
                    first = index
                elif prompt_in(text) or index < first - 3:
                    break
            return first
        best = None
        for index in range(cursor.at, max(cursor.at - 40, -1), -1):
            text = cursor.line(index)
            if _SECTION.search(text) and _has_entry(cursor, index + 1):
                best = index
            if "--- bcache ---" in text or prompt_in(text):
                break
        return best

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        if _KEY.match(cursor.line(first)):
            return self._super(cursor, first)
        return self._status(cursor, first)

    def _super(self, cursor: TextCursor, first: int) -> OutputReading:
        last = first
        for index, line in lines(cursor, first, 60):
            torn = index == last + 1 and re.fullmatch(r"\s*(?:\[[^\]]*\]|[\w-]{1,40})", line)
            if index > last + 4 or (line and not _KEY.match(line) and not torn):
                break
            last = index if line else last
        pairs = dict(_PAIR.findall(flow(cursor, first, last)))
        begin, prompt = command_before(cursor, first, ("bcache-super-show", "bcache"), reach=3)
        device = _DEVICE.search(prompt.command)
        values = _superblock(pairs)
        if not values:
            raise Unreadable("it says neither cache nor backing device")
        subject = PrintedSubject(
            "bcache", device[1] if device else pairs.get("dev.uuid", ""), values
        )
        state = PrintedState(self.tool, (subject,), prompt.host, prompt.command)
        return OutputReading(begin, last, states=(state,))

    def _status(self, cursor: TextCursor, first: int) -> OutputReading:
        last = first
        for index, line in lines(cursor, first, 400):
            if index > last + 3 or (index > first and prompt_in(line)):
                break
            is_below = index == last + 1
            if _is_entry(line) or (is_below and len(cursor.line(last)) >= _FOLDED):
                last = index
            elif line:
                break
        begin, prompt = command_before(cursor, first, ("bcache-status", "bcache"), reach=8)
        subjects, counters = [], []
        parts = _SECTION.split(flow(cursor, first, last))[1:]
        for kind, text in zip(parts[::2], parts[1::2], strict=True):
            entries = _entries(text)
            name = _name(kind, entries)
            if values := _facts(entries):
                subjects.append(PrintedSubject("bcache", name, values))
            if counts := _counts(entries):
                counters.append(
                    PrintedCounters(self.tool, "bcache", name, counts, prompt.host, prompt.command)
                )
        if not subjects:
            raise Unreadable("no values follow")
        state = PrintedState(self.tool, tuple(subjects), prompt.host, prompt.command)
        return OutputReading(begin, last, states=(state,), counters=tuple(counters))


def _is_entry(line: str) -> bool:
    """Whether a line begins with a section or with a name, and nothing else stands in it."""
    if _SECTION.search(line):
        return True
    text = f"{line.strip().removeprefix('|').strip()} "
    parts = _ENTRY.split(text)
    if len(parts) < 3 or parts[0].strip():
        return False
    return all(_VALUE.match(value.strip()) for value in parts[2::2])


def _has_entry(cursor: TextCursor, first: int) -> bool:
    """Whether a name that bcache-status prints stands in one of the next lines."""
    return any(_ENTRY.search(f"{(line or '').strip()} ") for line in cursor.block(first, 2))


def _superblock(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    version = chosen(pairs.get("sb.version", ""))
    if version is None:
        return {}
    label = pairs.get("dev.label")
    return without_none(
        {
            "role": version.removesuffix(" device"),
            "block_size": _sectors(pairs.get("dev.sectors_per_block")),
            "bucket_size": _sectors(pairs.get("dev.sectors_per_bucket")),
            "cache_size": _sectors(pairs.get("dev.cache.cache_sectors")),
            "data_offset": _sectors(pairs.get("dev.data.first_sector")),
            "mode": chosen(pairs.get("dev.data.cache_mode", "")),
            "state": chosen(pairs.get("dev.data.cache_state", "")),
            "cache_replacement_policy": chosen(pairs.get("dev.cache.replacement", "")),
            "discard": {"yes": True, "no": False}.get(pairs.get("dev.cache.discard", "")),
            "label": None if label in {"(empty)", None} else label,
            "uuid": pairs.get("dev.uuid"),
            "set_uuid": pairs.get("cset.uuid"),
        }
    ) | as_labelled(pairs, _READ)


def _sectors(text: str | None) -> int | None:
    return int(text) * units.SECTOR if text and text.isdecimal() else None


def _entries(text: str) -> dict[str, str]:
    """Values by the names that bcache-status prints before them."""
    parts = _ENTRY.split(f"{text.strip()} ")[1:]
    return {name: value.strip() for name, value in zip(parts[::2], parts[1::2], strict=True)}


def _name(kind: str, entries: Mapping[str, str]) -> str:
    if kind == "bcache":
        return entries.get("UUID", "")
    device = _DEVICE.search(entries.get("bcache Device File") or entries.get("Device File", ""))
    return device[1] if device else ""


def _facts(entries: Mapping[str, str]) -> dict[str, Scalar]:
    errors, buckets = entries.get("I/O Errors", ""), entries.get("Buckets", "")
    file = _DEVICE.search(entries.get("Device File", ""))
    device = re.match(r"(?:/dev/)?(\w{1,40}) \((\d+:\d+)\)", entries.get("Device", ""))
    return without_none(
        {
            "mode": chosen(entries.get("Cache Mode", "")),
            "state": entries.get("State"),
            "block_size": size(entries.get("Block Size")),
            "bucket_size": size(entries.get("Bucket Size")),
            "cache_size": size(entries.get("Total Cache Size")),
            "size": size(entries.get("Size")),
            "available_share": _share(entries.get("Evictable Cache")),
            "unused_share": _share(
                entries.get("Total Cache Unused") or entries.get("Cache Unused")
            ),
            "used_share": _share(entries.get("Total Cache Used") or entries.get("Cache Used")),
            "dirty_share": _share(entries.get("Dirty Data")),
            "device": device[1] if device else None,
            "device_number": device[2] if device else None,
            "readahead": size(entries.get("Readahead")),
            "cache_used": size(entries.get("Total Cache Used") or entries.get("Cache Used")),
            "cache_unused": size(entries.get("Total Cache Unused") or entries.get("Cache Unused")),
            "cache_evictable": size(entries.get("Evictable Cache")),
            "congested": _flag(entries.get("Congested?")),
            "sequential_merge": _flag(entries.get("Merge sequential?")),
            "metadata_written": size(entries.get("Metadata Written")),
            "written": size(entries.get("Data Written")),
            "nbuckets": int(buckets) if buckets.isdecimal() else None,
            "sequential_cutoff": size(entries.get("Sequential Cutoff")),
            "dirty": size(entries.get("Dirty Data")),
            "writeback_running": _flag(entries.get("Writeback?")),
            "discard": _flag(entries.get("Discard?")),
            "cache_replacement_policy": chosen(entries.get("Replacement Policy", "")),
            "congested_read_threshold_us": _microseconds(entries.get("Read Congestion")),
            "congested_write_threshold_us": _microseconds(entries.get("Write Congestion")),
            "io_errors": int(errors) if errors.isdecimal() else None,
            "backing_device": file[1] if file and "bcache Device File" in entries else None,
        }
    )


def _counts(entries: Mapping[str, str]) -> dict[str, Json]:
    counts: dict[str, Json] = {}
    for span, place in _SPANS.items():
        figures: dict[str, Json] = {}
        for what, name in _COUNTED.items():
            text = entries.get(f"{span} {what}", "")
            figure = text.split(" ")[0]
            value = (
                size(text) if name == "bypassed" else int(figure) if figure.isdecimal() else None
            )
            if value is not None:
                figures[name] = value
            if (ratio := _SHARE.search(text)) and name in _RATIOS:
                figures[_RATIOS[name]] = int(ratio[1])
        if place == "stats_total":
            counts |= figures
        elif figures:
            counts[place] = figures
    return counts


def _share(text: str | None) -> float | None:
    share = _SHARE.search(text or "")
    return int(share[1]) / 100 if share else None


def _flag(text: str | None) -> bool | None:
    return {"True": True, "False": False}.get(text or "")


def _microseconds(text: str | None) -> int | None:
    """µs of `2.0ms`."""
    match = re.match(r"([\d.]+)ms", text or "")
    return round(float(match[1]) * 1000) if match else None
