"""What every host can do, however it is reached."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from iosonde.errors import CommandFailed, CommandTimeout, HostFailed, IosondeError
from iosonde.hosts.cleaning import to_the_end
from iosonde.hosts.conversation import Conversation
from iosonde.hosts.gathered import Gathered


@dataclass(frozen=True, slots=True)
class Completed:
    """A command that has ended. `status` 127: not found; negative: killed by that signal."""

    argv: tuple[str, ...]
    status: int
    stdout: bytes
    stderr: bytes
    elapsed: float

    def checked(self, host: str) -> Completed:
        """Itself, where it ended well on the host with that name.

        Raises:
            CommandFailed: it ended with another status than 0.
        """
        if self.status != 0:
            raise CommandFailed(host, self.argv, self.status, self.stdout, self.stderr)
        return self


class Process(Protocol):
    """A command that goes on while others run."""

    async def wait(self, timeout: float | None = None) -> Completed:
        """Its end. Cancelling the wait, or the time-out, stops the process on its host.

        Raises:
            CommandTimeout: still running after `timeout` seconds; it was stopped.
        """
        ...

    async def stop(self, grace: float = 5.0) -> Completed:
        """SIGTERM to it and its children, SIGKILL after `grace` seconds; returns its end."""
        ...


async def wait_or_stop(
    process: Process,
    output: asyncio.Future[tuple[bytes, bytes]],
    gathered: Gathered,
    timeout: float | None,
    *,
    host: str,
    what: str,
) -> None:
    """Wait for a process's output to end.

    Past its time, with more output than there is room for, or when cancelled, it is stopped first.

    Raises:
        CommandTimeout: still running after `timeout` seconds; it was stopped.
        HostFailed: it printed more than limits.py allows; it was stopped.
    """
    full: asyncio.Future[Any] = asyncio.ensure_future(gathered.full.wait())
    waiting: set[asyncio.Future[Any]] = {output, full}
    try:
        # Not wait_for: it swallows a cancellation in the turn of the loop in which the output ends.
        await asyncio.wait(waiting, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        with contextlib.suppress(HostFailed):  # who cancels is to hear of nothing else
            await to_the_end(process.stop())
        raise
    finally:
        full.cancel()
    if gathered.full.is_set():
        await to_the_end(process.stop())
        gathered.check(host, what)
    if not output.done():
        await to_the_end(process.stop())
        raise CommandTimeout(f"{what} did not end within {timeout:g} s and was stopped", where=host)
    await output


@dataclass(frozen=True, slots=True)
class FilesSnapshot:
    """The watched files at one moment: epoch seconds, path → content."""

    time: float
    files: Mapping[str, bytes]


class FilesWatch(Protocol):
    """The same few files of a host read again and again, as cheaply as that host allows."""

    missed: int
    """Readings that came so late that the next one was due."""

    def take(self) -> Sequence[FilesSnapshot]:
        """The readings since the last call, the oldest first."""
        ...

    async def close(self) -> None:
        """Stop reading; what was not taken can still be."""
        ...


class Host(Protocol):
    """A machine where commands run. All paths are absolute paths on that machine.

    Methods raise HostFailed (or its kinds) with the host's name as `where`.
    """

    name: str
    become: str = ""
    """What makes root there, by which all runs: "sudo" or "doas"; empty: nothing."""

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        """Run a command to its end.

        Args:
            argv: the argument list; no shell sees it, but the one that ssh forces on us, quoted
                by hosts/command.py.
            stdin: what it reads.
            timeout: seconds until it is stopped; None: never.
            check: a status other than 0 raises.

        Raises:
            CommandFailed: `check` and another status than 0 (127: no such command).
            CommandTimeout: it did not end in time and was stopped.
            HostFailed: it printed more than limits.py allows and was stopped; of its standard
                error the first and the last 4 MiB are kept.
        """
        ...

    async def start(self, argv: Sequence[str]) -> Process:
        """Start a command and return at once."""
        ...

    async def converse(self, argv: Sequence[str]) -> Conversation:
        """Start a command that reads requests and prints answers while it runs.

        Nobody but itself ends what it begins: the end of its input says that it is time.

        Raises:
            CommandFailed: there is no such command, as far as that is known at once.
        """
        ...

    async def read(self, path: str) -> bytes:
        """The content of a file, /proc and /sys included.

        Raises:
            FileMissing: there is none.
            PermissionMissing: it may not be read by this user.
            HostFailed: it is longer than limits.py allows, or a FIFO.
        """
        ...

    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        """Many files in one go; what could not be read maps to the error `read` would raise."""
        ...

    async def watch(self, paths: Sequence[str], interval: float) -> FilesWatch:
        """Read files every `interval` seconds from now on; those missing are left out."""
        ...

    async def glob(self, pattern: str) -> tuple[str, ...]:
        """Paths that match (`*`, `?`, `[…]`, no `**`), sorted; symbolic links are not resolved."""
        ...

    async def resolve(self, path: str) -> str:
        """The canonical path behind symbolic links.

        Raises:
            FileMissing: there is none.
        """
        ...

    async def write(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """Write a file whole (to a temporary name, then renamed; special files in place)."""
        ...

    async def copy(self, source: str, destination: str) -> None:
        """Copy a file of the controller (`source`) to this host (`destination`)."""
        ...

    async def remove(self, path: str) -> None:
        """Remove a file; none there is no error."""
        ...

    async def close(self) -> None:
        """Let go of the connection."""
        ...


Opener: TypeAlias = Callable[[str], Awaitable[Host]]
