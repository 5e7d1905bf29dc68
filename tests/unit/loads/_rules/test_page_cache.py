"""The page cache told from a device."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iosonde.loads._rules import page_cache
from iosonde.records.evidence import CommandEvidence, EvidenceSet, TrialEvidence
from iosonde.records.run import Series
from iosonde.records.stack import HostFacts
from tests.unit.explain.cases import case_of, findings_named, network_page, trial

GIB = 2**30


@pytest.fixture(scope="module")
def page() -> EvidenceSet:
    return case_of(network_page())


def test_each_of_the_eight_results_measured_memory(page: EvidenceSet) -> None:
    errors = [
        finding for finding in findings_named(page_cache.RULES, page) if finding.severity == "error"
    ]
    assert len(errors) == 8
    local = next(error for error in errors if error.evidence[0].value == 5_333_109)
    assert local.evidence[1].value == 1_405_100 + 23
    assert local.evidence[2].value == pytest.approx(1 - 1_405_123 / 5_333_109)
    assert "nvme0n1" in local.message
    assert "7.78 µs is memory's" in local.message
    assert "requests for 5,333,109 writes" in local.message


def test_the_final_flush_is_named_where_the_command_is_known(page: EvidenceSet) -> None:
    notes = [
        finding for finding in findings_named(page_cache.RULES, page) if finding.severity == "note"
    ]
    assert ["66.1 s" in note.message or "65.8 s" in note.message for note in notes] == [True, True]


def asked(reached: float, **options: bool | str | float) -> TrialEvidence:
    """60,000 random reads of 4 KiB in a minute."""
    return trial(
        {"read.iops": [1000.0], "read.latency.mean": [1e-3]},
        options={"rw": "randread", "bs": 4096, **options}, issued={"read": 60_000},
        device_io={"sda": {"reads": reached, "read_merges": 0.0}},
    )  # fmt: skip


def test_direct_io_and_merged_io_are_no_cache() -> None:
    silent = (
        asked(59_000),
        asked(10_000, direct=True),
        trial(
            {"write.iops": [1000.0]}, issued={"write": 60_000},
            device_io={"sda": {"writes": 15_000.0, "write_merges": 45_000.0}},
        ),
    )  # fmt: skip
    assert findings_named(page_cache.RULES, EvidenceSet(trials=silent)) == []
    assert len(findings_named(page_cache.RULES, EvidenceSet(trials=(asked(10_000),)))) == 1


def went_on(
    direction: str, latency: float, requests: float, sectors: float | None
) -> TrialEvidence:
    """A minute of 4 KiB one after the other through the page cache: 240,000 of them, 983 MB."""
    device = {f"{direction}s": requests, f"{direction}_merges": 0.0}
    if sectors is not None:
        device[f"{direction}_sectors"] = sectors
    return trial(
        {f"{direction}.iops": [4000.0], f"{direction}.latency.p50": [latency]},
        options={"rw": direction, "bs": 4096}, issued={direction: 240_000},
        device_io={"sda": device},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("requests", "sectors", "message"),
    [
        (7680.0, 1_920_000.0, ""),  # all of it, in requests of 128 KiB
        (7680.0, None, ""),
        (7680.0, 192_000.0, "90 % of the bytes"),
        (20.0, None, "At least 91.5 % of the bytes"),
        (0.0, None, "100 % of the bytes"),
    ],
)
@pytest.mark.parametrize("direction", ["read", "write"])
def test_requests_larger_than_the_loads_are_no_cache(
    direction: str, requests: float, sectors: float | None, message: str
) -> None:
    """Read-ahead and write-back put pages together: the bytes tell, not the number of requests."""
    evidence = went_on(direction, 3e-6, requests, sectors)
    said = [
        finding.message
        for finding in findings_named(page_cache.RULES, EvidenceSet(trials=(evidence,)))
    ]
    assert [message in text for text in said] == [True] * bool(message), said


@pytest.mark.parametrize(("latency", "memory"), [(5e-6, True), (90e-6, False)])
def test_only_a_latency_of_memory_is_called_so(latency: float, memory: bool) -> None:
    evidence = trial(
        {"read.iops": [1000.0], "read.latency.p50": [latency]},
        options={"rw": "randread", "bs": 4096}, issued={"read": 60_000},
        device_io={"sda": {"reads": 40_000.0}},
    )  # fmt: skip
    (said,) = findings_named(page_cache.RULES, EvidenceSet(trials=(evidence,)))
    assert ("is memory's" in said.message) is memory


@pytest.mark.parametrize(("seconds", "alarms"), [(2.0, 0), (60.0, 1)])
def test_counters_that_lag_by_a_reading_are_no_cache(seconds: float, alarms: int) -> None:
    """Direct I/O whose command line was not kept: fio read the counters a moment too early."""
    evidence = trial(
        {"read.iops": [10_000.0]}, job="random-read", elapsed=(seconds,),
        issued={"read": round(10_000 * seconds)},
        device_io={"sda": {"reads": 8_700.0 * seconds, "read_merges": 0.0}},
    )  # fmt: skip
    assert len(findings_named(page_cache.RULES, EvidenceSet(trials=(evidence,)))) == alarms


@pytest.mark.parametrize(
    ("device", "more"),
    [
        ("nullb0", {}),
        ("ram0", {}),
        ("sda", {"ioengine": "rbd"}),
        ("sda", {"ioengine": "libiscsi"}),
        ("sda", {"ioengine": "null"}),
    ],
)
def test_a_disk_that_cannot_tell_is_not_asked(device: str, more: dict[str, str]) -> None:
    evidence = trial(
        {"read.iops": [1000.0], "read.latency.p50": [2e-6]},
        options={"rw": "randread", "bs": 4096, **more}, issued={"read": 60_000},
        device_io={device: {"reads": 10.0, "read_merges": 0.0}},
    )  # fmt: skip
    assert findings_named(page_cache.RULES, EvidenceSet(trials=(evidence,))) == []


def test_a_disk_that_the_target_does_not_stand_on_is_not_asked() -> None:
    evidence = trial(
        {"read.iops": [1000.0]}, options={"rw": "randread", "bs": 4096}, issued={"read": 60_000},
        device_io={"vda": {"reads": 10.0}}, stands_on=(("xfs", "/mnt"), ("disk", "/dev/vdb")),
    )  # fmt: skip
    assert findings_named(page_cache.RULES, EvidenceSet(trials=(evidence,))) == []


@pytest.mark.parametrize("reads", [30_000.0, 10_000.0])
def test_jobs_on_several_disks_are_held_against_all_of_these(reads: float) -> None:
    evidence = trial(
        {"read.iops": [500.0]}, options={"rw": "randread", "bs": 4096}, issued={"read": 30_000},
        device_io={name: {"reads": reads} for name in ("sda", "sdb")},
        details={"run_issued": {"read": 60_000}},
    )  # fmt: skip
    said = findings_named(page_cache.RULES, EvidenceSet(trials=(evidence,)))
    assert ["sda and sdb" in finding.message for finding in said] == [True] * (reads < 30_000)


def test_a_device_shared_by_several_jobs_is_held_against_all_of_them() -> None:
    evidence = trial(
        {"read.iops": [1000.0]}, issued={"read": 15_000}, options={"rw": "randread"},
        device_io={"sda": {"reads": 14_500.0}}, details={"run_issued": {"read": 60_000}},
    )  # fmt: skip
    (said,) = findings_named(page_cache.RULES, EvidenceSet(trials=(evidence,)))
    assert said.evidence[0].value == 60_000


@pytest.mark.parametrize(
    ("size", "message"),
    [(2 * GIB, "fits into the 8 GiB"), (12 * GIB, "Up to 66.7 % of the file"), (64 * GIB, "")],
)
def test_a_file_that_memory_holds(size: int, message: str) -> None:
    evidence = trial({"read.iops": [1e5]}, host="n1", options={"direct": False, "size": size})
    hosts = (HostFacts("n1", "6.1", 4, 8 * GIB),)
    said = findings_named(page_cache.RULES, EvidenceSet(trials=(evidence,), hosts=hosts))
    assert len(said) == bool(message)
    assert all(message in finding.message for finding in said)
    assert findings_named(page_cache.RULES, EvidenceSet(trials=(evidence,))) == []


def test_counters_of_a_moment_are_not_trusted() -> None:
    """fio reads the disks' counters four times a second: a loop of 0.2 s may miss them."""
    brief = trial(
        {"write.iops": [10_000.0]}, issued={"write": 2000}, elapsed=(0.2,),
        device_io={"vda": {"writes": 0.0}},
    )  # fmt: skip
    assert findings_named(page_cache.RULES, EvidenceSet(trials=(brief,))) == []


