"""What rules about file systems must know of a kind of layer, which its class says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iosonde.records.stack import Scalar


@dataclass(frozen=True, slots=True)
class FileSystemCheck:
    """The check of a file system.

    Args:
        repair: the command that mends what it finds.
        damaged: facts of a check → their values where damage is left; "" for all other facts.
    """

    repair: str
    damaged: Mapping[str, tuple[Scalar, ...]]
