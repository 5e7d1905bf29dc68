"""What the kernel's names of devices, lsblk's types and types of mounts say of a layer."""

from __future__ import annotations

import re

from iosonde.layers import DEVICE_NAMES, DEVICE_TYPES, FSTYPES, LAYERS, MODULES, TRANSPORTS

_NAMES = tuple((re.compile(pattern), kind) for pattern, kind in DEVICE_NAMES.items())
_NUMBER = re.compile(r"\d+$")


def kind_by_name(name: str) -> str:
    """The kind of a device that the kernel calls so; a name that tells none is a disk's."""
    return next((kind for names, kind in _NAMES if names.fullmatch(name)), kind_by_type(""))


def kind_by_type(word: str) -> str:
    """The kind of a device of this type; a type that is in no table is a disk's."""
    return DEVICE_TYPES.get(_NUMBER.sub("", word.lower()), DEVICE_TYPES[""])


def kind_by_module(name: str) -> str | None:
    """The kind whose modules of the kernel are called so; None: of none."""
    return next((kind for kind, begins in MODULES.items() if name.startswith(begins)), None)


def transport_by_name(path: str) -> str | None:
    """The transport of a device of this path ("/dev/etherd/e0.1": "aoe"); None: any is possible."""
    name = path.removeprefix("/dev/")
    return next((word for start, word in TRANSPORTS.items() if name.startswith(start)), None)


def fstypes_of(kind: str) -> tuple[str, ...]:
    """Types of the mounts that are layers of a kind, whichever package it is of."""
    if not LAYERS[kind].startswith("iosonde.layers."):
        return LAYERS.load(kind).fstypes
    return tuple(fstype for fstype, of_kind in FSTYPES.items() if of_kind == kind)
