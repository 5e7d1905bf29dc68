"""Which loads come with iosonde?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from iosonde.contract import HIDDEN, VerbResult
from iosonde.loads import LOADS
from iosonde.loads.named import named_load, names, text_of
from iosonde.records.stack import Json


@dataclass(frozen=True, slots=True)
class BundledLoad:
    """A load, what it needs and what it does."""

    name: str
    engine: str
    about: str
    reads: bool
    writes: bool
    """Writes or trims, so that it needs a scratch file or --destroy."""
    size: int | None
    """Bytes it wants of a file; null: the whole device or file."""
    seconds: float | None
    """Length of one loop as declared; null: as long as it takes."""
    direct: bool
    """False: its figures may be those of the page cache."""
    spec: Mapping[str, Json]
    """The engine's own declaration."""
    text: str = field(metadata=HIDDEN)
    """Its file, to be copied and changed."""


@dataclass(frozen=True, slots=True)
class BundledLoads(VerbResult):
    """The loads that come with iosonde, or the one asked for. Sizes in bytes, times in seconds."""

    SCHEMA: ClassVar[str] = "iosonde.loads/1"
    loads: tuple[BundledLoad, ...] = field(metadata={"schema": {"minItems": 1}})


def loads(*wanted: str) -> BundledLoads:
    """The loads that come with iosonde.

    Args:
        wanted: names of loads; none: all.

    Raises:
        UsageError: there is none of a name.
    """
    return BundledLoads(tuple(_bundled(name) for name in wanted or names()))


def _bundled(name: str) -> BundledLoad:
    load = named_load(name)
    demand = LOADS.load(load.engine)().demand(load)
    return BundledLoad(
        load.name, load.engine, load.about, demand.reads, demand.writes, demand.size,
        demand.seconds, demand.direct, load.spec, text_of(name),
    )  # fmt: skip
