"""What rules about stripes must know of a kind of layer, which its class says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from iosonde.records.stack import Scalar


@dataclass(frozen=True, slots=True)
class ArrayTraits:
    """Of a kind whose devices are striped or mirrored over members.

    Args:
        by_controller: the members are behind a controller, which calls a chunk a strip, and may
            tell neither it nor the level.
        in_group: it is cut out of a group of devices: its parts may be listed beside it, with
            their `role`, and what a text says of its only array is not said of this one.
    """

    by_controller: bool = False
    in_group: bool = False


@dataclass(frozen=True, slots=True)
class StripeHints:
    """Of a file system that is made for the stripe of the array below it. Sizes in bytes.

    Args:
        superblock: a fact that its superblock alone tells.
        remedy: how its stripe is told it afterwards, by its facts, a chunk and a stripe.
        of_options: chunk and stripe by the options of a mount; None where they say none.
    """

    superblock: str
    remedy: Callable[[Mapping[str, Scalar], int, int], str]
    of_options: Callable[[Mapping[str, Scalar]], tuple[int, int] | None] = lambda _: None
