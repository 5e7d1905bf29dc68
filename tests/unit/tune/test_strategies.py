"""What every strategy must do, and what is each one's own."""

from __future__ import annotations

import numpy as np
import pytest

from iosonde.records.comparison import Outcome
from iosonde.tune.search import STRATEGIES
from iosonde.tune.search.anova import Anova
from iosonde.tune.search.grid import GridSearch
from iosonde.tune.search.model import ModelSearch
from iosonde.tune.search.space import Candidate, Space, Vary
from iosonde.tune.search.staged import Staged
from iosonde.tune.search.strategy import CandidateState, Ending, Goal, Observation
from iosonde.tune.search.sweep import Sweep
from tests.unit.tune.device import Device, goal, space


def additive(whole: Space, *effects: dict[int, float]) -> dict[Candidate, float]:
    """Figures by value of each setting, as factors on 1000."""
    return {
        candidate: 1000
        * float(np.prod([effects[at].get(value, 1.0) for at, value in enumerate(candidate)]))
        for candidate in whole.candidates()
    }


@pytest.mark.parametrize("name", sorted(STRATEGIES))
class TestEvery:
    def test_finds_a_clear_winner_within_the_budget(self, name: str) -> None:
        whole = space(3, 2)
        device = Device(additive(whole, {2: 1.3}, {1: 1.2}), cv=0.01)
        search = STRATEGIES.load(name)(whole, goal(budget=900), seed=1)
        device.run(search)
        assert search.result().pick == (2, 1)
        assert search.result().ending is Ending.WINNER
        assert device.now <= 900
        assert search.standing().used == pytest.approx(device.now)

    def test_leaves_what_is_in_force_where_nothing_is_better(self, name: str) -> None:
        whole = space(2, 2)
        device = Device(additive(whole, {1: 0.8}, {1: 0.9}), cv=0.01)
        search = STRATEGIES.load(name)(whole, goal(budget=1200), seed=2)
        device.run(search)
        assert search.result().pick == (0, 0)

    def test_is_the_same_for_a_seed(self, name: str) -> None:
        asked = []
        for _ in range(2):
            whole = space(3, 2)
            device = Device(additive(whole, {2: 1.1}, {1: 1.0}), cv=0.02)
            device.run(STRATEGIES.load(name)(whole, goal(budget=300), seed=3))
            asked.append([ask.candidate for ask in device.asked])
        assert asked[0] == asked[1]

    def test_goes_on_where_it_was_when_told_again_what_was_measured(self, name: str) -> None:
        whole = space(3, 2)
        device = Device(additive(whole, {2: 1.02}, {1: 1.01}), cv=0.05)
        first = STRATEGIES.load(name)(whole, goal(budget=400), seed=6)
        observations = []
        for _ in range(25):
            asked = first.ask()
            assert asked
            observations.append(device.measure(asked))
            first.tell(observations[-1])
        again = STRATEGIES.load(name)(whole, goal(budget=400), seed=6)
        for observation in observations:
            assert again.ask()
            again.tell(observation)
        assert again.ask() == first.ask()
        assert again.standing() == first.standing()

    def test_tries_nothing_excluded(self, name: str) -> None:
        vary = (Vary("a.x", (0, 1, 2), 0), Vary("b.y", (0, 1), 0))
        whole = Space(vary, excluded=({"a.x": 2, "b.y": 1},))
        device = Device(additive(whole, {2: 1.3}, {1: 1.2}), cv=0.01)
        device.run(STRATEGIES.load(name)(whole, goal(budget=600), seed=4))
        assert (2, 1) not in {ask.candidate for ask in device.asked}

    def test_survives_a_candidate_that_always_fails(self, name: str) -> None:
        whole = space(3, 2)
        device = Device(additive(whole, {2: 1.3}, {1: 1.2}), cv=0.01, failing=((2, 0), (2, 1)))
        search = STRATEGIES.load(name)(whole, goal(budget=900), seed=5)
        device.run(search)
        assert search.result().pick not in {(2, 0), (2, 1)}

    def test_refuses_a_figure_it_did_not_ask_for(self, name: str) -> None:
        with pytest.raises(RuntimeError, match="no measurement"):
            STRATEGIES.load(name)(space(2, 2), goal(budget=600)).tell(Observation(1.0))

    def test_says_how_it_stands_before_anything_is_measured(self, name: str) -> None:
        search = STRATEGIES.load(name)(space(2, 2), goal(budget=600))
        standing = search.standing()
        assert standing.used == 0
        assert standing.best == (0, 0)
        assert search.result().ending is Ending.UNDECIDED


def test_a_sweep_misses_what_only_the_pair_does_and_a_grid_finds_it() -> None:
    whole = space(2, 2)
    figures: dict[Candidate, float] = {(0, 0): 1000, (0, 1): 950, (1, 0): 950, (1, 1): 1300}
    sweep, grid = Sweep(whole, goal()), GridSearch(whole, goal())
    Device(figures, cv=0.005).run(sweep)
    Device(figures, cv=0.005).run(grid)
    assert sweep.result().pick == (0, 0)
    assert grid.result().pick == (1, 1)


def test_the_sweep_takes_a_steady_drift_out_of_its_table() -> None:
    device = Device(additive(space(4), {}), cv=0.002, drift=5e-4)
    sweep = Sweep(space(4), goal())
    device.run(sweep)
    assert [row.setting for row in sweep.rows] == ["layer0.s"] * 3
    assert all(row.verdict.outcome is not Outcome.BETTER for row in sweep.rows)
    assert all(abs(row.verdict.change or 0) < 0.01 for row in sweep.rows)


