"""A process on the host that opens a target once, and runs commands on that very descriptor.

A name can be made to mean something else between a check and its use; a descriptor cannot. So the
keeper (keeper.pl, or on_host.py where there is no Perl) walks to the target without following links
that other users may change, opens it, and hands the descriptor to every command it runs, under a
name that only means that descriptor: `/proc/self/fd/100` (proc_pid_fd(5)); for fio, which counts a
disk's requests only where lstat(2) shows it a block device or a file (diskutil.c,
get_device_numbers()), a device node of the keeper's own in a directory that only root may enter, or
the file in a directory that nobody else can write to.

The kernel grants one holder an exclusive open of a block device (block/bdev.c,
bd_prepare_to_claim): mount, swapon, mdadm, LVM and mkfs ask for it too and get EBUSY while the
keeper, its warden or a command that inherited the descriptor lives. fio opens without O_EXCL, so it
still can.

The keeper's standard input is its life line: when iosonde or the connection ends, the keeper kills
what it began, removes the scratch file it made, and only then lets go. When the keeper itself is
killed, its warden does so.

Within `keepers_stay` a keeper that has let go is not ended but serves the next target of its host:
an interpreter need not be started for each loop. It has nothing open then, has made nothing and
runs nothing, and each target is walked to, opened and claimed anew.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import stat
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from iosonde import kerneltext
from iosonde.change.node import FileNode
from iosonde.change.sharing import asked_once, itself
from iosonde.errors import CommandTimeout, HostFailed, Refused
from iosonde.hosts.cleaning import made, to_the_end
from iosonde.hosts.command import trace
from iosonde.hosts.conversation import Conversation
from iosonde.hosts.host import Completed, Host
from iosonde.hosts.packages import install_hint
from iosonde.scripts import python_program, source

OPENED = "/proc/self/fd/100"
"""What a command that the keeper runs opens: the target."""
FOLDER = "/proc/self/fd/101"
"""The directory of a scratch file, for commands that make their own files beside it."""
_SCRIPTS = (
    ("perl", "-e", "keeper.pl"),
    ("python3", "-c", "on_host_walk.py", "on_host_open.py", "on_host.py"),
)
_ANSWER_TIME = 30.0  # seconds for an answer; an exclusive open waits for nobody
_BANNER = 64 * 1024  # bytes that a login shell may print before the keeper speaks
_OUTPUT = 256 * 1024 * 1024  # bytes that a command may print
_END_TIME = 10.0  # seconds in which what was begun ends, once it is killed
_GREETING = b"2\n6\nkeeper"  # the beginning of its first answer
_KINDS = {stat.S_IFREG: "file", stat.S_IFBLK: "device"}
_WHY = {
    "others": "others may write to {where}",
    "symlink": "the link {where} stands where others may write",
    "swapped": "this was replaced while it was opened",
    "kind": "this is neither a block device nor a plain file",
}


@dataclass(frozen=True, slots=True)
class Opened:
    """What the keeper has open: facts of the descriptor (fstat(2)), not of a name.

    `path` is canonical; `node.number` the device number of a block device; `seen_at` is a path by
    which other processes of the host reach the same open file while the keeper lives; `name` is
    what a load calls it.
    """

    path: str
    node: FileNode
    seen_at: str
    name: str


class KeeperRefused(Exception):
    """The keeper did not open or make what it was asked for.

    Args:
        number: errno.
        text: what the kernel says of it.
        where: the path it is about.
        why: "others", "symlink", "swapped", "kind" where iosonde refuses and not the kernel.
    """

    def __init__(self, number: int, text: str, where: str, why: str) -> None:
        super().__init__(text)
        self.number, self.text, self.where, self.why = number, text, where, why

    def refusal(self, path: str) -> Refused:
        """The refusal in words."""
        if self.why in {"others", "symlink"}:
            return Refused(
                f"another user could replace it: {_WHY[self.why].format(where=self.where)}",
                where=path,
                evidence=f"owner and mode of {self.where}",
                hint="name a directory, in which iosonde makes one of its own, or a path "
                "whose directories only root can write to",
            )
        if self.why:
            return Refused(_WHY[self.why], where=path, evidence=f"fstat of {self.where}")
        return Refused(f"it cannot be opened: {self.text}", where=path, evidence=self.where)


class Keeper:
    """A keeper that has been started; `token` stands on its and its warden's command line."""

    def __init__(self, host: Host, conversation: Conversation, token: str) -> None:
        self._host = host
        self._conversation = conversation
        self.token = token
        self._pid = 0
        self._came = bytearray()
        self._running = asyncio.Lock()
        self._in_step = True  # whether all that was asked is answered
        self.lost = False
        """Whether it ended by itself."""

    async def open(self, how: str, path: str, *more: str) -> Opened:
        """Open or make what all later commands are run on.

        Args:
            how: "device" (claimed exclusively), "read", "scratch" (a file in a new directory of
                its own in the directory `path`) or "named" (a new file; `more` is the device and
                inode of an earlier one of ours that makes room, or empty).
            path: absolute.
            more: see `how`.

        Raises:
            KeeperRefused: it does not.
            HostFailed: it ended.
        """
        verb, *fields = await self._asked(how, path, *more)
        if verb == b"error":
            raise _refused(fields)
        place, device, inode, mode, links, rdev, size, name = fields
        number = int(rdev)
        node = FileNode(
            path=os.fsdecode(place),
            kind=_KINDS.get(stat.S_IFMT(int(mode)), "something else"),
            number=f"{os.major(number)}:{os.minor(number)}",
            identity=f"{int(device)} {int(inode)}",
            links=int(links),
            size=int(size),
        )
        return Opened(node.path, node, self.outside(OPENED), os.fsdecode(name))

    def outside(self, path: str) -> str:
        """A path that commands of the keeper open, as other processes of the host reach it."""
        return path.replace("/proc/self/", f"/proc/{self._pid}/", 1)

    async def mark(self, text: str) -> None:
        """Write the mark of the scratch file beside it.

        Raises:
            HostFailed: it cannot be written.
        """
        verb, *fields = await self._asked("mark", text)
        if verb == b"error":
            problem = _refused(fields)
            raise HostFailed(f"{problem.where}: {problem.text}", where=self._host.name)

    async def run(
        self, argv: Sequence[str], *, timeout: float | None = 60.0, check: bool = True
    ) -> Completed:
        """Run a command that inherits the descriptor; see `Host.run`."""
        trace(self._host.name, argv)
        async with self._running:
            running = asyncio.ensure_future(self._run(tuple(argv)))
            try:
                late = (await asyncio.wait({running}, timeout=timeout))[1]
            except asyncio.CancelledError:
                await to_the_end(self._end(running))
                raise
            if late:
                await to_the_end(self._end(running))
                raise CommandTimeout(
                    f"{argv[0]} did not end within {timeout:g} s and was stopped",
                    where=self._host.name,
                )
        done = running.result()
        return done.checked(self._host.name) if check else done

    async def _run(self, argv: tuple[str, ...]) -> Completed:
        begun, self._in_step = time.monotonic(), False
        self._ask("run", *argv)
        parts: dict[bytes, bytearray] = {b"out": bytearray(), b"err": bytearray()}
        while True:
            verb, *fields = await self._answer(within=None)
            self._in_step = verb in {b"error", b"end"}
            if verb == b"error":
                problem = _refused(fields)
                raise HostFailed(f"{argv[0]}: {problem.text}", where=self._host.name)
            if verb == b"end":
                break
            if sum(map(len, parts.values())) + len(fields[0]) > _OUTPUT:
                self._ask("signal", "KILL")
                continue
            parts[verb] += fields[0]
        if sum(map(len, parts.values())) + 65536 > _OUTPUT:
            raise HostFailed(
                f"{argv[0]} printed more than {_OUTPUT // 1024**2} MiB and was ended",
                where=self._host.name,
                hint="let it print less",
            )
        out, err = bytes(parts[b"out"]), bytes(parts[b"err"])
        return Completed(argv, int(fields[0]), out, err, time.monotonic() - begun)

    async def _end(self, running: asyncio.Future[Completed], grace: float = 5.0) -> None:
        """End the running command, politely, then not; its result is of no use any more."""
        for name, patience in (("TERM", grace), ("KILL", _END_TIME)):
            self._ask("signal", name)
            await asyncio.wait({running}, timeout=patience)
            if running.done():
                break
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def _asked(self, *fields: str, within: float = _ANSWER_TIME) -> list[bytes]:
        """The answer to a request that has just one; who does not wait for it is out of step."""
        self._in_step = False
        self._ask(*fields)
        answer = await self._answer(within)
        self._in_step = True
        return answer

    def _ask(self, *fields: str) -> None:
        whole = [os.fsencode(field) for field in fields]
        text = b"%d\n" % len(whole) + b"".join(b"%d\n%s" % (len(field), field) for field in whole)
        self._conversation.send(text)

    async def _answer(self, within: float | None = _ANSWER_TIME) -> list[bytes]:
        """The next answer.

        Raises:
            HostFailed: the keeper ended, or gives none in time.
        """
        try:
            async with asyncio.timeout(within):
                count = int(await self._line())
                return [await self._field() for _ in range(count)]
        except TimeoutError:
            raise HostFailed(
                f"the process that holds the target gave no answer within {within:g} s",
                where=self._host.name,
            ) from None

    async def _field(self) -> bytes:
        size = int(await self._line())
        while len(self._came) < size:
            await self._more()
        field = bytes(self._came[:size])
        del self._came[:size]
        return field

    async def _line(self) -> bytes:
        while b"\n" not in self._came:
            await self._more()
        line, _, rest = bytes(self._came).partition(b"\n")
        self._came = bytearray(rest)
        return line

    async def _more(self) -> None:
        part = await self._conversation.receive()
        if not part:
            self.lost = True
            said = kerneltext.decoded(await self._conversation.complaint()).strip()
            raise HostFailed(
                "the process that holds the target ended" + (f": {said}" if said else ""),
                where=self._host.name,
            )
        self._came += part

    async def greeted(self) -> None:
        """Wait for its first words; what a login shell printed before them is left out.

        Raises:
            HostFailed: it does not come.
        """
        try:
            async with asyncio.timeout(_ANSWER_TIME):
                while (at := self._came.find(_GREETING)) < 0:
                    if len(self._came) > _BANNER:
                        raise HostFailed(
                            "the host's shell prints without end before a command",
                            where=self._host.name,
                        )
                    await self._more()
        except TimeoutError:
            raise HostFailed(
                f"the process that holds the target did not start within {_ANSWER_TIME:g} s",
                where=self._host.name,
            ) from None
        del self._came[:at]
        self._pid = int((await self._answer())[1])

    async def close(self) -> None:
        """Let go: what still runs is killed, a scratch file is removed, the claim is given up."""
        staying = _staying(self._host)
        if staying is not None and await self.has_let_go():
            staying.append(self)
        else:
            await self.end()

    async def has_let_go(self) -> bool:
        """Let go, but stay for another target; False where it has ended, or is still busy."""
        return await self._answers("let go", b"done")

    async def is_here(self) -> bool:
        """Whether one that has let go still answers, and may serve another target."""
        return await self._answers("here", b"here")

    async def _answers(self, request: str, answer: bytes) -> bool:
        if self.lost or not self._in_step:
            return False
        try:
            return await self._asked(request, within=_END_TIME) == [answer]
        except HostFailed:
            return False

    async def end(self) -> None:
        """Let go, and end."""
        await self._conversation.close(_END_TIME)


