"""Trials of one run whose loops were taken in turns: which are its arms, and which loops pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from iosonde.measure.study import plan_again
from iosonde.records.run import Run, Trial
from iosonde.records.sheet import RunSheet, TrialArm, TrialSheet


def arms_of(run: Run) -> dict[str, TrialArm]:
    """The arm of each trial of an interleaved run, by the trial's id; empty of other runs."""
    study = run.plan.get("study")
    if not isinstance(study, Mapping) or not study.get("interleave"):
        return {}
    return {
        trial.id: TrialArm(trial.arm, trial.pair)
        for part in plan_again(dict(run.plan)).rounds
        for trial in part
    }


def split(sheet: RunSheet) -> list[RunSheet]:
    """A run as one of each arm, which is called RUN/ARM; empty of a run without arms."""
    names = list(dict.fromkeys(arm.name for arm in sheet.arms.values()))
    return [of_arm(sheet, name) for name in names]


def of_arm(sheet: RunSheet, name: str) -> RunSheet:
    """The trials of one arm, under the name RUN/ARM."""
    mine = tuple(one for one in sheet.trials if sheet.arms[one.trial.id].name == name)
    return replace(sheet, run=replace(sheet.run, id=f"{sheet.run.id}/{name}"), trials=mine)


def pairs_of(baseline: RunSheet, candidate: RunSheet) -> dict[str, str]:
    """Trials of the candidate and those of the baseline that they were taken in turns with.

    Returns:
        Ids of trials, the candidate's to the baseline's; empty where the two are not arms of one
        run.
    """
    names = [sheet.run.id.partition("/")[0] for sheet in (baseline, candidate)]
    if names[0] != names[1]:
        return {}
    ours = {
        arm.pair: one.trial.id
        for one in baseline.trials if (arm := baseline.arms.get(one.trial.id))
    }  # fmt: skip
    return {
        one.trial.id: ours[arm.pair]
        for one in candidate.trials
        if (arm := candidate.arms.get(one.trial.id)) and ours.get(arm.pair, one.trial.id)
        != one.trial.id
    }  # fmt: skip


def paired_loops(a: Trial, b: Trial) -> tuple[Trial, Trial, tuple[bool, ...]]:
    """The two trials with the loops of passes that both have finished.

    Returns:
        A, B, and of each pass whether A's loop came first.
    """
    ours, theirs = ({loop.index: loop for loop in trial.counted} for trial in (a, b))
    both = sorted(ours.keys() & theirs.keys())
    return (
        replace(a, loops=tuple(ours[index] for index in both)),
        replace(b, loops=tuple(theirs[index] for index in both)),
        tuple(ours[index].started < theirs[index].started for index in both),
    )


def can_pair(a: TrialSheet, b: TrialSheet, name: str, a_first: tuple[bool, ...]) -> bool:
    """Whether every pass gives a pair of figures of a metric."""
    counts = {
        len(metric.loops) for sheet in (a, b) for metric in sheet.metrics if metric.name == name
    }
    return bool(a_first) and counts == {len(a_first)}
