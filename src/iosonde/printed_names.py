"""Which devices the states and counters of a text speak of: what most of them name, it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from iosonde.records.printed import PrintedCounters, PrintedState
from iosonde.records.stack import Json

_DEVICE = re.compile(r"(?<![\w/.-])/dev/((?:[\w.!+-]{1,60}/){0,2}[\w.!+-]{0,60}[\w!+-])")
_PARTITION = re.compile(r"(?:(?P<numbered>.{1,59}\d)p|(?P<lettered>.{0,59}[^\d/]))\d{1,3}")
_READ = 64  # devices, values and messages of an output
_DIRECTORY = "mapper/"


def bare_name(name: str) -> str:
    """A device by its name in /dev, however a tool writes it: `/dev/md0` is md0."""
    return name.removeprefix("/dev/").removeprefix(_DIRECTORY)


def device_key(name: str) -> str:
    """By which a device is known again: `/dev/vg/home` and `/dev/mapper/vg-home` are the same.

    A mount point stays as it is.
    """
    bare = bare_name(name)
    group, slash, volume = bare.partition("/")
    if not slash or not group or not volume or "/" in volume:
        return bare
    return "-".join(part.replace("-", "--") for part in (group, volume))


def whole_device(name: str) -> str:
    """The device that a partition is a part of: sda of sda1, nvme0n1 of nvme0n1p2; else empty."""
    match = _PARTITION.fullmatch(name)
    return (match["numbered"] or match["lettered"]) if match else ""


def names_in(output: PrintedState | PrintedCounters) -> Iterator[str]:
    """Bare names of the devices that an output is of, and of those that its values name.

    Its command names devices, too, and mount points.

    Of a long output only those in its first part. A name may come twice.
    """
    if isinstance(output, PrintedState):
        yield from (bare_name(word) for word in output.command.split()[:_READ] if word[:1] == "/")
        for subject in output.subjects[:_READ]:
            if subject.name:
                yield bare_name(subject.name)
            yield from named(subject.values.values())
        return
    if output.name:
        yield bare_name(output.name)
    for value in output.values.values():
        yield from named(value[:_READ] if isinstance(value, list) else [value])


def named(values: Iterable[Json]) -> Iterator[str]:
    """Bare names of the devices that values name."""
    for value in islice(values, _READ):
        text = value.get("message") if isinstance(value, dict) else value
        if isinstance(text, str) and "/dev/" in text:
            yield from (bare_name(match[1]) for match in _DEVICE.finditer(text))
