"""What a layer is to the core, and what its rule may look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from iosonde.case import Account

NOTHING = Account(0, 0, 0, 0)


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
class Besides:
    """I/Os of a found layer that no request brings, or that are fewer than its rule says.

    Args:
        on: the layer below, by name, that gets them, and with it what it stands on.
        least, most: so much more, less where negative; where it is not known just how much, they
            differ.
        event: for each of so many; of the rule's own, or `asked_reads`, `asked_writes`,
            `asked_flushes` and `asked_write_bytes`, which are what the layer got. Empty: once.
        up_to: of the events no more than so many; None: of all.
        alone: not what `on` stands on.
    """

    on: str
    least: Account = NOTHING
    most: Account = NOTHING
    event: str = ""
    up_to: int | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Met:
    """What a found cache counted itself: so much of what it was asked for it passed on at most.

    The other layer has got the rest at least. A figure that bounds nothing is infinite.

    Args:
        slow, fast: the layers below, by name.
        slow_most, fast_most: for each of them.
    """

    slow: str
    fast: str
    slow_most: Account
    fast_most: Account


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
        otherwise: what a found layer may be as well, of the same layers below.
        only_with: of one of `otherwise`: an event of the layer's rule without which it cannot be.
        besides: what a found layer does besides what it is asked for.
        met: what a found cache counted itself.
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
    otherwise: tuple[Layer, ...] = ()
    only_with: str = ""
    besides: tuple[Besides, ...] = ()
    met: Met | None = None


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
