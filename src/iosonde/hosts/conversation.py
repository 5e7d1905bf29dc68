"""A process on a host that iosonde talks with while it runs, over its standard input and output.

The end of its input tells the process that nobody is there any more, whether iosonde closed it, was
killed, or lost the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

_PART = 64 * 1024
_COMPLAINT = 64 * 1024  # bytes of standard error that are kept


class Conversation:
    """A running process; made by `Host.converse`.

    Args:
        reader: its standard output, by asyncio or asyncssh.
        writer: its standard input.
        errors: its standard error.
        ended: waits for its end.
        cut: closes the pipes or the channel, whatever it still does.
    """

    def __init__(
        self,
        reader: Any,
        writer: Any,
        errors: Any,
        *,
        ended: Callable[[], Awaitable[object]],
        cut: Callable[[], None],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._ended = ended
        self._cut = cut
        self._said = bytearray()
        self._listening = asyncio.ensure_future(self._listen(errors))

    async def _listen(self, errors: Any) -> None:
        while part := await _part_of(errors):
            if len(self._said) < _COMPLAINT:
                self._said += part

    def send(self, data: bytes) -> None:
        """Write to its standard input; a process that has ended hears nothing."""
        with contextlib.suppress(Exception):  # OSError and asyncssh's own alike: it has ended
            self._writer.write(data)

    async def receive(self) -> bytes:
        """What it prints next; empty where it has ended or the connection is lost."""
        return await _part_of(self._reader)

    async def complaint(self) -> bytes:
        """What it wrote to standard error, at most 64 KiB."""
        await asyncio.wait({self._listening}, timeout=0.5)
        return bytes(self._said)

    async def close(self, within: float) -> None:
        """End its input, and wait that many seconds at most for its own end."""
        with contextlib.suppress(Exception):
            self._writer.write_eof()
        try:
            async with asyncio.timeout(within):
                while await self.receive():
                    continue
                await self._ended()
        except TimeoutError:
            pass
        finally:
            self._cut()
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)


async def _part_of(stream: Any) -> bytes:
    """What comes next; a connection that breaks is the end."""
    try:
        part: bytes = await stream.read(_PART)
    except Exception:
        return b""
    return part
