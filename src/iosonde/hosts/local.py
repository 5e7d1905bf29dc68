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
from collections.abc import Mapping, Sequence
from pathlib import Path

from iosonde.errors import (
    CommandFailed,
    FileMissing,
    HostFailed,
    IosondeError,
    PermissionMissing,
)
from iosonde.hosts.command import trace
from iosonde.hosts.forward import Ends
from iosonde.hosts.host import Completed, Reading, wait_or_stop
from iosonde.hosts.kin import kill, kin_of

# Administrators' tools live in sbin, which a plain user's PATH may lack.
_SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_LAST_WORDS = 0.5  # seconds for what is still in the pipes when nobody is left


def _environment() -> dict[str, str]:
    """The caller's environment with sbin in reach and tools speaking English in plain numbers."""
    path = os.environ.get("PATH", "/usr/bin:/bin").split(":")
    path += [place for place in _SBIN if place not in path]
    return {**os.environ, "PATH": ":".join(path), "LC_ALL": "C"}


class LocalProcess:
    """A child of ours in a process group of its own, so that its children end with it."""

    def __init__(
        self, host: str, argv: tuple[str, ...], child: asyncio.subprocess.Process, stdin: bytes
    ) -> None:
        self._host = host
        self._argv = argv
        self._child = child
        self._begun = time.monotonic()
        self._output = asyncio.ensure_future(child.communicate(stdin))

    async def wait(self, timeout: float | None = None) -> Completed:
        """See `Process.wait`."""
        await wait_or_stop(self, self._output, timeout, host=self._host, what=self._argv[0])
        return self._completed()

    async def stop(self, grace: float = 5.0) -> Completed:
        """See `Process.stop`."""
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
        assert status is not None  # noqa: S101 - communicate() returns after the end
        return Completed(self._argv, status, stdout, stderr, time.monotonic() - self._begun)


class LocalWatch:
    """Read by a thread of the Rust core: half the cost of a loop in Python."""

    def __init__(self, paths: Sequence[str], interval: float) -> None:
        from iosonde._core import Sampler

        self._paths = tuple(path for path in paths if _readable(path))
        self._sampler = Sampler(self._paths, interval)
        self.missed = 0

    def take(self) -> Sequence[Reading]:
        """See `Watch.take`."""
        readings, self.missed = self._sampler.take()
        return [
            Reading(moment, dict(zip(self._paths, contents, strict=True)))
            for moment, contents in readings
        ]

    async def close(self) -> None:
        """See `Watch.close`."""
        self._sampler.stop()


def _readable(path: str) -> bool:
    """Whether it can be opened and read: permission bits say little of files of the kernel."""
    try:
        with Path(path).open("rb", buffering=0) as file:
            file.read(1)
    except OSError:
        return False
    return True


class LocalHost:
    """See `iosonde.hosts.host.Host`."""

    name = "local"

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        """See `Host.run`."""
        arguments = tuple(argv)
        try:
            process = await self._start(arguments, stdin)
        except FileNotFoundError:
            done = Completed(arguments, 127, b"", b"command not found", 0.0)
        except PermissionError:
            done = Completed(arguments, 126, b"", b"permission denied", 0.0)
        else:
            done = await process.wait(timeout)
        if check and done.status != 0:
            raise CommandFailed(self.name, arguments, done.status, done.stdout, done.stderr)
        return done

    async def start(self, argv: Sequence[str]) -> LocalProcess:
        """See `Host.start`."""
        arguments = tuple(argv)
        try:
            return await self._start(arguments, b"")
        except (FileNotFoundError, PermissionError) as problem:
            status = 127 if isinstance(problem, FileNotFoundError) else 126
            text = str(problem).encode()
            raise CommandFailed(self.name, arguments, status, b"", text) from None

    async def _start(self, argv: tuple[str, ...], stdin: bytes) -> LocalProcess:
        trace(self.name, argv)
        pipe = asyncio.subprocess.PIPE
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *argv, stdin=pipe, stdout=pipe, stderr=pipe,
                env=_environment(), start_new_session=True,
            )
        )  # fmt: skip
        try:
            child = await asyncio.shield(starting)
        except asyncio.CancelledError:  # it may have begun: whoever cancels wants it ended
            await LocalProcess(self.name, argv, await starting, b"").stop()
            raise
        return LocalProcess(self.name, argv, child, stdin)

    async def read(self, path: str) -> bytes:
        """See `Host.read`."""
        return self._read(path)

    def _read(self, path: str) -> bytes:
        try:
            return Path(path).read_bytes()
        except OSError as problem:
            raise self._told(path, problem) from None

    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        """See `Host.read_many`."""
        found: dict[str, bytes | IosondeError] = {}
        for path in paths:
            try:
                found[path] = self._read(path)
            except IosondeError as problem:
                found[path] = problem
        return found

    async def watch(self, paths: Sequence[str], interval: float) -> LocalWatch:
        """See `Host.watch`."""
        return LocalWatch(paths, interval)

    async def glob(self, pattern: str) -> tuple[str, ...]:
        """See `Host.glob`."""
        return tuple(sorted(globbing.glob(pattern)))  # noqa: PTH207 - Path.glob needs a root

    async def resolve(self, path: str) -> str:
        """See `Host.resolve`."""
        try:
            return str(Path(path).resolve(strict=True))
        except OSError as problem:
            raise self._told(path, problem) from None

    async def write(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """See `Host.write`."""
        try:
            self._write(Path(path), content, mode)
        except OSError as problem:
            raise self._told(path, problem) from None

    @staticmethod
    def _write(path: Path, content: bytes, mode: int) -> None:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            path.write_bytes(content)
            return
        if str(path).startswith(("/proc/", "/sys/")):  # attributes look like plain files
            path.write_bytes(content)
            return
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(mode)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    async def copy(self, source: str, destination: str) -> None:
        """See `Host.copy`."""
        try:
            shutil.copyfile(source, destination)
        except OSError as problem:
            raise self._told(problem.filename or destination, problem) from None

    async def remove(self, path: str) -> None:
        """See `Host.remove`."""
        try:
            Path(path).unlink(missing_ok=True)
        except OSError as problem:
            raise self._told(path, problem) from None

    async def dial(self, path: str) -> Ends:
        """See `iosonde.hosts.forward.Dials`."""
        try:
            return await asyncio.open_unix_connection(path)
        except OSError as problem:
            raise HostFailed(f"{path}: {problem.strerror}", where=self.name) from None

    async def close(self) -> None:
        """Nothing to let go of."""

    def _told(self, path: str, problem: OSError) -> HostFailed:
        """The operating system's refusal as an error of ours."""
        reason = problem.strerror or str(problem)
        if isinstance(problem, FileNotFoundError):
            return FileMissing(f"{path}: {reason}", where=self.name)
        if isinstance(problem, PermissionError):
            return PermissionMissing(
                f"{path}: {reason}", where=self.name, hint="run as root to reach it"
            )
        return HostFailed(f"{path}: {reason}", where=self.name)


async def open_local(_address: str = "") -> LocalHost:
    """The host `local`."""
    return LocalHost()
