"""What the devices under a target count while a loop runs, for the ledger of it.

The counters of all devices of the stack are read on all its hosts: over a while in which nothing of
ours runs, then before and after the load. What the layers are like in detail (tables of
device-mapper, places of an array's members, extents of a file) is read once. All of it is kept with
the loop's raw output, so that it can be held against the model whenever that gets better.

Source: Documentation/admin-guide/iostats.rst, md.rst, bcache.rst; dmsetup(8), `table`, `status`;
filefrag(8), `-b512`.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from types import MappingProxyType
from typing import TypeAlias

from iosonde import kerneltext
from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.layers._ledger.look import commands_about
from iosonde.layers._ledger.rule import accounting_of
from iosonde.layers.layer import kernel_name
from iosonde.monitors import diskstats
from iosonde.records.load import Target, TargetKind
from iosonde.records.stack import Capture, Json, Scalar, StackLayer
from iosonde.stack.model import layers_under

COUNTED = "ledger.json"
"""Name among a loop's raw files."""
IDLE_SECONDS = 2.0
_SETTLE, _PATIENCE = 0.3, 20  # seconds between two looks, and how many at most
_QUEUE = ("max_sectors_kb", "max_segments")

Figures: TypeAlias = dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Device → its figures by host, and when they were read (seconds of this machine's clock)."""

    figures: Mapping[str, Figures]
    at: float


@dataclass(frozen=True, slots=True)
class Counting:
    """The devices whose counters are read, by host, and what their layers are like.

    `facts` are path → text of the files read on each host, and under "dmsetup table" and
    "filefrag" what these printed. `declared` are the layers' declarations by host and device.
    `caches` are the files and commands by host that tell in which state caches are.
    """

    hosts: Mapping[str, Host]
    devices: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, Mapping[str, str]]
    declared: Sequence[Mapping[str, Scalar]] = field(default_factory=tuple)
    caches: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))

    async def settled(self) -> Snapshot:
        """The counters once nothing moves any more; after some seconds, as they are then."""
        before = await self._read()
        for _ in range(_PATIENCE):
            await asyncio.sleep(_SETTLE)
            now = await self._read()
            if _moved(before) == _moved(now):
                return now
            before = now
        return before

    async def idle(self) -> tuple[Snapshot, Snapshot]:
        """The counters before and after a while in which nothing of ours runs.

        What ends soon of itself (probing by udev, a short resync) is waited for: it would be taken
        for something that goes on as long as the load.
        """
        before = await self.settled()
        await asyncio.sleep(IDLE_SECONDS)
        return before, await self._read()

    async def _read(self) -> Snapshot:
        texts = await asyncio.gather(*(host.read(diskstats.PATH) for host in self.hosts.values()))
        figures: dict[str, Figures] = {}
        for name, text in zip(self.hosts, texts, strict=True):
            every = diskstats.figures(text)
            figures[name] = {
                device: every[device] for device in self.devices[name] if device in every
            }
        return Snapshot(figures, time.monotonic())

    async def states(self) -> dict[str, dict[str, str]]:
        """What caches say of how full they are and what they met, by host, as in `facts`."""
        return {
            name: await _said(self.hosts[name], sources) for name, sources in self.caches.items()
        }

    def packed(
        self, readings: Sequence[Snapshot], states: Sequence[dict[str, dict[str, str]]]
    ) -> bytes:
        """What is kept: counters before and after the idle while, then the load.

        With `states` of caches before and after the load.
        """
        document: dict[str, object] = {
            "idle_seconds": IDLE_SECONDS, "readings": [reading.figures for reading in readings],
            "moments": [reading.at for reading in readings], "facts": self.facts,
            "states": list(states), "declared": list(self.declared),
        }  # fmt: skip
        return json.dumps(document).encode()


def _moved(snapshot: Snapshot) -> dict[str, dict[str, tuple[int, ...]]]:
    """Completed I/Os of each device: what tells that something went on."""
    return {
        host: {name: (counters[0], counters[4]) for name, counters in figures.items()}
        for host, figures in snapshot.figures.items()
    }


