"""A machine reached by ssh, as a host: files go over SFTP, commands over channels."""

from __future__ import annotations

import asyncio
import contextlib
import fnmatch
import os
import re
import secrets
import stat
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
from typing_extensions import override

from iosonde import kerneltext, limits
from iosonde.errors import ConnectionLost, FileMissing, HostFailed, IosondeError, PermissionMissing
from iosonde.hosts.cleaning import made
from iosonde.hosts.command import require_no_nul, trace
from iosonde.hosts.conversation import Conversation
from iosonde.hosts.forward import Ends
from iosonde.hosts.gathered import too_long
from iosonde.hosts.host import Completed, Host
from iosonde.hosts.ssh.become import admit, files_script, open_files, shown
from iosonde.hosts.ssh.process import SshProcess, command_line, login_line, new_mark
from iosonde.hosts.ssh.watch import SshWatch

_BLOCK = 64 * 1024
_MAGIC = re.compile(rb"[*?[]")
_WINDOW = 4 * 1024 * 1024  # bytes of a large file asked for at once
_FILES = 64  # read at the same time: OpenSSH's sftp-server answers them in order
_BEGIN = 20.0  # seconds for the beginning of SFTP
_ANSWER = 60.0  # seconds for an answer about a file
_TRANSFER = 600.0  # seconds for the whole of a file
_COMMANDS = 4  # run at the same time: OpenSSH opens 10 sessions (sshd_config, MaxSessions), and
# SFTP, loads and what holds their devices need some


