"""One loop of a load on several hosts, started together by the tool itself (loads/_fleet.py).

On each host a server of the tool listens at a unix socket in a directory of its own; its way here
is the connection of that host. The servers are commands of the connection and end with it. The
client runs on this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace

from iosonde import kerneltext
from iosonde.errors import FileMissing, HostFailed, IosondeError, LoadFailed, Refused
from iosonde.hosts import open_host
from iosonde.hosts.command import quote
from iosonde.hosts.forward import Forward, forward
from iosonde.hosts.host import Completed, Host
from iosonde.hosts.packages import install_hint
from iosonde.loads import FLEETS
from iosonde.loads._fleet import SOCKET, Fleet
from iosonde.measure.again import UnreadLoop, read_loop
from iosonde.measure.progress import LoopStarted, Progress
from iosonde.measure.trial import PreparedTrial, watch, written
from iosonde.measure.workplace import workplace
from iosonde.monitors.observer import Observer
from iosonde.records.load import Load, LoadCommand, LoadResult, RawOutput, Target
from iosonde.records.run import Loop

LAST_WORDS = 20.0
"""Seconds the client has to write down what it has, when the servers are gone."""
# A server makes its socket at once; the shell waits up to ten seconds for it.
_AWAIT = (
    'n=0; until [ -S "$1" ]; do n=$((n+1)); [ $n -le 100 ] || exit 1; sleep 0.1; done; sleep 0.1'
)


@dataclass(slots=True)
class _Seat:
    """One host of the loop; `target` as its server is to call it.

    `lost` is why its server ended before the client did.
    """

    bench: PreparedTrial
    target: Target
    observer: Observer | None
    server: asyncio.Future[Completed]
    way: Forward
    lost: IosondeError | None = None


@dataclass(slots=True)
class _Clock:
    """When the client began, in epoch seconds, and how long it ran."""

    started: float = field(default_factory=time.time)
    begun: float = field(default_factory=time.monotonic)
    elapsed: float = 0.0


async def require_same_line(benches: Sequence[PreparedTrial]) -> None:
    """Look whether the tool of this machine can lead that of each host.

    Raises:
        LoadFailed: it is missing, or of another version line; the message names the host.
    """
    fleet = _fleet(benches)
    here = await _line(fleet, await open_host("local"))
    for bench in benches:
        there = await _line(fleet, bench.host)
        if there != here:
            tool = fleet.version[0]
            raise LoadFailed(
                f"its {tool} is {there}, and {tool} {here} of this machine, which would lead it, "
                "can only lead its own version line",
                where=bench.host.name,
                hint="install the same version, or say `simultaneous` in place of `together`",
            )


async def _line(fleet: Fleet, host: Host) -> str:
    done = await host.run(list(fleet.version), check=False)
    if done.status == 127:
        raise LoadFailed(
            f"{fleet.version[0]} is not installed",
            where=host.name,
            hint=await install_hint(host, fleet.version[0])
            + "; a load run together needs it on every host and on this machine",
        )
    return fleet.line(kerneltext.decoded(done.stdout))


def _fleet(benches: Sequence[PreparedTrial]) -> Fleet:
    return FLEETS.load(benches[0].load.engine)()


def server_command(load: Load) -> str:
    """What runs on each host, as text; DIRECTORY is made at run time."""
    return quote(FLEETS.load(load.engine)().server(load, directory="DIRECTORY"))


async def measure_together(
    benches: Sequence[PreparedTrial], index: int, *, seconds: float | None, progress: Progress
) -> list[Loop | IosondeError]:
    """Run one loop at all benches, begun together.

    The guard looks at every target again and holds each device until the loop is over.

    Args:
        benches: the probe points of one load, ready.
        index: number of the loop, from 0, the same for all.
        seconds: how long it is to take; None: as the load says.
        progress: told every second.

    Returns:
        A loop of each host or why it has none, in the order of the benches. A loop during which
        another host failed says so among its faults.

    Raises:
        Refused: a device is in use, or not as it was.
    """
    fleet = _fleet(benches)
    try:
        async with AsyncExitStack() as stack:
            here = await open_host("local")
            directory = await stack.enter_async_context(workplace(here))
            seats = [
                await stack.enter_async_context(_seated(fleet, bench, f"{directory}/{number}"))
                for number, bench in enumerate(benches)
            ]
            command = fleet.client(
                benches[0].load, [seat.target for seat in seats], directory=directory,
                seconds=seconds,
            )  # fmt: skip
            for path, content in command.files.items():
                await here.write(path, content)
            for bench in benches:
                length = seconds or bench.demand.seconds
                progress(LoopStarted(bench.trial, index, length))
            clock = _Clock()
            raw = await _lead(here, command, seats, progress)
            clock.elapsed = time.monotonic() - clock.begun
            results = _judged(fleet, seats, raw, index, clock)
            await asyncio.gather(*(_end(seat.server) for seat in seats))  # all at once
            return results
    except Refused:
        raise
    except IosondeError as problem:  # nothing was begun anywhere
        return [problem] * len(benches)


@asynccontextmanager
async def _seated(fleet: Fleet, bench: PreparedTrial, socket: str) -> AsyncIterator[_Seat]:
    """The target held, a server listening, `socket` of this machine leading to it."""
    async with AsyncExitStack() as stack:
        held = await stack.enter_async_context(bench.hold())
        directory = await stack.enter_async_context(workplace(bench.host))
        argv = fleet.server(bench.load, directory=directory)
        server = asyncio.ensure_future(held.keeper.run(argv, timeout=None, check=False))
        stack.push_async_callback(_end, server)
        path = f"{directory}/{SOCKET}"
        made = await bench.host.run(["sh", "-c", _AWAIT, "sh", path], check=False)
        if made.status != 0:
            said = _last_words(await server) if server.done() else ""
            raise LoadFailed(
                f"{argv[0]} does not start as a server there" + (f": {said}" if said else ""),
                where=bench.host.name,
            )
        way = await forward(bench.host, path, socket)
        stack.push_async_callback(way.close)
        observer = None
        if bench.observe:
            observer = await stack.enter_async_context(Observer(bench.host, devices=bench.devices))
        yield _Seat(bench, held.called(bench.target), observer, server, way)


def _last_words(ended: Completed) -> str:
    return kerneltext.decoded(ended.stderr or ended.stdout).strip()


async def _end(server: asyncio.Future[Completed]) -> None:
    """The end of a server with all its jobs; of one whose host is lost the host takes care."""
    server.cancel()
    await asyncio.gather(server, return_exceptions=True)


async def _lead(
    here: Host, command: LoadCommand, seats: Sequence[_Seat], progress: Progress
) -> RawOutput:
    """Run the client to its end, while the servers are minded and the devices watched."""
    client = await here.start(command.argv)
    ending = asyncio.ensure_future(client.wait())
    beside = [asyncio.ensure_future(_mind(seat)) for seat in seats]
    watchers = [asyncio.ensure_future(watch(s.bench, s.observer, progress)) for s in seats]
    try:
        await asyncio.wait({ending}, timeout=command.timeout)
        if not ending.done():
            await _give_up(seats, command.timeout or 0.0)
            await asyncio.wait({ending}, timeout=LAST_WORDS)
        done = ending.result() if ending.done() else await client.stop()
    finally:
        every = (ending, *watchers, *beside)
        for task in every:
            task.cancel()
        await asyncio.gather(*every, return_exceptions=True)
    files = written(command)
    for path in command.outputs:
        with contextlib.suppress(FileMissing):
            files[path.rsplit("/", 1)[-1]] = await here.read(path)
    return RawOutput(done.status, done.stdout, done.stderr, files)


async def _mind(seat: _Seat) -> None:
    """Note why a server ended while the client still waits for it, and let the client know.

    A client that is connected to nobody gives up that host by itself.
    """
    try:
        ended = await asyncio.shield(seat.server)
    except HostFailed as problem:
        seat.lost = seat.lost or problem
    else:
        said = _last_words(ended)[-200:]
        seat.lost = seat.lost or LoadFailed(
            f"its server of the load ended with status {ended.status} during the loop"
            + (f": {said}" if said else ""),
            where=seat.bench.host.name,
        )
    await seat.way.close()


async def _give_up(seats: Sequence[_Seat], limit: float) -> None:
    """End every server: those that have told their result lose nothing by it."""
    for seat in seats:
        seat.lost = seat.lost or LoadFailed(
            f"{seat.bench.load.name} hung: no result within {limit:g} s",
            where=seat.bench.host.name,
            hint="look at the kernel's log of that host for I/O that does not come back",
        )
    await asyncio.gather(*(_end(seat.server) for seat in seats))
    await asyncio.gather(*(seat.way.close() for seat in seats))


def _judged(
    fleet: Fleet, seats: Sequence[_Seat], raw: RawOutput, index: int, clock: _Clock
) -> list[Loop | IosondeError]:
    """The loop of each host; one that has a result has it whatever came after."""
    parts = fleet.split(raw, len(seats))
    said = fleet.complaints(raw)
    results: list[Loop | IosondeError] = []
    for seat, part in zip(seats, parts, strict=True):
        name = seat.bench.host.name
        if part is None:
            quoted = f": {said}" if said else f", which ended with status {raw.status}"
            results.append(
                seat.lost or LoadFailed(f"the client got no result from it{quoted}", where=name)
            )
            continue
        loop = Loop(
            index=index,
            started=clock.started,
            elapsed=clock.elapsed,
            result=LoadResult(metrics={}, units={}),
            raw=part,
            series=seat.observer.series() if seat.observer else (),
            background=seat.observer.background() if seat.observer else (),
        )
        try:
            results.append(read_loop(seat.bench.engine, loop, where=name))
        except UnreadLoop as problem:
            results.append(problem)
    return _marked(results, index)


def _marked(results: list[Loop | IosondeError], index: int) -> list[Loop | IosondeError]:
    """With a fault in each loop that another host did not end."""
    problems = [result for result in results if not isinstance(result, Loop)]
    if not problems:
        return results
    faults = tuple(
        f"loop {index + 1} ran on without another host: {problem}" for problem in problems
    )
    return [
        replace(result, result=replace(result.result, faults=(*result.result.faults, *faults)))
        if isinstance(result, Loop)
        else result
        for result in results
    ]
