"""Accounts of declared layers: what a few requests make each of them read and write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from iosonde.predict.model import model_of, predict, top_of
from iosonde.predict.requests import READ, WRITE, Requests
from iosonde.stack.file import understand

KIB, MIB = 1024, 2**20
Row: TypeAlias = tuple[int, int, int, int]
"""Reads, bytes read, writes, bytes written."""


def account(
    layers: Sequence[str],
    requests: Sequence[tuple[str, int, int]],
    *,
    disks: int = 1,
    size: str = "1 GiB",
    extra: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Row]:
    """Layer → what it reads and writes.

    Args:
        layers: below `layers:` of a stack file, which has disks d1 … and the hosts n1 and n2.
        requests: "read" or "write", offset and length in bytes, to the layer that is on top.
        disks: how many.
        size: of each disk.
        extra: layer → settings that no declaration has.
    """
    lines = ["stack: s", "hosts: {n1: {at: local}, n2: {at: other}}", "layers:"]
    lines += [
        f"  d{number}: {{kind: disk, host: n1, size: {size}, path: /dev/x{number}}}"
        for number in range(1, disks + 1)
    ]
    declared = understand("\n".join([*lines, *(f"  {layer}" for layer in layers)]), "s.yaml")
    model = model_of(top_of(declared), declared.mtu, extra)
    made = Requests(
        np.array([READ if way == "read" else WRITE for way, _, _ in requests], dtype=np.uint8),
        np.array([offset for _, offset, _ in requests], dtype=np.uint64),
        np.array([length for _, _, length in requests], dtype=np.uint64),
    )
    return {
        counts.id: (counts.reads, counts.read_bytes, counts.writes, counts.write_bytes)
        for counts in predict(model, made).layers
    }
