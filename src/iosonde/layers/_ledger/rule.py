"""What a layer is to the core, and what its rule may look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from iosonde import _core
from iosonde.layers import LEDGERS
from iosonde.records.prediction import Account

if TYPE_CHECKING:
    from iosonde._core import Rule
    from iosonde.layers._ledger.look import Look
    from iosonde.layers._mapper.facts import MapperTarget
    from iosonde.layers.site import Site
    from iosonde.records.stack import Scalar, StackLayer

NOTHING = Account(0, 0, 0, 0)
NO_LIMITS = _core.Limits()


@dataclass(frozen=True, slots=True)
class Behind:
    """A layer that nobody declared, such as the array behind a controller's cache.

    Args:
        kind: what it is called.
        rule: the core's.
        limits: what it takes at once.
    """

    kind: str
    rule: Rule
    limits: _core.Limits


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
class LedgerLayer:
    """A layer for the core.

    Args:
        rule: the core's, with all that it needs.
        size: bytes that can be addressed.
        limits: what it takes at once.
        io_min, alignment_offset: bytes, as sysfs has them of a device; 0: of one without a grid.
        starts: for each layer below where this one begins on it, bytes; empty: at 0.
        notes: what is not exact about it.
        remarks: what a user should know of its I/Os.
        order: places among the layers declared below, where the core wants another order.
        approximate: what its rule makes up for where the truth cannot be known.
        bitmap: a write-intent bitmap on all that it stands on.
        behind: a layer that nobody declared between this one and what it stands on.
        otherwise: what a found layer may be as well, of the same layers below.
        only_with: of one of `otherwise`: an event of the layer's rule without which it cannot be.
        besides: what a found layer does besides what it is asked for.
        met: what a found cache counted itself.
    """

    rule: Rule
    size: int
    limits: _core.Limits = NO_LIMITS
    starts: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()
    approximate: tuple[str, ...] = ()
    bitmap: _core.Bitmap | None = None
    behind: Behind | None = None
    otherwise: tuple[LedgerLayer, ...] = ()
    only_with: str = ""
    besides: tuple[Besides, ...] = ()
    met: Met | None = None
    io_min: int = 0
    alignment_offset: int = 0


@dataclass(frozen=True, slots=True)
class LedgerContext:
    """What a rule looks at: layers below, the stack's MTU, settings of no declaration."""

    below: tuple[LedgerLayer, ...]
    mtu: int
    extra: Mapping[str, Any]

    @property
    def size(self) -> int:
        """Bytes of the one layer below."""
        return self.below[0].size


@dataclass(frozen=True, slots=True)
class Accounting:
    """How a kind of layer is reckoned with.

    Args:
        declared: its rule and figures by its declaration; None: not to be predicted.
        discovered: the same of a layer as it stands on a host; None: what lies below it is not
            covered.
        networked: its I/Os go over a network.
        one_by_one: it serves one frame after the other: depth above it waits at its door.
        speed: whose speed a device model of the layer is; empty: it needs none.
        drives: the disks that a layer has within itself; None: it has what it stands on.
        extra: settings that no declaration has → what they take.
        files: what the ledger of one that is found needs, below /sys/block/NAME; "*" in the
            directory's name stands for all of them.
        state: the same of what a load changes.
        facts: as the keys of its declaration would have them, of those that one shows which is
            found; None: it shows none of them.
        recognised: what tells it from another of its kind, from its facts; None: not every host
            shows it under the kind that it was declared as.
        alternatives: facts that it may have instead, as name and value, where it counts otherwise.
        target: what a target of device-mapper of its own is, of which a device is wholly made.
    """

    declared: Callable[[Site, LedgerContext], LedgerLayer] | None = None
    discovered: Callable[[Look, StackLayer], LedgerLayer] | None = None
    networked: bool = False
    one_by_one: bool = False
    speed: Literal["", "drive", "controller"] = ""
    drives: Callable[[Site], tuple[Site, ...]] | None = None
    extra: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    facts: Callable[[Mapping[str, Scalar], Mapping[str, Scalar]], dict[str, Scalar]] | None = None
    recognised: Callable[[Mapping[str, Scalar]], str] | None = None
    alternatives: Callable[[Look, StackLayer], Iterator[tuple[str, Scalar]]] | None = None
    target: Callable[[Look, StackLayer, MapperTarget], LedgerLayer] | None = None


def accounting_of(kind: str) -> Accounting:
    """How a kind of layer is reckoned with: not at all, if nothing is known of it."""
    return LEDGERS.load(kind) if kind in LEDGERS else Accounting()
