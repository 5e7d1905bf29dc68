"""Caches that take whole blocks only, counters that cannot all be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers._caches.findings import RULES as SHARED
from iosonde.layers.aoe.facts import aoe_frame_payload, aoe_least_mtu
from iosonde.layers.flashcache.findings_blocks import RULES as OF_BLOCKS
from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence
from iosonde.records.finding import Finding
from iosonde.records.stack import Json, Scalar
from iosonde.text.document import of_bytes

RULES = (*SHARED, *OF_BLOCKS)
PLACE = Path(__file__).parents[3] / "outputs"
PAGE = {
    "reads": 85485411, "writes": 379006540, "read hits": 12699803, "write hits": 11805678,
    "disk reads": 72786438, "disk writes": 374046436, "uncached reads": 65392976,
    "uncached writes": 362807723, "cleanings": 11238715,
}  # fmt: skip
SIZES = {
    "512": 117531108, "1024": 61124866, "1536": 83563623, "2048": 89738119, "2560": 43968876,
    "3072": 51713913, "3584": 83726471, "4096": 41667452,
}  # fmt: skip


def counted(values: dict[str, Json], kind: str = "flashcache") -> CounterEvidence:
    return CounterEvidence(kind, kind, "cachedev", "storage", values, "page:71-87", "page")


def case(
    counters: dict[str, Json], sizes: dict[str, int] | None = None, mtu: int | None = None,
    **settings: Scalar,
) -> EvidenceSet:  # fmt: skip
    values: dict[str, Scalar] = {"block_size": 4096, **settings}
    states = [StateEvidence("flashcache", "cachedev", "storage", values, "page:91", "page")]
    if mtu:
        states.append(StateEvidence("link", "eth0", "storage", {"mtu": mtu}, "page:5", "page"))
    histogram: Json = dict(SIZES if sizes is None else sizes)
    return EvidenceSet(
        states=tuple(states), counters=(counted(counters), counted({"size_histogram": histogram}))
    )


def of_texts(*names: str) -> EvidenceSet:
    text = "\n".join((PLACE / name).read_text() for name in names)
    return of_document(of_bytes("page.txt", text.encode()))[0]


def findings_named(given: EvidenceSet, name: str) -> list[Finding]:
    return [finding for rule in RULES for finding in rule.find(given) if finding.rule == name]


def test_requests_that_are_no_whole_block_pass_the_cache_by() -> None:
    (said,) = findings_named(case(dict(PAGE)), "cache-whole-blocks")
    assert said.message == (
        "92.2 % of 464,491,951 requests went past the cache, because it takes only requests of "
        "exactly 4 KiB, and 92.7 % of those counted by size are not; of those that it could take, "
        "63.2 % of the reads and 72.9 % of the writes hit, the best forecast of what whole blocks "
        "would give instead of 14.9 % and 3.11 % of all."
    )
    assert said.severity == "error"
    figures = {evidence.what: evidence.value for evidence in said.evidence}
    assert figures["requests that passed the cache by"] == 428_200_699
    assert figures["requests of sizes other than 4096"] == 531_366_976
    assert figures["all requests by the histogram"] == 573_034_428
    assert figures["histogram above the device's own counters: other sizes"] == pytest.approx(
        0.241, abs=5e-4
    )
    assert figures["histogram above the device's own counters: all"] == pytest.approx(
        0.2337, abs=5e-4
    )
    assert figures["reads that hit, among those that could be cached"] == pytest.approx(
        0.632, abs=5e-4
    )
    assert figures["writes that hit, among those that could be cached"] == pytest.approx(
        0.729, abs=5e-4
    )
    assert figures[
        "of the smaller ones, those that make up a block with one of another size"
    ] == pytest.approx(0.844, abs=5e-4)
    frames = {name: value for name, value in figures.items() if "AoE" in name}
    assert frames["an AoE frame at MTU 1500"] == "1024 bytes, less than a block"
    assert frames["an AoE frame at MTU 4200"] == "4096 bytes, whole blocks"
    assert frames["an AoE frame at MTU 8700"] == "8192 bytes, whole blocks"
    assert frames["an AoE frame at MTU 9000"] == "8704 bytes, 512 bytes left over"
    assert "misaligned ones cut every block in two" in said.remedy
    assert "an MTU of 4132–4643 or 8228–8739" in said.remedy


def test_the_same_from_what_was_printed() -> None:
    given = of_texts("flashcache-2-page/status.txt", "flashcache-2-page/table.txt")
    (said,) = findings_named(given, "cache-whole-blocks")
    assert said.subject == "cachedev on storage"
    assert said.message.startswith("92.2 % of 464,491,951 requests went past the cache")
    figures = {evidence.what: (evidence.value, evidence.where) for evidence in said.evidence}
    assert figures["requests of sizes other than 4096"] == (531_366_976, "page.txt:19-27")
    assert figures["blocks of the cache in use"][0] == pytest.approx(0.2495, abs=1e-4)
    assert findings_named(given, "contradiction") == []


def test_an_mtu_that_is_known_is_named() -> None:
    (said,) = findings_named(case(dict(PAGE), mtu=4131), "cache-whole-blocks")
    frame = next(
        evidence for evidence in said.evidence if evidence.what == "an AoE frame at MTU 4131"
    )
    assert frame.value == "3584 bytes, less than a block"
    assert frame.where == "page:5"


def test_without_configuration_it_says_less() -> None:
    (said,) = findings_named(EvidenceSet(counters=(counted(dict(PAGE)),)), "cache-whole-blocks")
    assert "requests of exactly its block size; of those" in said.message
    assert not [evidence for evidence in said.evidence if "AoE" in evidence.what]


@pytest.mark.parametrize(
    "given",
    [
        case({**PAGE, "uncached reads": 1000, "uncached writes": 1000}),
        case({"reads": 500, "writes": 0, "uncached reads": 500}),
        case({**PAGE, "uncached sequential reads": 65392976,
              "uncached sequential writes": 362807723}),
        case(dict(PAGE), sizes={"512": 10, "4096": 1_000_000}),
        case({**PAGE, "uncached reads": 10, "uncached writes": 379006540}, mode="writearound"),
        EvidenceSet(),
    ],
    ids=["at work", "hardly used", "sequences", "whole blocks excluded", "writes go around",
         "nothing"],
)  # fmt: skip
def test_other_caches_are_left_alone(given: EvidenceSet) -> None:
    assert findings_named(given, "cache-whole-blocks") == []


def test_a_cache_at_work_by_what_was_printed() -> None:
    names = ("status-3.1", "stats-3.1", "around", "wt", "table-1.0", "table-3.1")
    given = of_texts(*(f"flashcache-composed/{name}.txt" for name in names))
    assert len(given.counters) == 6
    assert [finding for rule in RULES for finding in rule.find(given)] == []


def test_sums_that_do_not_hold() -> None:
    assert findings_named(case(dict(PAGE)), "contradiction") == []
    (said,) = findings_named(case({**PAGE, "disk reads": 7_278_643}), "contradiction")
    assert said.message == (
        "The counters of cachedev on storage cannot all be right: reads of the disk are 7,278,643 "
        "by one counter and 72,785,608 by others."
    )
    (said,) = findings_named(case({**PAGE, "cleanings": 0}), "contradiction")
    assert "writes to the disk are 374,046,436 by one counter and 362,807,723" in said.message


def test_percents_that_are_not_those_of_the_counters() -> None:
    rounded = case({**PAGE, "read hit percent": 14, "write hit percent": 3})
    assert findings_named(rounded, "contradiction") == []
    (said,) = findings_named(case({**PAGE, "read hit percent": 41}), "contradiction")
    assert said.message.endswith("12,699,803 of 85,485,411 reads are 14.9 %, and it prints 41 %.")
    values: dict[str, Json] = {"cache_hits": 90, "cache_misses": 10, "cache_hit_ratio": 12}
    (said,) = findings_named(EvidenceSet(counters=(counted(values, "bcache"),)), "contradiction")
    assert "90 of 100 reads are 90 %, and it prints 12 %" in said.message


@pytest.mark.parametrize(
    ("mtu", "payload"),
    [(1500, 1024), (3620, 3584), (4131, 3584), (4132, 4096), (4643, 4096), (8700, 8192),
     (9000, 8704), (576, 1024)],
)  # fmt: skip
def test_payload_of_frames(mtu: int, payload: int) -> None:
    assert aoe_frame_payload(mtu) == payload


def test_the_least_mtu_carries_what_one_byte_less_does_not() -> None:
    for size in (4096, 8192, 16384, 5000):
        least = aoe_least_mtu(size)
        assert aoe_frame_payload(least) >= size > aoe_frame_payload(least - 1)
