"""A host is asked once: by several at the same time, and for what cannot change."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast
from weakref import WeakKeyDictionary

from iosonde.hosts.cleaning import to_the_end
from iosonde.hosts.host import Completed, Host

_ANSWERS: WeakKeyDictionary[Host, dict[tuple[bytes, tuple[str, ...]], Completed]] = (
    WeakKeyDictionary()
)


class _Instead:
    """A host whose commands are run otherwise; all else is the host's own."""

    def __init__(self, host: Host) -> None:
        self.shared = self._host = host

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)


class _Through(_Instead):
    """Commands are run by a process that is there already, and read no input."""

    def __init__(self, host: Host, run: Callable[..., Awaitable[Completed]]) -> None:
        super().__init__(host)
        self._run = run

    async def run(
        self, argv: Sequence[str], *, timeout: float | None = 60.0, check: bool = True
    ) -> Completed:
        """See `Host.run`."""
        return await self._run(argv, timeout=timeout, check=check)


class _Sharing(_Instead):
    """Commands that run already, with the same input, are waited for instead of being run again.

    Nothing is kept: an answer belongs to a command that ran while it was asked for.
    """

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._running: dict[tuple[bytes, tuple[str, ...]], asyncio.Future[Completed]] = {}
        self._waiting: dict[asyncio.Future[Completed], int] = {}

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        """See `Host.run`."""
        key = (stdin, tuple(argv))
        if key not in self._running:
            running = asyncio.ensure_future(
                self._host.run(argv, stdin=stdin, timeout=timeout, check=False)
            )
            self._running[key] = running
            running.add_done_callback(lambda _: self._running.pop(key, None))
        done = await self._shared(self._running[key])
        return done.checked(self._host.name) if check else done

    async def _shared(self, running: asyncio.Future[Completed]) -> Completed:
        """Its end; where all who wait for it are cancelled, so is it, and has ended then."""
        self._waiting[running] = self._waiting.get(running, 0) + 1
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            if self._waiting[running] == 1:
                running.cancel()
                await to_the_end(_end_of(running))
            raise
        finally:
            self._waiting[running] -= 1
            if not self._waiting[running]:
                del self._waiting[running]


async def _end_of(running: asyncio.Future[Completed]) -> None:
    await asyncio.wait({running})


def sharing(host: Host) -> Host:
    """The host for several who ask the same things of it at the same time."""
    return cast("Host", _Sharing(host))


def through(host: Host, run: Callable[..., Awaitable[Completed]]) -> Host:
    """The host, its commands run by `run`, which takes the arguments of `Host.run` but `stdin`."""
    return cast("Host", _Through(host, run))


def itself(host: Host) -> Host:
    """The host behind `sharing` and `through`."""
    return host.shared if isinstance(host, _Instead) else host


async def asked_once(host: Host, argv: Sequence[str], *, stdin: bytes = b"") -> Completed:
    """A command whose answer cannot change as long as the host is connected to; see `Host.run`.

    For who we are there, which tools it has, and what these understand: never for what stands or
    who uses what. An answer that the command failed to give is not kept.
    """
    try:
        answers = _ANSWERS.setdefault(itself(host), {})
    except TypeError:  # a host that cannot be remembered is asked again
        answers = {}
    key = (stdin, tuple(argv))
    if key not in answers:
        asking = host.run(argv, stdin=stdin, check=False) if stdin else host.run(argv, check=False)
        done = await asking
        if done.status != 0:
            return done
        answers[key] = done
    return answers[key]
