"""Figures of one trial that contradict each other, and what they say of the load."""

from __future__ import annotations

import pytest

from iosonde.loads._rules import arithmetic
from iosonde.records.evidence import EvidenceSet
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import case_of, findings_named, network_page, trial


@pytest.fixture(scope="module")
def page() -> EvidenceSet:
    return case_of(network_page())


def test_samples_above_the_mean_are_stalls_or_the_flush(page: EvidenceSet) -> None:
    said = [
        finding
        for finding in findings_named(arithmetic.RULES, page)
        if "samples" in finding.message
    ]
    assert len(said) == 8
    assert any("1.95 times" in finding.message for finding in said)


def test_one_in_flight_is_said_once(page: EvidenceSet) -> None:
    said = [
        finding
        for finding in findings_named(arithmetic.RULES, page)
        if "one I/O in flight" in finding.message
    ]
    assert len(said) == 1


def test_one_in_flight_is_not_said_where_more_was_measured_too() -> None:
    def at_depth(depth: int, jobs: int) -> EvidenceSet:
        options: dict[str, Scalar] = {"iodepth": 1, "numjobs": 1}
        other: dict[str, Scalar] = {"iodepth": depth, "numjobs": jobs}
        every = [*([options] * 2), other]
        return EvidenceSet(
            trials=tuple(trial({"read.iops": [5e3]}, options=own, label="a") for own in every)
        )

    for depth, jobs, alarms in ((1, 1, 1), (32, 1, 0), (1, 8, 0)):
        assert len(findings_named(arithmetic.RULES, at_depth(depth, jobs), "littles-law")) == alarms


@pytest.mark.parametrize(("iops", "jobs", "said"), [
    (1000.0, 1, "next to nothing was done"), (1000.0, 8, "its 8 jobs did next to nothing"),
    (64.0, 8, ""), (9.0, 1, ""), (11.0, 1, "next to nothing was done"),
])  # fmt: skip
def test_empty_samples_of_slow_jobs_are_no_stalls(iops: float, jobs: int, said: str) -> None:
    """In half a second a job of 8 I/Os/s has none by chance, and fio leaves that sample out."""
    figures = {"write.iops": [iops], "write.bandwidth": [1e6]}
    samples = {"bw_samples": {"write": {"mean": 1.3e6}}}
    case = EvidenceSet(trials=(trial(figures, options={"numjobs": jobs}, details=samples),))
    findings = findings_named(arithmetic.RULES, case, "contradiction")
    assert [said in finding.message for finding in findings] == ([True] if said else [])


@pytest.mark.parametrize(("command", "alarms"), [
    ("fio --ramp_time=6 --iodepth=32", 0), ("", 0), ("fio --iodepth=32", 1),
])  # fmt: skip
def test_what_was_in_flight_as_a_ramp_ended_is_no_contradiction(command: str, alarms: int) -> None:
    """Of 32 × 8 I/Os of 4 KiB the bytes are counted, 1 MiB, and the I/Os are not."""
    moved = {"moved": {"write": {"bytes": (9984 + 230) * 4096.0, "step": 1e4}}}
    evidence = trial(
        {"write.iops": [162.6], "elapsed": [61.404]}, command=command, issued={"write": 9984},
        details=moved, options={"bs": 4096, "iodepth": 32, "numjobs": 8},
    )  # fmt: skip
    case = EvidenceSet(trials=(evidence,))
    assert len(findings_named(arithmetic.RULES, case, "contradiction")) == alarms


def test_latencies_of_another_clock_are_said_once() -> None:
    trials = tuple(
        trial({"read.iops": [1e4], "read.latency.mean": [756_537.5], "elapsed": [30.0]},
              options={"iodepth": 32}, label=label)
        for label in "ab"
    )  # fmt: skip
    (finding,) = findings_named(arithmetic.RULES, EvidenceSet(trials=trials))
    assert finding.message.startswith("2 trials: the mean latency (")
    assert "longer than the run of 30 s" in finding.message
    short = trial({"read.iops": [57.0], "read.latency.mean": [27e-6], "elapsed": [0.0]},
                  options={"iodepth": 1})  # fmt: skip
    assert findings_named(arithmetic.RULES, EvidenceSet(trials=(short,)), "contradiction") == []


