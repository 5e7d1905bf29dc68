"""What caches hit, what they let past, and what is only in them.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst, cache-policies.rst and
writecache.rst; Documentation/admin-guide/bcache.rst; drivers/md/bcache/request.c (only reads are
counted as hits and misses) and sysfs.c; facebook/flashcache doc/flashcache-sa-guide.txt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from iosonde import units
from iosonde.layers._caches.counted import counted_of, figure, state_of, subject_of
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.records.stack import Scalar

_KINDS = ("dm_cache", "bcache", "dm_writecache", "flashcache")
_CALLED = {
    "dm_cache": "dm-cache", "bcache": "bcache", "dm_writecache": "dm-writecache",
    "flashcache": "flashcache",
}  # fmt: skip
_ENOUGH = 1000
_LOW = 0.5
_PAST = 0.5
_BLOCKED = 0.05
_DIRTY = 0.5
_FULL = 0.95
_FEW_HITS = 2.0
"""Hits of a promoted block below which moving it cost more than it saved."""
_WRITES_THROUGH = frozenset({"writethrough", "writearound", "passthrough", "none"})


@dataclass(frozen=True, slots=True)
class _Rate:
    """Requests of one direction that went to a cache, and those that found their data there."""

    what: str
    hits: float
    asked: float

    @property
    def share(self) -> float:
        return self.hits / self.asked


def _used(case: EvidenceSet) -> Iterator[tuple[CounterEvidence, Mapping[str, Scalar]]]:
    """What was counted of each cache, in a text or on a host, with what is known of it."""
    seen: set[tuple[str, str, tuple[object, ...]]] = set()
    for counted in counted_of(case, *_KINDS):
        key = (counted.source, counted.host, tuple(map(str, counted.values.items())))
        if key not in seen:  # bcache counts a set of one device twice
            seen.add(key)
            state = state_of(case, counted)
            yield counted, state.values if state else {}


# ── hits ──────────────────────────────────────────────────────────────────────────────────────


def _rates(counted: CounterEvidence, state: Mapping[str, Scalar]) -> Iterator[_Rate]:
    """Hits by direction. Of writes only where one that hits is faster than one that misses."""
    writes = state.get("mode") not in _WRITES_THROUGH
    if counted.kind == "dm_cache":
        for what in ("reads", "writes") if writes else ("reads",):
            hits, misses = (
                figure(counted, f"{what[:-1]}_hits"),
                figure(counted, f"{what[:-1]}_misses"),
            )
            if hits is not None and misses is not None and hits + misses >= _ENOUGH:
                yield _Rate(what, hits, hits + misses)
    elif counted.kind == "bcache":
        hits, misses = figure(counted, "cache_hits"), figure(counted, "cache_misses")
        if hits is not None and misses is not None and hits + misses >= _ENOUGH:
            yield _Rate("reads that were to be cached", hits, hits + misses)
    elif counted.kind == "flashcache":
        for what in ("reads", "writes") if writes else ("reads",):
            hits = figure(counted, f"{what[:-1]} hits", "cache hits" if what == "reads" else "")
            asked = (figure(counted, what) or 0) - (figure(counted, f"uncached {what}") or 0)
            if hits is not None and asked >= _ENOUGH:
                yield _Rate(f"{what} that it could cache", hits, asked)


def seldom(case: EvidenceSet) -> Iterator[Finding]:
    """Caches that most requests miss."""
    for counted, state in _used(case):
        low = [rate for rate in _rates(counted, state) if rate.share < _LOW]
        if not low:
            continue
        shares = " and ".join(
            f"{units.show_fraction(rate.share)} of the {rate.what}" for rate in low
        )
        full = state.get("used_share")
        why, remedy = _why(counted, full if isinstance(full, float) else None)
        evidence = [
            each
            for rate in low
            for each in (
                Evidence(rate.what, int(rate.asked), "", counted.where),
                Evidence(f"{rate.what} that hit", int(rate.hits), "", counted.where),
            )
        ]
        if isinstance(full, float):
            evidence.append(Evidence("blocks of the cache in use", full, "fraction", counted.where))
        yield Finding(
            "cache-hit-rate",
            "warning",
            subject_of(counted),
            f"Only {shares} hit {_CALLED[counted.kind]} {counted.name}".rstrip()
            + f": the others are as "
            f"slow as the device below{why}.",
            tuple(evidence),
            remedy,
            "hits and misses of one busy hour, as the growth between two readings: counters since "
            "the start hold the time when the cache was empty",
        )


def _why(counted: CounterEvidence, full: float | None) -> tuple[str, str]:
    if full is not None and full < _FULL:
        return (
            f", and as {units.show_fraction(1 - full)} of the cache is unused, its size is not why",
            "wait until it is filled and look again; if it stays like this, what is asked for is "
            "seldom asked for twice, or the policy lets it past (sequential cut-off, "
            "migration_threshold), and a larger cache would not help",
        )
    if counted.kind == "dm_cache":
        return "", (
            "a larger cache if the data asked for again and again are more than it holds; "
            "`dmsetup message NAME 0 migration_threshold SECTORS` lets it move more per second, "
            "which takes bandwidth from both devices"
        )
    return "", (
        "a larger cache if the data asked for again and again are more than it holds; else what "
        "is asked for is seldom asked for twice, and memory for the page cache serves as well"
    )


def moved_in_vain(case: EvidenceSet) -> Iterator[Finding]:
    """dm-cache that moves blocks in and out more than they are used."""
    for counted, state in _used(case):
        promotions, demotions = figure(counted, "promotions"), figure(counted, "demotions")
        hits = sum(figure(counted, name) or 0 for name in ("read_hits", "write_hits"))
        if counted.kind != "dm_cache" or not promotions or not demotions or promotions < _ENOUGH:
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


# ── past the cache ────────────────────────────────────────────────────────────────────────────


def let_past(case: EvidenceSet) -> Iterator[Finding]:
    """Requests that a cache lets past because they are taken for sequential, or because it is busy.

    Only where most go that way: it is meant for long sequential ones.
    """
    for counted, state in _used(case):
        past, asked = _past(counted)
        if asked < _ENOUGH or past < _PAST * asked:
            continue
        cutoff = state.get("sequential_cutoff")
        shown = f" of {units.show_bytes(cutoff)}" if isinstance(cutoff, int) else ""
        setting = (
            "`echo 0 > /sys/block/NAME/bcache/sequential_cutoff` caches all, and 0 in "
            "congested_read_threshold_us and congested_write_threshold_us of the set stops it from "
            "letting requests past while the SSD is slow"
            if counted.kind == "bcache"
            else "`sysctl dev.flashcache.NAME.skip_seq_thresh_kb=0` caches all"
        )
        yield Finding(
            "cache-hit-rate",
            "note",
            subject_of(counted),
            f"{units.show_fraction(past / asked)} of {int(asked):,} requests were let past "
            f"{counted.name or counted.kind} on purpose, as parts of sequences beyond the "
            f"cut-off{shown} or while it was busy: what they bring is neither hit nor kept.",
            (
                Evidence("requests", int(asked), "", counted.where),
                Evidence("let past", int(past), "", counted.where),
                Evidence(
                    "sequential cut-off",
                    cutoff,
                    "B" if isinstance(cutoff, int) else "",
                    counted.where,
                ),
            ),
            f"right for backups and copies; if it is the load itself, {setting}; sequences then "
            "wear the SSD and push random data out of it",
            "the same load with both settings: hits, and the latency of the random part",
        )


def _past(counted: CounterEvidence) -> tuple[float, float]:
    """Requests let past and all, as far as the tool counts both."""
    if counted.kind == "bcache":
        past = sum(figure(counted, f"cache_bypass_{name}") or 0 for name in ("hits", "misses"))
        return past, past + sum(
            figure(counted, f"cache_{name}") or 0 for name in ("hits", "misses")
        )
    if counted.kind == "flashcache":
        names = ("reads", "writes")
        past = sum(figure(counted, f"uncached sequential {name}") or 0 for name in names)
        return past, sum(figure(counted, name) or 0 for name in names)
    return 0, 0


def blocked(case: EvidenceSet) -> Iterator[Finding]:
    """dm-writecache whose writes wait for a free block."""
    for counted, state in _used(case):
        waited, asked = figure(counted, "writes_blocked"), figure(counted, "write_requests")
        if counted.kind != "dm_writecache" or waited is None or asked is None or asked < _ENOUGH:
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


# ── dirty ─────────────────────────────────────────────────────────────────────────────────────


def dirty(case: EvidenceSet) -> Iterator[Finding]:
    """Much that only the cache has."""
    for state in case.of_kind(*_KINDS):
        share = _dirty_share(state)
        if share is None or share < _DIRTY:
            continue
        target = state.values.get("writeback_percent")
        wanted = isinstance(target, int) and target / 100 < share
        over = f", more than the {target} % that it aims at" if wanted else ""
        yield Finding(
            "cache-hit-rate", "warning" if wanted else "note", subject_of(state),
            f"{units.show_fraction(share)} of {state.name or 'the cache'} is data that only the "
            f"cache has{over}: losing the SSD loses it, and writes soon run at the disk's speed.",
            (Evidence("share that is only in the cache", share, "fraction", state.where),),
            "two SSDs as a mirror below the cache; more pauses, or a faster disk, for it to drain; "
            "write-through where that loss must not be (writes then take the disk's time)",
            "the share after some idle minutes: it must fall",
        )  # fmt: skip


def _dirty_share(state: StateEvidence) -> float | None:
    share = state.values.get("dirty_share")
    if isinstance(share, float):
        return share
    kept, whole = state.values.get("dirty"), state.values.get("cache_size")
    return kept / whole if isinstance(kept, int) and isinstance(whole, int) and whole else None


_CACHE = "Linux admin-guide/device-mapper/cache.rst, bcache.rst; flashcache-sa-guide.txt"
RULES: tuple[Rule, ...] = (
    Rule("cache-hit-rate", ", ".join(_KINDS), "A cache that most requests miss.", _CACHE, seldom),
    Rule("cache-hit-rate", "dm_cache", "Blocks moved into a cache more often than they are used.",
         "Linux admin-guide/device-mapper/cache.rst, cache-policies.rst", moved_in_vain),
    Rule("cache-hit-rate", "bcache, flashcache", "A cache that most requests are let past.",
         "Linux admin-guide/bcache.rst; drivers/md/bcache/request.c, check_should_bypass()",
         let_past),
    Rule("cache-hit-rate", "dm_writecache", "Writes that wait for a free block of the cache.",
         "Linux admin-guide/device-mapper/writecache.rst", blocked),
    Rule("cache-hit-rate", ", ".join(_KINDS), "A cache of which much is not yet on the disk.",
         _CACHE, dirty),
)  # fmt: skip
