"""What the counters of flashcache mean, for the rules about all caches.

Source: facebook/flashcache doc/flashcache-sa-guide.txt; src/flashcache_conf.c,
flashcache_status_info().
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.layers._caches.counted import ENOUGH, CacheCounters, HitRate, Percents, figure
from iosonde.records.evidence import CounterEvidence

_DIRECTIONS = ("reads", "writes")


def _hit_rates(counted: CounterEvidence, *, writes: bool) -> Iterator[HitRate]:
    for what in _DIRECTIONS if writes else ("reads",):
        hits = figure(counted, f"{what[:-1]} hits", "cache hits" if what == "reads" else "")
        asked = (figure(counted, what) or 0) - (figure(counted, f"uncached {what}") or 0)
        if hits is not None and asked >= ENOUGH:
            yield HitRate(f"{what} that it could cache", hits, asked)


def _bypassed(counted: CounterEvidence) -> tuple[float, float]:
    past = sum(figure(counted, f"uncached sequential {name}") or 0 for name in _DIRECTIONS)
    return past, sum(figure(counted, name) or 0 for name in _DIRECTIONS)


def _percents(counters: CounterEvidence) -> Percents:
    for name, hits, asked in (
        ("read hit percent", "read hits", "reads"), ("write hit percent", "write hits", "writes"),
        ("cache hit percent", "cache hits", "reads"),
    ):  # fmt: skip
        figures = figure(counters, name), figure(counters, hits), figure(counters, asked)
        if figures[0] is not None and figures[1] is not None and figures[2] is not None:
            yield asked, figures[0], figures[1], figures[2]


def _sums(counters: CounterEvidence) -> Iterator[tuple[str, float, float]]:
    """What is counted twice: its name, one counter, and what others make of it."""
    reads, hits = figure(counters, "reads"), figure(counters, "read hits", "cache hits")
    from_disk = figure(counters, "disk reads")
    if reads is not None and hits is not None and from_disk is not None:
        yield "reads of the disk", from_disk, reads - hits
    uncached, cleanings = figure(counters, "uncached writes"), figure(counters, "cleanings")
    to_disk = figure(counters, "disk writes")
    if uncached is not None and cleanings is not None and to_disk is not None:
        yield "writes to the disk", to_disk, uncached + cleanings


COUNTERS = CacheCounters(
    "flashcache",
    _hit_rates,
    _bypassed,
    "`sysctl dev.flashcache.NAME.skip_seq_thresh_kb=0` caches all",
    percents=_percents,
    sums=_sums,
)