def test_rounded_figures_of_real_outputs_contradict_nothing(page: EvidenceSet) -> None:
    said = findings_named(arithmetic.RULES, page, "contradiction")
    assert all("samples" in finding.message for finding in said)


def test_figures_that_cannot_be_true_together() -> None:
    good = {
        "write.iops": [1000.0], "write.bandwidth": [4_096_000.0], "write.latency.mean": [1e-3],
        "write.latency.p50": [9e-4], "write.latency.p99": [2e-3], "write.latency.max": [5e-3],
    }  # fmt: skip
    bad = (
        {**good, "write.bandwidth": [8_192_000.0]},
        {**good, "write.latency.p50": [3e-3]},
        {**good, "write.latency.p99": [9e-3]},
        {**good, "write.latency.mean": [9e-3]},
    )
    options = {"bs": 4096}
    assert (
        findings_named(arithmetic.RULES, EvidenceSet(trials=(trial(good, options=options),))) == []
    )
    for figures in bad:
        case = EvidenceSet(trials=(trial(figures, options=options),))
        assert [finding.rule for finding in findings_named(arithmetic.RULES, case)] == [
            "contradiction"
        ], figures
    case = EvidenceSet(trials=(trial(good, options=options, issued={"write": 30_000}),))
    assert len(findings_named(arithmetic.RULES, case)) == 1


def test_rounding_is_no_contradiction() -> None:
    figures = {"write.iops": [88_600.0], "write.bandwidth": [346.0 * 2**20]}
    evidence = trial(
        figures, options={"bs": 4096}, steps={"write.iops": 50.0, "write.bandwidth": 2**19}
    )
    assert findings_named(arithmetic.RULES, EvidenceSet(trials=(evidence,))) == []


@pytest.mark.parametrize(
    ("latency", "depth", "severity"),
    [(32e-3, 32, None), (64e-3, 32, "warning"), (8e-3, 32, "note")],
)
def test_littles_law(latency: float, depth: int, severity: str | None) -> None:
    finding = trial(
        {"read.iops": [1000.0], "read.latency.mean": [latency]},
        options={"iodepth": depth, "numjobs": 1},
    )
    said = [
        finding.severity
        for finding in findings_named(
            arithmetic.RULES, EvidenceSet(trials=(finding,)), "littles-law"
        )
    ]
    assert said == ([severity] if severity else [])


@pytest.mark.parametrize(("tool", "paced", "alarms"),
                         [("fio", False, 3), ("fio", True, 0), ("ioping", False, 0)])  # fmt: skip
def test_a_load_that_waits_by_itself_keeps_no_depth(tool: str, paced: bool, alarms: int) -> None:
    figures = {"read.iops": [100.0], "read.latency.mean": [1e-3]}
    options: dict[str, Scalar] = {"iodepth": 1, "numjobs": 1, "paced": paced}
    trials = tuple(trial(figures, label=each, options=options, tool=tool) for each in "ab")
    case = EvidenceSet(trials=trials)
    assert len(findings_named(arithmetic.RULES, case, "littles-law")) == alarms


@pytest.mark.parametrize(("user", "alarms"), [(0.3, 0), (0.8, 1), (15.5, 0)])
def test_a_load_that_is_the_limit_itself(user: float, alarms: int) -> None:
    """15.5 cores are of a program with threads, such as `time make -j16`: nothing is concluded."""
    evidence = trial({"read.iops": [1e6], "cpu.user": [user], "cpu.system": [0.19]})
    assert (
        len(
            findings_named(
                arithmetic.RULES, EvidenceSet(trials=(evidence,)), "load-generator-limit"
            )
        )
        == alarms
    )


def test_what_was_moved_is_held_against_ios_and_bandwidth() -> None:
    figures = {"write.iops": [1000.0], "write.bandwidth": [4_096_000.0]}
    right = {"write": {"bytes": 245_760_000.0, "step": 1e6, "seconds": 60.0}}
    wrong = {"write": {"bytes": 491_520_000.0, "step": 1e6, "seconds": 60.0}}
    for moved, alarms in ((right, 0), (wrong, 2)):
        evidence = trial(
            figures, options={"bs": 4096}, issued={"write": 60_000}, details={"moved": moved}
        )
        said = findings_named(arithmetic.RULES, EvidenceSet(trials=(evidence,)), "contradiction")
        assert len(said) == alarms
        assert all("is not what was moved" in finding.message for finding in said)