def test_the_sweep_measures_what_is_in_force_before_and_after() -> None:
    device = Device(additive(space(3), {}), cv=0.01)
    device.run(Sweep(space(3), goal(loops=2)))
    assert [ask.candidate[0] for ask in device.asked] == [0, 0, 1, 1, 2, 2, 0, 0]


def test_stages_stand_on_the_winners_below() -> None:
    whole = space(3, 3)
    device = Device(additive(whole, {2: 1.2}, {1: 1.1}), cv=0.01)
    search = Staged(whole, goal())
    device.run(search)
    assert [stage.winner for stage in search.stages] == [(2, 0), (2, 1)]
    above = [ask.candidate for ask in device.asked if ask.why.startswith("layer1")]
    assert {numbers[0] for numbers in above} == {2}


def test_a_stage_without_proof_leaves_its_layer_alone() -> None:
    whole = space(2, 2)
    device = Device(additive(whole, {1: 1.005}, {1: 1.3}), cv=0.03, seed=1)
    search = Staged(whole, goal(budget=1200))
    device.run(search)
    assert search.result().pick == (0, 1)
    assert "layer0" in search.result().reason


def test_stages_whose_budget_ended_claim_nothing() -> None:
    whole = space(3, 3)
    device = Device(additive(whole, {}, {}), cv=0.01)
    search = Staged(whole, goal(budget=20))
    device.run(search)
    assert search.result().ending is Ending.UNDECIDED
    assert "left as they are: layer0, layer1" in search.result().reason
    assert {stand.state for stand in search.standing().candidates} == {CandidateState.ALIVE}


def test_the_model_finds_an_interaction_in_a_large_space() -> None:
    whole = space(4, 4, 4, 3)
    rng = np.random.default_rng(8)
    score = rng.normal(0, 0.06, (4, 1, 1, 1)) + rng.normal(0, 0.06, (1, 4, 1, 1))
    score = score + rng.normal(0, 0.04, (4, 4, 1, 1)) + rng.normal(0, 0.03, (1, 1, 4, 3))
    figures = {
        candidate: 1000 * float(np.exp(score[candidate])) for candidate in whole.candidates()
    }
    device = Device(figures, cv=0.02)
    search = ModelSearch(whole, goal(budget=900), seed=1)
    device.run(search)
    assert figures[search.result().pick] > 0.99 * max(figures.values())
    assert len({ask.candidate for ask in device.asked}) < 100


def test_the_model_tells_drift_from_settings() -> None:
    whole = space(3, 3)
    device = Device(additive(whole, {1: 1.1}, {2: 1.1}), cv=0.01, drift=-3e-4)
    search = ModelSearch(whole, goal(budget=900), seed=2)
    device.run(search)
    assert search.result().pick == (1, 2)


def test_the_posterior_is_that_of_the_joint_normal_distribution() -> None:
    """Against a Gaussian process written out over all loops."""
    candidates = [(a, b) for a in range(3) for b in range(2)]
    model = Anova((3, 2), candidates, span=100.0, knot=50.0)
    rng = np.random.default_rng(9)
    picks, times = rng.integers(0, 6, 12), np.sort(rng.uniform(0, 100, 12))
    scores = rng.normal(size=12) * 0.05
    for pick, at, score in zip(picks, times, scores, strict=True):
        model.add(int(pick), float(at), float(score))
    model.update(learn=False)
    wide, main, pair, drift = 1e4, 0.05**2, 0.02**2, 0.005**2

    def kernel(numbers: Candidate, two: Candidate) -> float:
        same = [a == b for a, b in zip(numbers, two, strict=True)]
        return wide + main * sum(same) + (pair + 0.005**2) * all(same)

    steps = np.clip((times[:, None] - np.arange(0.0, 200.0, 50.0)) / 50.0, 0, 1)
    seen = np.array([[kernel(candidates[i], candidates[j]) for j in picks] for i in picks])
    seen += drift * steps @ steps.T + 0.03**2 * np.eye(12)
    cross = np.array(
        [[kernel(candidate, candidates[j]) for j in picks] for candidate in candidates]
    )
    expected = cross @ np.linalg.solve(seen, scores - scores[0])
    np.testing.assert_allclose(model.means(), expected, atol=1e-6)
    drawn = model.samples(np.random.default_rng(1), 20_000)
    prior = np.array([[kernel(candidate, two) for two in candidates] for candidate in candidates])
    covariance = prior - cross @ np.linalg.solve(seen, cross.T)
    apart = drawn - drawn.mean(axis=1, keepdims=True)
    centre = np.eye(6) - 1 / 6
    np.testing.assert_allclose(
        np.cov(apart.T), centre @ covariance @ centre, atol=0.05 * covariance.max()
    )


def test_the_model_learns_how_large_the_noise_is() -> None:
    whole = space(4, 4)
    for cv in (0.02, 0.06):
        search = ModelSearch(whole, goal(budget=1500, level=1e-9), seed=3)
        Device(additive(whole, {1: 1.1}, {2: 1.1}), cv=cv, seed=1).run(search)
        assert search.model.noise**0.5 == pytest.approx(cv, rel=0.35)


def test_a_model_claims_nothing_finer_than_its_figures() -> None:
    """Loops that all fall into the same bin of fio's, 1/64 wide."""
    for margin, decided in ((0.015, False), (0.08, True)):
        search = ModelSearch(
            space(3, 2), Goal("write.latency.p99", margin=margin, budget=350), seed=4
        )
        while search.ask():
            search.tell(Observation(1024.0, 2.0))
        assert (search.result().ending is not Ending.UNDECIDED) == decided
        assert search.model.noise > 0
