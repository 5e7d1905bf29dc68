"""Which loads come with iosonde?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from iosonde.contract import ADDED, HIDDEN, VerbResult
from iosonde.loads import LOADS
from iosonde.loads.named import limits_of, named_load, names, text_of
from iosonde.measure import named as studies
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
    require: Mapping[str, str] = field(metadata=ADDED)
    """What storage for it must reach by a published source, metric to bound: `run` of this load
    alone passes or fails by it."""
    text: str = field(metadata=HIDDEN)
    """Its file, to be copied and changed."""


@dataclass(frozen=True, slots=True)
class BundledStudy:
    """A study that needs only targets."""

    name: str
    about: str
    text: str = field(metadata=HIDDEN)
    """Its file, to be copied and changed."""


@dataclass(frozen=True, slots=True)
class BundledLoads(VerbResult):
    """The loads and studies that come with iosonde, or the one asked for.

    Sizes in bytes, times in seconds.
    """

    SCHEMA = "iosonde.loads/1"
    loads: tuple[BundledLoad, ...]
    studies: tuple[BundledStudy, ...] = field(metadata=ADDED)
    """Studies that need only targets: `iosonde run NAME --target DEVICE`."""


def loads(*wanted: str) -> BundledLoads:
    """The loads and studies that come with iosonde.

    Args:
        wanted: names of loads and studies; none: all.

    Raises:
        UsageError: there is none of a name.
    """
    study_names = studies.names()
    return BundledLoads(
        tuple(_bundled(name) for name in wanted or names() if name not in study_names),
        tuple(_study(name) for name in wanted or study_names if name in study_names),
    )


def _study(name: str) -> BundledStudy:
    """A bundled study; what it is for stands in the comment at its head."""
    text = studies.text_of(name)
    about = [line.removeprefix("#").strip() for line in text.split("\n") if line.startswith("#")]
    return BundledStudy(name, " ".join(about), text)


def _bundled(name: str) -> BundledLoad:
    load = named_load(name)
    demand = LOADS.load(load.engine)().demand(load)
    return BundledLoad(
        load.name, load.engine, load.about, demand.reads, demand.writes, demand.size,
        demand.seconds, demand.direct, load.spec, limits_of(name, directory=Path()),
        text_of(name),
    )  # fmt: skip
