"""Races on a simulated device: who wins, who is out and why, what is said of equals."""

from __future__ import annotations

from itertools import pairwise

import pytest

from iosonde.tune.search.book import Book
from iosonde.tune.search.race import Race
from iosonde.tune.search.strategy import Ask, CandidateState, Ending, Observation
from iosonde.tune.search.verdict import Proven
from tests.unit.tune.device import Device, goal, space


def means(*figures: float) -> dict[tuple[int, ...], float]:
    return {(at,): figure for at, figure in enumerate(figures)}


def test_the_best_wins_and_those_far_behind_leave_first() -> None:
    device = Device(means(1000, 1100, 600, 1085), cv=0.04)
    race = Race(space(4), goal())
    device.run(race)
    result = race.result()
    assert (result.ending, result.pick) == (Ending.WINNER, (1,))
    loops = {stand.candidate: stand.loops for stand in race.standing().candidates}
    assert loops[(2,)] < loops[(1,)]
    states = {stand.candidate: stand.state for stand in race.standing().candidates}
    assert states[(2,)] is CandidateState.ELIMINATED


def test_lower_is_better_for_a_latency() -> None:
    race = Race(space(3), goal(higher=False))
    Device(means(1.0, 0.8, 1.2), cv=0.01).run(race)
    assert race.result().pick == (1,)


def test_of_equals_what_is_in_force_wins() -> None:
    race = Race(space(3), goal())
    Device(means(1000, 1000, 1000), cv=0.001).run(race)
    result = race.result()
    assert (result.ending, result.pick) == (Ending.EQUIVALENT, (0,))
    assert set(result.equivalent) == {(0,), (1,), (2,)}
    assert "in force" in result.reason


def test_every_block_has_each_candidate_once_in_changing_order() -> None:
    device = Device(means(1000, 1001, 999, 1000), cv=0.05)
    race = Race(space(4), goal(budget=400))
    device.run(race)
    order = [ask.candidate for ask in device.asked]
    blocks = [tuple(order[at : at + 4]) for at in range(0, len(order) - 3, 4)]
    assert all(len(set(block)) == 4 for block in blocks)
    assert len(set(blocks)) > 3


def test_drift_alone_makes_no_winner() -> None:
    for seed in range(10):
        search = Proven("race", space(3), goal(budget=2000), seed=seed)
        Device(means(1000, 1000, 1000), cv=0.005, drift=2e-4, seed=seed).run(search)
        assert search.answer().winner == (0,)


def test_the_budget_is_kept_and_the_rest_is_called_undecided() -> None:
    device = Device(means(1000, 1001), cv=0.05, seed=1)
    race = Race(space(2), goal(budget=200))
    device.run(race)
    assert race.result().ending is Ending.UNDECIDED
    assert device.now <= 200


def test_after_a_change_the_first_seconds_are_discarded_and_only_then() -> None:
    device = Device(means(1000, 1001, 1002), cv=0.02)
    Device.run(device, Race(space(3), goal(budget=300, settle=2.0)))
    before = None
    for ask in device.asked:
        assert ask.settle == (0.0 if ask.candidate == before else 2.0)
        before = ask.candidate


def test_a_candidate_that_fails_is_out_and_the_others_go_on() -> None:
    race = Race(space(3), goal())
    Device(means(1000, 1100, 2000), cv=0.01, failing=((2,),)).run(race)
    assert race.result().pick == (1,)
    states = {stand.candidate: (stand.state, stand.reason) for stand in race.standing().candidates}
    assert states[(2,)] == (CandidateState.INFEASIBLE, "it failed")


def test_a_candidate_that_breaks_a_limit_is_not_picked_however_fast() -> None:
    race = Race(space(3), goal())

    def breaking(candidate: tuple[int, ...]) -> tuple[str, ...]:
        return ("write.latency.p99",) if candidate == (2,) else ()

    Device(means(1000, 1100, 2000), cv=0.01, breaking=breaking).run(race)
    assert race.result().pick == (1,)
    reasons = {stand.candidate: stand.reason for stand in race.standing().candidates}
    assert reasons[(2,)] == "it breaks write.latency.p99"


def test_where_none_keeps_the_limits_nothing_is_claimed() -> None:
    race = Race(space(2), goal())
    Device(means(1000, 1100), breaking=lambda _: ("cpu.system",)).run(race)
    assert race.result().ending is Ending.UNDECIDED
    assert race.result().pick == (0,)


def test_what_a_change_costs_is_learnt() -> None:
    book_of = Race(space(3), goal(budget=600))
    Device(means(1000, 1001, 1002), cv=0.02, change=7.0).run(book_of)
    assert book_of.book.cost((0,), (1,)) == pytest.approx(7.0, rel=0.05)


def test_a_start_up_effect_makes_the_settling_longer_and_none_leaves_it() -> None:
    for start, longer in ((0.2, True), (0.0, False)):
        race = Race(space(3), goal(budget=900))
        Device(means(1000, 1002, 998), cv=0.02, start=start).run(race)
        assert (race.book.settle > race.goal.settle) is longer


def test_what_is_dear_to_change_is_changed_once_per_value_and_block() -> None:
    both = space(2, 3)
    book = Book(both, goal())
    book._cost["layer0.s"] = (300.0, 5)
    race = Race(both, goal(), book=book)
    first = [ask.candidate for ask in _block(race, 6)]
    changes = sum(a[0] != b[0] for a, b in pairwise(first))
    assert changes == 1


def _block(race: Race, count: int) -> list[Ask]:
    asked = []
    for _ in range(count):
        ask = race.ask()
        assert ask
        asked.append(ask)
        race.tell(Observation(1000.0, 1.0))
    return asked


def test_a_figure_that_nobody_asked_for_is_refused() -> None:
    with pytest.raises(RuntimeError, match="no measurement"):
        Race(space(2), goal()).tell(Observation(1.0))


def test_the_same_seed_asks_the_same() -> None:
    orders = []
    for _ in range(2):
        device = Device(means(1000, 1010, 990), cv=0.02)
        device.run(Race(space(3), goal(budget=300), seed=7))
        orders.append([ask.candidate for ask in device.asked])
    assert orders[0] == orders[1]


def test_wrong_winners_are_rarer_than_the_level() -> None:
    """Best ahead by 2 %, noise of 2 %: 150 races, of which at most 5 % may be lost."""
    wrong = 0
    for seed in range(150):
        race = Race(space(4), goal(budget=1500), seed=seed)
        Device(means(1000, 1000, 1020, 1000), cv=0.02, seed=seed).run(race)
        result = race.result()
        wrong += result.ending is not Ending.UNDECIDED and result.pick != (2,)
    assert wrong <= 9, wrong
