"""One command on a machine reached by ssh."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Sequence
from typing import Any

import asyncssh
from typing_extensions import override

from iosonde import kerneltext
from iosonde.errors import HostFailed
from iosonde.hosts.command import quote
from iosonde.hosts.gathered import Gathered
from iosonde.hosts.host import Completed, Process, wait_or_stop
from iosonde.hosts.private import functions
from iosonde.hosts.ssh.become import as_root, refusal
from iosonde.scripts import source

_PRIVATE = "        # The functions of hosts/private.sh stand here, where there is any input.\n"
_ESCAPED = ("\\", "\n", "!", "'")  # the backslash first
_COMPLAINT = 500  # bytes of a login shell's words in a message
_KILL_TIME = 5.0
_LAST_WORDS = 0.5  # seconds for what is still on its way when the runner has ended
_LAST_SIGNAL = 64  # Linux's SIGRTMAX


def runner() -> str:
    """The script that ends a command when its standard input ends (runner.sh says how)."""
    return source("iosonde.hosts.ssh", "runner.sh")


def new_mark() -> tuple[str, str]:
    """The two words that `runner.sh` prints as one before anything of the command."""
    return f"iosonde-{secrets.token_hex(8)}", secrets.token_hex(8)


def command_line(
    argv: Sequence[str], input_size: int, mark: tuple[str, str], *, become: str = ""
) -> str:
    """What the far side's shell is given: the runner, and the command as its arguments."""
    script = runner().replace(_PRIVATE, functions() + "\n") if input_size else runner()
    return login_line(script, [*mark, str(input_size), *argv], become=become)


def login_line(script: str, arguments: Sequence[str], *, become: str = "") -> str:
    """A script of sh and its arguments as a line that any login shell hands on as it is.

    POSIX shells, csh and fish agree on what stands between single quotes but for line breaks and
    `!` (csh), backslashes (fish) and the quote itself. Those are written as `printf %b` reads them.

    Args:
        script: what sh runs.
        arguments: its "$@".
        become: what makes root there, "sudo" or "doas"; empty: nothing.
    """
    if become:
        script, arguments = as_root(become, script, arguments)
    whole = f"set -- {quote(arguments)}\n{script}"
    for sign in _ESCAPED:
        whole = whole.replace(sign, f"\\0{ord(sign):03o}")
    return f"sh -c 'eval \"$(printf %b \"$1\")\"' sh '{whole}'"


class SshProcess(Process):
    """See `iosonde.hosts.host.Process`.

    `before`: what the login shell printed at its start. `input`: what the name of the directory
    begins with in which its standard input lies for a moment.
    """

    def __init__(
        self, host: str, argv: tuple[str, ...], channel: Any, mark: tuple[str, str],
        *, become: str = "",
    ) -> None:  # fmt: skip
        self._become = become
        self._mark = "-".join(mark).encode() + b"\n"
        self.input = f"iosonde-input.{mark[0]}"
        self._stopped = False
        self.before = b""
        self._host = host
        self._argv = argv
        self._channel = channel
        self._begun = time.monotonic()
        self._cut = False
        self._gathered = Gathered(lead=len(self._mark))
        self._output = asyncio.ensure_future(self._collect())

    async def _collect(self) -> tuple[bytes, bytes]:
        streams = [
            asyncio.ensure_future(self._gathered.output(self._channel.stdout)),
            asyncio.ensure_future(self._gathered.errors(self._channel.stderr)),
        ]
        said = await asyncio.gather(*streams, return_exceptions=True)
        with contextlib.suppress(asyncssh.Error, OSError):
            await self._channel.wait_closed()
        stdout, stderr = (part if isinstance(part, bytes) else b"" for part in said)
        self._cut = any(isinstance(part, BaseException) for part in said)
        return stdout, stderr

    @override
    async def wait(self, timeout: float | None = None) -> Completed:
        await wait_or_stop(
            self, self._output, self._gathered, timeout, host=self._host, what=self._argv[0]
        )
        return self._completed()

    @override
    async def stop(self, grace: float = 5.0) -> Completed:
        self._stopped = True
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
        self.before, began, stdout = stdout.partition(self._mark)
        complaint, _, stderr = stderr.partition(self._mark)
        if not began and not self._stopped:
            said = complaint.strip() or self.before.strip()
            refused = refusal(self._host, complaint, self._become) if self._become else None
            raise refused or _no_shell(self._host, self._argv[0], status, said)
        if 128 < status <= 128 + _LAST_SIGNAL:  # the shell's "killed by signal" (POSIX sh, 2.8.2)
            status = 128 - status
        return Completed(self._argv, status, stdout, stderr, time.monotonic() - self._begun)


def _no_shell(host: str, what: str, status: int, said: bytes) -> HostFailed:
    """A login shell that ended without running anything: `nologin`, or one that is no POSIX sh."""
    complaint = kerneltext.lines(kerneltext.decoded(said[:_COMPLAINT]))
    quoted = f": {complaint[0]}" if complaint else ""
    return HostFailed(
        f"its login shell did not run {what} and ended with status {status}{quoted}",
        where=host,
        hint="give that user a login shell that runs commands (`usermod --shell /bin/sh`), and "
        "see that its start-up does not exit and that sshd forces no other command",
    )
