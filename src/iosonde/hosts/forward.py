"""A unix socket of a host, reached by a unix socket of the controller through the connection.

Nothing listens on a network: the way to the socket is the ssh connection, and both sockets stand in
directories that their users alone may enter.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Protocol, TypeAlias, runtime_checkable

from iosonde.errors import HostFailed, UsageError
from iosonde.hosts.host import Host

Ends: TypeAlias = tuple[Any, Any]
"""Reader and writer of a byte stream, by asyncio or asyncssh."""
_PART = 256 * 1024  # bytes moved at once


@runtime_checkable
class Dials(Protocol):
    """A host whose unix sockets can be connected to from the controller."""

    async def dial(self, path: str) -> Ends:
        """A connection to the unix socket at a path there.

        Raises:
            HostFailed: nobody listens there, or the host does not let us through.
        """
        ...


class Forward:
    """A unix socket of the controller that leads to one of a host. Made by `forward`."""

    def __init__(self, host: Dials, path: str) -> None:
        self._host = host
        self._path = path
        self._server: asyncio.AbstractServer | None = None
        self._running: set[asyncio.Task[None]] = set()

    async def open(self, here: str) -> None:
        """Listen at a path of the controller."""
        self._server = await asyncio.start_unix_server(self._accepted, here)

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._lead(reader, writer))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until either side ends it; without the host it ends at once."""
        far: Any = None
        ways: list[asyncio.Future[None]] = []
        try:
            far_reader, far = await self._host.dial(self._path)
            ways = [
                asyncio.ensure_future(_move(reader, far)),
                asyncio.ensure_future(_move(far_reader, writer)),
            ]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        except HostFailed:
            pass  # who connected sees the end; the host's commands tell why
        finally:
            for way in ways:
                way.cancel()
            for side in (writer, far):
                if side is not None:
                    side.close()

    async def close(self) -> None:
        """Listen no more, and cut every connection."""
        if self._server is not None:
            self._server.close()
        for task in tuple(self._running):
            task.cancel()
            await asyncio.wait({task})


async def forward(host: Host, path: str, here: str) -> Forward:
    """Make a socket of the controller lead to one of a host.

    Args:
        host: where the socket is.
        path: of the socket there; somebody listens at it.
        here: path on the controller at which nothing is yet, in a private directory.

    Raises:
        HostFailed: the host does not let us through, or nobody listens there.
        UsageError: this kind of host has no sockets.
    """
    if not isinstance(host, Dials):
        raise UsageError("a recording has no sockets to connect to", where=host.name)
    _, probe = await host.dial(path)
    probe.close()
    led = Forward(host, path)
    await led.open(here)
    return led


async def _move(source: Any, sink: Any) -> None:
    """Bytes of one direction until their end; a broken connection is an end."""
    with contextlib.suppress(Exception):  # asyncssh has errors of its own
        while part := await source.read(_PART):
            sink.write(part)
            await sink.drain()
