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


class Struck:
    """Commands of odd numbers are struck before they come there, even ones while they run."""

    def __init__(self, host: Host, at: int, strike: Callable[[], Awaitable[object]]) -> None:
        self._host, self._at, self._strike = host, at, strike
        self.commands = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    @property
    def fell(self) -> bool:
        """Whether the blow fell."""
        return self.commands >= self._at

    async def run(self, argv: Sequence[str], **more: Any) -> Completed:
        """See `Host.run`."""
        self.commands += 1
        if self.commands != self._at:
            return await self._host.run(argv, **more)
        if self._at % 2:
            await self._strike()
            return await self._host.run(argv, **more)
        return (await asyncio.gather(self._host.run(argv, **more), self._strike()))[0]


async def change_struck(
    name: str,
    wanted: Sequence[WantedSetting],
    at: int,
    strike: Callable[[], Awaitable[object]],
    confirm: float,
) -> tuple[bool, str]:
    """Change settings of a host that is struck; whether it was, and how the change ended."""
    host = await open_host(name)
    fell = False
    try:
        async with locked(host, "a test") as journal:
            struck: Any = Struck(host, at, strike)
            journal._host = struck
            try:
                await change(struck, journal, wanted, owner="a test", confirm=confirm)
            finally:
                fell = struck.fell
    except IosondeError as problem:
        return fell, problem.message
    finally:
        await host.close()
    return fell, ""
