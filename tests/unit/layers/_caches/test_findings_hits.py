"""What caches hit and let past, and what only they have."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers import CACHES
from iosonde.layers._caches.findings_hits import RULES as SHARED
from iosonde.layers.bcache.findings import COUNTERS as OF_BCACHE
from iosonde.layers.dm_cache.findings import RULES as OF_DM_CACHE
from iosonde.layers.dm_writecache.findings import RULES as OF_WRITECACHE
from iosonde.layers.flashcache.findings import COUNTERS as OF_FLASHCACHE
from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence
from iosonde.records.finding import Finding
from iosonde.records.stack import Json, Scalar
from iosonde.text.document import of_bytes

PLACE = Path(__file__).parents[3] / "outputs"


def counted(kind: str, **values: Json) -> CounterEvidence:
    return CounterEvidence(kind, kind, "fast", "db1", values, "ticket:3-9", "ticket")


def state(kind: str, **values: Scalar) -> StateEvidence:
    return StateEvidence(kind, "fast", "db1", values, "ticket:1", "ticket")


def findings_of(given: EvidenceSet) -> list[Finding]:
    return [
        finding for rule in (*SHARED, *OF_DM_CACHE, *OF_WRITECACHE) for finding in rule.find(given)
    ]


def of_texts(*names: str) -> EvidenceSet:
    text = "\n".join((PLACE / name).read_text() for name in names)
    return of_document(of_bytes("ticket.txt", text.encode()))[0]


DM_CACHE = counted(
    "dm_cache", read_hits=1000, read_misses=9000, write_hits=5000, write_misses=5000,
    promotions=10, demotions=0,
)  # fmt: skip
BCACHE = counted(
    "bcache", cache_hits=900, cache_misses=100, cache_bypass_hits=10, cache_bypass_misses=8990
)
WRITECACHE = counted("dm_writecache", write_requests=10_000, writes_blocked=800)


def test_a_full_cache_that_is_seldom_hit() -> None:
    (said,) = findings_of(
        EvidenceSet(counters=(DM_CACHE,), states=(state("dm_cache", used_share=1.0),))
    )
    assert (said.rule, said.severity, said.subject) == ("cache-hit-rate", "warning", "fast on db1")
    assert said.message == (
        "Only 10 % of the reads hit dm-cache fast: the others are as slow as the device below."
    )
    assert [(evidence.what, evidence.value) for evidence in said.evidence] == [
        ("reads", 10_000), ("reads that hit", 1000), ("blocks of the cache in use", 1.0),
    ]  # fmt: skip
    assert "a larger cache" in said.remedy


def test_a_cache_with_room_left_is_not_too_small() -> None:
    (said,) = findings_of(
        EvidenceSet(counters=(DM_CACHE,), states=(state("dm_cache", used_share=0.25),))
    )
    assert said.message.endswith(
        "as slow as the device below, and as 75 % of the cache is unused, its size is not why."
    )
    assert "a larger cache would not help" in said.remedy


def test_writes_count_where_the_cache_takes_them() -> None:
    counter = counted("dm_cache", read_hits=9000, read_misses=0, write_hits=10, write_misses=9990)
    (said,) = findings_of(EvidenceSet(counters=(counter,)))
    assert said.message.startswith("Only 0.1 % of the writes hit")
    through = state("dm_cache", mode="writethrough")
    assert findings_of(EvidenceSet(counters=(counter,), states=(through,))) == []


def test_reads_that_bcache_was_to_keep() -> None:
    counter = counted("bcache", cache_hits=100, cache_misses=1900)
    (said,) = findings_of(EvidenceSet(counters=(counter, counter)))
    assert said.message.startswith("Only 5 % of the reads that were to be cached hit bcache fast:")


def test_a_host_says_the_same_as_a_text() -> None:
    discovered = state("dm_cache", read_hits=1000, read_misses=9000, used_share=1.0)
    (said,) = findings_of(EvidenceSet(states=(discovered,)))
    assert said.message.startswith("Only 10 % of the reads hit dm-cache fast:")
    assert said.evidence[0].where == "ticket:1"


def test_flashcache_is_judged_by_what_it_could_cache() -> None:
    values: dict[str, Json] = {"reads": 100_000, "uncached reads": 90_000, "read hits": 1000}
    counters = CounterEvidence("flashcache", "flashcache", "fast", "", values, "t:1", "t")
    (said,) = findings_of(EvidenceSet(counters=(counters,)))
    assert said.message.startswith(
        "Only 10 % of the reads that it could cache hit flashcache fast:"
    )
    page = of_texts("flashcache-2-page/status.txt", "flashcache-2-page/table.txt")
    assert findings_of(page) == []


def test_blocks_moved_in_vain() -> None:
    counter = counted("dm_cache", read_hits=9000, read_misses=0, promotions=9000, demotions=8800)
    (said,) = findings_of(
        EvidenceSet(counters=(counter,), states=(state("dm_cache", block_size=65536),))
    )
    assert said.message == (
        "fast moved 9,000 blocks in (562 MiB) and 8,800 out, and each was hit 1 times: moving them "
        "takes more from both devices than the hits give back."
    )
    filling = counted("dm_cache", read_hits=9000, read_misses=0, promotions=9000, demotions=0)
    used = counted("dm_cache", read_hits=90_000, read_misses=0, promotions=9000, demotions=8800)
    assert (
        findings_of(EvidenceSet(counters=(filling,)))
        == findings_of(EvidenceSet(counters=(used,)))
        == []
    )


def test_what_bcache_lets_past() -> None:
    (said,) = findings_of(
        EvidenceSet(counters=(BCACHE,), states=(state("bcache", sequential_cutoff=4 << 20),))
    )
    assert said.severity == "note"
    assert said.message == (
        "90 % of 10,000 requests were let past fast on purpose, as parts of sequences beyond the "
        "cut-off of 4 MiB or while it was busy: what they bring is neither hit nor kept."
    )
    assert "sequential_cutoff" in said.remedy
    little = counted("bcache", cache_hits=9000, cache_misses=100, cache_bypass_misses=100)
    assert findings_of(EvidenceSet(counters=(little,))) == []


def test_what_flashcache_lets_past() -> None:
    values: dict[str, Json] = {
        "reads": 10_000, "writes": 0, "uncached reads": 8000, "uncached sequential reads": 8000,
        "read hits": 1900,
    }  # fmt: skip
    counters = CounterEvidence("flashcache", "flashcache", "fast", "", values, "t:1", "t")
    (said,) = findings_of(EvidenceSet(counters=(counters,)))
    assert said.message.startswith("80 % of 10,000 requests were let past fast on purpose")
    assert "skip_seq_thresh_kb" in said.remedy


def test_writes_that_wait_for_a_free_block() -> None:
    (said,) = findings_of(EvidenceSet(counters=(WRITECACHE,)))
    assert said.message == (
        "8 % of 10,000 writes had to wait until fast had a free block: it fills faster than it "
        "drains, and then the disk's speed is all that is left."
    )
    free = counted("dm_writecache", write_requests=10_000, writes_blocked=10)
    assert findings_of(EvidenceSet(counters=(free,))) == []


@pytest.mark.parametrize(
    ("state_evidence", "severity", "part"),
    [
        (state("dm_cache", dirty_share=0.8), "note", "80 % of fast is data that only the"),
        (state("bcache", dirty_share=0.6, writeback_percent=10), "warning",
         "60 % of fast is data that only the cache has, more than the 10 % that it aims"),
        (state("bcache", dirty=600, cache_size=1000), "note", "60 % of fast"),
    ],
    ids=["dm-cache", "bcache above its aim", "bcache in bytes"],
)  # fmt: skip
def test_data_that_only_the_cache_has(
    state_evidence: StateEvidence, severity: str, part: str
) -> None:
    (said,) = findings_of(EvidenceSet(states=(state_evidence,)))
    assert said.severity == severity
    assert said.message.startswith(part)


def test_real_caches_that_work_are_left_alone() -> None:
    given = of_texts("dmsetup-1.02.185/table.txt", "dmsetup-1.02.185/status.txt",
                     "bcache-6.1/device.txt")  # fmt: skip
    assert len(given.counters) == 2
    assert findings_of(given) == []


def test_a_real_bcache_that_reads_little_again() -> None:
    (said,) = findings_of(of_texts("bcache-6.1/device.txt", "bcache-6.1/stats_total.txt"))
    assert said.message.startswith(
        "Only 47.9 % of the reads that were to be cached hit bcache bcache0:"
    )


def test_few_requests_say_nothing() -> None:
    assert (
        findings_of(EvidenceSet(counters=(counted("dm_cache", read_hits=1, read_misses=900),)))
        == []
    )


def test_what_is_counted_twice_must_agree() -> None:
    disk = {"reads": 1000, "read hits": 600, "disk reads": 500}
    assert list(OF_FLASHCACHE.sums(counted("flashcache", **disk))) == [
        ("reads of the disk", 500, 400)
    ]
    ratio = {"cache_hit_ratio": 91, "cache_hits": 900, "cache_misses": 100}
    assert list(OF_BCACHE.percents(counted("bcache", **ratio))) == [("reads", 91, 900, 1000)]
    assert list(OF_BCACHE.sums(counted("bcache", **ratio))) == []


def test_each_cache_has_a_title_and_says_how_it_lets_nothing_past() -> None:
    every = {name: CACHES.load(name) for name in CACHES}
    assert all(counters.title for counters in every.values())
    assert {name for name, each in every.items() if each.cache_all} == {"bcache", "flashcache"}
