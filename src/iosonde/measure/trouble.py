"""What is wrong with the layers below a target, looked at between loops.

An array that loses a disk goes on without a word to the load. What was measured while that happened
is neither the whole array's nor the degraded one's, and what comes after it is another machine's.

What goes on in the background (a resync, a check) is no trouble: the observer records it. How far
it is, how full a pool is, and who uses a device, changes without anything being wrong.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from iosonde.errors import HostFailed, IosondeError
from iosonde.hosts.host import Host
from iosonde.layers import LAYERS
from iosonde.records.load import Target
from iosonde.records.stack import Capture, StackLayer
from iosonde.stack.hazards import is_in_use
from iosonde.stack.model import layers_under
from iosonde.stack.scene import read_scene

_QUEUE = ("physical_block_size",)
"""What discovery of the other kinds looks at of a device's queue, for what is misaligned."""
_WORK = re.compile(r"(?:resync|recover|reshape|check|repair|busy)\b|.*\bfull$")
_CHOSEN = frozenset({"async export", "no barriers", "read-only", "soft mount", "unsafe cache"})
"""What is a consequence of settings, which a campaign changes, and of nothing that broke."""
_BROKEN = frozenset({"degraded", "failed", "faulty", "partial", "peer lost", "stand-alone"})
_SHARE = re.compile(r"\s*\d+(?:\.\d+)?\s?%")
_GONE = "gone"

Troubles = Mapping[str, frozenset[str]]
"""Words for what is wrong, by the id of the layer."""


def troubles_of(layers: Iterable[StackLayer]) -> dict[str, frozenset[str]]:
    """What is wrong with each of some layers; nothing of the kinds that never tell."""
    return {
        layer.id: frozenset(_SHARE.sub("", word).strip() for word in layer.hazards if _is(word))
        for layer in layers
        if LAYERS.load(layer.kind).can_break
    }


def broken(layers: Iterable[StackLayer]) -> Iterator[str]:
    """What is wrong before the first loop, a sentence a layer: all of the loops measure it."""
    for layer in layers:
        if troubles := troubles_of([layer])[layer.id] & _BROKEN:
            yield f"{layer.device} is {', '.join(sorted(troubles))}"


def _is(word: str) -> bool:
    return not is_in_use([word]) and word not in _CHOSEN and not _WORK.match(word)


@dataclass(frozen=True, slots=True)
class Watched:
    """The layers below a target whose state is looked at, and how it was at first.

    Args:
        hosts: of the layers, by name.
        layers: as captured before the first loop.
        renamed: layers may come back under other names, as disks of a new session do.
    """

    hosts: Mapping[str, Host]
    layers: tuple[StackLayer, ...]
    renamed: bool = False

    @classmethod
    def under(
        cls, capture: Capture | None, target: Target, hosts: Sequence[Host]
    ) -> Watched | None:
        """Those below a target; None where there is none that could tell, or none captured."""
        if capture is None:
            return None
        breakable = tuple(
            layer for layer in layers_under(capture, target.host, target.path)
            if LAYERS.load(layer.kind).can_break
        )  # fmt: skip
        return cls({host.name: host for host in hosts}, breakable) if breakable else None

    async def change(self, since: float) -> str:
        """A sentence on what is otherwise than at first; empty where nothing is.

        Args:
            since: when it was last looked at, epoch seconds.
        """
        try:
            now = await self._read()
        except IosondeError:  # a host that does not answer fails the loop itself
            return ""
        span = f"between {_clock(since)} and {_clock(time.time())}"
        return self.compared(now, span)

    def compared(self, now: Troubles, span: str) -> str:
        """See `change`; `span` tells when it came."""
        first = troubles_of(self.layers)
        changes = [
            f"{layer.device} ({layer.kind}) {_became(first[layer.id], now[layer.id])}"
            for layer in self.layers
            if layer.id in now and now[layer.id] != first[layer.id]
        ]
        return f"The stack below changed {span}: {'; '.join(changes)}" if changes else ""

    async def _read(self) -> dict[str, frozenset[str]]:
        wanted: dict[str, set[str]] = {}
        for layer in self.layers:
            wanted.setdefault(layer.host, set()).add(layer.kind)
        discovered = await asyncio.gather(
            *(_discovered(self.hosts[host], kinds) for host, kinds in wanted.items()
              if host in self.hosts)
        )  # fmt: skip
        now = troubles_of(layer for layers in discovered for layer in layers)
        looked = {host for host in wanted if host in self.hosts}
        gone = {layer.id for layer in self.layers if layer.host in looked} - now.keys()
        return now if self.renamed else {**now, **dict.fromkeys(gone, frozenset({_GONE}))}


async def _discovered(host: Host, kinds: Iterable[str]) -> list[StackLayer]:
    scene = await read_scene(host, _QUEUE)
    discovered = await asyncio.gather(
        *(LAYERS.load(kind)().discover(scene) for kind in sorted(kinds))
    )
    return [layer for layers in discovered for layer in layers]


def _became(before: frozenset[str], after: frozenset[str]) -> str:
    """How a layer is, and was: "is degraded, sdb faulty", "is whole again, and was …"."""
    state = ", ".join(sorted(after)) or "whole again"
    past = f", and was {', '.join(sorted(before))} before" if before else ""
    return f"is {state}{past}"


def _clock(epoch: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(epoch))


def loop_left_out(change: str, host: str) -> HostFailed:
    """Why no further loop of a trial is run."""
    return HostFailed(
        f"{change}. The loop during which it came is left out, and no further one is run",
        where=host,
        hint="see what failed there; on a stack that is whole again the run goes on with --resume",
    )
