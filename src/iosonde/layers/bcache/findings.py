"""What the counters of bcache mean, for the rules about all caches.

Source: Linux Documentation/admin-guide/bcache.rst; drivers/md/bcache/request.c (only reads are
counted as hits and misses), stats.c (the ratio) and sysfs.c.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.layers._caches.counted import ENOUGH, CacheCounters, HitRate, Percents, figure
from iosonde.records.evidence import CounterEvidence


def _hit_rates(counted: CounterEvidence, *, writes: bool) -> Iterator[HitRate]:
    del writes  # counted together with reads that were to be cached
    hits, misses = figure(counted, "cache_hits"), figure(counted, "cache_misses")
    if hits is not None and misses is not None and hits + misses >= ENOUGH:
        yield HitRate("reads that were to be cached", hits, hits + misses)


def _bypassed(counted: CounterEvidence) -> tuple[float, float]:
    past, asked = (
        sum(figure(counted, f"{prefix}_{name}") or 0 for name in ("hits", "misses"))
        for prefix in ("cache_bypass", "cache")
    )
    return past, past + asked


def _percents(counted: CounterEvidence) -> Percents:
    ratio, hit, missed = (
        figure(counted, name) for name in ("cache_hit_ratio", "cache_hits", "cache_misses")
    )
    if ratio is not None and hit is not None and missed is not None:
        yield "reads", ratio, hit, hit + missed


COUNTERS = CacheCounters(
    "bcache",
    _hit_rates,
    _bypassed,
    "`echo 0 > /sys/block/NAME/bcache/sequential_cutoff` caches all, and 0 in "
    "congested_read_threshold_us and congested_write_threshold_us of the set stops it from "
    "letting requests past while the SSD is slow",
    percents=_percents,
)