@pytest.mark.parametrize(("seen", "alarms"), [(100.0, 1), (990.0, 0)])
def test_what_the_observer_saw_counts_where_the_tool_says_nothing(seen: float, alarms: int) -> None:
    times = tuple(1e9 + second for second in range(60))
    series = tuple(
        Series("diskstats", device, "read.iops", "1/s", times, (None, *(rate,) * 59))
        for device, rate in (("sda", seen), ("sdz", 5000.0))
    )
    evidence = trial(
        {"read.iops": [1000.0]}, issued={"read": 60_000}, series=(series,),
        options={"rw": "randread"}, stands_on=(("xfs", "/mnt"), ("disk", "/dev/sda")),
    )  # fmt: skip
    said = findings_named(page_cache.RULES, EvidenceSet(trials=(evidence,)))
    assert len(said) == alarms
    assert all("sda" in finding.message for finding in said)


def test_a_file_of_another_machine_is_not_judged_by_this_ones_disks() -> None:
    series = (Series("diskstats", "sda", "write.iops", "1/s", (1e9, 1e9 + 1), (1.0, 1.0)),)
    remote = trial(
        {"write.iops": [1000.0]}, issued={"write": 60_000}, series=(series,),
        stands_on=(("nfs", "/mnt"),),
    )  # fmt: skip
    assert findings_named(page_cache.RULES, EvidenceSet(trials=(remote,))) == []


