"""The kind of layer that the kernel's name of a device tells, or the type that lsblk prints."""

from __future__ import annotations

import re

from iosonde.layers import DEVICE_NAMES, DEVICE_TYPES

_NAMES = tuple((re.compile(pattern), kind) for pattern, kind in DEVICE_NAMES.items())
_NUMBER = re.compile(r"\d+$")


def kind_by_name(name: str) -> str:
    """The kind of a device that the kernel calls so; a name that tells none is a disk's."""
    return next((kind for names, kind in _NAMES if names.fullmatch(name)), kind_by_type(""))


def kind_by_type(word: str) -> str:
    """The kind of a device of this type; a type that is in no table is a disk's."""
    return DEVICE_TYPES.get(_NUMBER.sub("", word.lower()), DEVICE_TYPES[""])
