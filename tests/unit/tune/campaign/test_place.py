"""A campaign's place with a stack that stands only as far as the last probe point."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest

from iosonde.hosts.local import LocalHost
from iosonde.measure import ready
from iosonde.measure.plan import PlannedTrial
from iosonde.measure.study import ProbePoint, Study
from iosonde.records.load import Load, Target, TargetKind
from iosonde.stack.file import DeclaredStack
from iosonde.tune.campaign.place import MeasurementSite

STACK = """\
stack: stairs
hosts: {here: {at: local}}
layers:
  disk: {kind: disk, file: /tmp/disk.img, size: 64 MiB}
  fs: {kind: ext4, of: disk, mount: /mnt/stairs, journal: ordered}
"""
WRITES = Load("fio", "writes", {"sections": [["writes", [["rw", "randwrite"]]]]})


class Stages:
    """What is built, by whatever was declared last."""

    def __init__(self, stack: DeclaredStack) -> None:
        self.stack, self.standing = stack, frozenset[str]()
        self.built: dict[str, object] = {}

    async def rebuild(self, stack: DeclaredStack, changed: Collection[str]) -> None:
        self.stack = stack
        self.standing -= {"fs", *changed} if "disk" in changed else {*changed}

    async def bare(self, planned: PlannedTrial) -> None:
        if planned.probe.name == "disk":
            self.standing -= {"fs"}

    async def ready(
        self, planned: PlannedTrial, beside: Collection[str], *, writes: bool
    ) -> tuple[PlannedTrial, tuple[()]]:
        assert writes
        for name in ("disk", "fs") if planned.probe.name == "fs" else ("disk",):
            if name not in self.standing:
                self.built[name] = self.stack.site(name).declared
        self.standing |= {"disk", planned.probe.name}
        return planned, ()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MeasurementSite:
    async def nothing(*_: object, **__: object) -> None:
        return None

    async def target(planned: PlannedTrial, *_: object) -> Target:
        return Target("local", f"/dev/{planned.probe.name}", TargetKind.DEVICE)

    @asynccontextmanager
    async def workplace(host: object) -> AsyncIterator[str]:
        del host
        yield "/tmp/place"

    for name, stand_in in {
        "require_target": target, "workplace": workplace, "require_tools": nothing,
        "sweep": nothing, "discover": nothing, "_size": nothing, "devices_under": lambda *_: (),
    }.items():  # fmt: skip
        monkeypatch.setattr(ready, name, stand_in)
    file = tmp_path / "stairs.yaml"
    file.write_text(STACK)
    trials = [
        PlannedTrial(f"w@{at}", ProbePoint(path="", name=at), WRITES) for at in ("disk", "fs")
    ]
    study = Study(stack=str(file), at=["disk", "fs"], loads=["certification"], observe=False)
    site = MeasurementSite(study, trials, (), (), cast("Any", Mock()))
    assert site.stack is not None
    site.hosts["local"] = LocalHost()
    site._connected.stages = cast("Any", Stages(site.stack))
    site.own = True
    return site


def journal(place: MeasurementSite) -> object:
    """What the file system was built with."""
    built: Mapping[str, Any] = cast("Any", place._connected.stages).built
    return built["fs"].journal


async def test_what_does_not_stand_yet_is_built_as_the_candidate_wants_it(
    place: MeasurementSite,
) -> None:
    """From the bare disk straight to a candidate whose file system is another one."""
    disk, fs = place.trials
    await place.ready({}, fs)
    assert journal(place) == "ordered"
    await place.ready({}, disk)
    assert place.stands == {"disk"}
    await place.ready({"fs.journal": "none"}, fs)
    assert place.stands == {"disk", "fs"}
    assert journal(place) == "none"
    await place.ready({}, fs)
    assert journal(place) == "ordered"


async def test_nothing_is_done_where_all_stands_already(place: MeasurementSite) -> None:
    disk, fs = place.trials
    await place.ready({}, fs)
    bench = place.bench
    await place.ready({}, fs)
    assert place.bench is bench
    await place.ready({}, disk)
    assert place.bench is not bench


async def test_a_stack_of_somebody_elses_is_not_taken_away(place: MeasurementSite) -> None:
    disk, fs = place.trials
    place.own = False
    await place.ready({}, fs)
    await place.ready({}, disk)
    assert place.stands == {"disk", "fs"}
