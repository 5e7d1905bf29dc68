"""One command on a machine reached by ssh."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import asyncssh

from iosonde.errors import HostFailed
from iosonde.hosts.command import quote
from iosonde.hosts.host import Completed, wait_or_stop

_KILL_TIME = 5.0
_LAST_WORDS = 0.5  # seconds for what is still on its way when the runner has ended
_LAST_SIGNAL = 64  # Linux's SIGRTMAX


@cache
def runner() -> str:
    """The script that ends a command when its standard input ends (runner.sh says how)."""
    return files("iosonde.hosts.ssh").joinpath("runner.sh").read_text(encoding="utf-8")


def command_line(argv: Sequence[str], input_size: int) -> str:
    """What the far side's shell is given: the runner, and the command as its arguments."""
    return quote(["sh", "-c", runner(), "sh", str(input_size), *argv])


class SshProcess:
    """See `iosonde.hosts.host.Process`."""

    def __init__(self, host: str, argv: tuple[str, ...], channel: Any) -> None:
        self._host = host
        self._argv = argv
        self._channel = channel
        self._begun = time.monotonic()
        self._cut = False
        self._output = asyncio.ensure_future(self._collect())

    async def _collect(self) -> tuple[bytes, bytes]:
        streams = [
            asyncio.ensure_future(stream.read())
            for stream in (self._channel.stdout, self._channel.stderr)
        ]
        said = await asyncio.gather(*streams, return_exceptions=True)
        with contextlib.suppress(asyncssh.Error, OSError):
            await self._channel.wait_closed()
        stdout, stderr = (part if isinstance(part, bytes) else b"" for part in said)
        self._cut = any(isinstance(part, BaseException) for part in said)
        return stdout, stderr

    async def wait(self, timeout: float | None = None) -> Completed:
        """See `Process.wait`."""
        await wait_or_stop(self, self._output, timeout, host=self._host, what=self._argv[0])
        return self._completed()

    async def stop(self, grace: float = 5.0) -> Completed:
        """See `Process.stop`."""
        self._signal("TERM")
        if not await self._ended(grace):
            self._signal("KILL")
            if not await self._ended(_KILL_TIME):
                self._channel.close()  # the life line
                raise HostFailed(
                    f"{self._argv[0]} could not be killed within {_KILL_TIME:g} s",
                    where=self._host,
                    hint="see there what it waits for: `ps -eo pid,stat,wchan:30,args`",
                )
        return self._completed()

    async def _ended(self, seconds: float) -> bool:
        """Wait for the end. The runner outlives all kin: who still writes then, has left us."""
        end = time.monotonic() + seconds
        while not self._output.done() and time.monotonic() < end:
            await asyncio.wait({self._output}, timeout=0.05)
            if self._channel.exit_status is not None:
                await asyncio.wait({self._output}, timeout=_LAST_WORDS)
                self._channel.close()
                await self._output
        return self._output.done()

    def _signal(self, name: str) -> None:
        if not self._output.done():
            with contextlib.suppress(asyncssh.Error, OSError):
                self._channel.stdin.write(f"{name}\n".encode())

    def _completed(self) -> Completed:
        stdout, stderr = self._output.result()
        status = self._channel.exit_status
        if status is None or self._cut:
            raise HostFailed(
                f"the connection was lost while {self._argv[0]} ran",
                where=self._host,
                hint="check the cable and the host; the command ends there as soon as its sshd "
                "notices",
            )
        if 128 < status <= 128 + _LAST_SIGNAL:  # the shell's "killed by signal" (POSIX sh, 2.8.2)
            status = 128 - status
        return Completed(self._argv, status, stdout, stderr, time.monotonic() - self._begun)
