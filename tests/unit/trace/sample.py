"""A small trace of every text format, of the same requests."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    """Microseconds, what, bytes."""

    time: int
    op: str
    offset: int
    length: int


def requests(count: int = 400, seed: int = 1) -> list[Request]:
    """Some that follow each other, some at random, some off the grid; a third of them writes."""
    chance = random.Random(seed)
    made, time, end = [], 1_600_000_000_000_000, 0
    for _ in range(count):
        time += chance.choice([0, 100, 5000, 400_000])
        length = chance.choice([512, 4096, 4096, 16384])
        offset = end if chance.random() < 0.3 else chance.randrange(4000) * 512
        end = offset + length
        made.append(Request(time, chance.choice(["read", "read", "write"]), offset, length))
    return made


def _letter(request: Request) -> str:
    return request.op[0].upper()


FORMATS: dict[str, tuple[str, Callable[[Request], str]]] = {
    "msr": (
        "",
        lambda io: (
            f"{io.time * 10 + 116444736000000000},hm,1,{io.op.title()},{io.offset},{io.length},100"
        ),
    ),
    "alibaba": (
        "",
        lambda io: f"7,{_letter(io)},{io.offset},{io.length},{io.time}",
    ),
    "tencent": (
        "",
        lambda io: (
            f"{io.time // 1_000_000},{io.offset // 512},{io.length // 512},"
            f"{int(io.op == 'write')},7"
        ),
    ),
    "systor": (
        "Timestamp,Response,IOType,LUN,Offset,Size\n",
        lambda io: (
            f"{io.time // 1_000_000}.{io.time % 1_000_000:06d},0.001,{_letter(io)},7,"
            f"{io.offset},{io.length}"
        ),
    ),
    "iolog": (
        "fio version 3 iolog\n",
        lambda io: f"{io.time} scratch {io.op} {io.offset} {io.length}",
    ),
    "fio-log": (
        "",
        lambda io: f"{io.time // 1000}, 4711, {int(io.op == 'write')}, {io.length}, {io.offset}, 0",
    ),
    "blkparse": (
        "",
        lambda io: (
            f"  8,0    1 {1:8d} {io.time // 1_000_000:5d}.{io.time % 1_000_000:06d}000 "
            f"{42:5d}  Q {_letter(io):>3} {io.offset // 512} + {io.length // 512} [fio]"
        ),
    ),
}
RESOLUTION = {"tencent": 1_000_000, "fio-log": 1000}
"""Microseconds of a tick where it is no microsecond."""


def text(fmt: str, made: list[Request]) -> bytes:
    """A trace in a format."""
    head, line = FORMATS[fmt]
    return (head + "".join(line(request) + "\n" for request in made)).encode()
