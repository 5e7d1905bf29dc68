"""What controllers do on the simulated host: the product's own code, from the lock to the end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from iosonde.change.applier import SettingsApplier
from iosonde.change.settings_lock import locked
from iosonde.change.tentative import WantedSetting, change
from iosonde.errors import IosondeError
from iosonde.settings.declared import LayerSetting
from iosonde.stack.settable import Settable
from tests.simulation.host import LASTS, QUEUE, Gone, Reached

CONFIRM = 60


def _setting(disk: str, name: str, *disturbed: Settable, **more: Any) -> Settable:
    address = LASTS if name == "lasts" else QUEUE.format(disk, name)
    disturbs = tuple(settable.declared.name for settable in disturbed)
    declared = LayerSetting(name, "sysfs", address, disturbs=disturbs, **more)
    return Settable(f"local/{disk}", disk, declared, address, None, disturbed=disturbed)


_DEPTH = {disk: _setting(disk, "nr_requests") for disk in ("sda", "sdb")}
SETTINGS = {
    settable.name: settable
    for settable in (
        *_DEPTH.values(),
        *(_setting(disk, name) for disk in _DEPTH for name in ("nomerges", "read_ahead_kb")),
        *(_setting(disk, "scheduler", depth) for disk, depth in _DEPTH.items()),
        _setting("sdb", "lasts", lasts=True),
    )
}

# What is asked for together; the host refuses a depth of 2.
SETS: tuple[Mapping[str, str], ...] = (
    {"sda.nr_requests": "64", "sda.nomerges": "2"},
    {"sda.scheduler": "mq-deadline", "sda.nr_requests": "32"},
    {"sdb.lasts": "2", "sda.nomerges": "1"},
    {"sdb.lasts": "17", "sda.read_ahead_kb": "254"},
    {"sda.nomerges": "2", "sdb.nr_requests": "2"},
)
REFUSED = 4
_CANDIDATES = ({"sda.nr_requests": "64", "sda.nomerges": "1"}, {"sda.nr_requests": "32"})
CAMPAIGN = -1


@dataclass(slots=True)
class Flow:
    """How a controller's work went: "done", "failed" (`said` is why), "cancelled" or "gone"."""

    end: str = ""
    said: str = ""
    put_back: list[str] = field(default_factory=list)


async def _set(host: Any, values: Mapping[str, str], flow: Flow) -> None:
    async with locked(host, "a controller") as journal:
        flow.put_back += [f"{revert.name}={revert.now}" for revert in await journal.settle()]
        wanted = [WantedSetting(SETTINGS[name], value) for name, value in values.items()]
        await change(host, journal, wanted, owner="a controller", confirm=CONFIRM)


async def _campaign(host: Any, _: Mapping[str, str], flow: Flow) -> None:
    async with locked(host, "a controller") as journal:
        flow.put_back += [f"{revert.name}={revert.now}" for revert in await journal.settle()]
        names = ("sda.nr_requests", "sda.nomerges")
        applier = SettingsApplier(host, journal, [SETTINGS[name] for name in names], "a controller")
        await applier.learn()
        try:
            for candidate in _CANDIDATES:
                values = {**applier.home_values, **candidate}
                announced = await applier.announce(values, within=CONFIRM)
                await announced.change(cuts=False)
                await announced.change(cuts=True)
        finally:
            await applier.back()


def play(reached: Reached, scene: int) -> Flow:
    """A controller's work from its lock to its end: one of SETS, or CAMPAIGN."""
    flow = Flow()
    work = _campaign if scene == CAMPAIGN else _set

    async def run() -> None:
        reached.task = asyncio.current_task()
        try:
            await work(reached, SETS[scene], flow)
            flow.end = "done"
        except IosondeError as problem:
            flow.end, flow.said = "failed", str(problem)
        except asyncio.CancelledError:
            flow.end = "cancelled"
        except Gone:
            flow.end = "gone"

    asyncio.run(run())
    reached.host.held = False
    return flow


def mark(reached: Reached, word: str) -> None:
    """What `persist` and its --undo do to the journal."""

    async def run() -> None:
        async with locked(reached, "a controller") as journal:  # type: ignore[arg-type]
            await journal.settle()
            wanted = {"kept": {"open", "confirmed"}, "tentative": {"kept"}}[word]
            await journal.mark(
                word, [batch.number for batch in journal.in_force if batch.state in wanted]
            )

    asyncio.run(run())
    reached.host.held = False
