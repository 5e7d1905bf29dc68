"""Campaigns over simulated hosts and a real store: ended, interrupted, resumed, refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from iosonde.change.changed import Changed
from iosonde.errors import HostFailed, LoadFailed, UsageError
from iosonde.hosts.local import LocalHost
from iosonde.loads.fio import Fio
from iosonde.measure import growing
from iosonde.measure.plan import PlannedTrial
from iosonde.measure.progress import unwatched
from iosonde.measure.study import ProbePoint, Study
from iosonde.measure.trial import PreparedTrial
from iosonde.records.campaign import Intent, Measurement, StoredGoal, Varied
from iosonde.records.load import Demand, Load, LoadResult, RawOutput, Target, TargetKind
from iosonde.records.run import Loop, Run
from iosonde.records.stack import Scalar
from iosonde.stack.file import DeclaredStack, read_stack
from iosonde.store import open_store
from iosonde.store.campaigns import PLAN_KEY, intent_document
from iosonde.store.owner import this_process
from iosonde.store.store import Store
from iosonde.tune.campaign import campaign as module
from iosonde.tune.campaign.campaign import Options, RunningCampaign
from iosonde.tune.campaign.conduct import ended
from iosonde.tune.campaign.host_group import ApplyOutcome
from iosonde.tune.campaign.prepare import Prepared, goal_of
from iosonde.tune.campaign.resolve import space_of
from iosonde.tune.campaign.route import Route, Where

INTENT = Intent(
    "race", 1, ("local",),
    (Varied("sda.scheduler", ("none", "bfq", "kyber"), "none"),
     Varied("sda.nr_requests", (64, 128), 64)),
    StoredGoal("read.iops", "1/s", budget=900.0, seconds=5.0, settle=1.0,
         limits=("read.latency.p99 <= 5 ms",)),
)  # fmt: skip


READS = Load("fio", "reads", {})
BENCH = PreparedTrial(
    "t", LocalHost(), Fio(), READS, Demand(True, False, None, None, True, ()),
    Target("local", "/dev/sda", TargetKind.DEVICE), None, None, (), (), True, "",
)  # fmt: skip


@dataclass
class Place:
    """Where it is measured: a disk of this host, of no declared stack."""

    require_unchanged: Callable[[float], Awaitable[None]]
    planned: PlannedTrial = field(
        default_factory=lambda: PlannedTrial("reads@sda", ProbePoint(path="", name="sda"), READS)
    )
    bench: PreparedTrial = field(default_factory=lambda: BENCH)
    host: LocalHost = field(default_factory=LocalHost)
    command: str = "fio"
    study: Study = field(
        default_factory=lambda: Study(targets=[ProbePoint(path="/dev/sda")], loads=["latency"])
    )
    stack: DeclaredStack | None = None


@dataclass
class HostGroup:
    """Hosts with a speed per candidate; tells what it was asked."""

    slow: Scalar = "none"
    refuses: Scalar = None
    fails: Scalar = None
    dies_at: int = -1
    cancelled_at: int = -1
    now: Mapping[str, Scalar] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    puts: int = 0

    def __post_init__(self) -> None:
        self.place = Place(self._unchanged)
        self.knobs = ()

    degrades_at = 0

    async def _unchanged(self, since: float) -> None:
        """An array below loses a disk while one measurement runs."""
        assert since >= 0
        if self.puts == self.degrades_at:
            raise HostFailed("The stack below changed: /dev/md0 (md) is degraded")

    async def put(
        self, settings: Mapping[str, Scalar], *, within: float, where: Where | None = None
    ) -> ApplyOutcome:
        self.puts += 1
        if self.puts == self.dies_at:
            raise HostFailed("the host is gone")
        if self.puts == self.cancelled_at:
            raise asyncio.CancelledError
        if self.refuses in settings.values():
            return ApplyOutcome(reason="the host refuses it")
        self.now = settings
        return ApplyOutcome(("sda.scheduler: a → b",), (Changed("x", "1", "", "2", "beside", ""),))

    async def back(self) -> None:
        self.said.append("back")

    async def check(self) -> None:
        return None

    async def apply(self, settings: Mapping[str, Scalar], *, within: float) -> None:
        self.said.append(f"apply {dict(settings)}")

    def risky(self, settings: Mapping[str, Scalar]) -> bool:
        return True

    def capture(self, settings: Mapping[str, Scalar]) -> None:
        return None

    def changes(self, settings: Mapping[str, Scalar]) -> dict[str, dict[str, str]]:
        return {"local": {name: str(value) for name, value in settings.items()}}

    async def measure(
        self, bench: PreparedTrial, index: int, *, seconds: float, progress: object
    ) -> Loop:
        if self.fails in self.now.values():
            raise LoadFailed("fio ended badly")
        wobble = 1 + 0.002 * ((self.puts * 7) % 5)
        speed = 1000.0 if self.now["sda.scheduler"] == self.slow else 1300.0
        speed *= (1.0 if self.now["sda.nr_requests"] == 64 else 1.1) * wobble
        late = 0.009 if self.now["sda.scheduler"] == "kyber" else 0.001
        result = LoadResult(
            {"read.iops": speed, "read.latency.p99": late},
            {"read.iops": "1/s", "read.latency.p99": "s"},
        )
        return Loop(index, 0.0, seconds, result, RawOutput(0, b"", b""))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(str(tmp_path / "store.sqlite"))
    yield opened
    opened.close()


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> HostGroup:
    made = HostGroup()
    monkeypatch.setattr(module, "measure_loop", made.measure)
    monkeypatch.setattr(growing, "flags_of", lambda *_: ())
    return made


def begun(store: Store, intent: Intent = INTENT) -> Run:
    plan = {PLAN_KEY: intent_document(intent)}
    return store.begin("study", plan, created=1.0, owner=this_process())


def session(
    group: HostGroup,
    store: Store,
    run: Run,
    measurements: tuple[Measurement, ...] = (),
    **options: Any,
) -> RunningCampaign:
    space = space_of(INTENT.vary, (), (), {})
    route = Route(
        None, [group.place.planned], dict.fromkeys((varied.name for varied in INTENT.vary), ())
    )
    prepared = Prepared(cast("Any", group), INTENT, space, goal_of(INTENT.goal), route)
    return RunningCampaign(prepared, store, run, measurements, Options(**options), unwatched)


async def test_the_best_that_keeps_the_limits_is_proven_and_put_back(
    group: HostGroup, store: Store
) -> None:
    run = begun(store)
    result = await session(group, store, run).execute()
    assert result.winner == {"sda.scheduler": "bfq", "sda.nr_requests": 128}
    assert result.confirmed
    assert result.gain is not None
    assert result.gain.change == pytest.approx(0.43, abs=0.05)
    assert (result.applied, result.rolled_back) == (False, True)
    assert group.said == ["back"]
    assert any("iosonde set" in command for command in result.commands)
    kyber = [
        candidate
        for candidate in result.candidates
        if candidate.settings["sda.scheduler"] == "kyber"
    ]
    assert {end.state for end in kyber} == {"infeasible"}
    assert all("p99 <= 5 ms" in end.reason for end in kyber)
    campaign = store.campaign(run.id)
    assert campaign is not None
    numbers = [measurement.number for measurement in campaign.measurements]
    assert numbers == list(range(len(numbers)))
    assert {measurement.part for measurement in campaign.measurements} == {"search", "proof"}
    loops = {(trial.id, loop.index) for trial in store.load(run.id).trials for loop in trial.loops}
    assert {(measurement.trial, measurement.loop) for measurement in campaign.measurements} == loops


async def test_a_proven_winner_is_left_in_force_where_that_is_asked_for(
    group: HostGroup, store: Store
) -> None:
    result = await session(group, store, begun(store), apply=True).execute()
    assert (result.applied, result.rolled_back) == (True, False)
    assert group.said == ["back", f"apply {dict(result.winner)}"]
    assert all("iosonde set" not in command for command in result.commands)


async def test_without_a_gain_nothing_is_applied(group: HostGroup, store: Store) -> None:
    group.slow = "bfq"
    group.refuses = 128
    result = await session(group, store, begun(store), apply=True).execute()
    assert result.winner == result.baseline
    assert (result.confirmed, result.applied, result.rolled_back) == (False, False, True)
    assert result.commands == ()


async def test_an_array_that_degrades_ends_the_campaign_without_a_figure(
    group: HostGroup, store: Store
) -> None:
    group.degrades_at = 2
    run = begun(store)
    with pytest.raises(HostFailed, match="is degraded"):
        await session(group, store, run).execute()
    campaign = store.campaign(run.id)
    assert campaign is not None
    assert (
        len(
            [measurement for measurement in campaign.measurements if measurement.figure is not None]
        )
        == 1
    )


async def test_what_is_refused_or_fails_is_infeasible_and_the_campaign_goes_on(
    group: HostGroup, store: Store
) -> None:
    group.refuses, group.fails = 128, "bfq"
    run = begun(store)
    result = await session(group, store, run).execute()
    reasons = {
        candidate.reason for candidate in result.candidates if candidate.state == "infeasible"
    }
    assert "the host refuses it" in reasons
    assert "the load failed: fio ended badly" in reasons
    assert result.winner == result.baseline
    campaign = store.campaign(run.id)
    assert campaign is not None
    failed = [measurement for measurement in campaign.measurements if measurement.reason]
    assert all(measured.loop is None and measured.figure is None for measured in failed)


async def test_a_load_that_fails_under_what_was_in_force_ends_it(
    group: HostGroup, store: Store
) -> None:
    group.fails = 64
    with pytest.raises(LoadFailed, match="fails with the previous settings"):
        await session(group, store, begun(store)).execute()


async def test_a_goal_that_the_load_does_not_give_is_told(
    group: HostGroup, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = session(group, store, begun(store))
    made._goal = replace(made._goal, metric="write.iops")
    with pytest.raises(UsageError, match=r"gives no write\.iops"):
        await made.execute()


@pytest.mark.parametrize("at", [1, 2, 5, 9, 20])
async def test_an_interrupted_campaign_ends_as_if_it_had_not_been(
    group: HostGroup, store: Store, at: int
) -> None:
    whole = begun(store)
    wanted = await session(group, store, whole).execute()
    run = begun(store)
    group.puts, group.cancelled_at = 0, at
    with pytest.raises(asyncio.CancelledError), ended(store, run.id):
        await session(group, store, run).execute()
    campaign = store.campaign(run.id)
    assert campaign is not None
    assert len(campaign.measurements) == at - 1
    assert store.load(run.id).state == "interrupted"
    again = store.resume(run.id, owner=this_process())
    group.puts = at - 1  # the wobble goes on where it was
    group.cancelled_at = -1
    result = await session(group, store, again, campaign.measurements).execute()
    assert result.winner == wanted.winner
    assert result.pick == wanted.pick
    after = store.campaign(run.id)
    assert after is not None
    assert [measurement.number for measurement in after.measurements] == list(
        range(len(after.measurements))
    )
    first = store.campaign(whole.id)
    assert first is not None
    assert [measurement.settings for measurement in after.measurements[: at + 4]] == [
        measurement.settings for measurement in first.measurements[: at + 4]
    ]


STAGED = replace(
    INTENT, strategy="staged",
    vary=(INTENT.vary[0], Varied("fs.commit", (5, 30), 5)),
    goal=replace(INTENT.goal, limits=(), budget=2000.0),
)  # fmt: skip


STAIRS = """\
stack: stairs
hosts: {here: {at: local}}
layers:
  sda: {kind: disk, file: /tmp/sda.img, size: 64 MiB}
  fs: {kind: ext4, of: sda, mount: /mnt/stairs}
