"""What rounded figures may say: the grain, and that no search is surer than it."""

from __future__ import annotations

from math import log1p

import pytest

from iosonde.statistics.verdict import GRAIN
from iosonde.tune.search.confirm import Confirmation
from iosonde.tune.search.grain import FINEST, grain
from iosonde.tune.search.race import Race
from iosonde.tune.search.strategy import Ending, Goal, Observation, SearchResult
from tests.unit.tune.device import space


def tell_all(search: Race | Confirmation, figures: dict[tuple[int, ...], float]) -> None:
    """Every loop shows the very same figure."""
    while asked := search.ask():
        search.tell(Observation(figures[asked.candidate], 2.0))


def test_a_figure_that_repeats_is_no_finer_than_its_last_decimal() -> None:
    assert grain("write.bandwidth", [[37.4] * 4]) == pytest.approx(log1p(0.1 / 37.4))
    assert grain("write.bandwidth", [[500.0] * 4]) == pytest.approx(log1p(1 / 500))
    assert grain("write.bandwidth", [[524288000.0] * 4]) == FINEST


def test_a_figure_that_moves_by_a_step_at_times_is_no_finer_than_the_step() -> None:
    assert grain("write.iops", [[100.0, 100.0, 100.0, 100.0, 104.0]]) == pytest.approx(log1p(0.04))


def test_a_spread_over_many_steps_is_finer_than_one() -> None:
    assert grain("write.iops", [[100.0, 104.0, 96.0, 108.0, 92.0, 100.0]]) == FINEST


def test_figures_that_never_repeat_speak_for_themselves() -> None:
    assert grain("write.bandwidth", [[1000.1, 1000.3, 999.7]]) == FINEST
    assert grain("write.bandwidth", [[1000.0]]) == FINEST


def test_percentiles_are_no_finer_than_fios_bins() -> None:
    assert grain("write.latency.p99", [[0.001024] * 3, [0.002] * 3]) == pytest.approx(GRAIN)


def test_a_gain_of_loops_that_are_all_alike_has_an_interval_with_a_width() -> None:
    search = SearchResult(Ending.WINNER, (1,), ((1,),), "")
    proof = Confirmation(space(2), Goal("write.bandwidth", budget=600), search)
    tell_all(proof, {(0,): 500.0, (1,): 550.0})
    interval = proof.verdict().interval
    assert interval
    assert interval[0] == pytest.approx(1.1 / (1 + 1 / 500) - 1)
    assert interval[1] == pytest.approx(1.1 * (1 + 1 / 500) - 1)


def test_percentiles_in_the_same_bin_are_not_said_to_be_equal_within_less() -> None:
    goal = Goal("write.latency.p99", higher=False, margin=0.01, budget=300)
    race = Race(space(2), goal)
    tell_all(race, {(0,): 0.001, (1,): 0.001})
    assert race.result().ending is Ending.UNDECIDED
    wide = Race(space(2), Goal("write.latency.p99", higher=False, margin=0.02, budget=300))
    tell_all(wide, {(0,): 0.001, (1,): 0.001})
    assert wide.result().ending is Ending.EQUIVALENT