@pytest.mark.parametrize(("below", "alarms"), [(59_000.0, 0), (900.0, 1)])
def test_a_volume_that_counts_nothing_tells_nothing(below: float, alarms: int) -> None:
    """dm of old kernels counts no requests of its own: its member got them, or did not."""
    evidence = trial(
        {"read.iops": [1000.0], "read.latency.mean": [1e-3]},
        options={"rw": "randread", "bs": 4096}, issued={"read": 60_000},
        stands_on=(("dm", "/dev/dm-4"),),
        device_io={"dm-4": {"reads": 0.0}, "sdb": {"reads": below}},
    )  # fmt: skip
    assert len(findings_named(page_cache.RULES, EvidenceSet(trials=(evidence,)))) == alarms


@pytest.mark.parametrize(("command", "alarms"), [
    ("fio --name=cold --rw=randread --direct=1", 0),
    ("fio -direct=1 -rw=randread -name=cold", 0),
    ("fio --name=colder --rw=randread --direct=1", 1),
    ("fio --name=cold --rw=randread --direct=0", 1),
])  # fmt: skip
def test_an_output_whose_command_stands_elsewhere(command: str, alarms: int) -> None:
    load = replace(asked(30_000), job="cold", source="page")
    command_line = CommandEvidence("fio", command, "", "page:3", "page")
    case = EvidenceSet(trials=(load,), commands=(command_line,))
    assert len(findings_named(page_cache.RULES, case)) == alarms