"""


class Stairs(HostGroup):
    """A disk, and a file system on it that is a tenth as fast; the way between takes its time."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.places = [
            PlannedTrial(f"reads@{name}", ProbePoint(path="", name=name), Load("fio", "reads", {}))
            for name in ("sda", "fs")
        ]
        self.place.planned = self.places[-1]

    async def put(
        self, settings: Mapping[str, Scalar], *, within: float, where: Where | None = None
    ) -> ApplyOutcome:
        assert where is not None
        assert all(
            settings[varied.name] == varied.default
            for varied in STAGED.vary if varied.name not in where.names
        ), "what is not there yet is as it comes"  # fmt: skip
        moved = 0.0 if where.trial == self.place.planned else 0.3
        await asyncio.sleep(moved)
        self.place.planned = where.trial
        return replace(
            await super().put({**settings, "sda.nr_requests": 64}, within=within), moved=moved
        )

    async def measure(
        self, bench: PreparedTrial, index: int, *, seconds: float, progress: object
    ) -> Loop:
        self.said.append(f"{self.place.planned.id} {'settles' if index < 0 else index}")
        loop = await super().measure(bench, index, seconds=seconds, progress=progress)
        speed = loop.result.metrics["read.iops"] * (0.1 if "fs" in self.place.planned.id else 1)
        metrics = {**loop.result.metrics, "read.iops": speed}
        return replace(loop, result=replace(loop.result, metrics=metrics))


