"""What md arrays do in the background."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import FilesSnapshot
from iosonde.hosts.sampler import SampledFigure, Sampler
from iosonde.layers.md.facts import parse_mdstat

PATH = "/proc/mdstat"


def operations(text: bytes) -> dict[str, tuple[str, float]]:
    """Array → what it does and how far it is, as a fraction."""
    return {
        array.name: (array.work.operation, array.work.share)
        for array in parse_mdstat(kerneltext.decoded(text))
        if array.work and array.work.share is not None
    }


class Resync(Sampler):
    """Progress of each array that is resyncing, recovering, reshaping or checked."""

    name = "resync"
    paths = (PATH,)

    @override
    def points(self, before: FilesSnapshot, after: FilesSnapshot) -> Iterator[SampledFigure]:
        del before
        for array, (what, share) in operations(after.files.get(PATH, b"")).items():
            yield SampledFigure(array, what, "fraction", share)
