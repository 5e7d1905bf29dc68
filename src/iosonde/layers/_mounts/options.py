"""Options of mounts, as /proc/self/mountinfo, fstab(5) and mount(8) list them."""

from __future__ import annotations

from collections.abc import Iterable

from iosonde.records.stack import Scalar

_SECRETS = frozenset({"pass", "password", "password2", "passwd", "secret"})
"""Source: mount.cifs(8); mount.ceph(8), whose `secretfile` is a path."""


def options_of(options: Iterable[str]) -> dict[str, Scalar]:
    """Mount options as a mapping: a flag is True, `key=value` its value as text.

    A password that stands among them is left out.
    """
    values: dict[str, Scalar] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if key and key not in _SECRETS:
            values[key] = value if equals else True
    return values
