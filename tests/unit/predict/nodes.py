"""Stacks for the core from a few words, and requests to them in sectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from iosonde import _core
from iosonde.layers._ledger.rule import NO_LIMITS

if TYPE_CHECKING:
    from iosonde._core import Rule

SECTOR, PAGE, KIB = 512, 4096, 1024
Request = tuple[int, int, int]  # 0 read, 1 write or 2 flush, first sector, sectors


@dataclass
class Node:
    """A layer of a random stack: its rule, what it stands on, and what it takes at once."""

    rule: Rule
    below: list[Node] = field(default_factory=list)
    limits: _core.Limits = NO_LIMITS
    bitmap: _core.Bitmap | None = None

    def flat(self) -> list[Node]:
        nodes = [self]
        for node in self.below:
            nodes += node.flat()
        return nodes


def core_of(top: Node) -> tuple[_core.Ledger, list[Node]]:
    nodes = top.flat()
    numbers = {id(node): number for number, node in enumerate(nodes)}
    rows = [
        _core.Node(
            node.rule, below=[numbers[id(under)] for under in node.below],
            limits=node.limits, bitmap=node.bitmap,
        )
        for node in nodes
    ]  # fmt: skip
    return _core.Ledger(rows), nodes


def run(core: _core.Ledger, requests: list[Request]) -> None:
    table = np.array(requests, dtype=np.uint64).reshape(len(requests), 3)
    core.run(
        table[:, 0].astype(np.uint8).tobytes(),
        (table[:, 1] * SECTOR).tobytes(),
        (table[:, 2] * SECTOR).tobytes(),
    )


def disk() -> Node:
    return Node(_core.Same(), limits=_core.Limits(most=1280 * KIB, merges=True, segments=254))
