"""dm-cache that moves blocks in vain, and what its counters mean.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst, cache-policies.rst.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._caches.counted import (
    ENOUGH,
    CacheCounters,
    HitRate,
    counted_caches,
    figure,
    subject_of,
)
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding

_FEW_HITS = 2.0
"""Hits of a promoted block below which moving it cost more than it saved."""


def moved_in_vain(case: EvidenceSet) -> Iterator[Finding]:
    """dm-cache that moves blocks in and out more than they are used."""
    for counted, state in counted_caches(case, "dm_cache"):
        promotions, demotions = figure(counted, "promotions"), figure(counted, "demotions")
        hits = sum(figure(counted, name) or 0 for name in ("read_hits", "write_hits"))
        if not promotions or not demotions or promotions < ENOUGH:
            continue
        if demotions < promotions / 2 or hits >= _FEW_HITS * promotions:
            continue
        size = state.get("block_size")
        moved = f" ({units.show_bytes(promotions * size)})" if isinstance(size, int) else ""
        yield Finding(
            "cache-hit-rate", "warning", subject_of(counted),
            f"{counted.name or 'The cache'} moved {int(promotions):,} blocks in{moved} "
            f"and {int(demotions):,} out, and each was hit {hits / promotions:.2g} times: "
            "moving them takes more from both devices than the hits give back.",
            (
                Evidence("promotions", int(promotions), "", counted.where),
                Evidence("demotions", int(demotions), "", counted.where),
                Evidence("hits", int(hits), "", counted.where),
                Evidence("hits of each promoted block", hits / promotions, "", "computed"),
            ),
            "a lower migration_threshold (`dmsetup message NAME 0 migration_threshold SECTORS`), "
            "smaller blocks (the cache is made anew and begins empty), or a larger cache",
            "the growth of hits and promotions over one hour with either threshold",
        )  # fmt: skip


def _hit_rates(counted: CounterEvidence, *, writes: bool) -> Iterator[HitRate]:
    for what in ("reads", "writes") if writes else ("reads",):
        hits, misses = (figure(counted, f"{what[:-1]}_{end}") for end in ("hits", "misses"))
        if hits is not None and misses is not None and hits + misses >= ENOUGH:
            yield HitRate(what, hits, hits + misses)


COUNTERS = CacheCounters(
    "dm-cache",
    _hit_rates,
    faster_moves="`dmsetup message NAME 0 migration_threshold SECTORS` lets it move more per "
    "second, which takes bandwidth from both devices",
)
RULES: tuple[Rule, ...] = (
    Rule("cache-hit-rate", "dm_cache", "Blocks moved into a cache more often than they are used.",
         "Linux admin-guide/device-mapper/cache.rst, cache-policies.rst", moved_in_vain),
)  # fmt: skip
