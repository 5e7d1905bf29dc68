"""The proof by fresh loops, and what is said in the end."""

from __future__ import annotations

import pytest

from iosonde.records.comparison import Outcome
from iosonde.tune.search.confirm import Confirmation
from iosonde.tune.search.strategy import Ending, SearchResult
from iosonde.tune.search.verdict import Proven
from tests.unit.tune.device import Device, goal, space


def picked(at: int) -> SearchResult:
    return SearchResult(Ending.WINNER, (at,), ((at,),), "")


def test_a_gain_is_proven_with_an_interval_that_holds_it() -> None:
    device = Device({(0,): 1000, (1,): 1100, (2,): 900}, cv=0.01)
    search = Proven("race", space(3), goal(budget=1500))
    device.run(search)
    answer = search.answer()
    assert answer.confirmed
    assert answer.winner == (1,)
    assert answer.settings == {"layer0.s": 1}
    assert answer.gain
    assert answer.gain.interval
    low, high = answer.gain.interval
    assert 0 < low < 0.1 < high
    assert answer.search + answer.proof == pytest.approx(device.now)
    assert "by fresh loops" in answer.sentence


def test_a_latency_that_falls_is_a_gain_with_a_negative_change() -> None:
    proof = Confirmation(space(2), goal(higher=False), picked(1))
    Device({(0,): 1.0, (1,): 0.8}, cv=0.01).run(proof)
    verdict = proof.verdict()
    assert verdict.outcome is Outcome.BETTER
    assert verdict.change == pytest.approx(-0.2, abs=0.02)
    assert verdict.change
    assert verdict.interval
    assert verdict.interval[0] < verdict.change < verdict.interval[1] < 0


def test_a_pick_that_was_only_lucky_is_not_confirmed() -> None:
    proof = Confirmation(space(2), goal(), picked(1))
    Device({(0,): 1000, (1,): 1000}, cv=0.01, seed=1).run(proof)
    assert proof.verdict().outcome is Outcome.EQUIVALENT
    assert proof.result().pick == (0,)


def test_a_pick_that_is_worse_is_called_so() -> None:
    proof = Confirmation(space(2), goal(), picked(1))
    Device({(0,): 1000, (1,): 900}, cv=0.01).run(proof)
    assert proof.verdict().outcome is Outcome.WORSE
    assert proof.result().pick == (0,)


def test_no_difference_worth_having_needs_no_proof() -> None:
    search = Proven("race", space(3), goal(budget=3000))
    Device({(0,): 1000, (1,): 1000, (2,): 1000}, cv=0.001).run(search)
    answer = search.answer()
    assert answer.winner == (0,)
    assert answer.gain is None
    assert answer.proof == 0
    assert answer.sentence.startswith("no difference worth having")
    assert set(answer.equivalent) == {(0,), (1,), (2,)}


def test_the_figures_of_the_search_do_not_count_for_the_gain() -> None:
    """A search that saw 10 % where nothing is: the proof starts afresh."""
    result = SearchResult(Ending.WINNER, (1,), ((1,),), "", variance=1e-4, freedom=20)
    proof = Confirmation(space(2), goal(), result)
    Device({(0,): 1000, (1,): 1000}, cv=0.01, seed=3).run(proof)
    assert proof.verdict().outcome is Outcome.EQUIVALENT
    assert all(len(loops) >= 3 for loops in proof.book.figures.values())


def test_what_the_search_learnt_of_the_noise_makes_the_proof_shorter() -> None:
    used = []
    for freedom in (0.0, 30.0):
        proof = Confirmation(
            space(2), goal(), SearchResult(Ending.WINNER, (1,), (), "", 4e-4, freedom)
        )
        Device({(0,): 1000, (1,): 1080}, cv=0.02, seed=4).run(proof)
        used.append(proof.book.used)
    assert used[1] <= used[0]


def test_false_gains_are_rarer_than_the_level() -> None:
    claimed = 0
    for seed in range(200):
        proof = Confirmation(space(2), goal(budget=600), picked(1), seed=seed)
        Device({(0,): 1000, (1,): 1000}, cv=0.02, seed=seed).run(proof)
        claimed += proof.verdict().outcome is Outcome.BETTER
    assert claimed <= 12, claimed


def test_intervals_hold_the_truth_although_one_stops_at_will() -> None:
    held = 0
    for seed in range(200):
        proof = Confirmation(space(2), goal(budget=2000), picked(1), seed=seed)
        Device({(0,): 1000, (1,): 1030}, cv=0.015, seed=seed).run(proof)
        interval = proof.verdict().interval
        assert interval
        held += interval[0] < 0.03 < interval[1]
    assert held >= 184, held


def test_an_answer_before_the_end_is_refused() -> None:
    with pytest.raises(RuntimeError, match="has not ended"):
        Proven("race", space(2), goal(budget=100)).answer()
