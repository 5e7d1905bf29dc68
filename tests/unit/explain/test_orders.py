"""Orders of results, first loops, falls, shared causes, quoted averages: real logs and by hand."""

from __future__ import annotations

import random

import pytest

from iosonde.explain import judge
from iosonde.explain.rules import averages, claims, loops, noise
from iosonde.explain.series import ComparableTrials, Condition, series_of
from iosonde.records.evidence import EvidenceSet, StateEvidence, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.records.run import HEALTH, Series
from tests.unit.explain.cases import case_of, findings_named, loop_tester_page, trial

MIB = 2**20


@pytest.fixture(scope="module")
def page() -> EvidenceSet:
    return case_of(loop_tester_page())


def test_the_strip_sizes_are_ranked_by_verdicts(page: EvidenceSet) -> None:
    (ranking,) = findings_named(noise.RULES, page, "ranking")
    assert "“strip size 256 KiB” is best" in ranking.message
    assert "better than “strip size 512 KiB” by 8.33 % (3.7 … 13.2 %)" in ranking.message
    assert "3 of 4 steps" in ranking.message
    means = [round(float(evidence.value or 0) / MIB, 2) for evidence in ranking.evidence[:5]]
    assert means == [1309.97, 1209.22, 1141.84, 1113.8, 1045.66]  # of their logarithms


def test_options_of_the_controller_are_not_told_apart(page: EvidenceSet) -> None:
    subjects = {
        finding.subject: finding for finding in findings_named(noise.RULES, page, "within-noise")
    }
    options = subjects["Options: write.bandwidth"]
    assert options.message.startswith("4 results cannot be told apart")
    assert "differ by 1.95 % (-7.4 … 3.9 %)" in options.message
    assert "ranking" not in {
        finding.rule
        for finding in findings_named(noise.RULES, page)
        if finding.subject.startswith("Options")
    }


def test_sixty_four_and_128_kib_need_more_loops(page: EvidenceSet) -> None:
    strips = next(
        finding
        for finding in findings_named(noise.RULES, page, "within-noise")
        if finding.subject.startswith("Strip")
    )
    assert "64 KiB" in strips.message
    assert "128 KiB" in strips.message
    assert "the only comparison but not as one of 5 results; 4 more loops" in strips.message


def test_a_denied_difference_is_held_against_the_loops() -> None:
    text = loop_tester_page().replace(
        "| 1111.44 MiB/s | 128 KiB | |", "| 1111.44 MiB/s | 128 KiB | No real difference |"
    )
    (said,) = findings_named(claims.RULES, case_of(text), "overlooked-difference")
    assert "128 KiB" in said.subject
    assert "2.46 % (0.4 … 4.5 %) lower" in said.message
    assert "“worse”" in said.message


def test_a_claim_that_is_contradicted_comes_first_and_idle_orders_last() -> None:
    text = loop_tester_page().replace(
        "| 1111.44 MiB/s | 128 KiB | |", "| 1111.44 MiB/s | 128 KiB | No real difference |"
    )
    said = [(finding.rule, finding.severity) for finding in judge.findings(case_of(text))]
    severities = [severity for rule, severity in said if rule != "within-noise"]
    assert said[0] == ("overlooked-difference", "warning")
    assert severities[1:] == sorted(severities[1:], key=["error", "warning", "note"].index)
    assert said[-1] == ("within-noise", "warning")
    assert ("common-cause", "warning") in said[1:-1]


def test_a_denial_that_the_loops_bear_out_is_right() -> None:
    trials = tuple(
        trial({"write.iops": scatter(place, 1000.0)}, label=label, row=(label, remark),
              columns=("What", "Note"))
        for place, (label, remark) in enumerate((("a", ""), ("b", "no difference at all")))
    )  # fmt: skip
    assert findings_named(claims.RULES, EvidenceSet(trials=trials)) == []


