"""Targets that serve one frame after the other, so that depth above them is depth at their door."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iosonde import _core
from iosonde.layers._ledger.rule import accounting_of

if TYPE_CHECKING:
    from iosonde.predict.model import StackModel


@dataclass(frozen=True, slots=True)
class Door:
    """A target that all requests pass, one frame at a time.

    Args:
        name: of the target.
        frame: bytes of data that a frame carries.
    """

    name: str
    frame: int

    def frames(self, offset: int, length: int) -> Iterator[tuple[int, int]]:
        """Offset and length of each frame of a request, bytes."""
        for begin in range(offset, offset + length, self.frame):
            yield begin, min(self.frame, offset + length - begin)


def door_of(model: StackModel) -> Door | None:
    """The target that serves one by one and through which all requests go; None: there is none."""
    place, frame = 0, 0
    while True:
        site, node = model.sites[place], model.nodes[place]
        if isinstance(node.rule, _core.Far):
            frame = node.rule.read
        if accounting_of(site.kind).one_by_one:
            return Door(site.name, frame) if frame else None
        if len(node.below) != 1:
            return None
        place = node.below[0]


def notes_of(model: StackModel, door: Door | None) -> tuple[str, ...]:
    """What is assumed of such targets."""
    if door:
        return (f"{door.name} serves one frame after the other",)
    if any(accounting_of(site.kind).one_by_one for site in model.sites):
        return ("that each of several targets serves one frame after the other is left out",)
    return ()
