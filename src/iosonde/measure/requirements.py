"""Requirements of a study: how they are declared, and whether trials meet them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

from iosonde import units
from iosonde.errors import UsageError
from iosonde.records.requirement import Requirement, RequirementResult
from iosonde.records.run import Loop, Run
from iosonde.statistics.requirement import LEVEL, judge_limit

FIRST_LOOK = 3
"""Loops before a requirement is looked at: fewer have no spread worth the name."""
_METRIC = re.compile(r"[\w.]+\.(?:iops|bandwidth|latency\.(?:mean|min|max|stdev|p\d+(?:_\d+)?))")
_BOUND = re.compile(r"\s*(?P<sign>[<>])=?\s*(?P<figure>\d.*)")
_RATE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kM]?)\s*(?:IOPS|/s)?\s*", re.IGNORECASE)


def parse_requirement(metric: str, bound: str, *, where: str) -> Requirement:
    """A requirement from a metric and "< 10 ms", "> 20k", "> 500 MiB/s".

    Raises:
        UsageError: there is no such metric, or no such bound on it.
    """
    if not _METRIC.fullmatch(metric):
        raise UsageError(
            f"{metric!r} is no metric that can be required", where=where,
            hint="for example read.iops, write.bandwidth, sync.latency.p99",
        )  # fmt: skip
    match = _BOUND.fullmatch(str(bound))
    if not match:
        raise UsageError(
            f"{bound!r} is no bound on {metric}", where=where, hint='write "< 10 ms" or "> 20k"'
        )
    limit = _limit(metric, match["figure"].strip(), where)
    sign = match["sign"]
    return Requirement(metric, sign == ">", limit, f"{metric} {sign} {match['figure'].strip()}")


def parse_option(text: str) -> tuple[str, str]:
    """Metric and bound of "sync.latency.p99 < 10 ms", as it is typed for `--require`.

    Raises:
        UsageError: it has no `<` or `>`.
    """
    match = re.fullmatch(r"\s*([\w.]+)\s*([<>].*)", text)
    if not match:
        raise UsageError(
            f"{text!r} is no requirement", where="--require",
            hint="write --require 'sync.latency.p99 < 10 ms'",
        )  # fmt: skip
    return match[1], match[2]


def _limit(metric: str, text: str, where: str) -> float:
    if metric.endswith(".bandwidth"):
        return float(units.parse_bytes(text.removesuffix("/s"), where=where))
    if not metric.endswith(".iops"):
        return units.parse_seconds(text, where=where)
    match = _RATE.fullmatch(text)
    if not match:
        raise UsageError(f"{text!r} is not a rate", where=where, hint="write it as 20k or 20000")
    return float(match[1]) * {"": 1, "k": 1e3, "m": 1e6}[match[2].lower()]


def declared(study: Mapping[str, object]) -> tuple[Requirement, ...]:
    """The requirements of a study as it is stored."""
    bounds = cast("Mapping[str, str]", study.get("require") or {})
    return tuple(
        parse_requirement(metric, bound, where="require") for metric, bound in bounds.items()
    )


def results_of(run: Run) -> tuple[RequirementResult, ...]:
    """Every requirement of a run's study on every trial that has its metric.

    One whose metric no trial has is undecided, of no trial.
    """
    study = cast("Mapping[str, object]", run.plan.get("study") or {})
    requirements = declared(study)
    results: list[RequirementResult] = []
    for requirement in requirements:
        of_trials = [
            _result(requirement, trial.id, trial.counted, _first(study), _share(run, requirements))
            for trial in run.trials
            if any(requirement.metric in loop.result.metrics for loop in trial.counted)
        ]
        nowhere = RequirementResult(requirement.text, requirement.metric, "undecided", None, None,
                                    0, "")  # fmt: skip
        results += of_trials or [nowhere]
    return tuple(results)


def are_decided(
    requirements: Sequence[Requirement], loops: Sequence[Loop], *, first: int, trials: int
) -> bool:
    """Whether a trial's loops so far decide all requirements on metrics that it has.

    Args:
        requirements: of the study.
        loops: of the trial.
        first: loops before the first look, as declared.
        trials: how many the study has; they share the level.
    """
    if len(loops) < max(first, FIRST_LOOK):
        return False
    level = LEVEL / (len(requirements) * max(trials, 1))
    return all(
        _result(requirement, "", loops, first, level).verdict != "undecided"
        for requirement in requirements
        if any(requirement.metric in loop.result.metrics for loop in loops)
    )


def _first(study: Mapping[str, object]) -> int:
    return int(cast("int", study.get("loops") or 1))


def _share(run: Run, requirements: Sequence[Requirement]) -> float:
    return LEVEL / (len(requirements) * max(len(run.trials), 1))


def _result(
    requirement: Requirement, trial: str, loops: Sequence[Loop], first: int, level: float
) -> RequirementResult:
    values = [
        loop.result.metrics[requirement.metric]
        for loop in loops
        if requirement.metric in loop.result.metrics
    ]
    look = max(1, len(loops) - max(first, FIRST_LOOK) + 1)
    verdict, mean, interval = judge_limit(
        values, requirement.limit, above=requirement.above, look=look, level=level
    )
    return RequirementResult(
        requirement.text, requirement.metric, verdict, mean, interval, len(values), trial
    )