def test_a_repeat_that_moved_is_held_against_what_was_claimed(page: EvidenceSet) -> None:
    moved = findings_named(claims.RULES, page, "within-noise")
    assert len(moved) == 1
    assert "1.82 %" in moved[0].message
    assert "2.02 %" in moved[0].message
    by_host = {
        evidence.what: round(float(evidence.value or 0), 4) for evidence in moved[0].evidence[2:]
    }
    assert by_host == {"moved on node1": -0.0154, "moved on node2": -0.021}


def test_the_high_first_loops_of_256_kib_are_named(page: EvidenceSet) -> None:
    (first,) = findings_named(loops.RULES, page, "first-loop")
    assert "2 of 9 conditions" in first.message
    assert "strip size 256 KiB” (+4.23 %)" in first.message
    assert "(+6.14 %)" in first.message
    assert "without it" in first.message
    assert "read ahead on, io policy Direct” is behind “" in first.message
    assert "read ahead off" in first.message


def test_nodes_that_move_together_share_a_cause(page: EvidenceSet) -> None:
    (cause,) = findings_named(loops.RULES, page, "common-cause")
    assert "node1 and node2" in cause.message
    assert cause.evidence[0].value == pytest.approx(0.74, abs=0.01)
    assert "0.91 … 0.93 in 3 of 9 trials" in cause.message


def test_quoted_figures_are_the_slower_nodes(page: EvidenceSet) -> None:
    notes = findings_named(averages.RULES, page, "average-mismatch")
    assert len(notes) == 1
    assert "the worse host's each time" in notes[0].message


def scatter(seed: int, mean: float, count: int = 6) -> list[float]:
    noise_ = random.Random(seed)
    return [mean * noise_.gauss(1, 0.01) for _ in range(count)]


def test_steady_trials_of_equal_means_give_one_note_and_no_order() -> None:
    trials = tuple(
        trial({"write.iops": [1000.0, 1002, 998, 1001, 999, 1000]}, label=label) for label in "abc"
    )
    said = findings_named(noise.RULES, EvidenceSet(trials=trials))
    assert [finding.rule for finding in said] == ["within-noise"]
    assert said[0].severity == "note"
    assert said[0].message == "3 results are equal within 2 %: their order is not a result."


def test_two_equal_trials_are_called_equal() -> None:
    trials = tuple(
        trial({"write.iops": [1000.0, 1002, 998, 1001, 999, 1000]}, label=label) for label in "ab"
    )
    (said,) = findings_named(noise.RULES, EvidenceSet(trials=trials))
    assert "“a” and “b” are equal within 2 %" in said.message


def test_ends_that_differ_over_neighbours_that_do_not() -> None:
    """Five conditions 1.2 % apart with a scatter of 1 %: neighbours no, ends yes."""
    loops_ = [0.99, 1.01, 1.0, 0.985, 1.015, 1.0]
    trials = tuple(
        trial({"write.iops": [value * 1.012**step for value in loops_]}, label=f"t{step}")
        for step in range(5)
    )
    (said,) = findings_named(noise.RULES, EvidenceSet(trials=trials))
    assert said.rule == "within-noise"
    assert "Of 5 results only the ends can be told apart" in said.message
    assert "“t4” is better than “t0” by 4.89 %" in said.message


def test_of_different_loads_no_order_is_made() -> None:
    trials = tuple(
        trial({"write.iops": scatter(size, 1e6 / size)}, label=f"bs {size}", options={"bs": size})
        for size in (4096, 65536)
    )
    assert findings_named(noise.RULES, EvidenceSet(trials=trials)) == []


def test_results_of_one_loop_do_not_keep_the_others_from_being_ranked() -> None:
    trials = (
        trial({"write.iops": scatter(1, 1000.0)}, label="a"),
        trial({"write.iops": scatter(2, 2000.0)}, label="b"),
        trial({"write.iops": [1600.0]}, label="c"),
    )
    said = findings_named(noise.RULES, EvidenceSet(trials=trials))
    assert sorted(finding.rule for finding in said) == ["ranking", "within-noise"]
    assert any("1 of 2 results are of one run" in finding.message for finding in said)


