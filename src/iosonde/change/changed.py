"""How a setting went that was changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from iosonde.contract import HIDDEN, NULL
from iosonde.errors import HostFailed


@dataclass(frozen=True, slots=True)
class Changed:
    """How a setting went."""

    name: str
    """LAYER.NAME, the layer without its host."""
    before: str
    wanted: str = field(metadata=NULL)
    """null: the kernel changed it along with another."""
    after: str
    """Read back from the host."""
    state: Literal["changed", "unchanged", "rounded", "ignored", "beside", "planned"]
    """unchanged: it was so already; rounded: the host made another value of it; ignored: accepted,
    and still the old one; beside: the kernel changed it along with another."""
    command: str = field(metadata=NULL)
    waits: bool = field(default=False, metadata=HIDDEN)
    """It takes effect from the next connection on."""


class ValueRefused(HostFailed):
    """The host does not take a value, though it lies within what it allows."""

    kind = "value"
