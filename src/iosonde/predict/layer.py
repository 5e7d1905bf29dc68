"""What a layer is to the core, and what its rule may look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Behind:
    """A layer that nobody declared, such as the array behind a controller's cache.

    Args:
        kind: what it is called.
        rule: name of the core's rule.
        figures: what the rule needs, bytes.
    """

    kind: str
    rule: str
    figures: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer for the core.

    Args:
        rule: name of the core's rule.
        size: bytes that can be addressed.
        figures: what the rule needs, bytes.
        starts: for each layer below where this one begins on it, bytes; empty: at 0.
        notes: what is not exact about it.
        remarks: what a user should know of its I/Os.
        order: places among the layers declared below, where the core wants another order.
        approximate: what its rule makes up for where the truth cannot be known.
        behind: a layer that nobody declared between this one and what it stands on.
    """

    rule: str
    size: int
    figures: Mapping[str, int] = field(default_factory=dict)
    starts: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()
    approximate: tuple[str, ...] = ()
    behind: Behind | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """What a rule looks at: layers below, the stack's MTU, settings of no declaration."""

    below: tuple[Layer, ...]
    mtu: int
    extra: Mapping[str, Any]

    @property
    def size(self) -> int:
        """Bytes of the one layer below."""
        return self.below[0].size
