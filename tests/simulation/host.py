"""The simulated host: its disk, its settings, its time, who waits there; and the way to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from iosonde.change.settings_journal import BOOT, FOLDER, SCRIPT
from iosonde.errors import CommandFailed, FileMissing, HostFailed
from iosonde.hosts.host import Completed
from tests.simulation.disk import Disk, settings_of
from tests.simulation.machine import Machine
from tests.simulation.shell.play import Execution
from tests.simulation.world import World, boot_id

QUEUE = "/sys/block/{}/queue/{}"
LASTS = "/sys/block/lasts"
"""A setting that its device keeps over a reboot; the path names it for good."""
_LOCKING = {"begin", "change", "confirm", "mark", "batch", "settle", "all"}
_USUAL = {
    "scheduler": "[none] mq-deadline\n", "nr_requests": "128\n", "nomerges": "0\n",
    "read_ahead_kb": "128\n",
}  # fmt: skip


_OTHERS = {"nr_requests": "99\n", "nomerges": "1\n", "read_ahead_kb": "96\n"}
"""What somebody has set on another disk."""


def usual(boot: int) -> dict[str, str]:
    """What the settings are after a boot."""
    values = {
        QUEUE.format(disk, name): text for disk in ("sda", "sdb") for name, text in _USUAL.items()
    }
    values |= {
        f"/sys/block/{disk}/diskseq": f"{boot * 10 + at}\n"
        for at, disk in enumerate(("sda", "sdb"))
    }
    return values | {LASTS: "1\n"}


@dataclass(slots=True)
class Simulated:
    """A host. `waiting` are batches that a process of its own puts back: when, number, after."""

    machine: Machine
    disk: Disk = field(default_factory=Disk)
    settings: dict[str, str] = field(default_factory=lambda: usual(1))
    boot: int = 1
    clock: int = 1_700_000_000
    stubborn: str = ""
    held: bool = False
    waiting: list[tuple[int, str, str]] = field(default_factory=list)

    def copy(self) -> Simulated:
        """Another host that is as this one is now."""
        return Simulated(
            self.machine, self.disk.copy(), dict(self.settings), self.boot, self.clock,
            self.stubborn, self.held, list(self.waiting),
        )  # fmt: skip

    def world(self, *, room: int | None = None, meanwhile: World | None = None) -> World:
        """What a command sees."""
        files = self.disk.files if self.disk.there else None
        return World(
            files, dict(self.settings), self.boot, self.clock, self.stubborn, room, self.held,
            meanwhile,
        )  # fmt: skip

    def execute(
        self,
        argv: Sequence[str],
        stdin: bytes = b"",
        *,
        upto: float = 1.0,
        room: int | None = None,
        during: Callable[[], object] | None = None,
    ) -> Execution:
        """Run a command.

        Args:
            argv: the command.
            stdin: what it reads.
            upto: the part of its effects that happens before it is killed; 1: all.
            room: the bytes that are left on the disk.
            during: what others do while it waits for the lock.
        """
        waits = tuple(argv[:2]) == ("sh", SCRIPT) and (*argv, "all")[2] in _LOCKING
        if during is not None and not waits:
            during()
        before = self.world(room=room)
        if during is not None and waits:
            during()
            before = replace(before, meanwhile=self.world())
        done = self.machine.execute(argv, stdin, before)
        count = len(done.effects) if upto >= 1 else int(upto * (len(done.effects) + 1))
        for effect in done.effects[:count]:
            self.disk.apply(effect)
            self.settings |= settings_of(effect)
        if tuple(argv[:3]) == ("sh", SCRIPT, "arm") and done.status == 0 and upto >= 0.5:
            self.waiting.append((self.clock + int(argv[4]), argv[3], argv[4]))
        return done

    def pass_time(self, seconds: int) -> None:
        """Let time pass; who waits does what it waits for."""
        end = self.clock + seconds
        while due := sorted(row for row in self.waiting if row[0] <= end):
            at, number, after = due[0]
            self.waiting.remove(due[0])
            self.clock = max(self.clock, at)
            self.execute(["sh", SCRIPT, "wait", number, after])
        self.clock = end

    def reboot(self, random: Random | None = None) -> None:
        """Boot anew; with a source of chance, after a loss of power."""
        if random is not None:
            self.disk.lose_power(random)
        self.boot += 1
        self.waiting.clear()
        self.held = False
        self.clock += 100
        self.settings = usual(self.boot) | {LASTS: self.settings[LASTS]}

    def replace(self, disk: str) -> None:
        """Another disk takes the name of one."""
        fresh = usual(self.boot + 500)
        fresh |= {QUEUE.format(disk, name): text for name, text in _OTHERS.items()}
        self.settings |= {path: text for path, text in fresh.items() if f"/{disk}/" in path}


class Gone(BaseException):
    """The controller was killed."""


@dataclass(slots=True)
class Blow:
    """What happens while the so many-th command of a controller is under way.

    `before` is done before it; of its effects the part `upto` happens; `after` is done then. `ends`
    is what the controller sees from then on; None: it goes on. `room`, `during`: see
    `Simulated.execute`.
    """

    at: int
    before: Callable[[], object] | None = None
    upto: float = 1.0
    after: Callable[[], object] | None = None
    ends: Callable[[], BaseException] | None = None
    room: int | None = None
    during: Callable[[], object] | None = None


class Reached:
    """The way of a controller to the host; see `iosonde.hosts.host.Host`."""

    name = "simulated"

    def __init__(self, host: Simulated, blow: Blow | None = None) -> None:
        self.host, self.blow = host, blow
        self.seen: list[tuple[str, ...]] = []
        """The commands that were sent."""
        self.ends: Callable[[], BaseException] | None = None
        self.fell = False
        self.task: asyncio.Task[None] | None = None

    async def run(self, argv: Sequence[str], **more: Any) -> Completed:
        """See `Host.run`."""
        done = self._run(argv, more.get("stdin", b""))
        if done.status != 0 and more.get("check", True):
            raise CommandFailed(self.name, tuple(argv), done.status, done.stdout, done.stderr)
        return Completed(tuple(argv), done.status, done.stdout, done.stderr, 0.0)

    def _run(self, argv: Sequence[str], stdin: bytes) -> Execution:
        if self.ends is not None:
            raise self.ends()
        self.seen.append(tuple(argv))
        blow = self.blow
        if blow is None or len(self.seen) != blow.at:
            return self.host.execute(argv, stdin)
        self.fell = True
        if blow.before is not None:
            blow.before()
        done = self.host.execute(argv, stdin, upto=blow.upto, room=blow.room, during=blow.during)
        if blow.after is not None:
            blow.after()
        if blow.ends is not None:
            self.ends = blow.ends
            self.host.held = False
            raise self.ends()
        return done

    async def read(self, path: str) -> bytes:
        """See `Host.read`."""
        if self.ends is not None:
            raise self.ends()
        if path == BOOT:
            return f"{boot_id(self.host.boot)}\n".encode()
        if path in self.host.settings:
            return self.host.settings[path].encode()
        content = self.host.disk.files.get(path.removeprefix(f"{FOLDER}/"))
        if content is None:
            raise _missing(path)
        return content

    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """See `Host.read_many`."""
        return {path: await self.read(path) for path in paths if path in self.host.settings}

    async def start(self, argv: Sequence[str]) -> Held:
        """See `Host.start`: the lock on settings, which ends with the connection."""
        done = self._run(argv, b"")
        held = not self.host.held and done.status < 0
        self.host.held |= held
        return Held(self, Completed(tuple(argv), done.status, done.stdout, done.stderr, 0.0), held)


class Held:
    """Whoever holds the lock on settings; see `iosonde.hosts.host.Process`."""

    def __init__(self, reached: Reached, end: Completed, held: bool) -> None:
        self._reached, self._end, self._held = reached, end, held
        self._over = asyncio.Event()

    async def wait(self, timeout: float | None = None) -> Completed:
        """See `Process.wait`."""
        del timeout
        if self._held:
            await self._over.wait()
        return self._end

    async def stop(self, grace: float = 5.0) -> Completed:
        """See `Process.stop`."""
        del grace
        if self._held and self._reached.ends is None:
            self._reached.host.held = False
        self._over.set()
        return self._end


def _missing(path: str) -> FileMissing:
    return FileMissing(f"no file {path}", where=Reached.name)


def cut() -> BaseException:
    """What a controller sees whose connection is cut."""
    return HostFailed("the connection was lost", where=Reached.name)