class SshHost(Host):
    """See `iosonde.hosts.host.Host`. With `become` all runs there by that program."""

    def __init__(self, name: str, connection: Any, *, become: str = "") -> None:
        self.name = name
        self._connection = connection
        self.become = become
        self._admitted: set[str] = set()
        self._sftp: Any = None
        self._opening = asyncio.Lock()
        self._files_at_once = asyncio.Semaphore(_FILES)
        self._commands_at_once = asyncio.Semaphore(_COMMANDS)

    @override
    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        async with self._commands_at_once:
            process = await self._start(tuple(argv), stdin)
            done = await process.wait(timeout)
            if stdin and done.status < 0:  # perhaps it was the runner that was killed
                forget = await self._start(("sh", "-c", _FORGET, "sh", process.input), b"")
                await forget.wait(timeout)
        return done.checked(self.name) if check else done

    @override
    async def start(self, argv: Sequence[str]) -> SshProcess:
        return await self._start(tuple(argv), b"")

    async def _start(
        self, argv: tuple[str, ...], stdin: bytes, *, plain: bool = False
    ) -> SshProcess:
        """See `start`; `plain`: as the user who has logged in."""
        require_no_nul(argv)
        become = "" if plain else self.become
        trace(self.name, shown(become, argv))
        mark = new_mark()
        line = command_line(argv, len(stdin), mark, become=become)

        def process(channel: Any) -> SshProcess:
            return SshProcess(self.name, argv, channel, mark, become=become)

        channel = await made(  # whoever cancels wants ended what may have begun there
            self._channel(argv[0], line), lambda begun: process(begun).stop()
        )
        if stdin:
            channel.stdin.write(stdin)
        return process(channel)

    async def _channel(self, what: str, line: str) -> Any:
        """A session that runs a line of the far side's shell.

        Raises:
            HostFailed: it opens none, or the connection is lost.
        """
        try:
            return await self._connection.create_process(kerneltext.encoded(line), encoding=None)
        except asyncssh.ChannelOpenError as problem:
            if self._connection.is_closed():
                raise self._lost(problem) from None
            raise HostFailed(
                f"it opens no further session for {what}: {problem.reason}",
                where=self.name,
                hint="raise MaxSessions in its sshd_config",
            ) from None
        except (asyncssh.Error, OSError) as problem:
            raise self._lost(problem) from None

    @override
    async def converse(self, argv: Sequence[str]) -> Conversation:
        """Sshd closes its input when the connection is lost."""
        line = login_line(_MASKED, argv, become=self.become)
        channel = await self._channel(argv[0], line)
        return Conversation(
            channel.stdout, channel.stdin, channel.stderr,
            ended=channel.wait_closed, cut=channel.close,
        )  # fmt: skip

    async def _files(self) -> Any:
        """The SFTP session, opened on first use."""
        async with self._opening:
            if self._sftp is None:
                self._sftp = await self._new_files()
        return self._sftp

    async def _new_files(self) -> Any:
        """A new SFTP session.

        Raises:
            HostFailed: there is none, with why.
        """
        try:
            async with asyncio.timeout(_BEGIN):  # a banner's first letters are a length to SFTP
                if self.become:
                    mark = new_mark()
                    line = login_line(files_script(), mark, become=self.become)
                    before = "-".join(mark).encode() + b"\n"
                    return await open_files(self._connection, line, before, self.name, self.become)
                return await self._connection.start_sftp_client(path_errors="surrogateescape")
        except (asyncssh.Error, OSError, TimeoutError) as problem:
            if self._connection.is_closed():
                raise self._lost(problem) from None
            reason = str(problem) or f"no answer within {_BEGIN:g} s"
        process = await self._start(("true",), b"")  # which says itself where no shell runs
        await process.wait(_BEGIN)
        if banner := kerneltext.lines(kerneltext.decoded(process.before.strip())):
            raise HostFailed(
                f"its login shell prints text at its start, which breaks SFTP: {banner[0][:200]}",
                where=self.name,
                hint="let its start-up files print at a terminal alone (`[ -t 1 ]`), or set "
                "`Subsystem sftp internal-sftp` in its sshd_config",
            )
        raise HostFailed(
            f"it has no SFTP: {reason}",
            where=self.name,
            hint="set `Subsystem sftp internal-sftp` in its sshd_config",
        )

    @override
    async def read(self, path: str) -> bytes:
        """To the end, not to the size: files of /proc have none."""
        sftp = await self._files()
        named = self._sftp_errors(path, _TRANSFER)
        async with named, self._files_at_once, sftp.open(path, "rb") as file:
            content = bytearray(await file.read(_BLOCK, 0))
            step = _BLOCK
            if len(content) == _BLOCK and ((await file.stat()).size or 0) > _BLOCK:
                step = _WINDOW  # a plain file, so its parts may be asked for in any order
            while part := await file.read(step, len(content)):
                content += part
                if len(content) > limits.HOST_FILE:
                    raise too_long(self.name, path)
            return bytes(content)
        raise AssertionError  # pragma: no cover - _sftp_errors raises or the block returns

    @override
    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        async def content_of(path: str) -> bytes | IosondeError:
            try:
                return await self.read(path)
            except (FileMissing, PermissionMissing, HostFailed) as problem:
                return problem

        return dict(zip(paths, await asyncio.gather(*map(content_of, paths)), strict=True))

    @override
    async def watch(self, paths: Sequence[str], interval: float) -> SshWatch:
        sftp = await self._files()
        files: dict[str, Any] = {}
        for path in paths:
            with contextlib.suppress(FileMissing, PermissionMissing):
                async with self._sftp_errors(path):
                    # block_size 0: one request a read; split ones would ask for a short rest.
                    files[path] = await sftp.open(path, "rb", block_size=0)
        return SshWatch(files, interval)

    @override
    async def glob(self, pattern: str) -> tuple[str, ...]:
        """Over SFTP: a command there costs ten times as much.

        Directory by directory, since asyncssh's own glob does not follow linked directories.
        """
        async with self._sftp_errors(pattern):
            return await self._matches(pattern)
        raise AssertionError  # pragma: no cover - _sftp_errors raises or the block returns

    async def _matches(self, pattern: str) -> tuple[str, ...]:
        sftp = await self._files()
        places = [b""]
        for part in pattern.removeprefix("/").encode(errors="surrogateescape").split(b"/"):
            if _MAGIC.search(part):
                listings = await asyncio.gather(
                    *(self._names(sftp, place or b"/") for place in places)
                )
                places = [
                    place + b"/" + name
                    for place, names in zip(places, listings, strict=True)
                    for name in names
                    if fnmatch.fnmatchcase(name, part) and (name[:1] != b"." or part[:1] == b".")
                ]
            else:
                places = [place + b"/" + part for place in places]
        there = await asyncio.gather(*(self._is_there(sftp, place) for place in places))
        paths = [kerneltext.decoded(place) for place, yes in zip(places, there, strict=True) if yes]
        return tuple(sorted(paths))

    async def _names(self, sftp: Any, directory: bytes) -> list[bytes]:
        """What a directory holds; nothing where it is none or may not be read."""
        try:
            async with self._files_at_once:
                return [name for name in await sftp.listdir(directory) if name not in {b".", b".."}]
        except (asyncssh.SFTPConnectionLost, asyncssh.SFTPNoConnection) as problem:
            raise self._lost(problem) from None
        except asyncssh.SFTPError:
            return []

    async def _is_there(self, sftp: Any, path: bytes) -> bool:
        """Whether there is something at a path, be it a link that leads nowhere."""
        try:
            async with self._files_at_once:
                await sftp.lstat(path)
        except (asyncssh.SFTPConnectionLost, asyncssh.SFTPNoConnection) as problem:
            raise self._lost(problem) from None
        except asyncssh.SFTPError:
            return False
        return True

    @override
    async def resolve(self, path: str) -> str:
        """Over SFTP; where that fails, realpath there says why."""
        sftp = await self._files()
        async with self._sftp_errors(path):
            with contextlib.suppress(asyncssh.SFTPError):
                real = await sftp.realpath(path.encode(errors="surrogateescape"))
                await sftp.stat(real)
                return str(kerneltext.decoded(real))
        done = await self.run(["realpath", "-e", "--", path], check=False)
        if done.status != 0:
            reason = kerneltext.decoded(done.stderr).strip().rpartition(": ")[2]
            raise _refused(self.name, path, reason)
        return kerneltext.decoded(done.stdout).removesuffix("\n")

    @override
    async def write(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        sftp = await self._files()
        async with self._sftp_errors(path):
            if await self._in_place(sftp, path):
                async with sftp.open(path, "wb") as file:
                    await file.write(content)
                return
            async with _new_file(sftp, path, mode) as file:
                await file.write(content)

    @staticmethod
    async def _in_place(sftp: Any, path: str) -> bool:
        """Attributes of the kernel and device nodes can't be replaced by renaming; a link can."""
        if path.startswith(("/proc/", "/sys/")):
            return True
        try:
            mode = (await sftp.lstat(path)).permissions
            return not stat.S_ISREG(mode) and not stat.S_ISLNK(mode)
        except asyncssh.SFTPNoSuchFile:
            return False

    @override
    async def copy(self, source: str, destination: str) -> None:
        if not os.access(source, os.R_OK):
            reason = _DENIED if Path(source).exists() else _MISSING
            raise _refused("local", source, reason)
        sftp = await self._files()
        content = Path(source).read_bytes()
        async with (
            self._sftp_errors(destination, _TRANSFER),
            _new_file(sftp, destination, 0o644) as file,
        ):
            await file.write(content)

    @override
    async def remove(self, path: str) -> None:
        sftp = await self._files()
        async with self._sftp_errors(path):
            with contextlib.suppress(asyncssh.SFTPNoSuchFile):
                await sftp.remove(path)

    async def dial(self, path: str) -> Ends:
        """See `iosonde.hosts.forward.Dials`. A channel of the connection, no session."""
        if self.become and path not in self._admitted:  # sshd connects as who has logged in
            who = await self._start(("sh", "-c", "id -u; id -g"), b"", plain=True)
            await self.run(admit(path, (await who.wait(_ANSWER)).stdout))
            self._admitted.add(path)
        try:
            ends: Ends = await self._connection.open_unix_connection(path)
        except asyncssh.ChannelOpenError as problem:
            if self._connection.is_closed():
                raise self._lost(problem) from None
            raise HostFailed(
                f"its sshd forwards no socket: {problem.reason}",
                where=self.name,
                hint="allow it there: `AllowStreamLocalForwarding yes` in sshd_config",
            ) from None
        except (asyncssh.Error, OSError) as problem:
            raise self._lost(problem) from None
        return ends

    @override
    async def close(self) -> None:
        self._connection.close()
        await self._connection.wait_closed()

    @asynccontextmanager
    async def _sftp_errors(self, path: str, seconds: float = _ANSWER) -> AsyncIterator[None]:
        """SFTP's refusal, or its silence, as an error of ours."""
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            self._forget_files()
            raise HostFailed(
                f"it gave no answer about {path} within {seconds:g} s",
                where=self.name,
                hint="a mount whose server is gone hangs so; `umount -f` there ends it",
            ) from None
        except asyncssh.SFTPNoSuchFile:
            raise _refused(self.name, path, _MISSING) from None
        except asyncssh.SFTPPermissionDenied:
            raise _refused(self.name, path, _DENIED) from None
        except (asyncssh.SFTPConnectionLost, asyncssh.SFTPNoConnection) as problem:
            raise self._lost(problem) from None
        except asyncssh.SFTPError as problem:
            raise _refused(self.name, path, problem.reason) from None
        except (asyncssh.Error, OSError) as problem:
            raise self._lost(problem) from None

    def _forget_files(self) -> None:
        """Let go of an SFTP session that hangs; the next use opens another."""
        hung, self._sftp = self._sftp, None
        if hung is not None:
            hung.exit()

    def _lost(self, problem: Exception) -> ConnectionLost:
        reason = str(problem) or type(problem).__name__
        return ConnectionLost(
            f"the connection failed: {reason}", where=self.name, hint="check the host and the cable"
        )


@asynccontextmanager
async def _new_file(sftp: Any, path: str, mode: int) -> AsyncIterator[Any]:
    """An open file, the user's alone until it is whole and takes the name `path`."""
    directory, _, name = path.rpartition("/")
    temporary = f"{directory}/.{name}.{secrets.token_hex(6)}"
    try:
        own = asyncssh.SFTPAttrs(permissions=0o600)
        async with sftp.open(temporary, "xb", own) as file:
            yield file
            await file.setstat(asyncssh.SFTPAttrs(permissions=mode))
            with contextlib.suppress(asyncssh.SFTPOpUnsupported):
                await file.fsync()
        await sftp.posix_rename(temporary, path)
    except BaseException:
        with contextlib.suppress(asyncssh.Error, OSError):
            await sftp.remove(temporary)
        raise


_MISSING = "No such file or directory"
_MASKED = (
    "umask g-w,o-w; PATH=$PATH:/usr/local/bin:/usr/local/sbin:/usr/sbin:/sbin; export PATH\n"
    'exec "$@"'
)
"""Runs a command that makes nothing for others to change and has the PATH of runner.sh."""
_FORGET = 'rm -r -f -- "${TMPDIR:-/tmp}/$1".??????'
_DENIED = "Permission denied"


def _refused(where: str, path: str, reason: str) -> HostFailed:
    """What a host says of a file, as an error of ours."""
    if reason == _MISSING:
        return FileMissing(f"{path}: {reason}", where=where)
    if reason == _DENIED:
        hint = "log in as root to reach it, or name sudo:HOST where sudo makes root"
        return PermissionMissing(f"{path}: {reason}", where=where, hint=hint)
    return HostFailed(f"{path}: {reason}", where=where)
