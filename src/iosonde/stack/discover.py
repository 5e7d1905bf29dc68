"""Discovers the stack of one or several hosts: their layers, settings, hazards, and what is hidden.

One pass per host: the scene is read, each kind of layer claims its own, ids are linked, settings
read and hazards marked. A kind that fails makes a gap, never a failure of the whole.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iosonde import kerneltext
from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.layers import LAYERS
from iosonde.layers.layer import Layer, Scene
from iosonde.records.stack import Capture, Gap, HostFacts, Scalar, StackLayer
from iosonde.settings.host_wide import read_host_wide
from iosonde.stack.across import across
from iosonde.stack.hazards import mark_hazards
from iosonde.stack.link import link
from iosonde.stack.read_settings import read_settings
from iosonde.stack.scene import read_scene, with_reasons

_RELEASE = "/proc/sys/kernel/osrelease"
_ONLINE = "/sys/devices/system/cpu/online"
_MEMORY = "/proc/meminfo"


@dataclass(frozen=True, slots=True)
class _DiscoveredHost:
    """What one host gave."""

    facts: HostFacts
    layers: tuple[StackLayer, ...]
    gaps: tuple[Gap, ...]
    host_wide: Mapping[str, Scalar]


async def discover(hosts: Sequence[Host]) -> Capture:
    """All layers, settings and facts of the hosts at this moment.

    What cannot be read is in `gaps`; only a host that cannot be reached at all raises.
    """
    taken = time.time()
    discovered = await asyncio.gather(*(_discover_host(host) for host in hosts))
    layers = tuple(layer for scanned in discovered for layer in scanned.layers)
    kinds = {layer.kind: LAYERS.load(layer.kind) for layer in layers}
    imported = {kind.stands_on for kind in kinds.values()}
    serving = {
        layer.host for layer in layers
        if layer.kind in imported and kinds[layer.kind].reached_by_address
    }  # fmt: skip
    own = await asyncio.gather(
        *(_addresses(host) if host.name in serving else _none() for host in hosts)
    )
    layers = across(layers, {host.name: some for host, some in zip(hosts, own, strict=True)})
    return Capture(
        taken=taken,
        hosts=tuple(scanned.facts for scanned in discovered),
        layers=layers,
        gaps=tuple(gap for scanned in discovered for gap in scanned.gaps),
        host_wide={
            f"{scanned.facts.name}.{name}": value
            for scanned in discovered
            for name, value in scanned.host_wide.items()
        },
    )


async def discover_layers(host: Host) -> tuple[Scene, tuple[StackLayer, ...]]:
    """The layers of one host with their settings, and the scene in which they were found."""
    scene = await read_scene(host)
    kinds = {name: LAYERS.load(name)() for name in LAYERS}
    claimed = await asyncio.gather(*(_claim(scene, layer) for layer in kinds.values()))
    layers = link(scene, [layer for some in claimed for layer in some])
    offered = {name: layer.settings for name, layer in kinds.items()}
    return scene, mark_hazards(scene, await read_settings(scene, layers, offered))


async def _discover_host(host: Host) -> _DiscoveredHost:
    scene, layers = await discover_layers(host)
    host_wide, missed = await read_host_wide(host)
    facts = await read_host_facts(host)
    gaps = await with_reasons(host, tuple(dict.fromkeys((*scene.gaps, *missed))))
    return _DiscoveredHost(facts, layers, gaps, host_wide)


async def _addresses(host: Host) -> tuple[str, ...]:
    """The addresses of a host's interfaces, as `ip -o address` prints them."""
    done = await host.run(["ip", "-o", "address"], check=False)
    rows = (line.split() for line in kerneltext.lines(kerneltext.decoded(done.stdout)))
    return tuple(row[3].partition("/")[0] for row in rows if len(row) > 3)


async def _none() -> tuple[str, ...]:
    return ()


async def _claim(scene: Scene, layer: Layer) -> tuple[StackLayer, ...]:
    """The layers of one kind; its failure is a gap."""
    try:
        return await layer.discover(scene)
    except IosondeError as problem:
        gap = Gap(scene.host.name, f"layers of kind {layer.kind}", problem.message, problem.hint)
        scene.gaps.append(gap)
        return ()


def count_cpus(online: str) -> int | None:
    """How many CPUs a list like "0-3,8" names; None where it names none."""
    count = 0
    for span in online.strip().split(","):
        first, _, last = span.partition("-")
        if not first.isdecimal():
            return None
        count += int(last or first) - int(first) + 1
    return count


def parse_memory(text: str) -> int | None:
    """Bytes of memory in /proc/meminfo, whose "kB" are KiB."""
    for line in kerneltext.lines(text):
        name, _, rest = line.partition(":")
        if name == "MemTotal":
            return int(rest.split()[0]) * 1024
    return None


async def read_host_facts(host: Host) -> HostFacts:
    """Name, kernel, CPUs online and memory of a host."""
    files = await host.read_many([_RELEASE, _ONLINE, _MEMORY])

    def text(path: str) -> str:
        content = files.get(path)
        return kerneltext.decoded(content) if isinstance(content, bytes) else ""

    return HostFacts(
        name=host.name,
        kernel=text(_RELEASE).strip(),
        cpus=count_cpus(text(_ONLINE)),
        memory=parse_memory(text(_MEMORY)),
    )