def test_a_clear_order_leaves_nothing_within_the_noise() -> None:
    trials = tuple(
        trial({"write.iops": scatter(place, 1000.0 * (1 + place))}, label=f"t{place}")
        for place in range(3)
    )
    said = findings_named(noise.RULES, EvidenceSet(trials=trials))
    assert [finding.rule for finding in said] == ["ranking"]
    assert "“t2” is best" in said[0].message


def test_single_runs_support_no_order() -> None:
    trials = tuple(
        trial({"write.iops": [value]}, label=label) for label, value in (("a", 6.0), ("b", 7.0))
    )
    (said,) = findings_named(noise.RULES, EvidenceSet(trials=trials))
    assert said.rule == "within-noise"
    assert "2 of 2 results are of one run each" in said.message


def test_single_runs_far_apart_are_no_matter_of_noise() -> None:
    """In each stretch even the last is near the first: 100 and 74 are not made near by 86."""
    figures = (100.0, 86.0, 74.0, 60.0)
    trials = tuple(
        trial({"write.iops": [value]}, label=f"t{place}") for place, value in enumerate(figures)
    )
    said = findings_named(noise.RULES, EvidenceSet(trials=trials))
    assert [[evidence.value for evidence in finding.evidence] for finding in said] == [
        [100.0, 86.0], [74.0, 60.0],
    ]  # fmt: skip


def test_results_of_an_unknown_load_are_in_no_order() -> None:
    copies = tuple(trial({"copy.bandwidth": [value]}, label=f"c{value}") for value in (5.0, 5.1))
    assert findings_named(noise.RULES, EvidenceSet(trials=copies)) == []
    whole = trial({"read.iops": [5.0]}, label="whole", options={"rw": "randread"})
    lines = tuple(trial({"read.iops": [value]}, label=f"l{value}") for value in (5.1, 5.2))
    assert findings_named(noise.RULES, EvidenceSet(trials=(whole, *lines))) == []
    assert len(findings_named(noise.RULES, EvidenceSet(trials=lines))) == 1


def test_equal_figures_are_in_no_order() -> None:
    for figures, number in (((5.0, 5.0), 0), ((5.0, 5.0, 5.1), 1)):
        trials = tuple(trial({"write.iops": [value]}, label=f"t{place}")
                       for place, value in enumerate(figures))  # fmt: skip
        assert len(findings_named(noise.RULES, EvidenceSet(trials=trials))) == number


def test_one_trial_alone_is_compared_with_nothing() -> None:
    case = EvidenceSet(trials=(trial({"write.iops": scatter(1, 100.0)}),))
    assert findings_named((*noise.RULES, *claims.RULES, *loops.RULES, *averages.RULES), case) == []


def apart(values: list[float], label: str) -> list[TrialEvidence]:
    """Loops of a condition that stand each in an output of its own."""
    return [
        trial({"write.bandwidth": [value]}, label=label, where=f"page:{label}{place}")
        for place, value in enumerate(values)
    ]


def test_a_first_loop_is_shown_where_it_stands() -> None:
    even = apart([100.0, 101.0, 99.0, 100.5, 99.5, 100.2], "b")
    trials = (*apart([20.0, 101.0, 99.0, 100.0, 99.6, 100.1], "a"), *even)
    (first,) = findings_named(loops.RULES, EvidenceSet(trials=trials), "first-loop")
    assert first.evidence[0].where == "page:a0"
    together = trial({"write.bandwidth": [20.0, 101.0, 99.0, 100.0, 99.6, 100.1]}, label="a")
    whole = EvidenceSet(trials=(together, *even))
    (first,) = findings_named(loops.RULES, whole, "first-loop")
    assert first.evidence[0].where == "page:a"


