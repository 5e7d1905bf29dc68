"""The machine iosonde runs on."""

from __future__ import annotations

import asyncio
import contextlib
import glob as globbing
import os
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

from typing_extensions import override

from iosonde import kerneltext, limits
from iosonde.errors import CommandFailed, FileMissing, HostFailed, IosondeError, PermissionMissing
from iosonde.hosts.cleaning import made
from iosonde.hosts.command import require_no_nul, trace
from iosonde.hosts.conversation import Conversation
from iosonde.hosts.forward import Ends
from iosonde.hosts.gathered import Gathered, too_long
from iosonde.hosts.host import Completed, FilesSnapshot, FilesWatch, Host, Process, wait_or_stop
from iosonde.hosts.kin import kill, kin_of

# Administrators' tools live in sbin, which a plain user's PATH may lack.
_SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_COPIED_AT_ONCE = 1 << 20  # bytes
_READ_AT_ONCE = 64 * 1024  # bytes of a file
_LAST_WORDS = 0.5  # seconds for what is still in the pipes when nobody is left


def _environment() -> dict[str, str]:
    """The caller's environment with sbin in reach and tools speaking English in plain numbers."""
    path = os.environ.get("PATH", "/usr/bin:/bin").split(":")
    path += [place for place in _SBIN if place not in path]
    return {**os.environ, "PATH": ":".join(path), "LC_ALL": "C"}


@cache
def _umask() -> int:
    """The caller's umask, and that nobody else may write to what commands make.

    What is made by tools in their own words, configuration for one, must not be open to all because
    iosonde was started with umask 000. Source: proc(5), /proc/PID/status, `Umask`, in octal digits.
    """
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(errors="replace").split("\n"):
            if line.startswith("Umask:"):
                return int(line.split()[1], 8) | 0o022
    return 0o022


class LocalProcess(Process):
    """A child of ours in a process group of its own, so that its children end with it."""

    def __init__(
        self, host: str, argv: tuple[str, ...], child: asyncio.subprocess.Process, stdin: bytes
    ) -> None:
        self._host = host
        self._argv = argv
        self._child = child
        self._begun = time.monotonic()
        self._gathered = Gathered()
        self._output = asyncio.ensure_future(self._talk(stdin))

    async def _talk(self, stdin: bytes) -> tuple[bytes, bytes]:
        """Both its outputs; meanwhile it is given its input."""
        stdout, stderr, _ = await asyncio.gather(
            self._gathered.output(self._child.stdout),
            self._gathered.errors(self._child.stderr),
            self._feed(stdin),
        )
        await self._child.wait()
        return stdout, stderr

    async def _feed(self, stdin: bytes) -> None:
        writer = self._child.stdin
        if writer is None:
            return
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it reads no further
            writer.write(stdin)
            await writer.drain()
        writer.close()

    @override
    async def wait(self, timeout: float | None = None) -> Completed:
        await wait_or_stop(
            self, self._output, self._gathered, timeout, host=self._host, what=self._argv[0]
        )
        return self._completed()

    @override
    async def stop(self, grace: float = 5.0) -> Completed:
        if self._output.done():
            return self._completed()
        kin = kin_of(self._child.pid, {})
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGTERM)
        end = time.monotonic() + grace
        while kin and time.monotonic() < end:
            await asyncio.sleep(0.02)
            kin = kin_of(self._child.pid, kin)
        kill(kin)
        await asyncio.wait({self._output}, timeout=_LAST_WORDS)
        if not self._output.done():  # a daemon that has left us holds our pipes
            self._child._transport.close()  # type: ignore[attr-defined]
            await self._output
        return self._completed()

    def _completed(self) -> Completed:
        stdout, stderr = self._output.result()
        status = self._child.returncode
        assert status is not None  # noqa: S101 - both outputs end before it does
        return Completed(self._argv, status, stdout, stderr, time.monotonic() - self._begun)


def _in_place(path: Path) -> bool:
    """Whether a file can't be replaced by renaming: attributes of the kernel and device nodes.

    A link is no such file, wherever it leads: another user may have put it there.
    """
    if str(path).startswith(("/proc/", "/sys/")):  # attributes look like plain files
        return True
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISLNK(mode)


