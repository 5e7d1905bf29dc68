"""Campaigns over simulated devices, as `iosonde tune` leaves them in the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from iosonde.measure.sheet import sheet
from iosonde.records.campaign import (
    Campaign,
    CandidateEnd,
    Intent,
    LeftOut,
    Measurement,
    Native,
    Result,
    StoredGoal,
    Varied,
)
from iosonde.records.campaign_sheet import CampaignSheet
from iosonde.records.load import Load, LoadResult, RawOutput, Target, TargetKind
from iosonde.records.run import Loop, Run, RunState, Trial
from iosonde.records.stack import Scalar
from iosonde.store.campaigns import PLAN_KEY, intent_document
from iosonde.store.store import Store
from iosonde.tune.search.space import Space, Vary
from iosonde.tune.search.strategy import Goal
from iosonde.tune.search.verdict import Proven
from iosonde.tune.sheet import tuned
from tests.unit.tune.device import Device

SCHEDULER = Varied("disk.scheduler", ("none", "mq-deadline", "bfq"), "mq-deadline")
REQUESTS = Varied("disk.nr_requests", (64, 128, 256), 256)
READ_AHEAD = Varied("disk.read_ahead", (131072, 1048576, 4194304), 131072, unit="B")
NATIVE = (
    Native("local", "loop0.scheduler", "/etc/udev/rules.d/99-iosonde.rules",
           'ACTION=="add|change", KERNEL=="loop0", ATTR{queue/scheduler}="none"',
           "nothing but the kernel's name tells this device, and that may change"),
    Native("local", "loop0.nr_requests", "", note="udev has no rule for this file"),
)  # fmt: skip
_GAIN = {"none": 1.06, "mq-deadline": 1.0, "bfq": 0.82, 64: 0.97, 128: 1.02, 256: 1.0,
         131072: 1.0, 1048576: 1.03, 4194304: 1.035}  # fmt: skip


def truth(settings: Mapping[str, Scalar]) -> float:
    """I/Os a second of a candidate; bfq dislikes few requests, an interaction."""
    figure = 18_000.0
    for value in settings.values():
        figure *= _GAIN[value]
    if settings.get("disk.scheduler") == "bfq" and settings.get("disk.nr_requests") == 64:
        figure *= 0.85
    return figure


def simulated(
    strategy: str = "race",
    vary: tuple[Varied, ...] = (SCHEDULER, REQUESTS),
    *,
    higher: bool = True,
    cv: float = 0.01,
    drift: float = 0.0,
    budget: float = 900.0,
    seed: int = 1,
    stop_after: int | None = None,
    flat: bool = False,
    places: Mapping[str, float] | None = None,
) -> Campaign:
    """A campaign to its end, or interrupted after so many measurements.

    With `places` each stage is measured at a place of its name, so many times as fast.
    """
    space = Space(tuple(Vary(varied.name, varied.values, varied.default) for varied in vary))
    goal = Goal("read.iops" if higher else "read.latency.mean", higher=higher, budget=budget,
                unit="1/s" if higher else "s")  # fmt: skip
    means = {
        candidate: (18_000.0 if flat else truth(space.settings(candidate))) ** (1 if higher else -1)
        for candidate in space.candidates()
    }
    device = Device(means, cv=cv, seed=seed, drift=drift, change=1.5)
    search = Proven(strategy, space, goal, seed=seed)
    made: list[Measurement] = []
    while (asked := search.ask()) and (stop_after is None or len(made) < stop_after):
        part = "search" if search.proof is None else "proof"
        observation = device.measure(asked)
        at = (asked.stage or [*places][-1]) if places else ""
        if places and observation.figure:
            observation = replace(observation, figure=observation.figure * places[at])
        settings = space.settings(asked.candidate)
        made.append(
            Measurement(
                len(made), part, settings, str(settings), len(made), asked.why, 1.7e9 + device.now,
                observation.change_seconds, asked.settle + asked.seconds, asked.settle,
                asked.seconds, observation.figure, observation.discarded, observation.breaches,
                observation.reason, asked.stage,
                at=at,
            )
        )  # fmt: skip
        search.tell(observation)
    wish = StoredGoal(goal.metric, goal.unit, higher, goal.margin, goal.level, budget=budget)
    left = (LeftOut("disk.write_cache", "write through",
                    "trades safety for speed; name it under allow:"),)  # fmt: skip
    intent = Intent(strategy, seed, ("local",), vary, wish, left_out=left)
    ends = tuple(
        CandidateEnd(stand.settings, stand.state.value, stand.loops, stand.device_seconds,
                     stand.metric, stand.reason, stand.stage)
        for stand in search.search.standing().candidates
    )  # fmt: skip
    if search.ask() is not None:
        return Campaign("r1", intent, tuple(made), None, ends)
    answer = search.answer()
    chosen = " ".join(f"{name}={value}" for name, value in answer.settings.items())
    result = Result(
        answer.result.ending.value, answer.result.reason, space.settings(space.baseline),
        space.settings(answer.result.pick), dict(answer.settings), answer.confirmed, answer.gain,
        answer.sentence, answer.search, answer.proof, applied=False, rolled_back=True,
        equivalent=tuple(map(space.settings, answer.equivalent)), candidates=ends,
        commands=(f"iosonde set {chosen}", "iosonde persist local --study loop")
        if answer.confirmed else (),
        native=NATIVE if answer.confirmed else (),
    )  # fmt: skip
    return Campaign("r1", intent, tuple(made), result, ends)


TARGET = Target("local", "/dev/loop0", TargetKind.DEVICE)
LOAD = Load("fio", "randread", {"sections": [["randread", [["rw", "randread"]]]]})


def stored(store: Store, campaign: Campaign, study: str = "loop") -> str:
    """The campaign in a store, with a loop for each of its figures; the run's id."""
    plan = {PLAN_KEY: intent_document(campaign.intent)}
    run = store.begin(study, plan, created=1.7e9, owner="")
    loops: dict[str, int] = {}
    names: set[str] = set()
    for measurement in campaign.measurements:
        if measurement.trial not in names:
            names.add(measurement.trial)
            store.add_trial(
                run.id,
                Trial(
                    measurement.trial, "local", f"disk {measurement.trial}", TARGET, LOAD, "fio job"
                ),
            )
        if measurement.figure is None:
            store.add_measurement(run.id, replace(measurement, loop=None))
            continue
        index = loops[measurement.trial] = loops.get(measurement.trial, -1) + 1
        goal = campaign.intent.goal
        result = LoadResult({goal.metric: measurement.figure}, {goal.metric: goal.unit})
        loop = Loop(
            index, measurement.started, measurement.spent or 0.0, result, RawOutput(0, b"{}", b"")
        )
        store.add_measurement(run.id, replace(measurement, loop=index), loop)
    if campaign.result:
        store.add_result(run.id, campaign.result)
    store.finish(run.id, RunState.FINISHED if campaign.result else RunState.INTERRUPTED)
    return run.id


def campaign_sheet(campaign: Campaign) -> CampaignSheet:
    """As the report gets it, without the loops of its trials."""
    state = RunState.FINISHED if campaign.result else RunState.INTERRUPTED
    run = Run(id=campaign.run, study="loop", state=state, created=1.7e9, plan={}, trials=())
    return tuned(sheet(run), campaign)
