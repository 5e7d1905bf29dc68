"""Files of blktrace as the kernel writes them, of made requests."""

from __future__ import annotations

import struct
from pathlib import Path

from tests.unit.trace.sample import Request

_EVENTS = {
    "Q": (1, 1 << 4),
    "G": (4, 1 << 4),
    "I": (12, 1 << 4),
    "D": (7, 1 << 6),
    "C": (8, 1 << 7),
}
_DIRECTIONS = {"read": 1 << 0, "write": 1 << 1}
_DEVICE = 8 << 20 | 16


def write_blktrace(folder: Path, made: list[Request], *, big: bool = False) -> Path:
    """Q, G, I, D and C of each request; two processors take turns. Returns the trace's name."""
    form = (">" if big else "<") + "IIQQIIIIIHH"
    files: list[list[tuple[int, bytes]]] = [[], []]
    start = made[0].time
    events = []
    for number, io in enumerate(made):
        for step, (letter, (action, category)) in enumerate(_EVENTS.items()):
            time = (io.time - start) * 1000 + 1_000_000 + number + step * 10
            events.append((time, number % 2, action, category, io, letter))
    sequence = [0, 0]
    for time, cpu, action, category, io, _ in sorted(events, key=lambda event: event[0]):
        sequence[cpu] += 1
        what = action | (category | _DIRECTIONS[io.op]) << 16
        record = struct.pack(
            form, 0x65617407, sequence[cpu], time, io.offset // 512, io.length, what, 42,
            _DEVICE, cpu, 0, 0,
        )  # fmt: skip
        files[cpu].append((time, record))
    for cpu, records in enumerate(files):
        content = b"".join(record for _, record in records)
        (folder / f"sdb.blktrace.{cpu}").write_bytes(content)
    return folder / "sdb"
