"""A machine reached by ssh: asyncssh, with the user's own ~/.ssh/config, agent and known_hosts.

Nothing is installed there. A command runs under a small POSIX shell script of ours that gives it a
process group of its own and watches the connection: when that ends (a cut cable, a killed iosonde)
the group is ended too, so that no load is left behind. Files go over SFTP.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import stat
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncssh

from iosonde.errors import (
    CommandFailed,
    FileMissing,
    HostFailed,
    IosondeError,
    PermissionMissing,
)
from iosonde.hosts.command import quote, trace
from iosonde.hosts.host import Completed, Reading, wait_or_stop

_CONNECT_TIME = 15.0
_BLOCK = 64 * 1024
_AT_ONCE = 64  # files read at the same time: OpenSSH's sftp-server answers them in order

# $1 bytes of standard input are the command's own, what follows are names of signals for its
# group, and the end of input means that nobody is there any more. setsid does not fork here, since
# a background job is no group leader: $! is the command's process id and its group's. Until setsid
# has run there is no such group, so the process itself is signalled then. What must be killed is
# killed with all its descendants: fio gives each job a session of its own.
_RUNNER = """\
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin LC_ALL=C; export PATH LC_ALL
size=$1; shift
if [ "$size" -gt 0 ]; then
    input=$(mktemp) || exit 126
    head -c "$size" >"$input"
    exec 4<"$input"; rm -f "$input"