def _refused(fields: Sequence[bytes]) -> KeeperRefused:
    number, text, where, why = fields
    return KeeperRefused(
        int(number), kerneltext.decoded(text), os.fsdecode(where), kerneltext.decoded(why)
    )


_STAYING: WeakKeyDictionary[Host, list[Keeper]] = WeakKeyDictionary()
"""Keepers that hold nothing, of the hosts where they stay."""


@asynccontextmanager
async def keepers_stay(*hosts: Host) -> AsyncIterator[None]:
    """Keepers of these hosts serve one target after the other until the block ends."""
    for host in hosts:
        _STAYING.setdefault(host, [])
    try:
        yield
    finally:
        for host in hosts:
            for keeper in _STAYING.pop(host, ()):
                await to_the_end(keeper.end())


def _staying(host: Host) -> list[Keeper] | None:
    """The keepers of a host that hold nothing; None where they do not stay."""
    try:
        return _STAYING.get(host)
    except TypeError:  # a host that cannot be remembered
        return None


async def _stayed(host: Host) -> Keeper | None:
    """A keeper that is there already, and still answers."""
    while staying := _staying(host):
        keeper = await made(_answering(staying.pop()), _ended)
        if keeper is not None:
            return keeper
    return None


async def _answering(keeper: Keeper) -> Keeper | None:
    if await keeper.is_here():
        return keeper
    await keeper.end()
    return None


