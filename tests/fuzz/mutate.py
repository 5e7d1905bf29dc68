"""Damages samples: the same seed gives the same bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

LONGEST = 1 << 16
"""Bytes of an input; what takes too long shows at this length already."""

_TOKENS = (
    b"", b"0", b"-1", b"1e999", b"-1e999", b"NaN", b"nan", b"inf", b"Infinity", b"1e-400", b"0x10",
    b"18446744073709551616", b"9" * 400, b"9" * 5000, b"1,5", b"1.5.5", b".", b"-", b"1/0", b"%",
    "٣".encode(), "²".encode(), "½".encode(), "\u2028".encode(), "\u202e".encode(),
    "\u0130".encode(), "\u00a0".encode(), "\ufeff".encode(), b"\0", b"\xff", b"\xed\xb2\x80",
    b"\x1b[31m", b"\r", b"\n", b"\n\n\n", b"\t", b" " * 200, b"{", b"}", b"[", b"]", b'"', b"'",
    b"\\", b"=", b":", b"|", b"(", b")", b"null", b"true", b"[]", b"{}", b'""', b"k", b"KiB/s",
)  # fmt: skip
_NUMBER = re.compile(rb"\d+(?:\.\d+)?")


def damaged(sample: bytes, others: Sequence[bytes], noise: random.Random) -> bytes:
    """A sample with one to eight places changed."""
    data = bytearray(sample)
    for _ in range(noise.choice((1, 1, 2, 3, 5, 8))):
        _CHANGES[noise.randrange(len(_CHANGES))](data, others, noise)
        del data[LONGEST:]
    return bytes(data)


def _span(data: bytearray, noise: random.Random, most: int = 400) -> slice:
    start = noise.randrange(len(data) + 1)
    return slice(start, start + noise.randrange(1, noise.choice((3, 20, most)) + 1))


def _flip(data: bytearray, _others: Sequence[bytes], noise: random.Random) -> None:
    if data:
        data[noise.randrange(len(data))] ^= 1 << noise.randrange(8)


def _drop(data: bytearray, _others: Sequence[bytes], noise: random.Random) -> None:
    del data[_span(data, noise)]


def _double(data: bytearray, _others: Sequence[bytes], noise: random.Random) -> None:
    part = _span(data, noise)
    data[part.start : part.start] = data[part]


def _repeat(data: bytearray, _others: Sequence[bytes], noise: random.Random) -> None:
    """Many times the same: where time grows faster than length, this shows it."""
    part = _span(data, noise, 30)
    text = bytes(data[part])
    if text:
        data[part.start : part.start] = text * min(
            noise.choice((10, 100, 1000, 20_000)), LONGEST // len(text)
        )


def _put(data: bytearray, _others: Sequence[bytes], noise: random.Random) -> None:
    place = noise.randrange(len(data) + 1)
    data[place:place] = noise.choice(_TOKENS)


def _put_often(data: bytearray, _others: Sequence[bytes], noise: random.Random) -> None:
    place = noise.randrange(len(data) + 1)
    token = noise.choice(_TOKENS) + noise.choice((b"", b" ", b"\n", b"a", b","))
    data[place:place] = token * noise.choice((10, 300, 10_000))


def _number(data: bytearray, _others: Sequence[bytes], noise: random.Random) -> None:
    matches = list(_NUMBER.finditer(bytes(data)))
    if matches:
        match = noise.choice(matches)
        data[match.start() : match.end()] = noise.choice(_TOKENS)


def _lines(data: bytearray, _others: Sequence[bytes], noise: random.Random) -> None:
    """Lines lost, exchanged, joined or broken."""
    lines = bytes(data).split(b"\n")
    first, second = noise.randrange(len(lines)), noise.randrange(len(lines))
    what = noise.randrange(4)
    if what == 0:
        del lines[first]
    elif what == 1:
        lines[first], lines[second] = lines[second], lines[first]
    elif what == 2:
        lines[first : first + 2] = [b" ".join(lines[first : first + 2])]
    else:
        place = noise.randrange(len(lines[first]) + 1)
        lines[first : first + 1] = [lines[first][:place], lines[first][place:]]
    data[:] = b"\n".join(lines)


def _cut(data: bytearray, _others: Sequence[bytes], noise: random.Random) -> None:
    del data[noise.randrange(len(data) + 1) :]


def _splice(data: bytearray, others: Sequence[bytes], noise: random.Random) -> None:
    other = noise.choice(others)
    start = noise.randrange(len(other) + 1)
    place = noise.randrange(len(data) + 1)
    data[place:place] = other[start : start + noise.choice((10, 100, 2000))]


_CHANGES = (
    _flip, _drop, _double, _repeat, _put, _put_often, _number, _number, _lines, _cut, _splice,
)  # fmt: skip
