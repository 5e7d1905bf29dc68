"""What a protocol's frames make of requests, which rules about their sizes ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from iosonde.records.evidence import CounterEvidence, EvidenceSet
from iosonde.records.finding import Evidence


@dataclass(frozen=True, slots=True)
class RequestFrames:
    """The frames into which a protocol cuts requests.

    Args:
        of_blocks: case, counters of what takes blocks, bytes of a block → what a frame carries.
        remedy: bytes of a block → how frames become whole blocks.
    """

    of_blocks: Callable[[EvidenceSet, CounterEvidence, int], Iterator[Evidence]]
    remedy: Callable[[int], str]
