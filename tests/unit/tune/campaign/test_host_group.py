"""A candidate on several hosts: all are ready before one changes, and links change together."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from iosonde.change.changed import Changed, ValueRefused
from iosonde.errors import HostFailed
from iosonde.measure.plan import PlannedTrial
from iosonde.measure.study import ProbePoint
from iosonde.records.campaign import Varied
from iosonde.records.load import Load
from iosonde.records.stack import Scalar
from iosonde.settings.declared import LayerSetting
from iosonde.stack.settable import Settable
from iosonde.tune.campaign import host_group as module
from iosonde.tune.campaign.host_group import HostGroup
from iosonde.tune.campaign.resolve import TunableSetting
from iosonde.tune.campaign.route import Where

SETTINGS = {"a/link:eth1.mtu": 9000}


class Host:
    """The settings of one host; the last step waits until the other host is there too."""

    def __init__(self, name: str, lines: list[str], both: asyncio.Barrier, fails: str = "") -> None:
        self.name, self.lines, self.both, self.fails = name, lines, both, fails
        self.done = [Changed("mtu", "1500", "9000", "9000", "changed", "")]
        self.home = False

    def at_home(self, values: Mapping[str, str]) -> bool:
        return self.home

    async def announce(self, values: Mapping[str, str], *, within: float) -> Host:
        self._tell("announced")
        return self

    async def change(self, *, cuts: bool) -> None:
        if cuts:
            await asyncio.wait_for(self.both.wait(), 5)
        self._tell("last" if cuts else "most")

    async def back(self) -> list[Changed]:
        if self.home:
            await asyncio.wait_for(self.both.wait(), 5)
        self._tell("back")
        return []

    async def beside(self) -> list[Changed]:
        return []

    def _tell(self, what: str) -> None:
        self.lines.append(f"{self.name} {what}")
        if what == self.fails:
            raise ValueRefused(f"{self.name} refuses it")


@dataclass
class Place:
    """Where a campaign measures, as far as a group of hosts asks for it."""

    planned: PlannedTrial | None = None
    values: dict[str, Scalar] = field(default_factory=dict)
    hosts: dict[str, Host] = field(default_factory=dict)
    bench: object = field(default_factory=object)
    readied: list[str] = field(default_factory=list)

    def needs(self, values: Mapping[str, Scalar], at: PlannedTrial, *, again: bool) -> bool:
        return False

    async def ready(
        self,
        values: Mapping[str, Scalar],
        at: PlannedTrial,
        *,
        beside: Collection[str] = (),
        again: bool = False,
    ) -> None:
        self.planned = at
        self.readied.append(at.id)


def group(lines: list[str], fails: str = "") -> tuple[HostGroup, dict[str, Host]]:
    both = asyncio.Barrier(2)
    made = HostGroup(cast("Any", Place()), "study", cast("Any", None))
    hosts = {name: Host(name, lines, both, fails if name == "b" else "") for name in ("a", "b")}
    made._appliers = cast("Any", hosts)
    made.knobs = (TunableSetting(Varied("a/link:eth1.mtu", (9000,), 9000)),)
    return made, hosts


async def test_both_ends_are_ready_before_one_changes_and_change_together() -> None:
    lines: list[str] = []
    put = await group(lines)[0].put(SETTINGS, within=60)
    assert put.reason == ""
    steps = [name.split()[1] for name in lines]
    assert steps == ["announced"] * 2 + ["most"] * 2 + ["last"] * 2
    assert put.changed == ("mtu: 1500 → 9000",) * 2


async def test_an_end_that_goes_back_does_so_while_the_other_changes() -> None:
    lines: list[str] = []
    made, hosts = group(lines)
    hosts["a"].home = True
    await made.put(SETTINGS, within=60)
    assert sorted(lines[-2:]) == ["a back", "b last"]


@pytest.mark.parametrize("fails", ["most", "last"])
async def test_what_one_host_refuses_is_put_back_on_all(fails: str) -> None:
    lines: list[str] = []
    put = await group(lines, fails)[0].put(SETTINGS, within=60)
    assert put.reason == "b refuses it"
    assert sorted(lines[-2:]) == ["a back", "b back"]


async def test_all_that_can_be_put_back_is_though_one_host_is_lost() -> None:
    lines: list[str] = []
    made, hosts = group(lines)

    async def lost() -> list[Changed]:
        raise HostFailed("the connection is lost", where="a")

    hosts["a"].back = lost  # type: ignore[method-assign]
    with pytest.raises(HostFailed, match="lost"):
        await made.back()
    assert lines == ["b back"]


def setting(name: str) -> Settable:
    """One whose name is this."""
    declared = LayerSetting(name, "sysfs", "/sys/x")
    return Settable("a", "", declared, "/sys/x", 1)


async def test_what_stands_above_the_probe_point_is_not_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the disk the file system's setting is not there; on the way up both are found again."""
    looked: list[str] = []

    class Names:
        def __init__(self, place: object) -> None:
            del place

        async def read(self) -> None:
            looked.append("read")

        async def find(self, name: str) -> tuple[str, object]:
            looked.append(name)
            return "a", setting(f"{name} anew")

    monkeypatch.setattr(module, "Names", Names)
    trials = {
        at: PlannedTrial(f"reads@{at}", ProbePoint(path="", name=at), Load("fio", "reads", {}))
        for at in ("disk", "fs")
    }
    place = Place(trials["fs"])
    made = HostGroup(cast("Any", place), "study", cast("Any", None))
    knobs = [
        TunableSetting(Varied(name, (1, 2), 1), (("a", setting("before")),))
        for name in ("disk.nomerges", "fs.atime")
    ]
    top = Where(trials["fs"], frozenset({"disk.nomerges", "fs.atime"}))
    below = Where(trials["disk"], frozenset({"disk.nomerges"}))
    await made.learn(knobs, top)
    settings = {"disk.nomerges": 2, "fs.atime": 1}
    put = await made.put(settings, within=60, where=below)
    assert (place.readied, looked) == (["reads@disk"], ["read", "disk.nomerges"])
    assert put.moved > 0
    assert made._of("a", settings) == {"disk.nomerges anew": "2"}
    assert (await made.put(settings, within=60, where=below)).moved == 0
    assert place.readied == ["reads@disk"], "it stands"
    await made.put(settings, within=60, where=top)
    assert (place.readied[1:], looked[2:]) == (["reads@fs"], ["read", "disk.nomerges", "fs.atime"])
    assert made._of("a", settings) == {"disk.nomerges anew": "2", "fs.atime anew": "1"}
