"""Counters of caches that cannot all be right.

Source: facebook/flashcache, src/flashcache_conf.c, flashcache_status_info(): percents are cut off.
Counters are plain longs that several CPUs add to, so sums may miss some.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers import CACHES
from iosonde.layers._caches.counted import counted_of, subject_of
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding

_APART = 0.005
_LEAST_APART = 100


def disagreeing(case: EvidenceSet) -> Iterator[Finding]:
    """Sums that hold by the code that counts, and do not hold in what was printed."""
    for counters in counted_of(case, *CACHES):
        for said, counted, made in CACHES.load(counters.kind).sums(counters):
            apart = abs(counted - made)
            if apart > _LEAST_APART and apart > _APART * max(counted, made):
                yield _contradiction(
                    counters,
                    f"{said} are {int(counted):,} by one counter and {int(made):,} by others",
                    (
                        Evidence(said, int(counted), "", counters.where),
                        Evidence("as the others make it", int(made), "", "computed"),
                    ),
                )
    for counters in case.counted(*CACHES):
        for said, percent, hits, asked in CACHES.load(counters.tool).percents(counters):
            if asked and abs(percent - 100 * hits / asked) > 1:
                yield _contradiction(
                    counters, f"{int(hits):,} of {int(asked):,} {said} are "
                    f"{units.show_fraction(hits / asked)}, and it prints {percent:.0f} %",
                    (Evidence(f"{said} that hit", int(hits), "", counters.where),
                     Evidence(said, int(asked), "", counters.where),
                     Evidence("as printed", percent / 100, "fraction", counters.where)),
                )  # fmt: skip


def _contradiction(counted: CounterEvidence, what: str, evidence: tuple[Evidence, ...]) -> Finding:
    return Finding(
        "contradiction", "warning", subject_of(counted),
        f"The counters of {subject_of(counted)} cannot all be right: {what}.",
        evidence,
        "read them again in one go; they differ for good where some were set to zero or copied at "
        "another time, and then none of the rates made of them holds",
        "the same sums over the growth between two readings",
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("contradiction", "flashcache, bcache", "Counters of a cache that cannot all be right.",
         "facebook/flashcache, src/flashcache_main.c, flashcache_map(); drivers/md/bcache/stats.c",
         disagreeing),
)  # fmt: skip
