"""The page cache told from a device."""

from __future__ import annotations

import pytest

from iosonde.case import Case, Measured
from iosonde.loads.rules import page_cache
from iosonde.records import HostFacts, Series
from tests.unit.explain.cases import case_of, found, network_page, trial

GIB = 2**30


@pytest.fixture(scope="module")
def page() -> Case:
    return case_of(network_page())


def test_each_of_the_eight_results_measured_memory(page: Case) -> None:
    errors = [one for one in found(page_cache.RULES, page) if one.severity == "error"]
    assert len(errors) == 8
    local = next(one for one in errors if one.evidence[0].value == 5_333_109)
    assert local.evidence[1].value == 1_405_100 + 23
    assert local.evidence[2].value == pytest.approx(1 - 1_405_123 / 5_333_109)
    assert "nvme0n1" in local.message
    assert "7.78 µs" in local.message


def test_the_final_flush_is_named_where_the_command_is_known(page: Case) -> None:
    notes = [one for one in found(page_cache.RULES, page) if one.severity == "note"]
    assert ["66.1 s" in one.message or "65.8 s" in one.message for one in notes] == [True, True]


def written(reached: float, **options: bool | int | float) -> Measured:
    return trial(
        {"write.iops": [1000.0], "write.latency.mean": [1e-3]},
        options=options, issued={"write": 60_000},
        device_io={"sda": {"writes": reached, "write_merges": 0.0}},
    )  # fmt: skip


def test_direct_io_and_merged_io_are_no_cache() -> None:
    silent = (
        written(59_000),
        written(10_000, direct=True),
        trial(
            {"write.iops": [1000.0]}, issued={"write": 60_000},
            device_io={"sda": {"writes": 15_000.0, "write_merges": 45_000.0}},
        ),
    )  # fmt: skip
    assert found(page_cache.RULES, Case(trials=silent)) == []
    assert len(found(page_cache.RULES, Case(trials=(written(10_000),)))) == 1


def test_a_device_shared_by_several_jobs_is_held_against_all_of_them() -> None:
    one = trial(
        {"write.iops": [1000.0]}, issued={"write": 15_000},
        device_io={"sda": {"writes": 14_500.0}}, details={"run_issued": {"write": 60_000}},
    )  # fmt: skip
    (said,) = found(page_cache.RULES, Case(trials=(one,)))
    assert said.evidence[0].value == 60_000


@pytest.mark.parametrize(
    ("size", "words"),
    [(2 * GIB, "fits into the 8 GiB"), (12 * GIB, "Up to 66.7 % of the file"), (64 * GIB, "")],
)
def test_a_file_that_memory_holds(size: int, words: str) -> None:
    one = trial({"read.iops": [1e5]}, host="n1", options={"direct": False, "size": size})
    hosts = (HostFacts("n1", "6.1", 4, 8 * GIB),)
    said = found(page_cache.RULES, Case(trials=(one,), hosts=hosts))
    assert len(said) == bool(words)
    assert all(words in finding.message for finding in said)
    assert found(page_cache.RULES, Case(trials=(one,))) == []


def test_counters_of_a_moment_are_not_trusted() -> None:
    """fio reads the disks' counters four times a second: a loop of 0.2 s may miss them."""
    brief = trial(
        {"write.iops": [10_000.0]}, issued={"write": 2000}, elapsed=(0.2,),
        device_io={"vda": {"writes": 0.0}},
    )  # fmt: skip
    assert found(page_cache.RULES, Case(trials=(brief,))) == []


@pytest.mark.parametrize(("seen", "alarms"), [(100.0, 1), (990.0, 0)])
def test_what_the_observer_saw_counts_where_the_tool_says_nothing(seen: float, alarms: int) -> None:
    times = tuple(1e9 + second for second in range(60))
    series = tuple(
        Series("diskstats", device, "write.iops", "1/s", times, (None, *(rate,) * 59))
        for device, rate in (("sda", seen), ("sdz", 5000.0))
    )
    one = trial(
        {"write.iops": [1000.0]}, issued={"write": 60_000}, series=(series,),
        stands_on=(("xfs", "/mnt"), ("disk", "/dev/sda")),
    )  # fmt: skip
    said = found(page_cache.RULES, Case(trials=(one,)))
    assert len(said) == alarms
    assert all("sda" in finding.message for finding in said)


def test_a_file_of_another_machine_is_not_judged_by_this_ones_disks() -> None:
    series = (Series("diskstats", "sda", "write.iops", "1/s", (1e9, 1e9 + 1), (1.0, 1.0)),)
    remote = trial(
        {"write.iops": [1000.0]}, issued={"write": 60_000}, series=(series,),
        stands_on=(("nfs", "/mnt"),),
    )  # fmt: skip
    assert found(page_cache.RULES, Case(trials=(remote,))) == []