@pytest.mark.parametrize(("first", "said"), [(99.2, False), (97.0, True)])
def test_a_first_loop_that_matters_nothing_is_not_said(first: float, *, said: bool) -> None:
    later = [100.01, 99.99, 100.0, 100.02, 99.98, 100.0, 100.01]
    alone = trial({"read.iops": [first, *later]}, label="a", where="page:1-9")
    noted = findings_named(loops.RULES, EvidenceSet(trials=(alone,)), "first-loop")
    assert bool(noted) is said


def test_false_alarms_of_first_loops_are_rare() -> None:
    """At a level of 5 % for all conditions together, 9 conditions of pure noise."""
    alarms = 0
    for seed in range(300):
        trials = tuple(
            trial({"write.iops": scatter(1000 * seed + place, 100.0, 5)}, label=f"t{place}",
                  where=f"page:{place}")
            for place in range(9)
        )  # fmt: skip
        alarms += bool(findings_named(loops.RULES, EvidenceSet(trials=trials), "first-loop"))
    assert alarms / 300 < 0.09


def test_independent_hosts_share_no_cause() -> None:
    trials = tuple(
        trial({"write.iops": scatter(100 * place + node, 100.0)}, label=f"t{place}",
              host=f"n{node}", started=1e9 + 1000 * place)
        for place in range(6) for node in range(2)
    )  # fmt: skip
    assert findings_named(loops.RULES, EvidenceSet(trials=trials), "common-cause") == []


def test_an_average_that_the_loops_do_not_have() -> None:
    loops_ = [10.0, 20.0, 30.0]
    wrong = trial({"write.bandwidth": loops_}, averages={"write.bandwidth": 25.0})
    right = trial({"write.bandwidth": loops_}, averages={"write.bandwidth": 20.0})
    (said,) = findings_named(averages.RULES, EvidenceSet(trials=(wrong, right)))
    assert "25 B/s" in said.message
    assert "20 B/s" in said.message


def test_a_quoted_figure_of_nobody() -> None:
    pair = tuple(
        trial({"write.bandwidth": [mean * MIB] * 3}, host=host, started=1e9,
              row=("900.00 MiB/s", "x"), columns=("Speed", "What"))
        for host, mean in (("n1", 100.0), ("n2", 110.0))
    )  # fmt: skip
    (said,) = findings_named(averages.RULES, EvidenceSet(trials=pair))
    assert "neither the mean of a host nor of all" in said.message


@pytest.mark.parametrize(("cell", "alarms"), [("1.3 GB/s", 0), ("1.4 GB/s", 1), ("1,300 IOPS", 0)])
def test_a_quoted_figure_beside_one_log(cell: str, alarms: int) -> None:
    evidence = trial({"write.bandwidth": [1.299e9, 1.301e9]}, host="n1", row=(cell, "x"))
    assert len(findings_named(averages.RULES, EvidenceSet(trials=(evidence,)))) == alarms


@pytest.mark.parametrize(("loops_", "alarms"), [
    ([800.0, 805, 795, 400, 402, 399, 401], 1),
    ([800.0, 400, 402, 399, 401, 400], 1),
    ([800.0, 805, 795, 790, 802, 799, 801], 0),
    ([800.0, 700, 600, 500, 400, 300], 0),
    ([400.0, 402, 399, 800, 801, 799], 0),
])  # fmt: skip
def test_writes_that_fall_and_stay_down(loops_: list[float], alarms: int) -> None:
    evidence = trial({"write.bandwidth": [value * MIB for value in loops_]})
    said = findings_named(loops.RULES, EvidenceSet(trials=(evidence,)), "cache-drain")
    assert len(said) == alarms
    reads = trial({"read.bandwidth": [value * MIB for value in loops_]})
    assert findings_named(loops.RULES, EvidenceSet(trials=(reads,)), "cache-drain") == []


