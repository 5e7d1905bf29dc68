"""What rules about file systems must know of a technology, which its class or its row says."""

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


@dataclass(frozen=True, slots=True)
class CarriedContent:
    """What lies on a device, by the type that blkid gives it.

    Args:
        what: it is, "is a physical volume of LVM"; "" of a file system.
        instead: what to do where it was taken for a file system, with the place `{device}`.
        new_uuid: what gives a copy a UUID of its own; "" where a UUID is of several devices.
        until: what happens while two devices have one UUID.
    """

    what: str = ""
    instead: str = ""
    new_uuid: str = ""
    until: str = (
        "what is mounted or opened by this UUID (fstab, crypttab, the initramfs) may be either of "
        "them, and another one after the next boot"
    )
