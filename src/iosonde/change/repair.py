"""What is wrong with the layers of a stack that stands, and bringing back members of its arrays.

Only what is an array's own is given back to it: a device that carries the array's own superblock.
What another disk in its place would lose is nobody's to decide here.

Source: mdadm(8), --manage: --remove of a failed member, --re-add, and --add, which tries --re-add
first; --examine --export.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from iosonde import kerneltext
from iosonde.change.at_work import holding
from iosonde.change.journal import Journal
from iosonde.errors import HostFailed
from iosonde.hosts.command import sequence
from iosonde.hosts.host import Host
from iosonde.layers import LAYERS
from iosonde.layers.site import Site
from iosonde.scripts import program
from iosonde.stack.scene import read_scene

_BROKEN = ("degraded", "failed", "faulty", "partial", "peer lost", "stand-alone", "inconsistent",
           "diskless", "inactive", "broken", "lost ")  # fmt: skip
_PAUSE = 1.0

_BACK = program("iosonde.change", "repair.sh")


@dataclass(frozen=True, slots=True)
class Trouble:
    """A layer that stands and is not whole; `words` as discovery says it."""

    site: Site
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.site.name} ({self.site.device}): {', '.join(self.words)}"


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
    words: dict[tuple[str, str], tuple[str, ...]] = {}
    for name, some in kinds.items():
        scene = await read_scene(hosts[name])
        for kind in sorted(some):
            for layer in await LAYERS.load(kind)().discover(scene):
                told = tuple(one for one in layer.hazards if any(bad in one for bad in _BROKEN))
                words[name, layer.device] = told
    found = []
    for site in sites:
        if site.host in kinds and site.device.startswith("/dev/"):
            device = await hosts[site.host].resolve(site.device)
            wrong = words.get((site.host, device)) or words.get((site.host, site.device))
            if wrong:
                found.append(Trouble(site, wrong))
    return found


async def repair(
    trouble: Trouble, host: Host, journal: Journal, tell: Callable[[str], None]
) -> None:
    """Give an array its own members back, and wait until they hold its data.

    Args:
        trouble: of the layer.
        host: of it.
        journal: of the stack there, whose lock is held.
        tell: told how far the resync is.

    Raises:
        HostFailed: it cannot be repaired so, or the resync failed.
    """
    site = trouble.site
    if site.kind != "md":
        raise HostFailed(
            f"iosonde repairs arrays of md alone, and {site.name} is a {site.kind}: {trouble}",
            where=site.host, hint="repair it with the tools of its kind",
        )  # fmt: skip
    members = [under.device for under in site.below]
    command = sequence([(("sh", "-c", _BACK, "sh", site.device, *members), "", False)])
    await host.run(holding(journal.lock, command), timeout=120.0)
    name = (await host.resolve(site.device)).rpartition("/")[2]
    place = f"/sys/block/{name}/md"
    paths = [f"{place}/{one}" for one in ("sync_action", "sync_completed", "degraded")]
    began = time.monotonic()
    while True:
        texts = {
            path.rpartition("/")[2]: kerneltext.decoded(content).strip()
            for path, content in (await host.read_many(paths)).items()
            if isinstance(content, bytes)
        }
        if texts.get("degraded") == "0" and texts.get("sync_action", "idle") == "idle":
            return
        if texts.get("sync_action", "idle") == "idle" and time.monotonic() - began > _SETTLED:
            raise HostFailed(
                f"{site.name} is still degraded, and nothing is being rebuilt",
                where=site.host, hint=f"mdadm --detail {site.device}",
            )  # fmt: skip
        tell(f"{site.name}: {texts.get('sync_action')} {texts.get('sync_completed', '')}".strip())
        await asyncio.sleep(_PAUSE)


_SETTLED = 10.0  # seconds after which md has begun what it is going to do