@pytest.mark.parametrize(
    ("hot", "alarms"),
    [
        ([0, 0, 1, 1, 1, 1], 0),  # the heat begins with the fall
        ([0, 1, 1, 1, 1, 1], 0),  # it is read after the loop before it
        ([1, 1, 1, 1, 1, 1], 1),  # it was there long before: what fell was something else
        ([0, 0, 0, 0, 0, 0], 1),
        ([1, 0, 0, 0, 0, 0], 1),  # it was over
    ],
)
def test_writes_that_fall_because_the_drive_is_hot_are_no_full_cache(
    hot: list[int], alarms: int
) -> None:
    readings = tuple(
        (Series(HEALTH, "nvme0n1", "critical_warning", "", (1.0, 2.0), (2.0 * bit, 2.0 * bit)),)
        for bit in hot
    )
    evidence = trial(
        {"write.bandwidth": [value * MIB for value in (800, 805, 400, 402, 399, 401)]},
        series=readings, stands_on=(("disk", "/dev/nvme0n1"),),
    )  # fmt: skip
    assert (
        len(findings_named(loops.RULES, EvidenceSet(trials=(evidence,)), "cache-drain")) == alarms
    )


def test_a_fall_names_what_was_written_and_the_cache_below() -> None:
    evidence = trial({"write.bandwidth": [value * MIB for value in (800, 805, 400, 402, 399, 401)]})
    state = StateEvidence("controller", "c0", "", {"cache_size": 64 * 1024 * MIB}, "page:1", "page")
    (said,) = findings_named(
        loops.RULES, EvidenceSet(trials=(evidence,), states=(state,)), "cache-drain"
    )
    assert "94.0 GiB had been written" in said.message
    assert "one of 64 GiB is below" in said.message
    assert "400 MiB/s" in said.remedy


def test_a_quoted_mean_over_the_hosts_is_right() -> None:
    pair = tuple(
        trial({"write.bandwidth": [mean * MIB] * 3}, host=host, started=1e9, row=("105 MiB/s",))
        for host, mean in (("n1", 100.0), ("n2", 110.0))
    )
    assert findings_named(averages.RULES, EvidenceSet(trials=pair)) == []


def singles(*means: float) -> list[Finding]:
    trials = tuple(
        trial({"read.iops": [mean]}, label=f"setting {at}") for at, mean in enumerate(means)
    )
    return findings_named(noise.RULES, EvidenceSet(trials=trials), "within-noise")


def test_single_runs_far_apart_are_in_order() -> None:
    assert singles(1000.0, 10.0) == []
    (said,) = singles(1000.0, 990.0, 10.0)
    assert "2 of 2 results" in said.message


def test_another_block_size_is_another_load() -> None:
    def of(size: int, label: str, rate: float = 1000.0) -> TrialEvidence:
        figures = {"read.iops": [rate], "read.bandwidth": [1.003 * rate * size]}
        return trial(figures, label=label)

    same = EvidenceSet(trials=(of(4096, "a"), of(4096, "b", 1010.0)))
    other = EvidenceSet(trials=(of(4096, "a"), of(8192, "b", 1010.0)))
    assert len(findings_named(noise.RULES, same, "within-noise")) == 1
    assert findings_named(noise.RULES, other, "within-noise") == []


def test_devices_are_compared_only_by_who_puts_them_under_one_heading() -> None:
    def case(*, printed: bool) -> EvidenceSet:
        return EvidenceSet(trials=tuple(
            trial({"read.iops": [rate]}, label=f"at {name} {setting}", target=f"/dev/{name}",
                  printed=printed)
            for name, rate in (("sda", 1000.0), ("sdb", 1010.0), ("sdc", 1020.0))
            for setting in ("plain",)
        ))  # fmt: skip

    assert findings_named(noise.RULES, case(printed=False), "within-noise") == []
    assert len(findings_named(noise.RULES, case(printed=True), "within-noise")) == 1


