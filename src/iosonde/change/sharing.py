"""A host of which several ask the same at the same time: it is asked once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from iosonde.errors import CommandFailed
from iosonde.hosts.host import Completed, Host


class _Sharing:
    """Commands without input that run already are waited for instead of being run again.

    Nothing is kept: an answer belongs to a command that ran while it was asked for.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._running: dict[tuple[str, ...], asyncio.Future[Completed]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        """See `Host.run`."""
        if stdin:
            return await self._host.run(argv, stdin=stdin, timeout=timeout, check=check)
        key = tuple(argv)
        if key not in self._running:
            running = asyncio.ensure_future(self._host.run(argv, timeout=timeout, check=False))
            self._running[key] = running
            running.add_done_callback(lambda _: self._running.pop(key, None))
        done = await asyncio.shield(self._running[key])
        if check and done.status != 0:
            raise CommandFailed(self._host.name, key, done.status, done.stdout, done.stderr)
        return done


def sharing(host: Host) -> Host:
    """The host for several who ask the same things of it at the same time."""
    return cast("Host", _Sharing(host))
