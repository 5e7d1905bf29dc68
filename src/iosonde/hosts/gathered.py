"""What a command prints, gathered while it runs, in bounded memory."""

from __future__ import annotations

import asyncio
from typing import Any

from iosonde import limits
from iosonde.errors import HostFailed

_PART = 64 * 1024


class Gathered:
    """Both streams of one command, by asyncio or asyncssh.

    Of its standard output all is kept, up to the limit; `full` tells that there is more. What comes
    behind the limit is read and dropped, so that a command that is being stopped need not wait for
    room in its pipe. Of its standard error the beginning and the end are kept: a tool's first
    complaint is the cause, its last one the outcome.

    Args:
        lead: bytes that stand before what the command prints, on either stream, and do not count.
    """

    def __init__(self, lead: int = 0) -> None:
        self._lead = lead
        self.full = asyncio.Event()

    async def output(self, stream: Any) -> bytes:
        """Standard output to its end, at most `limits.COMMAND_OUTPUT` bytes of it."""
        parts: list[bytes] = []
        room = limits.COMMAND_OUTPUT + self._lead
        while part := await stream.read(_PART):
            if len(part) > room:
                self.full.set()
                part = part[:room]
            room -= len(part)
            if part:
                parts.append(part)
        return b"".join(parts)

    async def errors(self, stream: Any) -> bytes:
        """Standard error to its end; of a long one what is at its ends."""
        most = limits.COMMAND_ERRORS
        first, last = bytearray(), bytearray()
        dropped = 0
        while part := await stream.read(_PART):
            room = most + self._lead - len(first)
            first += part[:room]
            last += part[room:]
            if len(last) > 2 * most:
                dropped += len(last) - most
                del last[:-most]
        if len(last) > most:
            dropped += len(last) - most
            del last[:-most]
        between = f"\n[{dropped} bytes are left out here]\n".encode() if dropped else b""
        return bytes(first) + between + bytes(last)

    def check(self, host: str, what: str) -> None:
        """Raises HostFailed where the command has printed more than the limit."""
        if self.full.is_set():
            raise HostFailed(
                f"{what} printed more than {limits.shown(limits.COMMAND_OUTPUT)}, the limit for a "
                "command, and was stopped",
                where=host,
                hint="run it there by hand to see what it prints",
            )


def too_long(host: str, path: str) -> HostFailed:
    """The error for a file of a host that is longer than what is read of one."""
    return HostFailed(
        f"{path} is longer than {limits.shown(limits.HOST_FILE)}, the limit for a file that is "
        "read whole",
        where=host,
        hint="look there what writes to it",
    )
