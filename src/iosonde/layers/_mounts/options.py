"""Options of mounts, as /proc/self/mountinfo, fstab(5) and mount(8) list them."""

from __future__ import annotations

from collections.abc import Iterable

from iosonde.records.stack import Scalar


def options_of(options: Iterable[str]) -> dict[str, Scalar]:
    """Mount options as a mapping: a flag is True, `key=value` its value as text."""
    values: dict[str, Scalar] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if key:
            values[key] = value if equals else True
    return values
