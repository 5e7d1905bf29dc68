"""The whole space of some settings' values by the model, ranked.

Each combination is reckoned with by itself, from a plain description of what to do, so that other
processes can take their share: of this machine, or the workers of a Dask cluster, which read the
stack's file (and the store of calibrations) by the same names.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.errors import IosondeError, UsageError
from iosonde.predict.devices import DeviceModels
from iosonde.predict.model import model_of, top_of
from iosonde.predict.time import NoTime, Time
from iosonde.predict.what_if import SettingValues, variants
from iosonde.stack.file import read_stack
from iosonde.workers import worker_pool

if TYPE_CHECKING:
    from iosonde.records.load import Load
    from iosonde.records.stack import Json

MOST = 100_000
"""Combinations; more of them take days."""
_ALONE = 16  # up to so many the start of another process is not worth it
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
class Ranked:
    """A combination and how fast it is; without a time, why it cannot be."""

    settings: Mapping[str, str]
    time: Time | None
    reason: str = ""


def answer(question: Question, changes: Sequence[SettingValues]) -> Ranked:
    """How fast one combination is; each change has a single value."""
    from iosonde.predict.of_load import timed_load

    settings = {one.name: one.values[0] for one in changes}
    try:
        declared = read_stack(question.stack)
        (variant,) = variants(declared, top_of(declared, question.at), changes)
        model = model_of(variant.top, declared.mtu, variant.extra)
        devices = DeviceModels({**declared.devices, **question.devices}, question.store)
        time = timed_load(model, question.load, question.requests, devices)
    except IosondeError as problem:
        return Ranked(settings, None, str(problem))
    if isinstance(time, NoTime):
        return Ranked(settings, None, time.reason)
    return Ranked(settings, time)


def answers(question: Question, every: Sequence[Sequence[SettingValues]]) -> list[Ranked]:
    """As `answer`, of several combinations."""
    return [answer(question, one) for one in every]


def search(
    question: Question, changes: Sequence[SettingValues], *, workers: int = 0, dask: str = ""
) -> list[Ranked]:
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
    for one in changes:
        total *= len(one.values)
    if total > MOST:
        raise UsageError(
            f"{total} combinations are more than the {MOST} that can be gone through",
            where="--set", hint="give fewer values",
        )  # fmt: skip
    every = [
        [
            SettingValues(one.layer, one.setting, (value,))
            for one, value in zip(changes, row, strict=True)
        ]
        for row in product(*(one.values for one in changes))
    ]
    count = min(workers or os.cpu_count() or 1, total)
    if dask:
        from iosonde.trace.several import by_dask

        there = replace(question, stack=question.stack.resolve())
        tasks = [every[at : at + _TASK] for at in range(0, total, _TASK)]
        parts = by_dask(partial(answers, there), tasks, address=dask)
        found = [one for part in parts for one in part]
    elif count == 1 or total <= _ALONE:
        found = [answer(question, one) for one in every]
    else:
        with worker_pool(count) as pool:
            found = list(pool.map(answer, [question] * total, every, chunksize=4))
    return sorted(found, key=lambda one: -one.time.iops if one.time else float("inf"))


def ranking(found: Sequence[Ranked], load: str) -> dict[str, Json]:
    """The object of `iosonde.prior/1`, which a search by measurements can begin from.

    `rank` counts from 1; `level` is the lowest rank whose band reaches this one's: combinations of
    the same level are not told apart by the model.
    """
    known = [one for one in found if one.time]
    rows: list[Json] = []
    for rank, one in enumerate(known, 1):
        time = one.time
        if time is None:
            continue
        level = next(
            at for at, other in enumerate(known, 1)
            if other.time and other.time.band[0] <= time.band[1]
        )  # fmt: skip
        rows.append({
            "rank": rank, "level": level, "settings": dict(one.settings), "iops": time.iops,
            "bandwidth": time.bandwidth, "latency_mean": time.latency, "band": list(time.band),
            "bottleneck": time.bottleneck or None,
        })  # fmt: skip
    out: list[Json] = [
        {"settings": dict(one.settings), "reason": one.reason} for one in found if not one.time
    ]
    return {"schema": "iosonde.prior/1", "load": load, "ranking": rows, "without": out}
