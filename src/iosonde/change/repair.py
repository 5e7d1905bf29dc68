"""What is wrong with the layers of a stack that stands, and bringing back their members."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from iosonde.change.at_work import holding
from iosonde.change.journal import Journal
from iosonde.errors import HostFailed
from iosonde.hosts.host import Host
from iosonde.layers import LAYERS
from iosonde.layers.site import Repairs, Site
from iosonde.stack.scene import read_scene

_BROKEN = ("degraded", "failed", "faulty", "partial", "peer lost", "stand-alone", "inconsistent",
           "diskless", "inactive", "broken", "lost ")  # fmt: skip
_PAUSE = 1.0
_SETTLED = 10.0  # seconds after which a layer has begun what it is going to do


@dataclass(frozen=True, slots=True)
class Trouble:
    """A layer that stands and is not whole; `hazards` as discovery says them."""

    site: Site
    hazards: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.site.name} ({self.site.device}): {', '.join(self.hazards)}"


async def troubles(sites: Sequence[Site], hosts: Mapping[str, Host]) -> list[Trouble]:
    """Those of some layers that are not whole.

    Args:
        sites: that stand, with their devices.
        hosts: opened, by their names in the stack.
    """
    kinds: dict[str, set[str]] = {}
    for site in sites:
        if site.device.startswith("/dev/") and LAYERS.load(site.kind).can_break:
            kinds.setdefault(site.host, set()).add(site.kind)
    hazards: dict[tuple[str, str], tuple[str, ...]] = {}
    for name, some in kinds.items():
        scene = await read_scene(hosts[name])
        for kind in sorted(some):
            for layer in await LAYERS.load(kind)().discover(scene):
                broken = tuple(
                    hazard for hazard in layer.hazards if any(bad in hazard for bad in _BROKEN)
                )
                hazards[name, layer.device] = broken
    broken_layers = []
    for site in sites:
        if site.host in kinds and site.device.startswith("/dev/"):
            device = await hosts[site.host].resolve(site.device)
            wrong = hazards.get((site.host, device)) or hazards.get((site.host, site.device))
            if wrong:
                broken_layers.append(Trouble(site, wrong))
    return broken_layers


async def repair(
    trouble: Trouble, host: Host, journal: Journal, tell: Callable[[str], None]
) -> None:
    """Give a layer its own members back, and wait until they hold its data.

    Args:
        trouble: of the layer.
        host: of it.
        journal: of the stack there, whose lock is held.
        tell: told how far that is.

    Raises:
        HostFailed: it cannot be repaired so, or that failed.
    """
    site, kind = trouble.site, LAYERS.load(trouble.site.kind)()
    if not isinstance(kind, Repairs):
        raise HostFailed(
            f"iosonde does not repair layers of kind {site.kind}: {trouble}",
            where=site.host, hint="repair it with the tools of its kind",
        )  # fmt: skip
    await host.run(holding(journal.lock, kind.repair(site)), timeout=120.0)
    began = time.monotonic()
    while not (state := await kind.rebuilding(host, site)).whole:
        if state.idle and time.monotonic() - began > _SETTLED:
            raise HostFailed(
                f"{site.name} is still degraded, and nothing is being rebuilt",
                where=site.host, hint=state.look,
            )  # fmt: skip
        tell(f"{site.name}: {state.progress}".strip())
        await asyncio.sleep(_PAUSE)
