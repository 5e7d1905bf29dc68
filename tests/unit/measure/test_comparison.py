from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde.errors import UsageError
from iosonde.measure.circumstances import circumstances
from iosonde.measure.comparison import ComparisonRequest, compare, match
from iosonde.measure.gate import parse_gate, pass_gates
from iosonde.measure.sheet import sheet, trial_sheet
from iosonde.records.comparison import Outcome
from iosonde.records.run import Series
from iosonde.records.sheet import RunSheet, TrialSheet
from iosonde.records.stack import Capture, HostFacts, Scalar, StackLayer
from iosonde.statistics.contrast import Bar, contrast, decide
from tests.unit.measure import build
from tests.unit.statistics import noise

FIGURES = {
    "write.iops": (300.0, 0.012),
    "write.bandwidth": (300.0 * 4e6, 0.0),  # follows IOPS: fixed block size
    "write.latency.mean": (0.2, 0.012),
    "write.latency.p50": (0.19, 0.01),
    "write.latency.p99": (0.4, 0.035),
    "write.latency.p99_9": (0.7, 0.035),
    "cpu.user": (0.1, 0.02),
    "cpu.system": (0.3, 0.02),
    "elapsed": (60.0, 0.005),
}


def _run(ident: str, seed: int, *, faster: float = 1.0, start: float = 0.0) -> RunSheet:
    rng = np.random.default_rng(seed)
    loops = []
    for index in range(5):
        figures = {
            name: mean * (1 + cv * rng.normal()) * (faster if name == "write.iops" else 1)
            for name, (mean, cv) in FIGURES.items()
        }
        figures["write.bandwidth"] = figures["write.iops"] * 4e6
        figures["write.latency.max"] = 1 + rng.random()
        loops.append(build.loop(index, figures, started=1e9 + start + 61.0 * index))
    return sheet(build.run([build.trial(loops)], ident))


def test_the_level_is_shared_out_with_half_for_the_headline() -> None:
    comparison = compare([_run("a", 1), _run("b", 2)])
    levels = {answer.a.name: answer.judgement.level for answer in comparison.answers}
    assert comparison.answers[0].a.name == "write.bandwidth"
    assert comparison.answers[0].headline
    assert levels["write.bandwidth"] == levels["write.iops"] == 0.025  # one figure, two units
    assert comparison.counted == len(levels) - 1
    assert levels["cpu.user"] == pytest.approx(0.025 / (comparison.counted - 1))
    assert "write.latency.max" not in levels
    assert "cpu.per_io" in levels


def test_equal_runs_claim_anything_at_all_in_at_most_5_percent() -> None:
    """All metrics of one call together, correlated as they are; levels of a real comparison."""
    answers = compare([_run("a", 1), _run("b", 2)]).answers
    rng = np.random.default_rng(3)
    trials = 20_000
    common = [0.01 * rng.normal(size=(trials, 5)) for _ in range(2)]
    claimed = np.zeros(trials, dtype=bool)
    for answer in answers:
        cv = FIGURES.get(answer.a.name, (0.0, 0.02))[1]
        if not cv:
            continue
        a, b = (np.log(noise.loops(rng, trials, 5, cv)) + shared for shared in common)
        bar = Bar(level=answer.judgement.level, margin=1e-9)
        claimed |= decide(contrast(list(a.T), list(b.T), distance=0), bar).differs
    assert 0.005 <= claimed.mean() <= 0.05


def test_equal_runs_through_the_whole_comparison() -> None:
    claims = 0
    for seed in range(200):
        comparison = compare([_run("a", 1000 + seed), _run("b", 5000 + seed, start=400)])
        outcomes = {answer.judgement.verdict.outcome for answer in comparison.answers}
        claims += bool(outcomes & {Outcome.BETTER, Outcome.WORSE})
    assert claims / 200 <= 0.05


def test_five_percent_are_found_through_the_whole_comparison() -> None:
    hits = 0
    for seed in range(200):
        runs = [_run("a", 1000 + seed), _run("b", 5000 + seed, faster=1.05, start=400)]
        hits += compare(runs).answers[0].judgement.verdict.outcome is Outcome.BETTER
    assert hits / 200 >= 0.93  # of 200; the rate itself is held in test_contrast


