"""What is computed of a campaign: against the devices that were simulated for it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import log

import pytest

from iosonde.records.campaign import Campaign, CandidateEnd, Measurement
from iosonde.records.campaign_sheet import Tuning
from iosonde.records.comparison import Outcome
from iosonde.tune.effects import Fit
from iosonde.tune.sheet import tuning_of
from tests.campaigns import READ_AHEAD, REQUESTS, SCHEDULER, simulated, truth

CAMPAIGNS = 25


def wrong_intervals(tuning: Tuning) -> int:
    """Changes of the tables whose interval does not hold the truth, and verdicts that are wrong."""
    wrong = 0
    for table in tuning.tables:
        before = truth({**table.held, table.varied.name: table.reference})
        for row in table.rows:
            if row.change is None:
                continue
            true = truth(row.settings) / before - 1
            low, high = row.change.interval
            wrong += not low <= true <= high
            wrong += row.change.outcome is Outcome.BETTER and true <= 0
            wrong += row.change.outcome is Outcome.WORSE and true >= 0
    return wrong


@pytest.mark.parametrize(("strategy", "drift"), [("race", 0.0), ("race", 2e-4), ("sweep", 0.0)])
def test_the_tables_intervals_hold_together_as_often_as_they_say(
    strategy: str, drift: float
) -> None:
    """5 % of campaigns may have a wrong one; more than 5 of 25 come by chance once in 800."""
    off = sum(
        wrong_intervals(tuning_of(simulated(strategy, drift=drift, seed=seed))) > 0
        for seed in range(CAMPAIGNS)
    )
    assert off <= 5


def test_main_effects_and_interactions_are_those_of_the_device() -> None:
    effects = tuning_of(simulated("grid", cv=0.003, seed=4)).effects
    every = [dict(zip((SCHEDULER.name, REQUESTS.name), both, strict=True))
             for both in product(SCHEDULER.values, REQUESTS.values)]  # fmt: skip
    scores = {tuple(values.values()): log(truth(values)) for values in every}
    mean = sum(scores.values()) / len(scores)
    for at, main in enumerate(effects.main):
        for level in main.levels:
            same = [score for key, score in scores.items() if key[at] == level.value]
            assert log(1 + level.effect) == pytest.approx(sum(same) / len(same) - mean, abs=0.005)
            assert level.interval[0] < level.effect < level.interval[1]
    (pair,) = effects.pairs
    assert pair.seen
    worst = min(pair.cells, key=lambda cell: cell[2])
    assert worst[:2] == ("bfq", 64)
    assert effects.noise == pytest.approx(0.003, rel=0.5)
    assert (effects.apart, effects.together) == (0, 9)


def test_what_was_never_measured_together_is_counted() -> None:
    effects = tuning_of(simulated("sweep")).effects
    assert effects.apart == 4
    assert effects.together == 5


def test_a_table_holds_what_the_sweep_held() -> None:
    """Of the second setting the first has its winner's value; of the first what was in force."""
    first, second = tuning_of(simulated("sweep")).tables
    assert first.held == {REQUESTS.name: REQUESTS.default}
    assert [row.value for row in first.rows] == list(SCHEDULER.values)
    assert second.held == {SCHEDULER.name: "none"}
    assert first.reference == "mq-deadline"
    assert [row.change for row in first.rows if row.value == first.reference] == [None]


def test_of_a_model_the_table_is_the_picks() -> None:
    campaign = simulated("model", (SCHEDULER, REQUESTS, READ_AHEAD))
    assert campaign.result is not None
    for table in tuning_of(campaign).tables:
        pick = dict(campaign.result.pick)
        pick.pop(table.varied.name)
        assert table.held == pick
        assert {row.value for row in table.rows} | set(table.untried) == set(table.varied.values)


def test_less_is_better_where_the_goal_says_so() -> None:
    tuning = tuning_of(simulated("race", (SCHEDULER,), higher=False))
    changes = {row.value: row.change for row in tuning.tables[0].rows}
    none, bfq = changes["none"], changes["bfq"]
    assert none is not None
    assert bfq is not None
    assert none.change < 0 < bfq.change
    assert (none.outcome, bfq.outcome) == (Outcome.BETTER, Outcome.WORSE)
    assert tuning.candidates[0].settings == {SCHEDULER.name: "none"}


def test_the_path_counts_who_is_left_and_ends_with_the_proof() -> None:
    campaign = simulated("race")
    tuning = tuning_of(campaign)
    assert [step.number for step in tuning.path] == list(range(1, len(campaign.measurements) + 1))
    alive = [step.alive for step in tuning.path]
    assert alive[0] == 9
    assert alive == sorted(alive, reverse=True)
    assert tuning.path[-1].at == pytest.approx(campaign.device_seconds)
    out = sum(candidate.state == "eliminated" for candidate in campaign.candidates)
    assert alive[-1] == 9 - out
    assert campaign.result is not None
    assert tuning.path[-1].best == campaign.result.pick
    assert any("the proof begins" in event.what for event in tuning.events)
    assert any("eliminated in round" in event.what for event in tuning.events)


def test_pairs_are_those_of_the_proof_alone() -> None:
    campaign = simulated("race")
    tuning = tuning_of(campaign)
    proof = [measurement for measurement in campaign.measurements if measurement.part == "proof"]
    assert len(tuning.pairs) == len(proof) // 2 >= 3
    assert {pair.before for pair in tuning.pairs} | {pair.after for pair in tuning.pairs} == {
        measured.figure for measured in proof
    }