async def test_stages_are_measured_each_at_its_own_place(
    monkeypatch: pytest.MonkeyPatch, store: Store, tmp_path: Path
) -> None:
    group = Stairs()
    monkeypatch.setattr(module, "measure_loop", group.measure)
    monkeypatch.setattr(growing, "flags_of", lambda *_: ())
    run = begun(store, STAGED)
    file = tmp_path / "stairs.yaml"
    file.write_text(STAIRS)
    route = Route(
        read_stack(file), group.places, dict.fromkeys((varied.name for varied in STAGED.vary), ())
    )
    space = space_of(STAGED.vary, (), (), {})
    prepared = Prepared(cast("Any", group), STAGED, space, goal_of(STAGED.goal), route)
    made = RunningCampaign(prepared, store, run, (), Options(), unwatched)
    result = await made.execute()
    assert result.winner == {"sda.scheduler": "bfq", "fs.commit": 5}
    assert result.confirmed
    campaign = store.campaign(run.id)
    assert campaign is not None
    assert campaign.places == ("sda", "fs")
    assert {(measurement.stage, measurement.at) for measurement in campaign.measurements} == {
        ("sda", "sda"), ("fs", "fs"), ("", "fs")
    }  # fmt: skip
    moves = [measurement for measurement in campaign.measurements if measurement.move_seconds]
    assert [move.number for move in moves] == [
        0, next(loop.number for loop in campaign.measurements if loop.at == "fs")
    ]  # fmt: skip
    assert campaign.device_seconds > 0.6  # what the moves took is told
    assert made.search.standing().used < campaign.device_seconds - 0.59  # and is not the search's
    for trial in store.load(run.id).trials:
        figures = [loop.result.metrics["read.iops"] for loop in trial.loops]
        assert max(figures) < 1.1 * min(figures), "a trial is of one place"
    starts = [at for at, name in enumerate(group.said) if name.endswith("settles")]
    arrived = group.said.index(next(name for name in group.said if "@fs" in name))
    assert arrived in starts, "a load that is new to a place settles"


async def test_a_candidate_that_cuts_the_connection_is_noted_before_the_campaign_ends(
    group: HostGroup, store: Store
) -> None:
    run = begun(store)
    group.dies_at = 3
    with pytest.raises(HostFailed, match="the host is gone"), ended(store, run.id):
        await session(group, store, run).execute()
    campaign = store.campaign(run.id)
    assert campaign is not None
    assert campaign.measurements[-1].reason == "the host was lost: the host is gone"
    assert store.load(run.id).state == "failed"


async def test_figures_of_another_search_are_no_base_to_go_on_from(
    group: HostGroup, store: Store
) -> None:
    run = begun(store)
    group.cancelled_at = 4
    with pytest.raises(asyncio.CancelledError):
        await session(group, store, run).execute()
    campaign = store.campaign(run.id)
    assert campaign is not None
    first = campaign.measurements[0]
    other = replace(first, settings={"sda.scheduler": "none", "sda.nr_requests": 999})
    with pytest.raises(UsageError, match="asks for another candidate than at measurement 1"):
        session(group, store, run, (other,))