def test_trials_are_matched_by_load_probe_and_host() -> None:
    def run(ident: str, *hosts: str) -> RunSheet:
        trials = [
            build.trial(build.speeds([1.0, 2.0]), host=h, ident=f"{ident}-{h}") for h in hosts
        ]
        return sheet(build.run(trials, ident))

    pairs = match(run("a", "n1", "n2", "n3"), run("b", "n3", "n1"))
    assert [(p.a.trial.id, p.b.trial.id) for p in pairs] == [("a-n3", "b-n3"), ("a-n1", "b-n1")]
    assert [p.b.trial.id for p in match(run("a", "n1", "n2"), run("b", "n1", "n2"), ["n2"])] == [
        "b-n2"
    ]
    assert len(match(run("a", "n1"), run("b", "n9"))) == 1  # single trials need no name
    with pytest.raises(UsageError, match=r"no trial of b has the load.*certification at scratch"):
        match(run("a", "n1", "n2"), run("b", "n3", "n4"))


def test_unknown_metrics_and_missing_runs_are_refused() -> None:
    with pytest.raises(UsageError, match=r"--metric: no two trials .* 'write.iosp'"):
        compare([_run("a", 1), _run("b", 2)], wanted=ComparisonRequest(metrics=("write.iosp",)))
    with pytest.raises(UsageError, match="a baseline and at least one other"):
        compare([_run("a", 1)])


def test_one_metric_alone_has_the_whole_level() -> None:
    comparison = compare(
        [_run("a", 1), _run("b", 2)], wanted=ComparisonRequest(metrics=("write.latency.max",))
    )
    assert [(answer.a.name, answer.judgement.level) for answer in comparison.answers] == [
        ("write.latency.max", 0.05)
    ]


def _lasting(run: RunSheet, seconds: float | None) -> RunSheet:
    return replace(run, run=replace(run.run, plan={"study": {"seconds": seconds}}))


@pytest.mark.parametrize(
    ("seconds", "compared"), [((2.0, 1.0), False), ((2.0, 2.0), True), ((None, 1.0), True)]
)
def test_a_length_that_was_asked_for_is_no_result(
    seconds: tuple[float | None, float], compared: bool
) -> None:
    runs = [_lasting(_run("a", 1), seconds[0]), _lasting(_run("b", 2), seconds[1])]
    names = {answer.a.name for answer in compare(runs).answers}
    assert ("elapsed" in names) is compared
    assert "cpu.user" in names
    asked = compare(runs, wanted=ComparisonRequest(metrics=("elapsed",)))
    assert [answer.a.name for answer in asked.answers] == ["elapsed"]


def _captured(ident: str, settings: dict[str, Scalar], dirty: int) -> RunSheet:
    layer = StackLayer("n/disk:sda", "disk", "node1", "/dev/sda", 1, settings=settings)
    mount = StackLayer(
        "n/xfs:s", "xfs", "node1", "/dev/sda", 1, below=("n/disk:sda",), mount="/scratch"
    )
    other = StackLayer("n/loop:7", "loop", "node1", "/dev/loop7", 1, settings={"x": ident})
    capture = Capture(
        1e9,
        (HostFacts("node1", "6.1", 2, None),),
        (mount, layer, other),
        host_wide={"node1.vm.dirty_ratio": dirty},
    )
    return sheet(build.run([build.trial(build.speeds([1.0, 2.0]), capture=capture)], ident))


def test_settings_that_differ_are_those_below_the_target_and_the_hosts() -> None:
    a = _captured("a", {"scheduler": "none", "nr_requests": 128, "old": 1}, 20)
    b = _captured("b", {"scheduler": "bfq", "nr_requests": 128}, 10)
    assert compare([a, b]).settings == {
        "n/disk:sda.old": (1, None),
        "n/disk:sda.scheduler": ("none", "bfq"),
        "node1.vm.dirty_ratio": (20, 10),
    }
    assert (
        compare([a, _run("c", 1)], wanted=ComparisonRequest(metrics=("write.bandwidth",))).settings
        == {}
    )