def test_a_loop_of_four_is_one_condition_of_four_loops() -> None:
    """Somebody ran one command four times in a row, and then another."""
    rates = (1000.0, 1010.0, 990.0, 1005.0)
    trials = tuple(
        trial({"read.iops": [rate]}, label=label)
        for label, factor in (("before", 1.0), ("after", 1.5))
        for rate in (rate * factor for rate in rates)
    )
    case = EvidenceSet(trials=trials)
    assert findings_named(noise.RULES, case, "within-noise") == []
    assert len(findings_named(noise.RULES, case, "ranking")) == 1
    (alone,) = singles(1000.0, 1010.0)
    assert "2 of 2 results are of one run each" in alone.message


def test_two_results_of_one_name_are_told_apart_by_their_places() -> None:
    def order(first: str, second: str) -> str:
        trials = tuple(
            trial({"read.iops": [rate, rate * 1.01, rate * 0.99]}, label=label, where=where)
            for label, rate, where in ((first, 1000.0, "mail:3"), (second, 2000.0, "mail:9"))
        )
        series = ComparableTrials("mail", "read.iops", tuple(
            Condition(trial.label, (trial,), trial.metrics["read.iops"]) for trial in trials
        ))  # fmt: skip
        return next(iter(noise._judged(series, noise._ranked(series)))).message

    assert "“t/io_uring (mail:9)” is best: better than “t/io_uring (mail:3)”" in order(
        "t/io_uring", "t/io_uring"
    )
    assert "“new” is best: better than “old” by" in order("old", "new")


DD = "8192000000 bytes (8.2 GB) copied, {} s, {} MB/s\n"
UNNAMED = DD.format("41.7994", 196) + "\nand\n\n" + DD.format("447.997", "18.3")


def test_copies_whose_commands_are_not_known_are_no_loops_of_one_condition() -> None:
    case = case_of(f"# kernel\n\n{UNNAMED}")
    (series,) = series_of(case)
    assert [len(condition.metric.loops) for condition in series.conditions] == [1, 1]
    assert findings_named(noise.RULES, case) == []


def test_a_copy_whose_command_was_repeated_is_a_loop_of_it() -> None:
    call = "$ dd if=/srv/a of=/srv/b bs=8k\n"
    text = "# kernel\n\n" + "\n".join(call + DD.format(s, 1) for s in ("41.7", "41.9"))
    (series,) = series_of(case_of(text))
    assert [len(condition.metric.loops) for condition in series.conditions] == [2]


def pair(*loops: list[float]) -> str:
    """What is said of the difference of two conditions or more."""
    case = EvidenceSet(
        trials=tuple(
            trial({"write.bandwidth": values}, label=f"t{place}")
            for place, values in enumerate(loops)
        )
    )
    (said,) = findings_named(noise.RULES, case, "within-noise")
    return said.message


def test_an_interval_of_everything_is_not_shown() -> None:
    said = pair([196e6, 269e6, 162e6], [18.3e6, 250e6])
    assert "2 and 3 loops that scatter so much do not tell how far they are apart" in said
    assert "…" not in said
    assert "more loops of each" not in said


def test_a_wide_interval_that_says_something_is_shown() -> None:
    assert "% (" in pair([196e6, 210e6, 162e6], [150e6, 200e6, 163e6])


def test_three_of_which_nothing_is_known_are_said_so() -> None:
    said = pair([196e6, 26e6], [18.3e6, 250e6], [60e6, 63.1e6])
    assert "2 loops that scatter so much do not tell" in said


