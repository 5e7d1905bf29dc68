"""What the NFS server did: /proc/net/rpc/nfsd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde.hosts.host import FilesSnapshot
from iosonde.hosts.sampler import SampledFigure, Sampler, change
from iosonde.layers.nfs.facts import parse_rpc
from iosonde.records.stack import Json

PATH = "/proc/net/rpc/nfsd"
_RATES = {
    ("io", "read"): ("read.bandwidth", "B/s"),
    ("io", "written"): ("write.bandwidth", "B/s"),
    ("rpc", "calls"): ("calls", "1/s"),
}


def _figure(lines: Mapping[str, Json], line: str, name: str) -> int | None:
    figures = lines.get(line)
    figure = figures.get(name) if isinstance(figures, dict) else None
    return figure if isinstance(figure, int) else None


class Nfsd(Sampler):
    """Bytes read and written for clients, calls, and how many threads there are."""

    name = "nfsd"
    paths = (PATH,)

    @override
    def points(self, before: FilesSnapshot, after: FilesSnapshot) -> Iterator[SampledFigure]:
        """Nothing on hosts that serve no NFS."""
        old, new = (parse_rpc(reading.files.get(PATH, b"")) for reading in (before, after))
        seconds = after.time - before.time
        for (line, figure), (name, unit) in _RATES.items():
            then, now = (_figure(lines, line, figure) for lines in (old, new))
            if seconds > 0 and then is not None and now is not None:
                yield SampledFigure("nfsd", name, unit, change(then, now) / seconds)
        if (threads := _figure(new, "th", "threads")) is not None:
            yield SampledFigure("nfsd", "threads", "", float(threads))
