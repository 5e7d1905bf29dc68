"""Which of the states and counters of a text tell most, so that they are said first.

A device that failed tells more than one that is whole, a health more than a size, and a size more
than an option of a mount; what the host is called and which packages it has tell least. Values have
the same names whatever tool printed them, so no tool is named here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum

from iosonde.records.printed import PrintedCounters, PrintedState, PrintedSubject
from iosonde.records.stack import Json, Scalar


class Telling(IntEnum):
    """What a state or a counter is about; the first tells most."""

    TROUBLE = 0
    CONDITION = 1
    MEASURED = 2
    SIZE = 3
    OPTION = 4
    SURROUNDINGS = 5


BAD = re.compile(
    r"fail|degrad|offline|missing|(?<!de)fault|unavail|suspend|corrupt|configured.?bad|\bdown\b"
    r"|inconsistent|split.?brain|standalone|recover|rebuild|resync|error|\breset|abort|timed? ?out",
    re.IGNORECASE,
)
CONDITIONS = frozenset({
    "health", "health_status", "health_passed", "overall_status", "state", "array_state",
    "volume_state", "operational_status", "status", "disk_state", "connection", "role",
    "login",
})  # fmt: skip
ORDINARY = frozenset({
    "resizable", "available", "created", "deleted", "grown",
    "part", "primary", "extended", "logical",
})  # fmt: skip
"""Conditions that say nothing of how a device is: it is in use, was changed, or is a part."""
_COUNTED_TROUBLES = frozenset({
    "degraded", "missing", "failed_paths", "entries_split_brain", "critical_warning",
    "read_errors", "write_errors", "checksum_errors",
})  # fmt: skip
_REFUSALS = frozenset({"error", "mount_error"})
_FULLNESS = frozenset({"used_share", "data_used_share", "used"})
_SHARES = ("used_share", "data_used_share", "util")
_FULL = 0.9  # of a file system: its owner has to know
_IMAGE = re.compile(r"(?:/dev/)?(?:loop|sr|cd)\d{1,4}")
_SIZES = frozenset({"size", "blocks", "raid_level", "level"})
_NETWORK = "mtu"  # what has it is no storage
_SURROUNDINGS = frozenset({"host", "package", "kernel", "module", "limits", "device"})
_ALL_OF_A_HOST = frozenset({"host", "memory", "cpu"})
_READ = 200  # messages of an output
_BAD_LEVELS = ("panic", "fatal", "error", "crit")


def state_telling(state: PrintedState) -> Telling:
    """What the most telling of a state's subjects says."""
    return min(map(subject_telling, state.subjects), default=Telling.SURROUNDINGS)


def subject_telling(subject: PrintedSubject) -> Telling:
    """What a device's values are about."""
    values = subject.values
    if is_in_trouble(values):
        return Telling.TROUBLE
    if subject.kind in _SURROUNDINGS or _NETWORK in values:
        return Telling.SURROUNDINGS
    conditions = (values[name] for name in CONDITIONS.intersection(values))
    if any(isinstance(value, str | bool) and value not in ORDINARY for value in conditions):
        return Telling.CONDITION
    if not _FULLNESS.isdisjoint(values):
        return Telling.MEASURED
    return Telling.OPTION if _SIZES.isdisjoint(values) else Telling.SIZE


def is_in_trouble(values: Mapping[str, Scalar]) -> bool:
    """Whether values are of a device that failed, is gone, lacks a part, or has no room left."""
    share = values.get("used_share")
    return (
        any(BAD.search(str(values[name])) for name in CONDITIONS.intersection(values))
        or values.get("health_passed") is False
        or any(isinstance(values[name], str) for name in _REFUSALS.intersection(values))
        or any(values[name] for name in _COUNTED_TROUBLES.intersection(values))
        or (isinstance(share, float) and share >= _FULL and not _is_always_full(values))
    )


def _is_always_full(values: Mapping[str, Scalar]) -> bool:
    """Whether values are of an image or a disc that nothing is written to, so that it is full."""
    return bool(values.get("read_only")) or bool(_IMAGE.fullmatch(str(values.get("device"))))


def bad_condition(values: Mapping[str, Scalar]) -> str:
    """The condition by which a device is in trouble, `FAULTED`; empty where it is in none."""
    said = (str(values[name]) for name in sorted(CONDITIONS.intersection(values)))
    return next(filter(BAD.search, said), "")


def share_of(values: Mapping[str, Json]) -> float:
    """How full a file system is, or how busy a device, from 0 to 1; 0 where it is not said."""
    share = next((values[name] for name in _SHARES if name in values), None)
    return float(share) if isinstance(share, int | float) else 0.0


def counters_telling(counters: PrintedCounters) -> Telling:
    """What counters are about: messages by whether any is of trouble."""
    listed: Json = counters.values.get("messages") or counters.values.get("entries")
    if isinstance(listed, list):
        if not any(map(_is_bad, listed[:_READ])):
            return Telling.OPTION
        is_of_device = counters.name or any(isinstance(each, dict) for each in listed[:_READ])
        return Telling.TROUBLE if is_of_device else Telling.CONDITION
    if counters.kind == "file" and not any(
        isinstance(value, int | float) for value in counters.values.values()
    ):
        return Telling.SURROUNDINGS  # whose it is, and who may read it
    return Telling.SIZE if counters.kind in _ALL_OF_A_HOST else Telling.MEASURED


def _is_bad(message: Json) -> bool:
    """Whether a message is of trouble, by its level or, where it has none, by its words."""
    if isinstance(message, dict):
        return message.get("level") in _BAD_LEVELS
    return BAD.search(str(message)) is not None


_MAKES = re.compile(r"(?:^|[\s/])mk(?:\w{0,8}fs|swap|e2fs)|(?:^|[\s/-])\w{0,12}create\b")
_MADE = ("created", "started")
_CHANGED = ("written", "extended", "resized", "added", "grown", "removed")


def is_made(state: PrintedState, subject: PrintedSubject) -> bool:
    """Whether an output says that it made a device, or stands below the command that does."""
    return (
        _says(subject, _MADE)
        or (len(state.subjects) == 1 and bool(_MAKES.search(state.command or state.tool)))
    )  # fmt: skip


def is_changed(subject: PrintedSubject) -> bool:
    """Whether an output says that it changed a device."""
    return _says(subject, _CHANGED)


def _says(subject: PrintedSubject, flags: Sequence[str]) -> bool:
    values = subject.values
    return values.get("state") in flags or any(values.get(name) is True for name in flags)


def is_idle(values: Mapping[str, Json]) -> bool:
    """Whether counters are of a device that did nothing: all their figures are zero."""
    figures = [value for value in values.values() if isinstance(value, int | float)]
    return bool(figures) and not any(figures) and not isinstance(values.get("messages"), list)
