"""A host that something happens to while its so many-th command is under way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from iosonde.change.settings_lock import locked
from iosonde.change.tentative import WantedSetting, change
from iosonde.errors import IosondeError
from iosonde.hosts import open_host
from iosonde.hosts.host import Completed, Host


class InterruptedHost:
    """Interrupted before the command if `at` is odd, while it runs if even."""

    def __init__(self, host: Host, at: int, interrupt: Callable[[], Awaitable[object]]) -> None:
        self._host, self._at, self._interrupt = host, at, interrupt
        self.commands = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    @property
    def happened(self) -> bool:
        """Whether the command that is interrupted came."""
        return self.commands >= self._at

    async def run(self, argv: Sequence[str], **more: Any) -> Completed:
        """See `Host.run`."""
        self.commands += 1
        if self.commands != self._at:
            return await self._host.run(argv, **more)
        if self._at % 2:
            await self._interrupt()
            return await self._host.run(argv, **more)
        return (await asyncio.gather(self._host.run(argv, **more), self._interrupt()))[0]


async def change_interrupted(
    name: str,
    wanted: Sequence[WantedSetting],
    at: int,
    interrupt: Callable[[], Awaitable[object]],
    confirm: float,
) -> tuple[bool, str]:
    """Change settings of a host that is interrupted; whether it was, and how the change ended."""
    host = await open_host(name)
    happened = False
    try:
        async with locked(host, "a test") as journal:
            interrupted: Any = InterruptedHost(host, at, interrupt)
            journal._host = interrupted
            try:
                await change(interrupted, journal, wanted, owner="a test", confirm=confirm)
            finally:
                happened = interrupted.happened
    except IosondeError as problem:
        return happened, problem.message
    finally:
        await host.close()
    return happened, ""
