"""bcache: the text of its files in sysfs, which its tools print as well.

Sizes are "4.0M": one decimal and a binary prefix, cut and not rounded. Files are named by their
paths below a device's directory: "cache_mode", "cache/block_size", "stats_total/cache_hits".

Source: Linux Documentation/admin-guide/bcache.rst; drivers/md/bcache/sysfs.c, stats.c; util.c,
bch_hprint() (cuts after one place).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from iosonde.errors import UsageError
from iosonde.layers._mounts.traits import CarriedContent
from iosonde.records.printed import without_none
from iosonde.records.stack import Scalar
from iosonde.units import KIB, parse_bytes

MODES: Mapping[str, Literal["back", "through", "around", "none"]] = {
    "writeback": "back", "writethrough": "through", "writearound": "around", "none": "none",
}  # fmt: skip
"""Its cache modes, as the core names them."""
COUNTED = (
    "cache_hits", "cache_misses", "cache_hit_ratio", "cache_bypass_hits", "cache_bypass_misses",
    "cache_miss_collisions", "cache_readaheads", "bypassed",
)  # fmt: skip
"""Files of stats_total and its siblings: figures, the last one bytes."""


def chosen(text: str) -> str | None:
    """The word in brackets: "writethrough [writeback] none"."""
    word = re.search(r"\[([^]]+)\]", text)
    return word[1] if word else None


def size(text: str | None) -> int | None:
    """Bytes of "4.0M", "4.00KiB" or "4.00 KiB", whatever follows in brackets; None of no size."""
    try:
        figure = (text or "").partition("(")[0]
        return parse_bytes(" ".join(figure.split(" ")[:2]).strip()) if text else None
    except UsageError:
        return None


def printed(bytes_: int) -> str:
    """A size as bcache prints it, "4.0M": the other way round than `size`."""
    whole, rest, unit = bytes_ >> 10, bytes_ & 1023, 0
    while whole >= 1000:
        whole, rest, unit = whole >> 10, whole & 1023, unit + 1
    return f"{whole}.{rest * 10 // 1024}{'kMGTPE'[unit]}"


def span(text: str) -> tuple[int, int] | None:
    """The least and the most bytes that "4.0M" can stand for; None where it is no size."""
    least = size(text)
    if least is None:
        return None
    unit = text[-1] if not text[-1].isdecimal() else ""
    return least, least + ((size(f"1{unit}") or 1) // 10 + 1 if unit else 0)


def whole_bytes(text: str | int) -> Scalar:
    """The fewest whole bytes that are printed "4.3M"; what is no such size stays as it is.

    The kernel cuts the tenth from the next smaller unit, so it is rounded up in that: 4404 KiB.
    """
    parts = re.fullmatch(r"(\d+)(?:\.(\d))?([kMGTPE]?)", str(text))
    if parts is None:
        return text
    tenths, unit = int(parts[1]) * 10 + int(parts[2] or 0), "kMGTPE".find(parts[3] or " ") + 1
    return -(-tenths * 1024 // 10) * 1024 ** (unit - 1) if unit else tenths // 10


def counts(texts: Mapping[str, str], place: str = "stats_total") -> dict[str, int]:
    """What a device counted, by the names of `COUNTED`.

    Args:
        texts: path → text.
        place: the directory: since the device was registered, or those of a while.
    """
    figures: dict[str, int] = {}
    for name in COUNTED:
        text = texts.get(f"{place}/{name}", "")
        figure = int(text) if text.isdecimal() and name != "bypassed" else size(text)
        if figure is not None:
            figures[name] = figure
    return figures


def cache_facts(texts: Mapping[str, str]) -> dict[str, Scalar]:
    """What a cached device is, from its files in sysfs."""
    free = texts.get("cache/cache_available_percent", "")
    return without_none(
        {
            "state": texts.get("state"),
            "mode": chosen(texts.get("cache_mode", "")),
            "dirty": size(texts.get("dirty_data")),
            "block_size": size(texts.get("cache/block_size")),
            "bucket_size": size(texts.get("cache/bucket_size")),
            "available_share": int(free) / 100 if free.isdecimal() else None,
        }
    )


def buckets_on(size: int, bucket: int) -> int:
    """Buckets for data that a fast device of so many bytes has room for; 0 or less: none."""
    every = size // bucket
    journal = min(max(every >> 7, 2), 256)
    return every - journal - (12 * KIB // bucket + 1)


LOWER_DEVICE = CarriedContent(
    what="is a device of bcache",
    instead="mount /dev/bcacheN that `lsblk` shows above it; where there is none, the module "
    "bcache is not loaded or the device not registered",
)
