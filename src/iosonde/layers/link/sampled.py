"""What went over each network interface: /proc/net/dev (proc_pid_net(5))."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import FilesSnapshot
from iosonde.hosts.sampler import SampledFigure, Sampler, change

PATH = "/proc/net/dev"
# Columns of "receive" and of "transmit": bytes, packets, errs, drop.
_SIDES = {"receive": 0, "transmit": 8}


def _lines(text: bytes) -> dict[str, list[int]]:
    figures: dict[str, list[int]] = {}
    for line in kerneltext.lines(text):
        name, colon, rest = line.rpartition(b":")
        counts = rest.split()
        if colon and len(counts) >= 16 and all(word.isdigit() for word in counts):
            figures[name.strip().decode(errors="replace")] = [int(word) for word in counts]
    return figures


class LinkSampler(Sampler):
    """Bandwidth, packets and drops of each interface, both ways."""

    name = "link"
    paths = (PATH,)

    @override
    def points(self, before: FilesSnapshot, after: FilesSnapshot) -> Iterator[SampledFigure]:
        old, new = (_lines(reading.files.get(PATH, b"")) for reading in (before, after))
        seconds = after.time - before.time
        for link, now in new.items():
            then = old.get(link)
            if then is None or seconds <= 0:
                continue
            for side, at in _SIDES.items():
                size, packets, errors, drops = (
                    change(then[at + column], now[at + column]) / seconds for column in range(4)
                )
                yield SampledFigure(link, f"{side}.bandwidth", "B/s", size)
                yield SampledFigure(link, f"{side}.packets", "1/s", packets)
                yield SampledFigure(link, f"{side}.lost", "1/s", errors + drops)
