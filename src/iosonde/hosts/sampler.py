"""What every sampler can do: say what it reads, and turn two readings into rates.

monitors/observer.py reads the files of all samplers of a host in one go, once a second, and keeps
the bytes; parsing happens when the loop is over, so that it costs the load nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from iosonde.hosts.host import FilesSnapshot


@dataclass(frozen=True, slots=True)
class SampledFigure:
    """One figure between two readings: `subject` is the device, `name` the figure."""

    subject: str
    name: str
    unit: str
    value: float | None


class Sampler(Protocol):
    """One source of figures. `paths` are read every second; a host may lack some of them."""

    name: ClassVar[str]
    paths: ClassVar[tuple[str, ...]]

    def points(self, before: FilesSnapshot, after: FilesSnapshot) -> Iterable[SampledFigure]:
        """The figures of the time between two readings; nothing where a file is missing."""
        ...


def change(before: int, after: int) -> int:
    """How far a counter went; one that wrapped at 32 or 64 bits went on behind its end.

    A counter that fell without having been near an end was reset: then what it shows now is all
    that is known.
    """
    if after >= before:
        return after - before
    for width in (32, 64):
        end = 1 << width
        if before < end and before > end - (end >> 3) and after < end >> 3:
            return end - before + after
    return after
