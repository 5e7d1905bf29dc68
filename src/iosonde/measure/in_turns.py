"""Trials of one run whose loops were taken in turns: which are its arms, and which loops pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from iosonde.records.run import Run, Trial
from iosonde.records.sheet import RunSheet, TrialArm, TrialSheet
from iosonde.records.stack import Scalar


def arms_of(run: Run) -> dict[str, TrialArm]:
    """The arm of each trial of an interleaved run, by the trial's id; empty of other runs."""
    if not _study(run).get("interleave"):
        return {}
    from iosonde.measure.plan import plan_again  # takes 0.15 s, and few runs are interleaved

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
    mine = tuple(trial for trial in sheet.trials if sheet.arms[trial.trial.id].name == name)
    ids = {trial.trial.id for trial in mine}
    curves = tuple(curve for curve in sheet.curves if curve.points[0].trial in ids)
    run = replace(sheet.run, id=f"{sheet.run.id}/{name}")
    return replace(sheet, run=run, trials=mine, curves=curves)


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
        arm.pair: trial.trial.id
        for trial in baseline.trials if (arm := baseline.arms.get(trial.trial.id))
    }  # fmt: skip
    return {
        trial.trial.id: ours[arm.pair]
        for trial in candidate.trials
        if (arm := candidate.arms.get(trial.trial.id)) and ours.get(arm.pair, trial.trial.id)
        != trial.trial.id
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


def command_in_turns(
    runs: tuple[Run, Run], trials: tuple[Trial, Trial], settings: Mapping[str, tuple[Scalar, ...]]
) -> tuple[str, ...]:
    """The command that measures in turns what two runs have measured one after the other.

    Args:
        runs: the baseline and the candidate.
        trials: of each the trial that is compared.
        settings: that differ, by LAYER.NAME, with both values.

    Returns:
        Its words; empty where the runs do not say all of it, or differ in something else than
        their target or one setting.
    """
    places = [_target(run, trial) for run, trial in zip(runs, trials, strict=True)]
    load = _load(runs[0], trials[0])
    if not all(places) or not load or trials[0].load.spec != trials[1].load.spec:
        return ()
    if places[0] != places[1]:
        return ("iosonde", "run", "--interleave", *places, *load)
    if len(settings) != 1:
        return ()
    ((name, values),) = settings.items()
    bare = name.removeprefix(f"{trials[0].host}/")
    arms = [f"{bare}={value}" for value in values]
    return ("iosonde", "run", "--interleave", *arms, "--target", places[0], *load)


def _target(run: Run, trial: Trial) -> str:
    """A trial's target as it is typed; empty where its study does not say it."""
    targets = _study(run).get("targets")
    for target in targets if isinstance(targets, list) else ():
        if isinstance(target, Mapping) and target.get("name") == trial.probe:
            host = "" if target["host"] == "local" else f"{target['host']}:"
            return f"{host}{target['path']}"
    return ""


def _load(run: Run, trial: Trial) -> tuple[str, ...]:
    """The options that give a trial's load, its length and its size."""
    study = _study(run)
    loads = study.get("loads")
    entries = loads if isinstance(loads, list) else []
    options: list[str] = []
    for entry in entries:
        if entry == trial.load.name:
            options = ["--load", trial.load.name]
        elif isinstance(entry, Mapping) and isinstance(entry.get("fio"), str) and len(entries) == 1:
            options = ["--fio", str(entry["fio"])]
    if options:
        for key in ("seconds", "size"):
            if isinstance(value := study.get(key), int | float):
                options += [f"--{key}", f"{value:g}" if key == "seconds" else str(value)]
    return tuple(options)


def _study(run: Run) -> Mapping[str, object]:
    study = run.plan.get("study")
    return study if isinstance(study, Mapping) else {}
