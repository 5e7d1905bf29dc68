"""One loop of one load at one probe point: hold the device, observe, run, fetch, parse."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field, replace

from iosonde.change.guard import Permission
from iosonde.change.hold import Held, hold
from iosonde.change.node import look
from iosonde.change.scratch import Scratch
from iosonde.errors import CommandTimeout, FileMissing, IosondeError, LoadFailed, Refused
from iosonde.hosts.host import Host
from iosonde.hosts.packages import install_hint
from iosonde.loads.load import LoadEngine, RecordingEngine
from iosonde.measure.again import read_loop
from iosonde.measure.confine import limited
from iosonde.measure.counting import COUNTED, Counting, Snapshot
from iosonde.measure.progress import DeviceActivity, LoopStarted, Progress, TrialPreparing
from iosonde.measure.workplace import loop_place
from iosonde.monitors.observer import Observer
from iosonde.records.load import Demand, Load, LoadCommand, LoadResult, RawOutput, Target
from iosonde.records.run import Loop
from iosonde.stack.health import DrivesWatched

_LIVE_INTERVAL = 1.0


@dataclass(frozen=True, slots=True)
class PreparedTrial:
    """A probe point made ready for its loops.

    `devices` are the kernel names of what lies below the target, the topmost first; `scratch` is
    of a target that is a file of ours; `size` bytes that the load touches, where that is
    known; `place` a directory of ours on the host; `memory` bytes that it may have with its page
    cache, None: as many as it likes; `counting` of what the devices count, for the ledger;
    `drives` those whose own log is read before and after each loop.
    """

    trial: str
    host: Host
    engine: LoadEngine
    load: Load
    demand: Demand
    target: Target
    scratch: Scratch | None
    size: int | None
    devices: tuple[str, ...]
    permissions: tuple[Permission, ...]
    observe: bool
    place: str
    memory: int | None = None
    counting: Counting | None = None
    inputs: Mapping[str, bytes] = field(default_factory=dict)
    """Files of each loop's directory that are not those of its command: name → content."""
    drives: DrivesWatched | None = None

    def hold(self) -> AbstractAsyncContextManager[Held]:
        """See `iosonde.change.hold.hold`."""
        return hold(
            self.host,
            self.target,
            writes=self.demand.writes,
            permissions=self.permissions,
            scratch=self.scratch,
        )


async def measure_loop(
    bench: PreparedTrial, index: int, *, seconds: float | None, progress: Progress
) -> Loop:
    """Run one loop.

    The guard looks again and holds the device open for itself until the loop is over.

    Args:
        bench: the probe point, ready.
        index: number of the loop, from 0.
        seconds: how long it is to take; None: as the load says.
        progress: told every second.

    Raises:
        Refused: the device is in use, or not as it was.
        UnreadLoop: the load ended badly, or printed nothing that can be read.
        LoadFailed: it could not be started, or hung.
        HostFailed: the host did.
    """
    async with AsyncExitStack() as stack:
        held = await stack.enter_async_context(bench.hold())
        directory = await stack.enter_async_context(loop_place(held.keeper.run, bench.place))
        target = held.called(bench.target, own_files=bench.demand.own_files)
        command = bench.engine.command(bench.load, target, directory=directory, seconds=seconds)
        if bench.counting and isinstance(bench.engine, RecordingEngine):
            command = bench.engine.recorded(bench.load, command, directory=directory)
        beside = [held.keeper.outside(path) for path in command.beside]
        await _require_absent(bench, beside)
        stack.push_async_callback(_remove, bench, beside)
        for path, content in command.files.items():
            await bench.host.write(path, content)
        for name, content in bench.inputs.items():
            await bench.host.write(f"{directory}/{name}", content)
        prefix = await stack.enter_async_context(limited(bench.host, bench.memory))
        readings, states = await _idle(bench, progress)
        health = await bench.drives.read(time.time()) if bench.drives else None
        observer = None
        if bench.observe:
            observer = await stack.enter_async_context(Observer(bench.host, devices=bench.devices))
        length = seconds or bench.demand.seconds
        progress(LoopStarted(bench.trial, index, length))
        started, clock = time.time(), time.monotonic()
        raw = await _apply(bench, held, (*prefix, *command.argv), command, observer, progress)
        elapsed = time.monotonic() - clock
        if bench.counting:
            readings.append(await bench.counting.settled())
            states.append(await bench.counting.states())
            files = {**raw.files, COUNTED: bench.counting.packed(readings, states)}
            raw = replace(raw, files=files)
        series = observer.series() if observer else ()
        if bench.drives and health:
            series += bench.drives.series(health, await bench.drives.read(time.time()))
        background = observer.background() if observer else ()
    loop = Loop(
        index=index,
        started=started,
        elapsed=elapsed,
        result=LoadResult(metrics={}, units={}),
        raw=raw,
        series=series,
        background=background,
    )
    return read_loop(bench.engine, loop)


