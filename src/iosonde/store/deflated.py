"""Texts of the store that are long: deflated, and unpacked up to a limit."""

from __future__ import annotations

import zlib

from iosonde import limits
from iosonde.errors import StoreFailed

_LONG = 512  # bytes


def deflated(text: bytes) -> bytes:
    """To deflate a short text takes longer than to write it, and saves nothing."""
    return zlib.compress(text, 1) if len(text) >= _LONG else text


def inflated(blob: bytes) -> bytes:
    """A deflated text begins with what no JSON begins with (RFC 1950, 2.2: CMF 0x78).

    Raises:
        StoreFailed: it is damaged, or unpacks to more than the limit.
    """
    if blob[:1] != b"\x78":
        return blob
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(blob, limits.STORED)
    except zlib.error:
        text = b""
    if not stream.eof:
        raise StoreFailed(
            f"a record of the store is damaged, or unpacks to more than "
            f"{limits.shown(limits.STORED)}, the limit",
            hint="take the store from a backup",
        )
    return text
