"""dm-writecache that fills faster than it drains.

Source: Linux Documentation/admin-guide/device-mapper/writecache.rst.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._caches.counted import ENOUGH, CacheCounters, counted_caches, figure, subject_of
from iosonde.records.evidence import EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding

_BLOCKED = 0.05


def blocked(case: EvidenceSet) -> Iterator[Finding]:
    """dm-writecache whose writes wait for a free block."""
    for counted, state in counted_caches(case, "dm_writecache"):
        waited, asked = figure(counted, "writes_blocked"), figure(counted, "write_requests")
        if waited is None or asked is None or asked < ENOUGH:
            continue
        if waited < _BLOCKED * asked:
            continue
        used = state.get("used_share")
        yield Finding(
            "cache-hit-rate",
            "warning",
            subject_of(counted),
            f"{units.show_fraction(waited / asked)} of {int(asked):,} writes had to wait until "
            f"{counted.name or 'the cache'} had a free block: it fills faster than it drains, and "
            "then the disk's speed is all that is left.",
            (
                Evidence("writes", int(asked), "", counted.where),
                Evidence("writes that waited", int(waited), "", counted.where),
                Evidence(
                    "blocks in use",
                    used if isinstance(used, float) else None,
                    "fraction" if isinstance(used, float) else "",
                    counted.where,
                ),
            ),
            "a larger cache only puts the moment off; lower high_watermark and low_watermark let "
            "it drain earlier (load its table anew); a load without pauses needs a faster disk",
            "`dmsetup status` every second under the load: free blocks fall to 0 before the "
            "throughput does",
        )


COUNTERS = CacheCounters("dm-writecache")
RULES: tuple[Rule, ...] = (
    Rule("cache-hit-rate", "dm_writecache", "Writes that wait for a free block of the cache.",
         "Linux admin-guide/device-mapper/writecache.rst", blocked),
)  # fmt: skip
