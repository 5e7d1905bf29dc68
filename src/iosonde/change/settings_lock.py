"""The lock on the settings of a host: one tuner at a time, held by a process on that host."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from iosonde import kerneltext
from iosonde.change.settings_journal import FOLDER, SCRIPT, TOO_LATE, SettingsJournal
from iosonde.errors import CommandFailed, FileMissing, HostFailed, Refused
from iosonde.hosts.cleaning import made, to_the_end
from iosonde.hosts.host import Completed, Host
from iosonde.hosts.packages import install_hint
from iosonde.store.owner import is_gone, same_place, this_process

_NO_FLOCK = 76
_HELD = 60.0  # seconds in which the lock is got or refused, also on a host that is busy


def owner_name(study: str = "") -> str:
    """Who changes settings, as others are told: the user, this machine, the process, the study."""
    who = f"{os.environ.get('USER') or f'uid {os.getuid()}'} at {socket.gethostname()}"
    return f"{who}, process {os.getpid()}" + (f", {study}" if study else "")


@asynccontextmanager
async def locked(host: Host, owner: str) -> AsyncIterator[SettingsJournal]:
    """The journal of a host that nobody else changes settings of as long as the block lasts.

    The lock is held by a process on the host, which ends when its connection or the controller is
    gone. Of a cable that was cut the host may not know for hours; so whoever comes from the machine
    of the last owner, and sees that its process is gone, ends what is left of it. The script is
    placed there first, and another version of it replaced under the lock.

    Raises:
        Refused: somebody else has it; the evidence names who.
    """
    journal = SettingsJournal(host)
    await journal.install(anew=False)
    async with AsyncExitStack() as stack:
        try:
            await _hold(host, owner, stack)
        except _Taken as taken:
            if not taken.left_behind:
                raise
            await host.run(["sh", SCRIPT, "oust", taken.token])
            await _hold(host, owner, stack)
        await journal.install()
        await journal.again()
        yield journal


class _Taken(Refused):
    """Somebody else has the lock: `lines` is what the host says of the owner, line by line."""

    def __init__(self, host: Host, lines: Sequence[str]) -> None:
        name, self.token, self._mark, pid = (*lines, *[""] * 4)[:4]
        by_hand = f"; if it is gone, and its connection was cut, `kill {pid}` there" if pid else ""
        super().__init__(
            "somebody else is changing settings of this host",
            where=host.name,
            evidence=f"the lock {FOLDER}/lock is held by {name or 'an unknown'}",
            hint=f"wait for them to end, or ask them{by_hand}",
        )

    @property
    def left_behind(self) -> bool:
        """Whether it was a process of this machine, boot and PID namespace that is gone."""
        return same_place(self._mark) and is_gone(self._mark)


async def _hold(host: Host, owner: str, stack: AsyncExitStack) -> None:
    """Have the lock until the stack is left.

    Raises:
        _Taken: somebody else has it.
    """
    token = secrets.token_hex(8)
    argv = ["sh", SCRIPT, "hold", token, owner, this_process()]
    process = await made(host.start(argv), lambda begun: begun.stop())
    ended = asyncio.ensure_future(process.wait())

    async def let_go() -> None:
        with contextlib.suppress(HostFailed):  # a lost connection has ended it, and is told already
            await to_the_end(process.stop())
        await asyncio.gather(ended, return_exceptions=True)

    stack.push_async_callback(let_go)
    await _until_locked(host, ended, token)


async def _until_locked(host: Host, ended: asyncio.Future[Completed], token: str) -> None:
    end = time.monotonic() + _HELD
    while not ended.done():
        try:
            if token in kerneltext.decoded(await host.read(f"{FOLDER}/owner")):
                return
        except FileMissing:
            pass
        if time.monotonic() > end:
            raise HostFailed("the lock on its settings could not be taken in time", where=host.name)
        await asyncio.wait({ended}, timeout=0.05)
    done = ended.result()
    if done.status == TOO_LATE:
        raise _Taken(host, kerneltext.lines(kerneltext.decoded(done.stdout)))
    if done.status == _NO_FLOCK:
        raise HostFailed(
            "it has no flock, so two processes could change its settings at once",
            where=host.name,
            hint=await install_hint(host, "util-linux"),
        )
    raise CommandFailed(host.name, done.argv, done.status, done.stdout, done.stderr)