@pytest.mark.parametrize(("least", "alarms"), [(4.2e-6, 0), (9.321e-6, 1), (6e-6, 0), (1e-3, 0)])
def test_a_percentile_below_the_least_latency(least: float, alarms: int) -> None:
    """1 ms was printed in whole milliseconds: the least may have been anything below."""
    evidence = trial(
        {"write.iops": [1000.0], "write.latency.p50": [5.5e-6 if least < 1e-4 else 6e-4]},
        details={"latency": {"write": {"clat": {"min": least}}}},
    )
    assert (
        len(findings_named(arithmetic.RULES, EvidenceSet(trials=(evidence,)), "contradiction"))
        == alarms
    )


def test_a_synchronous_engine_keeps_one_in_flight() -> None:
    evidence = trial(
        {"read.iops": [1000.0], "read.latency.mean": [1e-3]},
        options={"iodepth": 32, "numjobs": 1, "ioengine": "psync"},
    )
    (said,) = findings_named(arithmetic.RULES, EvidenceSet(trials=(evidence,)), "littles-law")
    assert "synchronous engine (psync)" in said.message


def test_figures_of_one_of_several_jobs_are_held_against_one() -> None:
    evidence = trial(
        {"read.iops": [1e3], "read.latency.mean": [1e-3], "cpu.user": [0.6], "cpu.system": [0.4]},
        options={"iodepth": 1, "numjobs": 4}, details={"jobs": 1},
    )  # fmt: skip
    said = findings_named(arithmetic.RULES, EvidenceSet(trials=(evidence,)))
    assert [finding.rule for finding in said] == ["load-generator-limit"]


def test_own_loops_are_timed_by_the_tool_not_by_the_wall_clock() -> None:
    own = trial(
        {"write.iops": [1000.0], "elapsed": [2.0]}, issued={"write": 2000}, elapsed=(2.4,),
        stands_on=(("disk", "sda"),),
    )  # fmt: skip
    assert findings_named(arithmetic.RULES, EvidenceSet(trials=(own,))) == []


def test_digits_that_were_cut_off_are_no_contradiction() -> None:
    """23.9 IOPS of 2 MiB are printed as 23 IOPS and 47.8 MiB/s: 46 against 47."""
    steps = {"read.iops": 0.5, "read.bandwidth": 0.05 * 2**20}
    options = {"bs": 2 << 20}
    for rate, alarms in ((47.8, 0), (49.5, 1)):
        figures = {"read.iops": [23.0], "read.bandwidth": [rate * 2**20]}
        case = EvidenceSet(trials=(trial(figures, options=options, steps=steps),))
        assert len(findings_named(arithmetic.RULES, case, "contradiction")) == alarms, rate


def flying(write: float, read: float, **options: str | bool) -> list[str]:
    """How many I/Os of each direction are in flight at depth 32, and what is said of it."""
    finding = trial(
        {
            "write.iops": [1000.0], "write.latency.mean": [write / 1000],
            "read.iops": [1000.0], "read.latency.mean": [read / 1000],
        },
        options={"iodepth": 32, "numjobs": 1, **options},
    )  # fmt: skip
    return [
        finding.severity
        for finding in findings_named(
            arithmetic.RULES, EvidenceSet(trials=(finding,)), "littles-law"
        )
    ]


def test_phases_of_a_load_are_not_in_flight_together() -> None:
    assert flying(32, 32) == ["warning"]
    assert flying(32, 32, verify="crc32c") == []
    assert flying(32, 32, rw="randwrite") == []
    assert flying(32, 32, rw="randwrite", verify="none") == ["warning"]
    assert flying(32, 32, rw="randrw") == ["warning"]
    assert flying(64, 32, verify="crc32c") == ["warning"]
    assert flying(32, 32, phased=True) == []


def test_a_load_that_is_held_back_on_purpose_is_no_stall() -> None:
    assert flying(4, 4) == ["note"]
    assert flying(4, 4, paced=True) == []
    assert flying(64, 4, paced=True) == ["warning"]


def test_waiting_for_syncs_is_no_stall() -> None:
    """How long the syncs took is not printed before fio 3.4, nor of cut outputs."""
    assert flying(4, 4, fsync=True) == []
    assert flying(4, 4, fsync=False) == ["note"]
    assert flying(64, 4, fdatasync=True) == ["warning"]


