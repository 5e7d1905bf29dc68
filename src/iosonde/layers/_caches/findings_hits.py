"""What caches hit, what they let past, and what is only in them.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst, cache-policies.rst and
writecache.rst; Documentation/admin-guide/bcache.rst; drivers/md/bcache/request.c (only reads are
counted as hits and misses) and sysfs.c; facebook/flashcache doc/flashcache-sa-guide.txt.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers import CACHES
from iosonde.layers._caches.counted import ENOUGH, CacheCounters, counted_caches, subject_of
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Evidence, Finding

_LOW = 0.5
_PAST = 0.5
_DIRTY = 0.5
_FULL = 0.95
_SELDOM_TWICE = (
    "else what is asked for is seldom asked for twice, and memory for the page cache serves as well"
)
_WRITES_THROUGH = frozenset({"writethrough", "writearound", "passthrough", "none"})


# ── hits ──────────────────────────────────────────────────────────────────────────────────────


def seldom(case: EvidenceSet) -> Iterator[Finding]:
    """Caches that most requests miss."""
    for counted, state in counted_caches(case, *CACHES):
        counters = CACHES.load(counted.kind)
        writes = state.get("mode") not in _WRITES_THROUGH
        low = [rate for rate in counters.hit_rates(counted, writes=writes) if rate.share < _LOW]
        if not low:
            continue
        shares = " and ".join(
            f"{units.show_fraction(rate.share)} of the {rate.what}" for rate in low
        )
        full = state.get("used_share")
        why, remedy = _why(counters, full if isinstance(full, float) else None)
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
            f"Only {shares} hit {counters.title} {counted.name}".rstrip() + f": the others are as "
            f"slow as the device below{why}.",
            tuple(evidence),
            remedy,
            "hits and misses of one busy hour, as the growth between two readings: counters since "
            "the start hold the time when the cache was empty",
        )


def _why(counters: CacheCounters, full: float | None) -> tuple[str, str]:
    if full is not None and full < _FULL:
        return (
            f", and as {units.show_fraction(1 - full)} of the cache is unused, its size is not why",
            "wait until it is filled and look again; if it stays like this, what is asked for is "
            "seldom asked for twice, or the policy lets it past (sequential cut-off, "
            "migration_threshold), and a larger cache would not help",
        )
    return "", (
        "a larger cache if the data asked for again and again are more than it holds; "
        + (counters.faster_moves or _SELDOM_TWICE)
    )


# ── past the cache ────────────────────────────────────────────────────────────────────────────


def let_past(case: EvidenceSet) -> Iterator[Finding]:
    """Requests that a cache lets past because they are taken for sequential, or because it is busy.

    Only where most go that way: it is meant for long sequential ones.
    """
    for counted, state in counted_caches(case, *CACHES):
        counters = CACHES.load(counted.kind)
        past, asked = counters.bypassed(counted)
        if asked < ENOUGH or past < _PAST * asked:
            continue
        cutoff = state.get("sequential_cutoff")
        shown = f" of {units.show_bytes(cutoff)}" if isinstance(cutoff, int) else ""
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
            "right for backups and copies; if it is the load itself, "
            f"{counters.cache_all}; sequences then wear the SSD and push random data out of it",
            "the same load with both settings: hits, and the latency of the random part",
        )


# ── dirty ─────────────────────────────────────────────────────────────────────────────────────


def dirty(case: EvidenceSet) -> Iterator[Finding]:
    """Much that only the cache has."""
    for state in case.of_kind(*CACHES):
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


_KINDS = ", ".join(CACHES)
_LETTING_PAST = ", ".join(name for name in CACHES if CACHES.load(name).cache_all)
_CACHE = "Linux admin-guide/device-mapper/cache.rst, bcache.rst; flashcache-sa-guide.txt"
RULES: tuple[Rule, ...] = (
    Rule("cache-hit-rate", _KINDS, "A cache that most requests miss.", _CACHE, seldom),
    Rule("cache-hit-rate", _LETTING_PAST, "A cache that most requests are let past.",
         "Linux admin-guide/bcache.rst; drivers/md/bcache/request.c, check_should_bypass()",
         let_past),
    Rule("cache-hit-rate", _KINDS, "A cache of which much is not yet on the disk.",
         _CACHE, dirty),
)  # fmt: skip