else exec 4</dev/null
fi
exec 3<&0
setsid "$@" <&4 3<&- 4<&- &
child=$!
family() {
    for kid in $(cat /proc/"$1"/task/*/children); do family "$kid"; done
    echo "$1"
}
end() {
    if [ "$1" = KILL ]; then kill -s KILL $(family "$child")
    else kill -s "$1" -- "-$child" || kill -s "$1" "$child"
    fi
}
{ while read -r signal; do end "$signal"; done
  for pause in 0.2 0.5 1 1 1 1; do end TERM; sleep "$pause"; done
  end KILL
} <&3 >/dev/null 2>&1 &
watcher=$!
exec 3<&- 4<&-
wait "$child"; status=$?
kill "$watcher" 2>/dev/null
exit "$status"
"""

# The pattern is a parameter: it is expanded to paths, and nothing else in it is looked at.
_GLOB = """\
IFS=
for path in $1; do
    if [ -e "$path" ] || [ -L "$path" ]; then printf '%s\\0' "$path"; fi
done
"""


class SshProcess:
    """See `iosonde.hosts.host.Process`."""

    def __init__(self, host: str, argv: tuple[str, ...], channel: Any) -> None:
        self._host = host
        self._argv = argv
        self._channel = channel
        self._begun = time.monotonic()
        self._output = asyncio.ensure_future(self._collect())

    async def _collect(self) -> tuple[bytes, bytes]:
        stdout, stderr = await asyncio.gather(
            self._channel.stdout.read(), self._channel.stderr.read()
        )
        await self._channel.wait_closed()
        return stdout, stderr

    async def wait(self, timeout: float | None = None) -> Completed:
        """See `Process.wait`."""
        await wait_or_stop(self, self._output, timeout, host=self._host, what=self._argv[0])
        return self._completed()

    async def stop(self, grace: float = 5.0) -> Completed:
        """See `Process.stop`."""
        self._signal("TERM")
        try:
            await asyncio.wait_for(asyncio.shield(self._output), grace)
        except TimeoutError:
            self._signal("KILL")
            try:
                await asyncio.wait_for(asyncio.shield(self._output), _CONNECT_TIME)
            except TimeoutError:
                self._channel.close()  # the life line: the host ends the group by itself
                raise HostFailed(
                    f"{self._argv[0]} could not be stopped; the connection was closed instead",
                    where=self._host,
                ) from None
        return self._completed()

    def _signal(self, name: str) -> None:
        if not self._output.done():
            with contextlib.suppress(OSError):
                self._channel.stdin.write(f"{name}\n".encode())

    def _completed(self) -> Completed:
        stdout, stderr = self._output.result()
        status = self._channel.returncode
        if status is None:
            raise HostFailed(
                f"the connection was lost while {self._argv[0]} ran",
                where=self._host,
                hint="check the cable and the host; the command was ended there",
            )
        if status > 128:  # the shell's way to say "killed by signal" (POSIX sh, 2.8.2)
            status = 128 - status
        return Completed(self._argv, status, stdout, stderr, time.monotonic() - self._begun)


class SshWatch:
    """Files read over the open SFTP session, all at once, on an absolute schedule."""

    def __init__(self, host: SshHost, paths: tuple[str, ...], interval: float) -> None:
        self._host = host
        self._paths = paths
        self._interval = interval
        self._readings: list[Reading] = []
        self.missed = 0
        self._task = asyncio.create_task(self._repeat())

    async def _repeat(self) -> None:
        due = time.monotonic()
        while True:
            with contextlib.suppress(HostFailed):  # a cut connection is the load's to report
                await self._read()
            due += self._interval
            while due < time.monotonic():
                due += self._interval
                self.missed += 1
            await asyncio.sleep(due - time.monotonic())

    async def _read(self) -> None:
        found = await self._host.read_many(self._paths)
        files = {path: text for path, text in found.items() if isinstance(text, bytes)}
        if files:
            self._readings.append(Reading(time.time(), files))

    def take(self) -> Sequence[Reading]:
        """See `Watch.take`."""
        taken, self._readings = self._readings, []
        return taken

    async def close(self) -> None:
        """See `Watch.close`; the session stays open for others."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task


class SshHost:
    """See `iosonde.hosts.host.Host`."""

    def __init__(self, name: str, connection: Any) -> None:
        self.name = name
        self._connection = connection
        self._sftp: Any = None
        self._opening = asyncio.Lock()
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        """See `Host.run`."""
        process = await self._start(tuple(argv), stdin)
        done = await process.wait(timeout)
        if check and done.status != 0:
            raise CommandFailed(self.name, done.argv, done.status, done.stdout, done.stderr)
        return done

    async def start(self, argv: Sequence[str]) -> SshProcess:
        """See `Host.start`."""
        return await self._start(tuple(argv), b"")

    async def _start(self, argv: tuple[str, ...], stdin: bytes) -> SshProcess:
        trace(self.name, argv)
        line = quote(["sh", "-c", _RUNNER, "sh", str(len(stdin)), *argv])
        opening = asyncio.ensure_future(self._connection.create_process(line, encoding=None))
        try:
            channel = await asyncio.shield(opening)
        except asyncio.CancelledError:  # it may have begun there: whoever cancels wants it ended
            await SshProcess(self.name, argv, await opening).stop()
            raise
        except (asyncssh.Error, OSError) as problem:
            raise self._lost(problem) from None
        if stdin:
            channel.stdin.write(stdin)
        return SshProcess(self.name, argv, channel)

    async def _files(self) -> Any:
        """The SFTP session, opened on first use."""
        async with self._opening:
            if self._sftp is None:
                try:
                    self._sftp = await self._connection.start_sftp_client()
                except (asyncssh.Error, OSError) as problem:
                    raise self._lost(problem) from None
        return self._sftp

    async def read(self, path: str) -> bytes:
        """See `Host.read`. To the end, not to the size: files of /proc have none."""
        sftp = await self._files()
        async with self._told(path), self._slots, sftp.open(path, "rb", block_size=0) as file:
            parts: list[bytes] = []
            while part := await file.read(_BLOCK, sum(map(len, parts))):
                parts.append(part)
            return b"".join(parts)
        raise AssertionError  # pragma: no cover - _told raises or the block returns

    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        """See `Host.read_many`."""

        async def one(path: str) -> bytes | IosondeError:
            try:
                return await self.read(path)
            except (FileMissing, PermissionMissing, HostFailed) as problem:
                return problem

        return dict(zip(paths, await asyncio.gather(*map(one, paths)), strict=True))

    async def watch(self, paths: Sequence[str], interval: float) -> SshWatch:
        """See `Host.watch`."""
        found = await self.read_many(paths)
        there = [path for path, content in found.items() if isinstance(content, bytes)]
        return SshWatch(self, tuple(there), interval)

    async def glob(self, pattern: str) -> tuple[str, ...]:
        """See `Host.glob`. By the remote shell: SFTP's own does not follow linked directories."""
        done = await self.run(["sh", "-c", _GLOB, "sh", pattern])
        names = done.stdout.decode(errors="surrogateescape").split("\0")
        return tuple(sorted(name for name in names if name))

    async def resolve(self, path: str) -> str:
        """See `Host.resolve`."""
        done = await self.run(["realpath", "-e", "--", path], check=False)
        if done.status != 0:
            raise FileMissing(f"{path}: No such file or directory", where=self.name)
        return done.stdout.decode(errors="surrogateescape").removesuffix("\n")

    async def write(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """See `Host.write`."""
        sftp = await self._files()
        async with self._told(path):
            if await self._in_place(sftp, path):
                async with sftp.open(path, "wb") as file:
                    await file.write(content)
                return
            directory, _, name = path.rpartition("/")
            temporary = f"{directory}/.{name}.{secrets.token_hex(6)}"
            try:
                async with sftp.open(temporary, "xb") as file:
                    await file.write(content)
                    with contextlib.suppress(asyncssh.SFTPOpUnsupported):
                        await file.fsync()
                await sftp.chmod(temporary, mode)
                await sftp.posix_rename(temporary, path)
            except BaseException:
                with contextlib.suppress(asyncssh.Error, OSError):
                    await sftp.remove(temporary)
                raise

    @staticmethod
    async def _in_place(sftp: Any, path: str) -> bool:
        """Attributes of the kernel and device nodes can't be replaced by renaming."""
        if path.startswith(("/proc/", "/sys/")):
            return True
        try:
            return not stat.S_ISREG((await sftp.stat(path)).permissions)
        except asyncssh.SFTPNoSuchFile:
            return False

    async def copy(self, source: str, destination: str) -> None:
        """See `Host.copy`."""
        sftp = await self._files()
        async with self._told(destination):
            await sftp.put(source, destination)

    async def remove(self, path: str) -> None:
        """See `Host.remove`."""
        sftp = await self._files()
        async with self._told(path):
            with contextlib.suppress(asyncssh.SFTPNoSuchFile):
                await sftp.remove(path)

    async def close(self) -> None:
        """See `Host.close`."""
        self._connection.close()
        await self._connection.wait_closed()

    @asynccontextmanager
    async def _told(self, path: str) -> AsyncIterator[None]:
        """SFTP's refusal as an error of ours."""
        try:
            yield
        except (asyncssh.SFTPNoSuchFile, FileNotFoundError):
            raise FileMissing(f"{path}: No such file or directory", where=self.name) from None
        except asyncssh.SFTPPermissionDenied:
            raise PermissionMissing(
                f"{path}: Permission denied",
                where=self.name,
                hint="log in as root to reach it",
            ) from None
        except asyncssh.SFTPConnectionLost as problem:
            raise self._lost(problem) from None
        except asyncssh.SFTPError as problem:
            raise HostFailed(f"{path}: {problem.reason}", where=self.name) from None
        except (asyncssh.Error, OSError) as problem:
            raise self._lost(problem) from None

    def _lost(self, problem: Exception) -> HostFailed:
        reason = str(problem) or type(problem).__name__
        return HostFailed(
            f"the connection failed: {reason}", where=self.name, hint="check the host and the cable"
        )


def parse_address(address: str) -> tuple[str, str | None, int | None]:
    """Name, user and port of `[user@]name[:port]`; an IPv6 address stands in brackets."""
    user, _, rest = address.rpartition("@")
    if rest.startswith("["):
        name, _, port = rest[1:].partition("]")
        port = port.removeprefix(":")
    else:
        name, _, port = rest.partition(":")
    return name, user or None, int(port) if port.isdigit() else None


async def open_ssh(address: str) -> SshHost:
    """Connect.

    Args:
        address: `[user@]name[:port]`; what it leaves open, ~/.ssh/config says.

    Raises:
        HostFailed: why it cannot be reached, and what to do.
    """
    name, user, port = parse_address(address)
    wanted: dict[str, Any] = {"keepalive_interval": 15, "keepalive_count_max": 3}
    if user:
        wanted["username"] = user
    if port:
        wanted["port"] = port
    try:
        async with asyncio.timeout(_CONNECT_TIME):
            return SshHost(address, await asyncssh.connect(name, **wanted))
    except (asyncssh.Error, OSError, TimeoutError) as problem:
        message, hint = _refusal(problem, name)
        raise HostFailed(message, where=address, hint=hint) from None


_REFUSALS: tuple[tuple[type[Exception], str, str], ...] = (
    (
        asyncssh.HostKeyNotVerifiable,
        "its host key is not known here, or not the one that is known",
        "run `ssh {name}` once, compare the key's fingerprint, and accept it",
    ),
    (
        asyncssh.PermissionDenied,
        "it accepts none of your keys",
        "try `ssh {name} true`; load the key into ssh-agent or name it in ~/.ssh/config",
    ),
    (asyncssh.ConfigParseError, "~/.ssh/config cannot be read: {problem}", "mend that line"),
    (
        socket.gaierror,
        "there is no host of this name",
        "check the spelling, DNS and ~/.ssh/config",
    ),
    (ConnectionRefusedError, "nothing listens at its ssh port", "check sshd there, and the port"),
    (TimeoutError, "it did not answer in time", "check the host, the cable and firewalls"),
    (Exception, "the connection failed: {problem}", "try `ssh {name} true`"),
)


def _refusal(problem: Exception, name: str) -> tuple[str, str]:
    """Why a connection failed, and what to do, in the user's words."""
    _, message, hint = next(row for row in _REFUSALS if isinstance(problem, row[0]))
    said = str(problem) or type(problem).__name__
    return message.format(problem=said), hint.format(name=name)