def test_distance_and_memory_come_from_the_loops() -> None:
    def measured_sheet(start: float, rho: float = 0.0) -> TrialSheet:
        rng = np.random.default_rng(int(start) + 1)
        figures = noise.seconds(rng, 1, rho, 0.01)[0]
        loops = []
        for index, values in enumerate(figures.tolist()):
            times = tuple(float(t) for t in range(60))
            series = (
                Series("diskstats", "vda", "write.bandwidth", "B/s", times, tuple(values)),
                Series("diskstats", "vdb", "write.bandwidth", "B/s", times, (0.0,) * 60),
            )
            began = 1e9 + start + 61.0 * index
            metrics = {"write.bandwidth": 1e3}
            loops.append(build.loop(index, metrics, series=series, started=began))
        return trial_sheet(build.trial(loops))

    near = circumstances(measured_sheet(0), measured_sheet(305))
    assert near.distance == pytest.approx(5.0)
    assert near.inflation == pytest.approx(1.0, abs=0.02)
    assert circumstances(measured_sheet(0), measured_sheet(500)).distance == pytest.approx(
        5.0
    )  # a pause adds nothing
    assert circumstances(measured_sheet(0), measured_sheet(86400)).distance == 0.0
    assert circumstances(measured_sheet(305), measured_sheet(0)).distance == pytest.approx(-5.0)
    assert circumstances(measured_sheet(0, 0.98), measured_sheet(305, 0.98)).inflation > 1.2


@pytest.mark.parametrize("text", ["write.iops", ":5", "write.iops:", "write.iops:five", "a:-1"])
def test_a_gate_that_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="--gate"):
        parse_gate(text)


def test_gates_fail_only_on_a_verdict_beyond_the_limit() -> None:
    assert parse_gate("write.iops:5") == parse_gate("write.iops:5%")
    slower = compare([_run("a", 1), _run("b", 2, faster=0.9, start=1e6)])
    assert [g.state for g in pass_gates([parse_gate("write.iops:5")], slower)] == ["failed"]
    assert [g.state for g in pass_gates([parse_gate("write.iops:20")], slower)] == ["passed"]
    (undecided,) = pass_gates([parse_gate("write.latency.p99:0")], slower)
    assert undecided.state == "undecided"
    better = compare([_run("a", 1), _run("b", 2, faster=1.1, start=1e6)])
    assert [g.state for g in pass_gates([parse_gate("write.iops:0")], better)] == ["passed"]


def test_syncs_are_judged_as_headlines_and_can_be_gated() -> None:
    def run(ident: str, wait: float) -> RunSheet:
        loops = [
            build.loop(index, {"write.iops": 1000.0 + index, "write.latency.mean": 4e-5,
                               "sync.latency.mean": wait * (1 + index / 200),
                               "sync.latency.p99": 3 * wait * (1 + index / 100),
                               "cpu.user": 0.1 + index / 1000}, started=1e9 + 61 * index)
            for index in range(5)
        ]  # fmt: skip
        return sheet(build.run([build.trial(loops)], ident))

    comparison = compare(
        [run("a", 5e-4), run("b", 9e-4)], wanted=ComparisonRequest(also=("sync.latency.mean",))
    )
    heads = [answer.a.name for answer in comparison.answers if answer.headline]
    assert heads == ["write.iops", "sync.latency.mean", "sync.latency.p99"]
    assert [answer.a.name for answer in comparison.answers][:3] == heads
    (result,) = pass_gates([parse_gate("sync.latency.mean:10")], comparison)
    assert result.state == "failed"


def _of(ident: str, loops: Sequence[float], metric: str = "write.iops") -> RunSheet:
    made = [
        build.loop(index, {metric: figure}, started=1e9 + 1e6 * (ident != "a") + 61.0 * index)
        for index, figure in enumerate(loops)
    ]
    return sheet(build.run([build.trial(made)], ident))


@pytest.mark.parametrize(
    ("limit", "states"), [("1", ["failed"]), ("1.8", ["passed"]), ("2", ["passed"])]
)
def test_a_gate_tighter_than_the_margin_has_its_own(limit: str, states: list[str]) -> None:
    """1.5 % worse is equivalent within 2 %."""
    figures = [1000.0, 1000.2, 999.8, 1000.1, 999.9]
    comparison = compare([_of("a", figures), _of("b", [0.985 * figure for figure in figures])])
    (answer,) = comparison.answers
    assert answer.judgement.verdict.outcome is Outcome.EQUIVALENT
    assert [
        gate.state for gate in pass_gates([parse_gate(f"write.iops:{limit}")], comparison)
    ] == states


def test_a_gate_that_the_loops_cannot_tell_is_undecided() -> None:
    figures = [1000.0, 1010.0, 990.0, 1005.0, 995.0, 1000.0, 1001.0, 999.0]
    comparison = compare([_of("a", figures), _of("b", [0.999 * figure for figure in figures])])
    assert comparison.answers[0].judgement.verdict.outcome is Outcome.EQUIVALENT
    (result,) = pass_gates([parse_gate("write.iops:0.5")], comparison)
    assert (result.state, result.fails) == ("undecided", False)
    assert result.reason


