"""dm-cache: its line in `dmsetup status` (what it counts) and in `dmsetup table`.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst; drivers/md/dm-cache-target.c,
cache_status(): status since 3.13, with rw or ro since 3.16 and needs_check since 4.2; sizes in
sectors; `Fail` alone where the metadata are lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from iosonde.layers.dm_cache import status_facts, table_facts
from iosonde.layers.layer import Target
from iosonde.layers.outputs._dmsetup import Told, begin_listing, read_listing
from iosonde.passage import Passage
from iosonde.printed import Reading
from iosonde.records import Scalar
from iosonde.units import SECTOR

_MODES = ("writeback", "writethrough", "passthrough")
_COUNTED = (
    "read_hits", "read_misses", "write_hits", "write_misses", "demotions", "promotions",
)  # fmt: skip


class DmCache:
    """See `iosonde.passage.Output`."""

    tool: ClassVar[str] = "dm-cache"
    anchors: ClassVar[tuple[str, ...]] = (
        " cache 8 ", " cache 8:", " cache 9:", " cache 25", " cache 98:", "migration_threshold",
        "no_discard_passdown", " smq ", " cache Fail", " cache /dev/",
    )  # fmt: skip

    def begin(self, passage: Passage) -> int | None:
        """See `Output.begin`."""
        return begin_listing(passage)

    def read(self, passage: Passage, first: int) -> Reading:
        """See `Output.read`."""
        return read_listing(passage, first)


def told(target: Target) -> Told | None:
    """What a line of the cache target says, of table or status."""
    words = target.words
    if words in {("Fail",), ("Error",)}:
        return Told("dm_cache", {"state": "failed"})
    return _status(words) if words[1:2] and "/" in words[1] else _table(words)


def _table(words: Sequence[str]) -> Told | None:
    facts = table_facts(words)
    if not facts:
        return None
    after = 6 + int(words[4])
    arguments = words[after : after + 1]
    if not arguments or not arguments[0].isdecimal():
        return None
    if len(words) != after + 1 + int(arguments[0]):
        return None
    devices: dict[str, Scalar] = {
        "metadata_device": words[0], "cache_device": words[1], "origin_device": words[2],
    }  # fmt: skip
    return Told("dm_cache", {**facts, **devices})


def _status(words: Sequence[str]) -> Told | None:
    facts = status_facts(words)
    if not facts or len(words) < 12 or not all(word.isdecimal() for word in words[4:12]):
        return None
    features = words[12 : 12 + int(words[11])]
    rest = words[12 + len(features) :]
    core = _arguments(rest)
    if core is None or len(features) != int(words[11]):
        return None
    rest = rest[1 + len(core) :]
    policy = _arguments(rest[1:])
    if not rest or rest[0].isdecimal() or policy is None:
        return None
    ending = tuple(rest[2 + len(policy) :])
    if ending not in {(), *((one, two) for one in ("rw", "ro") for two in ("-", "needs_check")),
                      ("rw",), ("ro",)}:  # fmt: skip
        return None
    used, _, total = words[1].partition("/")
    values: dict[str, Scalar] = {
        "block_size": int(words[2]) * SECTOR,
        "mode": next((word for word in features if word in _MODES), None),
        "policy": rest[0],
        "dirty_blocks": int(words[10]),
        "metadata_used_share": int(used) / int(total) if int(total) else None,
        "migration_threshold": _named(core, "migration_threshold"),
        "metadata_read_only": True if "ro" in ending[:1] else None,
        "needs_check": True if "needs_check" in ending else None,
        **{name: value for name, value in facts.items() if name not in _COUNTED},
    }
    counted = {name: facts[name] for name in _COUNTED}
    known = {name: value for name, value in values.items() if value is not None}
    return Told("dm_cache", known, counted)


def _arguments(words: Sequence[str]) -> Sequence[str] | None:
    """As many words as the first one says; None where they are not there."""
    if not words or not words[0].isdecimal() or len(words) < 1 + int(words[0]):
        return None
    return words[1 : 1 + int(words[0])]


def _named(words: Sequence[str], name: str) -> int | None:
    """Bytes of an argument in sectors."""
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    figure = pairs.get(name, "")
    return int(figure) * SECTOR if figure.isdecimal() else None