def test_costs_are_what_the_device_gave() -> None:
    campaign = simulated("race")
    costs = tuning_of(campaign).costs
    assert costs.spent == pytest.approx(campaign.device_seconds)
    assert costs.candidates == 9
    assert costs.grid == pytest.approx(9 * (5 * 60 + 1.5))
    assert costs.one_at_a_time == pytest.approx(6 * (5 * 60 + 1.5))


def test_few_loops_are_shown_and_nothing_is_said_of_them() -> None:
    tuning = tuning_of(simulated("race", stop_after=4))
    assert tuning.effects.loops == 0
    assert [candidate.loops for candidate in tuning.candidates] == [1, 1, 1, 1]
    assert all(candidate.change is None for candidate in tuning.candidates)
    assert all(candidate.metric is not None for candidate in tuning.candidates)
    assert tuning.pairs == ()
    empty = tuning_of(simulated("race", stop_after=0))
    assert (empty.tables, empty.candidates, empty.path) == ((), (), ())


def test_a_value_that_the_host_refused_is_there_with_its_reason() -> None:
    campaign = with_refusal(simulated("race", (SCHEDULER,)))
    rows = {row.value: row for row in tuning_of(campaign).tables[0].rows}
    assert "bfq" not in rows or rows["bfq"].metric is None
    failed = [step for step in tuning_of(campaign).path if step.figure is None]
    assert [step.settings for step in failed] == [{SCHEDULER.name: "bfq"}]


def with_refusal(campaign: Campaign) -> Campaign:
    """The same without the loops of bfq, which the host refuses."""
    bfq = {SCHEDULER.name: "bfq"}
    reason = "disk.scheduler: the host refuses 'bfq': Invalid argument"
    refused = Measurement(0, "search", bfq, "t", None, "", 1.7e9, 0.2, None, 1.0, 5.0, None,
                          reason=reason)  # fmt: skip
    made = [
        refused,
        *(
            measurement
            for measurement in campaign.measurements
            if dict(measurement.settings) != bfq
        ),
    ]
    ends = (
        *(candidate for candidate in campaign.candidates if dict(candidate.settings) != bfq),
        CandidateEnd(bfq, "infeasible", 0, 0.2, None, reason),
    )
    numbered = tuple(replace(measured, number=at) for at, measured in enumerate(made))
    return replace(campaign, measurements=numbered, candidates=ends)


def test_a_candidate_against_itself_is_no_change() -> None:
    campaign = simulated("race")
    fit = Fit(campaign.intent, campaign.measurements)
    values = campaign.candidates[0].settings
    assert fit.change(values, values, 1) is None
    assert fit.change({**values, SCHEDULER.name: "unheard of"}, values, 1) is None


def test_a_staged_campaign_has_the_tables_of_its_stages() -> None:
    """The upper stage's candidates stand on the lower one's winner; loops of both count."""
    upper = replace(READ_AHEAD, name="fs.read_ahead")
    campaign = simulated("staged", (SCHEDULER, upper))
    tuning = tuning_of(campaign)
    assert [table.stage for table in tuning.tables] == ["disk", "fs"]
    assert tuning.tables[0].held == {"fs.read_ahead": upper.default}
    assert tuning.tables[1].held == {SCHEDULER.name: "none"}
    assert all(len(table.rows) == 3 for table in tuning.tables)
    winner = next(
        row for row in tuning.candidates
        if row.settings == {SCHEDULER.name: "none", "fs.read_ahead": upper.default}
    )  # fmt: skip
    stands = [
        candidate for candidate in campaign.candidates if candidate.settings == winner.settings
    ]
    assert len(stands) == 2, "a candidate of both stages"
    assert winner.loops == sum(stand.loops for stand in stands)
    assert winner.metric is not None
    assert tuning.path[0].stage == "disk"


@pytest.mark.parametrize("seed", range(5))
def test_figures_of_two_places_are_not_held_against_each_other(seed: int) -> None:
    """The file system is a third as fast as the disk; no change, effect or best may show it."""
    upper = replace(READ_AHEAD, name="fs.read_ahead")
    places = {"disk": 3.0, "fs": 1.0}
    campaign = simulated("staged", (SCHEDULER, upper), places=places, seed=seed, cv=0.005)
    tuning = tuning_of(campaign)
    assert [table.at for table in tuning.tables] == ["disk", "fs"]
    assert wrong_intervals(tuning) == 0
    for row in tuning.candidates:
        held = truth(row.settings) * places[row.at]
        assert row.metric is not None
        assert row.metric.mean == pytest.approx(held, rel=0.02)
        if row.change:
            assert abs(row.change.change) < 0.3
    assert [row.at for row in tuning.candidates] == ["disk"] * 3 + ["fs"] * 3
    assert [main_effect.varied.name for main_effect in tuning.effects.main] == [
        "disk.scheduler",
        "fs.read_ahead",
    ]
    assert all(
        abs(level.effect) < 0.2
        for main_effect in tuning.effects.main
        for level in main_effect.levels
    )
    assert tuning.effects.pairs == ()
    first = next(step for step in tuning.path if step.stage == "fs")
    assert first.best == first.settings  # the disk's figures are none of its


def test_an_interrupted_campaign_of_two_places_has_the_tables_so_far() -> None:
    upper = replace(READ_AHEAD, name="fs.read_ahead")
    places = {"disk": 3.0, "fs": 1.0}
    for stop_after in (1, 4, 40, 60):
        campaign = simulated(
            "staged", (SCHEDULER, upper), places=places, stop_after=stop_after, cv=0.03
        )
        tuning = tuning_of(campaign)
        assert len(tuning.path) == stop_after
        assert {row.at for row in tuning.candidates} <= {"", *places}
