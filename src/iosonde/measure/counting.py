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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.observe import diskstats
from iosonde.records import Capture, Json, Scalar, StackLayer, Target, TargetKind
from iosonde.stack.model import kernel_name, layers_under

COUNTED = "ledger.json"
"""Name among a loop's raw files."""
IDLE_SECONDS = 2.0
_SETTLE, _PATIENCE = 0.3, 20  # seconds between two looks, and how many at most
_QUEUE = ("max_sectors_kb", "max_segments")
_ARRAY = (
    "stripe_cache_size", "rmw_level", "metadata_version", "component_size", "bitmap/location",
    "bitmap/chunksize",
)  # fmt: skip
_MEMBER = ("slot", "offset", "state")
_BCACHE = (
    "backing_dev_name", "cache_mode", "sequential_cutoff", "cache/bucket_size", "cache/block_size",
    "cache/congested_read_threshold_us", "cache/congested_write_threshold_us",
)  # fmt: skip
_BCACHE_STATE = (
    "dirty_data", "cache/cache_available_percent", "cache/cache0/metadata_written",
)  # fmt: skip
TABLE = "dmsetup table"
STATUS = "dmsetup status --noflush"

Figures: TypeAlias = dict[str, list[int]]


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

    async def settled(self) -> dict[str, Figures]:
        """Device → its figures by host, once nothing moves any more (or not for some seconds)."""
        before = await self._read()
        for _ in range(_PATIENCE):
            await asyncio.sleep(_SETTLE)
            now = await self._read()
            if _moved(before) == _moved(now):
                return now
            before = now
        return before

    async def idle(self) -> tuple[dict[str, Figures], dict[str, Figures]]:
        """The counters before and after a while in which nothing of ours runs."""
        before = await self._read()
        await asyncio.sleep(IDLE_SECONDS)
        return before, await self._read()

    async def _read(self) -> dict[str, Figures]:
        texts = await asyncio.gather(*(one.read(diskstats.PATH) for one in self.hosts.values()))
        found: dict[str, Figures] = {}
        for name, text in zip(self.hosts, texts, strict=True):
            every = diskstats.figures(text)
            found[name] = {one: every[one] for one in self.devices[name] if one in every}
        return found

    async def states(self) -> dict[str, dict[str, str]]:
        """What caches say of how full they are and what they met, by host, as in `facts`."""
        return {name: await _said(self.hosts[name], one) for name, one in self.caches.items()}

    def packed(
        self, readings: Sequence[dict[str, Figures]], states: Sequence[dict[str, dict[str, str]]]
    ) -> bytes:
        """What is kept: counters before and after the idle while, then the load.

        With `states` of caches before and after the load.
        """
        document: dict[str, object] = {
            "idle_seconds": IDLE_SECONDS, "readings": list(readings), "facts": self.facts,
            "states": list(states), "declared": list(self.declared),
        }  # fmt: skip
        return json.dumps(document).encode()


def _moved(readings: dict[str, Figures]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Completed I/Os of each device: what tells that something went on."""
    return {
        host: {name: (one[0], one[4]) for name, one in figures.items()}
        for host, figures in readings.items()
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
    found = {one.name: one for one in hosts if one.name in concerned}
    devices = {
        name: tuple(
            kernel_name(layer) for layer in under if layer.host == name and kernel_name(layer)
        )
        for name in found
    }
    facts = {name: await _facts(host, under, target) for name, host in found.items()}
    caches = {name: sources for name in found if (sources := _caches(name, under))}
    return Counting(found, devices, facts, declared, caches)


async def _facts(host: Host, under: Sequence[StackLayer], target: Target) -> dict[str, str]:
    own = [layer for layer in under if layer.host == host.name and kernel_name(layer)]
    paths: list[str] = []
    for layer in own:
        name = kernel_name(layer)
        paths += [f"/sys/class/block/{name}/dev"]
        paths += [f"/sys/class/block/{name}/queue/{one}" for one in _QUEUE]
        if layer.kind == "md":
            paths += [f"/sys/block/{name}/md/{one}" for one in _ARRAY]
            for member in await host.glob(f"/sys/block/{name}/md/dev-*"):
                paths += [f"{member}/{one}" for one in _MEMBER]
        if layer.kind == "bcache":
            paths += [f"/sys/block/{name}/bcache/{one}" for one in _BCACHE]
    found = await _said(host, paths)
    if any(_is_mapped(layer) for layer in own):
        found[TABLE] = await _printed(host, TABLE.split())
    if target.kind is TargetKind.FILE and target.host == host.name:
        found["filefrag"] = await _printed(host, ["filefrag", "-e", "-v", "-b512", target.path])
    return found


def _is_mapped(layer: StackLayer) -> bool:
    return kernel_name(layer).startswith("dm-")


def _caches(host: str, under: Sequence[StackLayer]) -> tuple[str, ...]:
    """The files and commands that tell in which state a host's caches are.

    `--noflush`, since dm-cache would write its metadata to answer (dm-cache-target.c,
    `cache_status()`).
    """
    sources: list[str] = []
    for layer in under:
        if layer.host == host and layer.kind == "bcache":
            place = f"/sys/block/{kernel_name(layer)}/bcache"
            sources += [f"{place}/{one}" for one in _BCACHE_STATE]
    if any(_is_mapped(layer) for layer in under if layer.host == host):
        sources.append(STATUS)
    return tuple(sources)


async def _said(host: Host, sources: Sequence[str]) -> dict[str, str]:
    """What files (absolute paths) hold and commands print, as far as they can be read."""
    files = await host.read_many([one for one in sources if one.startswith("/")])
    found = {
        path: content.decode(errors="replace").strip()
        for path, content in files.items()
        if isinstance(content, bytes)
    }
    for command in sources:
        if not command.startswith("/"):
            found[command] = await _printed(host, command.split())
    return found


async def _printed(host: Host, argv: Sequence[str]) -> str:
    """What a command says; nothing where it is not there or may not."""
    try:
        done = await host.run(argv, check=False)
    except IosondeError:
        return ""
    return done.stdout.decode(errors="replace") if done.status == 0 else ""


def declared_facts(
    host: str, device: str, kind: str, values: Mapping[str, Json]
) -> dict[str, Scalar]:
    """A layer's declaration with where it stands, as far as its values are plain."""
    plain = {key: one for key, one in values.items() if not isinstance(one, list | dict)}
    return {**plain, "kind": kind, "host": host, "device": device}
