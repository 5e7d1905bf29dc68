"""What is known of a stack that was found: its layers, what the host says of them, what went on.

Rules of found layers (`ledger.py` of each technology) look at nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from posixpath import basename
from types import MappingProxyType

from iosonde.layers._mapper.facts import STATUS, TABLE, MapperTarget, parse_targets
from iosonde.layers.layer import kernel_name
from iosonde.records.prediction import Account
from iosonde.records.stack import Scalar, StackLayer

Texts = Mapping[str, Mapping[str, str]]
"""Host → path or command → text, as measure/counting.py keeps them."""


class NotCovered(Exception):
    """No rule covers a layer; says why."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What went on while the load ran.

    Args:
        states: of each loop, what layers said of themselves before and after its load.
        counted: host and device → its I/Os in all loops.
        loops: how many.
        seconds: of all loops.
        largest: bytes of the largest request; 0: not known.
        reads: whether it read at all.
    """

    states: tuple[tuple[Texts, Texts], ...] = ()
    counted: Mapping[tuple[str, str], Account] = field(default_factory=lambda: MappingProxyType({}))
    loops: int = 1
    seconds: float = 0.0
    largest: int = 0
    reads: bool = True


@dataclass(frozen=True, slots=True)
class Look:
    """What is known of a discovered stack.

    Args:
        layers: top first, each before those it stands on.
        facts: what files and commands said that does not change while a load runs.
        overlay: layer → facts to be taken instead of the found ones.
        ran: the load.
    """

    layers: tuple[StackLayer, ...]
    facts: Texts
    overlay: Mapping[str, Mapping[str, Scalar]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    ran: Ran = field(default_factory=Ran)

    def text(self, layer: StackLayer, path: str) -> str:
        """A file of the layer's host; empty where it was not read."""
        return self.facts.get(layer.host, {}).get(path, "")

    def figure(self, layer: StackLayer, path: str) -> int | None:
        """A number in such a file."""
        text = self.text(layer, path)
        return int(text) if text.isdecimal() else None

    def value(self, layer: StackLayer, name: str) -> Scalar:
        """A fact of a layer, or what is to be taken instead."""
        return {**layer.facts, **self.overlay.get(layer.id, {})}.get(name)

    def states(self, layer: StackLayer, path: str) -> tuple[tuple[str, str], ...]:
        """What a file or command said in each loop before the load and after; empty: nothing."""
        return tuple(
            (before.get(layer.host, {}).get(path, ""), after.get(layer.host, {}).get(path, ""))
            for before, after in self.ran.states
        )

    def below(self, layer: StackLayer) -> tuple[StackLayer, ...]:
        """What a layer stands on, as found."""
        return tuple(layer for name in layer.below for layer in self.layers if layer.id == name)

    def under(self, layer: StackLayer) -> tuple[StackLayer, ...]:
        """A layer and all that it stands on, as found."""
        layers = {layer.id: layer}
        for lower in self.below(layer):
            layers |= {more.id: more for more in self.under(lower)}
        return tuple(layers.values())

    def numbered(self, layer: StackLayer, number: str) -> int:
        """The place among those below of a device "MAJOR:MINOR".

        Raises:
            NotCovered: it is not among them.
        """
        for place, lower in enumerate(self.below(layer)):
            if self.text(lower, f"/sys/class/block/{kernel_name(lower)}/dev") == number:
                return place
        raise NotCovered(f"the device {number} that it stands on was not found")


def commands_about(layer: StackLayer) -> tuple[str, str] | None:
    """What is asked of a layer's host besides its files: once, and before and after each load.

    The status without a flush: dm-cache would write its metadata to answer (dm-cache-target.c,
    `cache_status()`).
    """
    return (TABLE, STATUS) if kernel_name(layer).startswith("dm-") else None


def targets_of(layer: StackLayer, text: str) -> tuple[MapperTarget, ...]:
    """The targets of a device of device-mapper in what `dmsetup table` or `status` printed."""
    tables = parse_targets(text)
    targets = tables.get(basename(layer.device)) or tables.get(layer.id.rpartition(":")[2])
    return targets or ()
