"""How others search: the fixed protocol, the full grid, successive halving, Optuna; and we."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.tune_device import drive, measure
from bench.tune_problems import Campaign, Problem, begin
from iosonde.records.comparison import Outcome
from iosonde.tune.search import STRATEGIES
from iosonde.tune.search.strategy import Ask, Ending, Goal
from iosonde.tune.search.verdict import Proven

if TYPE_CHECKING:
    from bench.tune_device import Device
    from iosonde.tune.search.space import Candidate
    from iosonde.tune.search.strategy import SearchResult

Method = Callable[[Problem, str, int, int], Campaign]
"""Problem, kind of noise, seed, number of the campaign → what came of it."""

RAMP = 1.0  # seconds lost per loop, for every method alike
_METRIC = "write.bandwidth"


def strategy(name: str, problem: Problem, kind: str, seed: int, number: int) -> Campaign:
    """A strategy of ours until it ends, without its confirmation."""
    device = begin(problem, kind, seed, number, problem.budget + 400)
    search = STRATEGIES.load(name)(problem.space, _goal(problem), seed=number)
    drive(search, device)
    return _ours(device, search.result(), device.now)


def proven(name: str, problem: Problem, kind: str, seed: int, number: int) -> Campaign:
    """The same with its confirmation; a gain is claimed where that confirms one."""
    device = begin(problem, kind, seed, number, problem.budget + 400)
    search = Proven(name, problem.space, _goal(problem), seed=number)
    drive(search, device)
    answer = search.answer()
    done = _ours(device, answer.result, device.now)
    true = device.means[answer.result.pick] / device.means[problem.space.baseline] - 1
    claimed = answer.gain is not None and answer.gain.outcome is Outcome.BETTER
    return Campaign(done.seconds, done.off, done.claimed, done.ending, claimed, true)


def one_at_a_time(problem: Problem, kind: str, seed: int, number: int) -> Campaign:
    """Setting by setting, five loops of each value, the highest average is kept for the next.

    Loops are as long as the budget allows.
    """
    device = begin(problem, kind, seed, number, problem.budget + 400)
    seconds = (problem.budget / sum(problem.space.sizes) - 2 - 5 * RAMP) / 5
    pick = problem.space.baseline
    for at, size in enumerate(problem.space.sizes):
        tried = [(*pick[:at], value, *pick[at + 1 :]) for value in range(size)]
        averages = [sum(_loop(device, candidate, seconds) for _ in range(5)) for candidate in tried]
        pick = tried[int(np.argmax(averages))]
    return _theirs(device, pick)


def fixed(problem: Problem, kind: str, seed: int, number: int) -> Campaign:
    """Five passes of a minute for every candidate in turn; the highest average is the best."""
    candidates = problem.space.candidates()
    device = begin(problem, kind, seed, number, 310.0 * len(candidates))
    averages = {
        candidate: sum(_loop(device, candidate, 60.0) for _ in range(5))
        for candidate in _in_any_order(candidates, device)
    }
    return _theirs(device, max(averages, key=lambda candidate: averages[candidate]))


def halving(problem: Problem, kind: str, seed: int, number: int) -> Campaign:
    """Successive halving: the better half goes on with loops twice as long.

    Begins with as many candidates, chosen at random, as the budget carries to the end.

    Source: K. Jamieson and A. Talwalkar, "Non-stochastic best arm identification and
    hyperparameter optimization", AISTATS 2016.
    """
    device = begin(problem, kind, seed, number, problem.budget + 400)
    everyone = list(_in_any_order(problem.space.candidates(), device))
    field = everyone[: _halving_field(len(everyone), problem.budget)]
    seconds, sums = 5.0, dict.fromkeys(field, 0.0)
    while len(field) > 1:
        for candidate in _in_any_order(tuple(field), device):
            sums[candidate] += seconds * np.log(_loop(device, candidate, seconds))
        field = sorted(field, key=lambda candidate: -sums[candidate])[: (len(field) + 1) // 2]
        seconds *= 2
    return _theirs(device, field[0])


def _halving_field(most: int, budget: float) -> int:
    """The largest field that the budget carries: a change takes 2 s, a ramp 1 s."""

    def cost(field: int) -> float:
        seconds, total = 5.0, 0.0
        while field > 1:
            total += field * (seconds + 3)
            field, seconds = (field + 1) // 2, seconds * 2
        return total

    return max((field for field in range(2, most + 1) if cost(field) <= budget), default=2)


def optuna(problem: Problem, kind: str, seed: int, number: int, *, prune: bool) -> Campaign:
    """Optuna's TPE as it comes, 10 s per trial; its best trial is the answer.

    With pruning a trial is up to four loops of 5 s, after each of which the median pruner may stop
    it. Trials go on until the budget is used up.
    """
    import optuna as peer

    peer.logging.set_verbosity(peer.logging.ERROR)
    device = begin(problem, kind, seed, number, problem.budget + 400)
    sampler = peer.samplers.TPESampler(seed=number)
    pruner = peer.pruners.MedianPruner() if prune else peer.pruners.NopPruner()
    study = peer.create_study(direction="maximize", sampler=sampler, pruner=pruner)
    space = problem.space
    while device.now + (23.0 if prune else 13.0) <= problem.budget:
        trial: Any = study.ask()
        candidate = tuple(
            trial.suggest_categorical(vary.name, list(range(len(vary.values))))
            for vary in space.vary
        )
        if not prune:
            study.tell(trial, _loop(device, candidate, 10.0))
            continue
        seen: list[float] = []
        for step in range(4):
            seen.append(_loop(device, candidate, 5.0) if not step else device.measure(5.0))
            trial.report(float(np.mean(seen)), step)
            if trial.should_prune():
                study.tell(trial, state=peer.trial.TrialState.PRUNED)
                break
        else:
            study.tell(trial, float(np.mean(seen)))
    best = study.best_params
    return _theirs(device, tuple(int(best[vary.name]) for vary in space.vary))


METHODS: dict[str, Method] = {
    "race": partial(strategy, "race"),
    "race and proof": partial(proven, "race"),
    "model": partial(strategy, "model"),
    "one at a time": one_at_a_time,
    "5 × 60 s each": fixed,
    "successive halving": halving,
    "Optuna TPE": partial(optuna, prune=False),
    "Optuna TPE, median pruner": partial(optuna, prune=True),
}


def _goal(problem: Problem) -> Goal:
    return Goal(_METRIC, budget=problem.budget, settle=RAMP)


def _loop(device: Device, candidate: Candidate, seconds: float) -> float:
    observation = measure(device, Ask(candidate, seconds, RAMP, ""))
    return observation.figure or 0.0


def _in_any_order(candidates: tuple[Candidate, ...], device: Device) -> list[Candidate]:
    return [candidates[int(at)] for at in device.rng.permutation(len(candidates))]


def _off(device: Device, pick: Candidate) -> float:
    return 1 - device.means[pick] / max(device.means.values())


def _theirs(device: Device, pick: Candidate) -> Campaign:
    return Campaign(device.now, _off(device, pick))


def _ours(device: Device, result: SearchResult, seconds: float) -> Campaign:
    claimed = result.ending is not Ending.UNDECIDED
    return Campaign(seconds, _off(device, result.pick), claimed, result.ending.value)