@contextlib.contextmanager
def _replacing(path: Path, mode: int) -> Iterator[IO[bytes]]:
    """A new file that takes a name, with its mode, when it is whole and on the disk."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


class LocalWatch(FilesWatch):
    """Read by a thread of the Rust core: half the cost of a loop in Python."""

    def __init__(self, paths: Sequence[str], interval: float) -> None:
        from iosonde._core import Sampler

        self._paths = tuple(path for path in paths if _readable(path))
        self._sampler = Sampler(self._paths, interval)
        self.missed = 0

    @override
    def take(self) -> Sequence[FilesSnapshot]:
        readings, self.missed = self._sampler.take()
        return [
            FilesSnapshot(moment, dict(zip(self._paths, contents, strict=True)))
            for moment, contents in readings
        ]

    @override
    async def close(self) -> None:
        self._sampler.stop()


def _readable(path: str) -> bool:
    """Whether it can be opened and read: permission bits say little of files of the kernel."""
    try:
        with Path(path).open("rb", buffering=0) as file:
            file.read(1)
    except OSError:
        return False
    return True


class LocalHost(Host):
    """See `iosonde.hosts.host.Host`."""

    name = "local"

    @override
    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        arguments = tuple(argv)
        try:
            process = await self._start(arguments, stdin)
        except FileNotFoundError:
            done = Completed(arguments, 127, b"", b"command not found", 0.0)
        except PermissionError:
            done = Completed(arguments, 126, b"", b"permission denied", 0.0)
        else:
            done = await process.wait(timeout)
        return done.checked(self.name) if check else done

    @override
    async def start(self, argv: Sequence[str]) -> LocalProcess:
        arguments = tuple(argv)
        try:
            return await self._start(arguments, b"")
        except (FileNotFoundError, PermissionError) as problem:
            status = 127 if isinstance(problem, FileNotFoundError) else 126
            text = kerneltext.encoded(str(problem))
            raise CommandFailed(self.name, arguments, status, b"", text) from None

    @override
    async def converse(self, argv: Sequence[str]) -> Conversation:
        arguments = tuple(argv)
        try:
            child = await self._child(arguments)
        except (FileNotFoundError, PermissionError) as problem:
            raise CommandFailed(
                self.name, arguments, 127, b"", kerneltext.encoded(str(problem))
            ) from None
        transport = child._transport  # type: ignore[attr-defined]
        return Conversation(
            child.stdout, child.stdin, child.stderr, ended=child.wait, cut=transport.close
        )

    async def _start(self, argv: tuple[str, ...], stdin: bytes) -> LocalProcess:
        require_no_nul(argv)
        trace(self.name, argv)
        child = await made(
            self._child(argv), lambda child: LocalProcess(self.name, argv, child, b"").stop()
        )
        return LocalProcess(self.name, argv, child, stdin)

    @staticmethod
    async def _child(argv: tuple[str, ...]) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            *argv, stdin=pipe, stdout=pipe, stderr=pipe,
            env=_environment(), start_new_session=True, umask=_umask(),
        )  # fmt: skip

    @override
    async def read(self, path: str) -> bytes:
        return self._read(path)

    def _read(self, path: str) -> bytes:
        try:
            # Without O_NONBLOCK the opening of a FIFO waits for its writer.
            number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
            try:
                if stat.S_ISFIFO(os.fstat(number).st_mode):
                    raise HostFailed(f"{path} is a FIFO; expected a file", where=self.name)
                # In parts: files of /proc/sys answer reads of 4 MiB and more with ENOMEM
                # (fs/proc/proc_sysctl.c, proc_sys_call_handler()).
                content = bytearray()
                while part := os.read(number, _READ_AT_ONCE):
                    content += part
                    if len(content) > limits.HOST_FILE:
                        raise too_long(self.name, path)
            finally:
                os.close(number)
        except OSError as problem:
            raise self._as_host_error(path, problem) from None
        return bytes(content)

    @override
    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        contents: dict[str, bytes | IosondeError] = {}
        for path in paths:
            try:
                contents[path] = self._read(path)
            except IosondeError as problem:
                contents[path] = problem
        return contents

    @override
    async def watch(self, paths: Sequence[str], interval: float) -> LocalWatch:
        return LocalWatch(paths, interval)

    @override
    async def glob(self, pattern: str) -> tuple[str, ...]:
        return tuple(sorted(globbing.glob(pattern)))  # noqa: PTH207 - Path.glob needs a root

    @override
    async def resolve(self, path: str) -> str:
        try:
            return str(Path(path).resolve(strict=True))
        except OSError as problem:
            raise self._as_host_error(path, problem) from None

    @override
    async def write(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        try:
            self._write(Path(path), content, mode)
        except OSError as problem:
            raise self._as_host_error(path, problem) from None

    @staticmethod
    def _write(path: Path, content: bytes, mode: int) -> None:
        if _in_place(path):
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "wb") as file:
                file.write(content)
            return
        with _replacing(path, mode) as file:
            file.write(content)

    @override
    async def copy(self, source: str, destination: str) -> None:
        try:
            self._copy(Path(source), Path(destination))
        except OSError as problem:
            raise self._as_host_error(problem.filename or destination, problem) from None

    @staticmethod
    def _copy(source: Path, destination: Path) -> None:
        with source.open("rb") as there, _replacing(destination, 0o644) as file:
            shutil.copyfileobj(there, file, _COPIED_AT_ONCE)

    @override
    async def remove(self, path: str) -> None:
        try:
            Path(path).unlink(missing_ok=True)
        except OSError as problem:
            raise self._as_host_error(path, problem) from None

    async def dial(self, path: str) -> Ends:
        """See `iosonde.hosts.forward.Dials`."""
        try:
            return await asyncio.open_unix_connection(path)
        except OSError as problem:
            raise HostFailed(f"{path}: {problem.strerror}", where=self.name) from None

    async def close(self) -> None:
        """Nothing to let go of."""

    def _as_host_error(self, path: str, problem: OSError) -> HostFailed:
        """The operating system's refusal as an error of ours."""
        reason = problem.strerror or str(problem)
        if isinstance(problem, FileNotFoundError):
            return FileMissing(f"{path}: {reason}", where=self.name)
        if isinstance(problem, PermissionError):
            error = PermissionMissing
            hint = error.run_as_root if os.geteuid() else error.root_refused
            return error(f"{path}: {reason}", where=self.name, hint=hint)
        return HostFailed(f"{path}: {reason}", where=self.name)


async def open_local(_address: str = "") -> LocalHost:
    """The host `local`."""
    return LocalHost()