@pytest.mark.parametrize(
    ("headings", "counts", "alarms"),
    [
        (("COW", "Compression"), ("100k", "10838300"), 0),
        (("COW", "Compression"), ("100k", "100k"), 1),
        (("One", "One"), ("100k", "10838300"), 1),
    ],
)
def test_results_of_other_sizes_in_other_chapters_are_in_no_order(
    headings: tuple[str, str], counts: tuple[str, str], alarms: int
) -> None:
    written = ("209715200 bytes (210 MB, 200 MiB) copied, 0.533322 s, 393 MB/s",
               "22196838400 bytes (22 GB, 21 GiB) copied, 62.862 s, 353 MB/s")  # fmt: skip
    amounts = [written[count != "100k"] for count in counts]
    amounts[1] = amounts[1].replace("0.533322 s, 393", "0.640982 s, 327")
    text = "\n".join(
        f"# {heading}\n\n$ dd if=/dev/zero of=/mnt/x bs=2048 count={count}\n{amount}\n"
        for heading, count, amount in zip(headings, counts, amounts, strict=True)
    )
    assert len(findings_named(noise.RULES, case_of(text), "within-noise")) == alarms


@pytest.mark.parametrize(("labels", "notes"), [
    (("on-1.fio", "on-2.fio", "off-1.fio", "off-2.fio"), 0),
    (("run 1", "run 2", "run 3"), 0),
    (("on-1", "on-2", "off-1"), 0),
    (("on-1", "on-2", "off-1", "idle"), 1),
    (("bs-4", "bs-8"), 1),
    (("jobs-1", "jobs-2"), 1),
    (("xfs", "ext-4"), 1),
])  # fmt: skip
def test_runs_that_are_numbered_are_no_single_runs(labels: tuple[str, ...], notes: int) -> None:
    every = tuple(
        trial({"read.iops": [1000.0 + place]}, label=label, job=label)
        for place, label in enumerate(labels)
    )
    case = EvidenceSet(trials=every)
    assert len(findings_named(noise.RULES, case, "within-noise")) == notes


def test_several_results_of_each_name_are_no_single_runs() -> None:
    def notes(*labels: str) -> int:
        every = tuple(
            trial({"write.iops": [1000.0 + place]}, label=label, job="", command=f"fio {place}")
            for place, label in enumerate(labels)
        )
        return len(findings_named(noise.RULES, EvidenceSet(trials=every), "within-noise"))

    assert notes("old kernel", "old kernel", "new kernel", "new kernel") == 0
    assert notes("old kernel", "new kernel") == 1


def test_what_a_mail_quotes_is_of_another_host() -> None:
    lines = [f"IOPS={rate}.{digit}K, BW=9MiB/s, IOS/call=32/32" for rate in (150, 190)
             for digit in (1, 2, 3, 4)]  # fmt: skip
    command = "# t/io_uring -b512 -d128 -c32 -s32 -p0 /dev/nvme0n1"
    head = "polled=0, fixedbufs=0/0, register_files=1, buffered=1, QD=128"
    old, new = ("\n".join([command, head, *part]) for part in (lines[:4], lines[4:]))
    quoted = "\n".join(f"> {line}" for line in old.split("\n"))
    ranked = findings_named(noise.RULES, case_of(f"{old}\n\nWith the patch:\n\n{new}\n"), "ranking")
    assert len(ranked) == 1
    mail = f"Quoting:\n\n{quoted}\n\nAnd here:\n\n{new}\n"
    assert findings_named(noise.RULES, case_of(mail), "ranking") == []


def test_copies_that_run_at_the_same_time_are_no_loops() -> None:
    """Each has a part of what the disk gives: their mean is nobody's rate."""

    def page(command: str) -> str:
        copies = "".join(
            "200+0 records in\n200+0 records out\n"
            f"209715200 bytes (210 MB, 200 MiB) copied, {time} s, 160 MB/s\n"
            for time in ("1.31025", "1.30016")
        )  # fmt: skip
        return f"# {command}\n{copies}"

    alone = "dd if=/dev/vdb of=/dev/null bs=1M count=200 iflag=direct"
    case = case_of(page(f"({alone} &); ({alone} skip=200 &)"))
    assert (len(case.trials), series_of(case)) == (2, ())
    assert series_of(case_of(page(f"{alone}; {alone} && sync")))