def test_a_program_that_is_timed_as_a_whole_gets_no_advice_on_jobs_of_fio() -> None:
    evidence = trial(
        {"elapsed": [6.193], "cpu.user": [0.74], "cpu.system": [0.255]}, tool="time",
        command="while [ $i -lt 10000 ]; do touch $i; ((i=i+1)); done",
    )  # fmt: skip
    assert findings_named(arithmetic.RULES, EvidenceSet(trials=(evidence,))) == []


@pytest.mark.parametrize(("latency", "alarms"), [(0.97e-6, 0), (0.1e-6, 1)])
def test_a_core_that_polls_a_device_is_not_the_limit(latency: float, alarms: int) -> None:
    """At depth 1 an I/O is always in flight: who polls for it needs the whole core."""
    evidence = trial(
        {"read.iops": [1e6], "read.latency.mean": [latency], "cpu.user": [0.2],
         "cpu.system": [0.79]},
        options={"iodepth": 1, "numjobs": 1},
    )  # fmt: skip
    said = findings_named(arithmetic.RULES, EvidenceSet(trials=(evidence,)), "load-generator-limit")
    assert len(said) == alarms


def deep(depths: dict[str, float], engine: str = "posixaio", **more: Scalar) -> tuple[str, str]:
    """What is said of a load that was to keep 128 in flight and had 16 on average."""
    evidence = trial(
        {"write.iops": [20_000.0], "write.latency.mean": [8e-4]},
        options={"iodepth": 128, "numjobs": 1, "ioengine": engine, **more},
        details={"depths": depths},
    )
    (said,) = findings_named(arithmetic.RULES, EvidenceSet(trials=(evidence,)), "littles-law")
    return said.message, said.remedy


def test_a_depth_that_was_never_reached_is_a_limit() -> None:
    limited = {"1": 0.001, "8": 0.33, "16": 0.67, "32": 0.0, ">=64": 0.0}
    message, remedy = deep(limited)
    assert "never had 32 or more in flight at once" in message
    assert "it was stalled" not in message
    assert "kern.aioprocmax" in remedy
    assert "libaio" not in remedy
    assert "--direct=1" in deep(limited, "libaio", direct=False)[1]
    assert "--direct=1" not in deep(limited, "libaio", direct=True)[1]


@pytest.mark.parametrize("depths", [
    {"1": 0.5, "16": 0.49, "32": 0.0, ">=64": 0.01},  # it was reached now and then
    {"1": 0.5, "16": 0.5},  # a cut line
    {},
])  # fmt: skip
def test_a_depth_that_was_reached_at_times_is_no_limit(depths: dict[str, float]) -> None:
    message, _ = deep(depths)
    assert "stalled, throttled" in message


def test_a_product_with_syncs_says_what_it_is_made_of() -> None:
    figures = {
        "write.iops": [16_000.0], "write.latency.mean": [3e-3],
        "sync.latency.mean": [6e-3], "elapsed": [30.0],
    }  # fmt: skip
    options: dict[str, Scalar] = {"iodepth": 8, "numjobs": 32, "ioengine": "posixaio"}
    reached = {"depths": {"1": 0.3, "8": 0.1, "16": 0.0, "32": 0.0, ">=64": 0.0}}
    evidence = trial(
        figures, options=options, issued={"write": 480_000, "sync": 200_000}, details=reached
    )
    (said,) = findings_named(arithmetic.RULES, EvidenceSet(trials=(evidence,)), "littles-law")
    assert "88 I/Os in flight (48 reads or writes and 40 syncs)" in said.message
    assert "stalled" not in said.message


def test_a_rate_beside_bytes_and_seconds_that_do_not_come_to_it() -> None:
    text = (
        "$ dd if=/dev/zero of=/srv/x bs=64k count=16k\n16384+0 records in\n16384+0 records out\n"
        "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 45.0553 s, {} MB/s\n"
    )
    (finding,) = findings_named(arithmetic.RULES, case_of(text.format("21.5")), "contradiction")
    assert "22.7 MiB/s" in finding.message
    assert not findings_named(arithmetic.RULES, case_of(text.format("23.8")), "contradiction")
