"""What verdicts say about a published session that was judged by eye."""

from __future__ import annotations

import pytest

from iosonde.measure.comparison import compare
from iosonde.measure.sheet import sheet, slowest
from iosonde.records.comparison import Outcome
from iosonde.records.sheet import RunSheet
from iosonde.statistics.steady import trend
from iosonde.units import MIB
from tests.unit.measure import build
from tests.unit.measure.loop_tester import PASSES

DAY = {name: 86400.0 * place for place, name in enumerate(PASSES)}


def _run(name: str) -> RunSheet:
    trials = []
    for host, passes in zip(("node1", "node2"), PASSES[name], strict=True):
        loops = [
            build.loop(i, {"write.bandwidth": speed * MIB}, started=DAY[name] + 61.0 * i)
            for i, speed in enumerate(passes)
        ]
        trials.append(build.trial(loops, host=host, ident=host))
    return sheet(build.run(trials, name))


def _outcomes(a: str, b: str) -> list[Outcome]:
    return [answer.judgement.verdict.outcome for answer in compare([_run(a), _run(b)]).answers]


def test_there_are_ninety_passes() -> None:
    assert sum(len(passes) for row in PASSES.values() for passes in row) == 90


@pytest.mark.parametrize(
    ("a", "b", "outcome"),
    [
        ("strip 64", "strip 256", Outcome.BETTER),
        ("strip 128", "strip 256", Outcome.BETTER),
        ("strip 256", "strip 512", Outcome.WORSE),
        ("strip 512", "strip 256", Outcome.BETTER),
        ("strip 512", "strip 1024", Outcome.WORSE),
        ("strip 64", "strip 1024", Outcome.WORSE),
    ],
)
def test_large_differences_are_found_on_both_nodes(a: str, b: str, outcome: Outcome) -> None:
    assert _outcomes(a, b) == [outcome, outcome]


@pytest.mark.parametrize("setting", ["512e", "no read-ahead", "cached"])
def test_what_the_page_judged_from_1_to_2_percent_cannot_be_judged(setting: str) -> None:
    comparison = compare([_run("repeat"), _run(setting)])
    for answer in comparison.answers:
        assert answer.judgement.verdict.outcome is Outcome.UNDECIDED
        assert answer.judgement.verdict.more_loops is not None
    assert {finding.rule for finding in comparison.findings} == {"within-noise"}


def test_no_appreciable_difference_was_a_drop_that_five_passes_do_not_settle() -> None:
    """−2.7 % and −2.2 %: each alone reaches p = 0.03, the two together are undecided."""
    alone = compare([_only(_run("strip 64")), _only(_run("strip 128"))]).answers[0]
    assert alone.judgement.verdict.outcome is Outcome.WORSE
    assert alone.judgement.verdict.change == pytest.approx(-0.027, abs=0.001)
    assert _outcomes("strip 64", "strip 128") == [Outcome.UNDECIDED, Outcome.UNDECIDED]


def _only(run: RunSheet) -> RunSheet:
    return RunSheet(run.run, run.trials[:1])


def test_the_first_pass_of_the_256_kib_series_is_high() -> None:
    """Too few passes in one series; the two series together show it. The nodes are averaged."""
    series = [
        [(a + b) / 2 for a, b in zip(*PASSES[name], strict=True)]
        for name in ("strip 256", "repeat")
    ]
    assert not any(fit.first_loop for row in series if (fit := trend([row])))
    pooled = trend(series)
    assert pooled is not None
    assert pooled.first_loop
    assert pooled.first == pytest.approx(0.051, abs=0.003)


def test_the_slower_node_stands_for_both() -> None:
    worst = slowest(_run("strip 64").trials)
    assert worst.trial.host == "node2"
    assert worst.metrics[0].mean / MIB == pytest.approx(1136.36)