async def counting_of(
    capture: Capture,
    hosts: Sequence[Host],
    target: Target,
    declared: Sequence[Mapping[str, Scalar]] = (),
) -> Counting:
    """What is counted under a target.

    Args:
        capture: of all hosts of the stack.
        hosts: that are open, the target's among them.
        target: where the load is applied.
        declared: of layers that stand as declared: host, device, and the keys of the declaration.
    """
    under = layers_under(capture, target.host, target.path)
    concerned = {layer.host for layer in under}
    concerned_hosts = {host.name: host for host in hosts if host.name in concerned}
    devices = {
        name: tuple(
            kernel_name(layer) for layer in under if layer.host == name and kernel_name(layer)
        )
        for name in concerned_hosts
    }
    facts = {name: await _facts(host, under, target) for name, host in concerned_hosts.items()}
    caches = {name: sources for name in concerned_hosts if (sources := _caches(name, under))}
    return Counting(concerned_hosts, devices, facts, declared, caches)


async def _facts(host: Host, under: Sequence[StackLayer], target: Target) -> dict[str, str]:
    own = [layer for layer in under if layer.host == host.name and kernel_name(layer)]
    paths: list[str] = []
    for layer in own:
        name = kernel_name(layer)
        paths += [f"/sys/class/block/{name}/dev"]
        paths += [f"/sys/class/block/{name}/queue/{setting}" for setting in _QUEUE]
        paths += await _there(host, f"/sys/block/{name}", accounting_of(layer.kind).files)
    paths += dict.fromkeys(asked[0] for layer in own if (asked := commands_about(layer)))
    facts = await _said(host, paths)
    if target.kind is TargetKind.FILE and target.host == host.name:
        facts["filefrag"] = await _printed(host, ["filefrag", "-e", "-v", "-b512", target.path])
    return facts


async def _there(host: Host, place: str, files: Sequence[str]) -> list[str]:
    """Files below a place, in each directory that a name with "*" stands for."""
    paths: list[str] = []
    for folder, names in groupby(files, key=lambda file: file.rpartition("/")[0]):
        own = [file.rpartition("/")[2] for file in names]
        every = await host.glob(f"{place}/{folder}") if "*" in folder else [f"{place}/{folder}"]
        paths += [f"{each}/{name}" for each in every for name in own]
    return paths


def _caches(host: str, under: Sequence[StackLayer]) -> tuple[str, ...]:
    """The files and commands that tell in which state a host's caches are."""
    own = [layer for layer in under if layer.host == host]
    files = [
        f"/sys/block/{kernel_name(layer)}/{file}"
        for layer in own
        for file in accounting_of(layer.kind).state
    ]
    commands = [asked[1] for layer in own if (asked := commands_about(layer))]
    return tuple(dict.fromkeys([*files, *commands]))


async def _said(host: Host, sources: Sequence[str]) -> dict[str, str]:
    """What files (absolute paths) hold and commands print, as far as they can be read."""
    files = await host.read_many([source for source in sources if source.startswith("/")])
    texts = {
        path: kerneltext.decoded(content).strip()
        for path, content in files.items()
        if isinstance(content, bytes)
    }
    for command in sources:
        if not command.startswith("/"):
            texts[command] = await _printed(host, command.split())
    return texts


async def _printed(host: Host, argv: Sequence[str]) -> str:
    """What a command says; nothing where it is not there or may not."""
    try:
        done = await host.run(argv, check=False)
    except IosondeError:
        return ""
    return kerneltext.decoded(done.stdout) if done.status == 0 else ""


def declared_facts(
    host: str, device: str, kind: str, values: Mapping[str, Json]
) -> dict[str, Scalar]:
    """A layer's declaration with where it stands, as far as its values are plain."""
    plain = {key: value for key, value in values.items() if not isinstance(value, list | dict)}
    return {**plain, "kind": kind, "host": host, "device": device}
