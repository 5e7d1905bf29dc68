"""What the NFS server did: /proc/net/rpc/nfsd.

Source: fs/nfsd/stats.c: `io READ WRITTEN` bytes; `rpc CALLS BAD FMT AUTH CLNT`; `net PACKETS UDP
TCP TCPCONN`; `th THREADS …`, whose further figures are 0 since 2.6.30. On 32-bit kernels `io`
wrapped at 4 GiB.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from iosonde import kerneltext
from iosonde.hosts.host import FilesSnapshot
from iosonde.monitors.sampler import SampledFigure, change

PATH = "/proc/net/rpc/nfsd"
_COLUMNS = {
    ("io", 0): ("read.bandwidth", "B/s"),
    ("io", 1): ("write.bandwidth", "B/s"),
    ("rpc", 0): ("calls", "1/s"),
}


def _lines(text: bytes) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for line in kerneltext.lines(text):
        name, *words = kerneltext.fields(line) or [b""]
        whole = words[:1] if name == b"th" else words
        if whole and all(word.isdigit() for word in whole):
            found[name.decode(errors="replace")] = [int(word) for word in whole]
    return found


class Nfsd:
    """Bytes read and written for clients, calls, and how many threads there are."""

    name: ClassVar[str] = "nfsd"
    paths: ClassVar[tuple[str, ...]] = (PATH,)

    def points(self, before: FilesSnapshot, after: FilesSnapshot) -> Iterator[SampledFigure]:
        """See `Sampler.points`; nothing on hosts that serve no NFS."""
        old, new = (_lines(reading.files.get(PATH, b"")) for reading in (before, after))
        seconds = after.time - before.time
        for (line, column), (name, unit) in _COLUMNS.items():
            if seconds > 0 and all(len(side.get(line, ())) > column for side in (old, new)):
                grown = change(old[line][column], new[line][column])
                yield SampledFigure("nfsd", name, unit, grown / seconds)
        if "th" in new:
            yield SampledFigure("nfsd", "threads", "", float(new["th"][0]))
