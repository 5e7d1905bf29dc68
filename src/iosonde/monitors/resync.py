"""What md does in the background: /proc/mdstat.

Source: drivers/md/md.c, status_resync(): `[==>…]  resync = 12.6% (done/all) finish=…min
speed=…K/sec` with resync, recovery, reshape or check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from iosonde.hosts.host import Reading
from iosonde.monitors.sampler import Point

PATH = "/proc/mdstat"
_GOING = re.compile(
    rb"^(?P<array>\w+) :|(?P<what>resync|recovery|reshape|check|repair) *= *(?P<percent>[\d.]+)%",
    re.MULTILINE,
)


def operations(text: bytes) -> dict[str, tuple[str, float]]:
    """Array → what it does and how far it is, as a fraction."""
    found: dict[str, tuple[str, float]] = {}
    array = ""
    for match in _GOING.finditer(text):
        if match["array"]:
            array = match["array"].decode()
        elif array:
            found[array] = (match["what"].decode(), float(match["percent"]) / 100)
    return found


class Resync:
    """Progress of each array that is resyncing, recovering, reshaping or checked."""

    name: ClassVar[str] = "resync"
    paths: ClassVar[tuple[str, ...]] = (PATH,)

    def points(self, before: Reading, after: Reading) -> Iterator[Point]:
        """See `Sampler.points`."""
        del before
        for array, (what, share) in operations(after.files.get(PATH, b"")).items():
            yield Point(array, what, "fraction", share)
