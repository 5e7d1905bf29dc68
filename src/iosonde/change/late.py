"""A host that does not run yet, because a layer of the stack is the machine itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, cast

from iosonde.errors import HostFailed
from iosonde.hosts import open_host
from iosonde.hosts.host import Host

_PATIENCE = 180.0  # seconds until a machine that has been started answers
_PAUSE = 1.0


class _Late:
    """Connects when something is first asked of it."""

    def __init__(self, address: str, host: Host | None) -> None:
        self.name = address
        self._address = address
        self._opening = asyncio.Lock()
        self._host = host

    def __getattr__(self, method: str) -> Callable[..., Awaitable[Any]]:
        if method.startswith("_"):
            raise AttributeError(method)

        async def call(*arguments: Any, **options: Any) -> Any:
            host = await self._opened()
            return await getattr(host, method)(*arguments, **options)

        return call

    async def _opened(self) -> Host:
        async with self._opening:
            end = time.monotonic() + (0.0 if self._address.startswith("lab:") else _PATIENCE)
            while self._host is None:
                try:
                    self._host = await open_host(self._address)
                except HostFailed:
                    if time.monotonic() >= end:
                        raise
                    await asyncio.sleep(_PAUSE)
        return self._host

    async def close(self) -> None:
        """See `Host.close`; nothing where it is not connected to."""
        host, self._host = self._host, None
        if host is not None:
            await host.close()


def late(address: str, host: Host | None = None) -> Host:
    """The host of an address (`open_host`), opened at its first use.

    That waits until a real machine has booted; one of the lab is up when its layer is built.

    Args:
        address: of it.
        host: already opened, since the machine runs.
    """
    return cast("Host", _Late(address, host))


def is_asleep(host: Host) -> bool:
    """Whether a host is one that is not connected to."""
    return isinstance(host, _Late) and host._host is None


async def let_sleep(host: Host) -> None:
    """Its machine has ended: the connection is of no use, and the next question opens another."""
    if isinstance(host, _Late):
        await host.close()
