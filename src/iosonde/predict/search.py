"""The whole space of some settings' values by the model, ranked.

Each combination is reckoned with by itself, from a plain description of what to do, so that other
processes can take their share: of this machine, or the workers of a Dask cluster, which read the
stack's file (and the store of calibrations) by the same names.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.contract import NULL, VerbResult
from iosonde.errors import IosondeError, UsageError
from iosonde.predict.devices import DeviceModels
from iosonde.predict.model import model_of, top_of
from iosonde.predict.time import NoTime, Time, timed
from iosonde.predict.what_if import SettingValues, variants
from iosonde.stack.file import read_stack
from iosonde.workers import worker_pool

if TYPE_CHECKING:
    from iosonde.records.load import Load

MOST = 100_000
"""Combinations; more of them take days."""
_ALONE = 16  # up to so many the start of another process is not worth it
_POSITIVE: Mapping[str, object] = {"schema": {"minimum": 0}}
_TASK = 16  # combinations of a task for Dask: a second or so


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of each combination.

    Args:
        stack: the stack's file.
        at: the layer that the load is applied to; empty for the top.
        load: of fio.
        devices: layer or kind → model as written.
        store: where calibrations are looked up.
        requests: how many are looked at, where the load does not say.
    """

    stack: Path
    at: str
    load: Load
    devices: Mapping[str, str]
    store: str | None = None
    requests: int = 1000


@dataclass(frozen=True, slots=True)
class TriedCombination:
    """A combination and how fast it is, or why it cannot be."""

    settings: Mapping[str, str]
    time: Time | NoTime


def answer(question: Question, changes: Sequence[SettingValues]) -> TriedCombination:
    """How fast one combination is; each change has a single value."""
    settings = {change.name: change.values[0] for change in changes}
    try:
        declared = read_stack(question.stack)
        (variant,) = variants(declared, top_of(declared, question.at), changes)
        model = model_of(variant.top, declared.mtu, variant.extra)
        devices = DeviceModels({**declared.devices, **question.devices}, question.store)
        return TriedCombination(settings, timed(model, question.load, question.requests, devices))
    except IosondeError as problem:
        return TriedCombination(settings, NoTime(str(problem)))


def answers(question: Question, every: Sequence[Sequence[SettingValues]]) -> list[TriedCombination]:
    """As `answer`, of several combinations."""
    return [answer(question, changes) for changes in every]


def search(
    question: Question, changes: Sequence[SettingValues], *, workers: int = 0, dask: str = ""
) -> list[TriedCombination]:
    """All combinations, the fastest first; those that cannot be are last.

    Args:
        question: what is asked.
        changes: the settings and their values.
        workers: processes; 0 for one on each CPU.
        dask: the scheduler of a Dask cluster that does it instead, or "local".

    Raises:
        UsageError: too many combinations; Dask is not installed.
        HostFailed: the Dask cluster does not answer.
    """
    total = 1
    for change in changes:
        total *= len(change.values)
    if total > MOST:
        raise UsageError(
            f"{total} combinations are more than the {MOST} that can be gone through",
            where="--set", hint="give fewer values",
        )  # fmt: skip
    every = [
        [
            SettingValues(change.layer, change.setting, (value,))
            for change, value in zip(changes, row, strict=True)
        ]
        for row in product(*(change.values for change in changes))
    ]
    count = min(workers or os.cpu_count() or 1, total)
    if dask:
        from iosonde.trace.several import by_dask

        there = replace(question, stack=question.stack.resolve())
        tasks = [every[at : at + _TASK] for at in range(0, total, _TASK)]
        parts = by_dask(partial(answers, there), tasks, address=dask)
        combinations = [combination for part in parts for combination in part]
    elif count == 1 or total <= _ALONE:
        combinations = [answer(question, values) for values in every]
    else:
        with worker_pool(count) as pool:
            combinations = list(pool.map(answer, [question] * total, every, chunksize=4))
    return sorted(
        combinations,
        key=lambda combination: (
            -combination.time.iops if isinstance(combination.time, Time) else float("inf")
        ),
    )


@dataclass(frozen=True, slots=True)
class RankedCombination:
    """One of those that the model knows."""

    rank: int = field(metadata={"schema": {"minimum": 1}})
    level: int = field(metadata={"schema": {"minimum": 1}})
    """The lowest rank whose band reaches this one's: the model does not tell those of a level
    apart."""
    settings: Mapping[str, str]
    iops: float = field(metadata=_POSITIVE)
    bandwidth: float = field(metadata=_POSITIVE)
    latency: float = field(metadata={"name": "latency_mean", **_POSITIVE})
    band: tuple[float, float] = field(metadata={"schema": {"items": {"minimum": 0}}})
    """The lowest and the highest `iops` that the devices' models leave open, 1/s."""
    bottleneck: str = field(metadata=NULL)


@dataclass(frozen=True, slots=True)
class UnrankedCombination:
    """One that cannot be, or of which nothing is known."""

    settings: Mapping[str, str]
    reason: str


@dataclass(frozen=True, slots=True)
class Ranking(VerbResult):
    """All combinations of some settings' values by the model, the fastest first.

    A search by measurements may begin with them. Rates in 1/s and bytes/s, times in seconds.
    """

    SCHEMA = "iosonde.prior/1"
    load: str
    ranking: tuple[RankedCombination, ...]
    without: tuple[UnrankedCombination, ...]
    """Combinations that cannot be, or of which nothing is known."""


def ranking(combinations: Sequence[TriedCombination], load: str) -> Ranking:
    """The fastest first, with rank and level."""
    timed = [
        (combination.settings, combination.time)
        for combination in combinations
        if isinstance(combination.time, Time)
    ]
    rows = []
    for rank, (settings, time) in enumerate(timed, 1):
        reaching = (at for at, (_, other) in enumerate(timed, 1) if other.band[0] <= time.band[1])
        rows.append(
            RankedCombination(
                rank,
                next(reaching),
                settings,
                time.iops,
                time.bandwidth,
                time.latency,
                time.band,
                time.bottleneck,
            )
        )
    without = tuple(
        UnrankedCombination(combination.settings, combination.time.reason)
        for combination in combinations if isinstance(combination.time, NoTime)
    )  # fmt: skip
    return Ranking(load, tuple(rows), without)