def _two(ident: str, *hosts: str, failed: tuple[str, ...] = ()) -> RunSheet:
    trials = [
        build.trial(
            [] if host in failed else build.speeds([1.0, 1.01, 0.99, 1.0]),
            host=host, ident=f"{ident}-{host}",
        )
        for host in hosts
    ]  # fmt: skip
    trials = [
        replace(trial, faults=("the target is gone",)) if not trial.loops else trial
        for trial in trials
    ]
    return sheet(build.run(trials, ident))


@pytest.mark.parametrize("there", [True, False])
def test_a_trial_that_failed_fails_its_gate(there: bool) -> None:
    other = _two("b", "n1", "n2", failed=("n2",)) if there else _two("b", "n1")
    comparison = compare([_two("a", "n1", "n2"), other])
    assert [(alone.of, alone.lacks, alone.label) for alone in comparison.alone] == [
        ("a", "b", "certification at scratch on n2")
    ]
    assert comparison.alone[0].why.endswith("the target is gone" if there else "has no such trial")
    results = pass_gates([parse_gate("write.bandwidth:50")], comparison)
    assert [(result.label[-2:], result.state) for result in results] == [
        ("n1", "passed"),
        ("n2", "missing"),
    ]
    assert [result.fails for result in results] == [False, True]


def test_what_is_new_in_the_candidate_fails_nothing() -> None:
    comparison = compare([_two("a", "n1"), _two("b", "n1", "n2")])
    assert [(alone.of, alone.lacks) for alone in comparison.alone] == [("b", "a")]
    assert [gate.state for gate in pass_gates([parse_gate("write.bandwidth:50")], comparison)] == [
        "passed"
    ]


def test_what_is_left_of_two_runs_is_not_taken_for_the_same() -> None:
    """Of each run another trial failed."""
    with pytest.raises(UsageError, match="no trial of b has the load"):
        compare([_two("a", "n1", "n2", failed=("n2",)), _two("b", "n1", "n2", failed=("n1",))])


def test_a_metric_that_one_trial_lacks_fails_its_gate() -> None:
    both = [build.loop(at, {"write.iops": 1e3 + at, "read.iops": 1e3 + at}) for at in range(3)]
    writes = [build.loop(at, {"write.iops": 1e3 + at}) for at in range(3)]
    runs = [
        sheet(build.run([build.trial(loops, host=host, ident=f"{name}-{host}")
                         for host, loops in (("n1", both), ("n2", second))], name))
        for name, second in (("a", both), ("b", writes))
    ]  # fmt: skip
    results = pass_gates([parse_gate("read.iops:90")], compare(runs))
    assert [result.state for result in results][1:] == ["missing"]


def test_the_figures_shown_are_those_of_the_change() -> None:
    """One slow loop makes A's mean the larger, and each of its loops is the smaller."""
    a, b = [1.0, 1.0, 1.0, 1.8], [1.18, 1.18, 1.18, 1.17]
    comparison = compare([_of("a", a, "read.latency.p90"), _of("b", b, "read.latency.p90")])
    (answer,) = comparison.answers
    before, after = answer.figures
    change = answer.judgement.verdict.change
    assert change is not None
    assert answer.a.mean > answer.b.mean
    assert before < after
    assert after / before - 1 == pytest.approx(change)


@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=6),
    st.lists(st.floats(0, 1e6), min_size=1, max_size=6),
)
def test_figures_and_change_always_agree(a: list[float], b: list[float]) -> None:
    (answer,) = compare([_of("a", a), _of("b", b)]).answers
    before, after = answer.figures
    change = answer.judgement.verdict.change
    if change is not None and before > 1e-3 and after > 1e-3:
        assert after / before - 1 == pytest.approx(change, rel=1e-6, abs=1e-6)


def test_a_message_lists_three_labels_and_no_empty_host() -> None:
    a, b = _run("a", 1), _run("b", 2)
    many = [
        replace(
            trial,
            trial=replace(trial.trial, load=replace(trial.trial.load, name=f"other{at}"), host=""),
        )
        for trial in b.trials[:1]
        for at in range(5)
    ]
    with pytest.raises(UsageError) as refused:
        match(a, replace(b, trials=tuple(many)))
    assert "b holds other0 at " in str(refused.value)
    assert "other2 at scratch and 2 more (" in str(refused.value)
    assert " on ," not in str(refused.value)
