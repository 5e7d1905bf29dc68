"""What a host is made of: its layers with their facts and settings at one moment.

Bytes, seconds, 1/s and fractions throughout (units.py). Times of day are seconds since the epoch.
A figure that is not known is None, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from iosonde.contract import ADDED, NULL, VerbResult

Scalar: TypeAlias = str | int | float | bool | None

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
"""No other alias in it: get_type_hints() evaluates it wherever it is used."""


@dataclass(frozen=True, slots=True)
class HostFacts:
    """One host as `show` names it. `memory` in bytes."""

    name: str
    kernel: str
    cpus: int | None
    """CPUs online."""
    memory: int | None


@dataclass(frozen=True, slots=True)
class StackLayer:
    """One layer as found: one technology at one place in the stack."""

    id: str = field(metadata={"schema": {"pattern": "^[^/]+(/.*)?/[a-z0-9_-]+:"}})
    """Unique over all hosts: "HOST/KIND:NAME"."""
    kind: str = field(metadata={"schema": {"pattern": "^[a-z0-9_-]+$"}})
    host: str
    device: str
    """Path of the block device, or the source of a network mount."""
    size: int | None = field(metadata={"schema": {"minimum": 0}})
    below: tuple[str, ...] = field(default=(), metadata={"schema": {"uniqueItems": True}})
    """Ids of the layers it stands on."""
    mount: str | None = None
    facts: Mapping[str, Scalar] = field(default_factory=dict, metadata=ADDED)
    """What it is; the page of its kind explains each."""
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    """What can be set. null: this user may not read it; absent: the layer has no such setting."""
    hazards: tuple[str, ...] = field(default=(), metadata={"schema": {"uniqueItems": True}})
    """Reasons not to write to it, or not to trust it."""


@dataclass(frozen=True, slots=True)
class Gap:
    """What could not be read: a missing tool, a missing right. Named, not fatal."""

    host: str
    what: str
    reason: str
    remedy: str = field(default="", metadata=NULL)


@dataclass(frozen=True, slots=True)
class Capture(VerbResult):
    """The layers of one or several hosts at one moment, with settings and facts.

    Sizes in bytes, times in seconds since the epoch. A figure that is not known is null.
    """

    SCHEMA = "iosonde.show/1"
    taken: float = field(metadata=ADDED)
    """When discovery began."""
    hosts: tuple[HostFacts, ...]
    layers: tuple[StackLayer, ...]
    host_wide: Mapping[str, Scalar] = field(default_factory=dict, metadata=ADDED)
    """Settings of no layer: HOST.NAME ("HOST.vm.dirty_ratio") to value."""
    gaps: tuple[Gap, ...] = field(default=(), metadata=ADDED)
    """What could not be read, and what would bring it."""