async def _ended(keeper: Keeper | None) -> None:
    if keeper is not None:
        await keeper.end()


async def start_keeper(host: Host, *, where: str) -> Keeper:
    """A keeper on the host: in Perl, which starts faster and is part of every Debian, or Python.

    Args:
        host: where it runs.
        where: the target, for the message.

    Raises:
        Refused: the host has neither.
        HostFailed: it does not start.
    """
    host = itself(host)
    if (keeper := await _stayed(host)) is not None:
        return keeper
    token = "iosonde-holds-" + secrets.token_hex(8)
    for command, flag, *parts in _SCRIPTS:
        if (await asked_once(host, [command, flag, "1"])).status != 0:
            continue
        joined = python_program if len(parts) > 1 else source
        argv = [command, flag, joined("iosonde.change.keeper", *parts)]
        return await made(_greeted(host, argv, token), Keeper.close)
    raise Refused(
        "it cannot be held open: the host has neither perl nor python3",
        where=where,
        evidence="both commands failed to start",
        hint=await install_hint(host, "perl"),
    )


async def _greeted(host: Host, argv: Sequence[str], token: str) -> Keeper:
    """A keeper that has said its first words.

    Raises:
        HostFailed: it does not start.
    """
    keeper = Keeper(host, await host.converse([*argv, token]), token)
    try:
        await keeper.greeted()
    except BaseException:
        await keeper.close()
        raise
    return keeper