async def or_problems(loops: Iterable[Awaitable[Loop]]) -> list[Loop | IosondeError]:
    """All loops, begun at the same time and to their end; each, or the error that it ended with."""
    results: list[Loop | IosondeError] = []
    for outcome in await asyncio.gather(*loops, return_exceptions=True):
        if isinstance(outcome, BaseException) and not isinstance(outcome, IosondeError):
            raise outcome
        results.append(outcome)
    return results


async def _idle(
    bench: PreparedTrial, progress: Progress
) -> tuple[list[Snapshot], list[dict[str, dict[str, str]]]]:
    """The counters over a while without the load, and before it; the state of caches then.

    Nothing where none are kept.
    """
    if bench.counting is None:
        return [], []
    progress(TrialPreparing(bench.trial, "counting what others do"))
    before, after = await bench.counting.idle()
    return [before, after, after], [await bench.counting.states()]


async def _require_absent(bench: PreparedTrial, paths: Sequence[str]) -> None:
    """Files that the load would make must not be somebody's.

    Raises:
        Refused: one is there.
    """
    for path in paths:
        if await look(bench.host, path, follow=False) is not None:
            raise Refused(
                f"{bench.load.name} would write to a file that is there already",
                where=path,
                evidence="it was there before the loop",
                hint="remove it if an earlier run left it, or choose another --target",
            )


async def _remove(bench: PreparedTrial, paths: Sequence[str]) -> None:
    for path in paths:
        with contextlib.suppress(FileMissing):
            await bench.host.remove(path)


async def _apply(
    bench: PreparedTrial,
    held: Held,
    argv: Sequence[str],
    command: LoadCommand,
    observer: Observer | None,
    progress: Progress,
) -> RawOutput:
    """Run the load's command while the watcher tells what the devices do; fetch its outputs."""
    watcher = asyncio.ensure_future(watch(bench, observer, progress))
    try:
        done = await held.keeper.run(argv, timeout=command.timeout, check=False)
    except CommandTimeout as problem:
        raise LoadFailed(
            f"{bench.load.name} hung: {problem.message}",
            where=bench.host.name,
            hint="look at the kernel's log of that host for I/O that does not come back",
        ) from None
    finally:
        watcher.cancel()
        await asyncio.wait({watcher})
    if done.status == 127:
        raise LoadFailed(
            f"{command.argv[0]} is not installed",
            where=bench.host.name,
            hint=await install_hint(bench.host, command.argv[0]),
        )
    files = {**written(command), **await _outputs(bench, command)}
    return RawOutput(done.status, done.stdout, done.stderr, files)


def written(command: LoadCommand) -> dict[str, bytes]:
    """The files that a load was given, by name: kept beside what it printed, which they explain."""
    return {path.rsplit("/", 1)[-1]: content for path, content in command.files.items()}


async def _outputs(bench: PreparedTrial, command: LoadCommand) -> Mapping[str, bytes]:
    """What the load wrote, by file name; a file it did not write is left to the parser to miss."""
    outputs: dict[str, bytes] = {}
    for path in command.outputs:
        with contextlib.suppress(FileMissing):
            outputs[path.rsplit("/", 1)[-1]] = await bench.host.read(path)
    return outputs


async def watch(bench: PreparedTrial, observer: Observer | None, progress: Progress) -> None:
    """Tell each second what the devices under the target do, until cancelled."""
    while observer is not None:
        await asyncio.sleep(_LIVE_INTERVAL)
        device = bench.devices[0] if bench.devices else ""
        seen = observer.live(device) if device else None
        iops, bandwidth = (seen.iops, seen.bandwidth) if seen else (None, None)
        background = observer.background()
        progress(DeviceActivity(bench.trial, device, iops, bandwidth, background))
