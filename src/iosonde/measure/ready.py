"""Opens a study's hosts and makes its trials ready: target allowed, tools there, prepared."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable
from contextlib import AsyncExitStack
from dataclasses import replace

from iosonde import kerneltext, units
from iosonde.change.guard import Permission
from iosonde.change.hold import require_free
from iosonde.change.keeper import keepers_stay
from iosonde.change.late import is_asleep
from iosonde.change.node import look
from iosonde.change.scratch import Scratch, is_ours, make_scratch, require_directory
from iosonde.change.sharing import asked_once
from iosonde.errors import CommandFailed, LoadFailed, Refused, ToolRefuses, UsageError
from iosonde.hosts import open_host
from iosonde.hosts.command import quote
from iosonde.hosts.host import Completed, Host
from iosonde.hosts.packages import install_hint
from iosonde.loads import LOADS
from iosonde.loads.load import REPLAYED, LoadEngine, ReplayingEngine
from iosonde.measure.fleet import server_command
from iosonde.measure.plan import PlannedTrial
from iosonde.measure.prepare import prepare
from iosonde.measure.progress import Progress, TrialPreparing
from iosonde.measure.stages import Stages
from iosonde.measure.study import Study
from iosonde.measure.trial import PreparedTrial
from iosonde.measure.workplace import sweep, workplace
from iosonde.records.load import Demand, Load, Target, TargetKind
from iosonde.records.stack import Capture
from iosonde.stack.discover import discover
from iosonde.stack.file import DeclaredStack
from iosonde.stack.health import drives_under, with_health
from iosonde.stack.model import devices_under, layers_under
from iosonde.trace.replay import packed_again

_PLACE_KEPT = 4096  # bytes of a scratch file beside which a load makes its own files
_SCRATCH_SIZE = units.GIB
_SAID = 4  # lines of a tool that a message repeats


class StudyHosts:
    """The hosts of a study, connected; trials of `run` and of `tune` are made ready here.

    Args:
        study: the loads and where they are applied.
        permissions: devices named by --destroy.
        progress: told what is built and prepared.
    """

    def __init__(
        self,
        study: Study,
        permissions: tuple[Permission, ...],
        progress: Progress,
    ) -> None:
        self._study, self._permissions, self._progress = study, permissions, progress
        self.stages: Stages | None = None
        self.hosts: dict[str, Host] = {}
        self._swept: set[str] = set()
        self._exits = AsyncExitStack()

    async def open(self, stack: DeclaredStack | None, names: Iterable[str]) -> None:
        """Connect to the hosts until `close`; nothing is changed.

        Args:
            stack: whose layers the loads are applied to; None: the targets are there already.
            names: further hosts.

        Raises:
            HostFailed: one cannot be reached.
        """
        if stack:
            self.stages = Stages(stack, self._permissions, self._progress)
            self._exits.push_async_callback(self.stages.close)
            self.hosts.update(await self.stages.open())
        for name in dict.fromkeys(names):
            if name not in self.hosts:
                self.hosts[name] = await open_host(name)
                self._exits.push_async_callback(self.hosts[name].close)
        await self._exits.enter_async_context(keepers_stay(*self.hosts.values()))

    async def close(self) -> None:
        """Let go of the hosts; what stands goes on standing."""
        await self._exits.aclose()

    async def sweep(self, names: Iterable[str]) -> None:
        """Take away, once, what killed runs left on hosts: before anything a signal can cut off.

        A host that is asleep has its turn when it is up.
        """
        for name in dict.fromkeys(names):
            if name not in self._swept and not is_asleep(self.hosts[name]):
                self._swept.add(name)
                await sweep(self.hosts[name])

    def others(self, host: Host) -> list[Host]:
        """The hosts beside one that can be asked."""
        return [
            other for other in self.hosts.values() if other is not host and not is_asleep(other)
        ]

    async def make_ready(
        self, planned: PlannedTrial, exits: AsyncExitStack, *, beside: Collection[str] = (),
        kept: bool = False,
    ) -> tuple[PreparedTrial, Capture, str]:  # fmt: skip
        """The trial ready for its loops, the capture of its stack, and its command as text.

        Args:
            planned: the trial.
            exits: what is made here is removed when it closes.
            beside: layers of the stack that have to stand too.
            kept: a device is in the state that earlier loops left, which is not to be lost: it is
                neither discarded nor preconditioned.

        Raises:
            Refused: the target may not be written to.
            HostFailed: what the probe point stands on cannot be built.
            LoadFailed: the load's tool is missing on the host.
        """
        study, permissions = self._study, self._permissions
        host = self.hosts[planned.probe.host]
        engine = LOADS.load(planned.load.engine)()
        demand = engine.demand(planned.load)
        if self.stages:
            planned, own = await self.stages.ready(planned, beside, writes=demand.writes)
            permissions += own
        await self.sweep([planned.probe.host])
        target = await require_target(planned, host, demand, permissions)
        place = await exits.enter_async_context(workplace(host))
        await require_tools(host, demand)

        def tell(what: str) -> None:
            self._progress(TrialPreparing(planned.id, what))

        scratch = None
        if target is None:
            scratch = await _scratch(planned, host, study, demand, tell)
            exits.push_async_callback(scratch.remove)
            target = scratch.target
        wanted = study.prepare
        if kept and target.kind is TargetKind.DEVICE:
            wanted = wanted.model_copy(update={"discard": False, "precondition": 0})
        await prepare(host, target, wanted, permissions=permissions, scratch=scratch, tell=tell)
        tell("reading the stack")
        hosts = [host, *self.others(host)] if self.stages else [host]
        capture = await discover(hosts)
        if study.observe:
            under = layers_under(capture, host.name, target.path)
            capture = await with_health(capture, hosts, {layer.id for layer in under})
        size = await _size(host, target, demand)
        ready = PreparedTrial(
            trial=planned.id,
            host=host,
            engine=engine,
            load=planned.load,
            demand=demand,
            target=target,
            scratch=scratch,
            size=size,
            devices=devices_under(capture, host.name, target.path),
            permissions=permissions,
            observe=study.observe,
            place=place,
            memory=study.memory,
            inputs=await _inputs(engine, planned.load, size),
            drives=drives_under(capture, target, hosts) if study.observe else None,
        )
        command = engine.command(planned.load, target, directory="DIRECTORY", seconds=study.seconds)
        return ready, capture, quote(command.argv)

    def alike(
        self, planned: PlannedTrial, prepared: tuple[PreparedTrial, Capture, str]
    ) -> tuple[PreparedTrial, Capture, str]:
        """As `make_ready`, of a trial whose probe point another one has prepared.

        Args:
            planned: another point of the same matrix.
            prepared: what `make_ready` gave for the one that touches most.
        """
        bench, capture, _ = prepared
        if bench.trial == planned.id:
            return prepared
        demand = bench.engine.demand(planned.load)
        sizes = [size for size in (bench.size, demand.size) if size is not None]
        bench = replace(
            bench, trial=planned.id, load=planned.load, demand=demand, size=min(sizes, default=None)
        )
        made = bench.engine.command(
            planned.load, bench.target, directory="DIRECTORY", seconds=self._study.seconds
        )
        return bench, capture, quote(made.argv)


async def _scratch(
    planned: PlannedTrial, host: Host, study: Study, demand: Demand, tell: Callable[[str], None]
) -> Scratch:
    """A scratch file as target, or as the place beside which the load makes its own files."""
    size = demand.size or study.size or _SCRATCH_SIZE
    if demand.own_files:
        return await make_scratch(host, planned.probe.path, _PLACE_KEPT, room=size, tell=tell)
    return await make_scratch(host, planned.probe.path, size, tell=tell)


async def _inputs(engine: LoadEngine, load: Load, size: int | None) -> dict[str, bytes]:
    """Files that each loop is given beside those of its command: of requests that are replayed.

    Raises:
        UsageError: they do not fit into the target.
    """
    if not isinstance(engine, ReplayingEngine):
        return {}
    requests = await asyncio.to_thread(packed_again, engine.replays(load), size)
    return {**engine.programs(), REPLAYED: requests}


async def _size(host: Host, target: Target, demand: Demand) -> int | None:
    """Bytes that the load touches: what it wants of the target, at most all of it."""
    if target.kind is TargetKind.DEVICE:
        answer = await host.run(["blockdev", "--getsize64", target.path], check=False)
        whole = int(answer.stdout) if answer.status == 0 else None
    else:
        node = await look(host, target.path)
        whole = node.size if node else None
    if demand.own_files:
        return demand.size
    sizes = [size for size in (whole, demand.size) if size is not None]
    return min(sizes, default=None)


def planned_command(planned: PlannedTrial, study: Study) -> str:
    """The command of a trial to come, as `--dry-run` shows it; DIRECTORY is made at run time."""
    engine = LOADS.load(planned.load.engine)()
    path = planned.probe.path or f"/DEVICE-OF-{planned.probe.name}"  # known once it stands
    device = TargetKind.DEVICE if path.startswith("/dev/") else TargetKind.FILE
    try:
        target = Target(planned.probe.host, path, device)
        command = engine.command(planned.load, target, directory="DIRECTORY", seconds=study.seconds)
    except UsageError:
        if planned.probe.path:
            raise
        target = Target(planned.probe.host, path, TargetKind.DEVICE)
        command = engine.command(planned.load, target, directory="DIRECTORY", seconds=study.seconds)
    files = "".join(
        f"\n  # {path}\n"
        + "\n".join(f"  {line}" for line in kerneltext.lines(kerneltext.decoded(content)))
        for path, content in command.files.items()
    )
    if study.together:  # a server there, which a client of this machine leads
        return server_command(planned.load) + files
    return quote(command.argv) + files


async def require_target(
    planned: PlannedTrial, host: Host, demand: Demand, permissions: tuple[Permission, ...]
) -> Target | None:
    """The target of a trial as it stands; None where a scratch file is to be made.

    Raises:
        Refused: the load may not run there; see `check_target`.
        UsageError: the load measures devices alone, and this is none.
    """
    path = planned.probe.path
    node = await look(host, path)
    if node is None and path.startswith("/dev/"):
        raise Refused(
            "there is no such device",
            where=path,
            evidence=f"stat on {host.name}",
            hint="under /dev a load would create a plain file in its place",
        )
    if node is not None and node.kind != "directory" and not await is_ours(host, path):
        target = await require_free(host, path, writes=demand.writes, permissions=permissions)
        if target.kind is TargetKind.FILE and not demand.own_files:
            _require_room(planned, node.size, demand)
        return target
    if demand.device_only:
        raise UsageError(
            f"{planned.load.name} measures block devices, and this is not one", where=path
        )
    if node is None:
        await require_directory(host, path.rpartition("/")[0] or "/")
    return None


def _require_room(planned: PlannedTrial, size: int, demand: Demand) -> None:
    """A file that is read must hold one request; a device always does.

    Raises:
        UsageError: it is too small.
    """
    if size >= (demand.block or 1):
        return
    holds = f"holds {units.show_bytes(size)}" if size else "is empty"
    raise UsageError(
        f"the file {holds}, and {planned.load.name} reads at least "
        f"{units.show_bytes(demand.block or 1)} at a time",
        where=planned.probe.path,
        hint="give a larger file, or a directory: a scratch file is made there",
    )


async def require_tools(host: Host, demand: Demand) -> None:
    """Look whether the load's tools are there, and read the load as it is declared.

    Raises:
        LoadFailed: one is missing.
        ToolRefuses: it does not know an option or a value of the load.
        CommandFailed: a signal ended the look, so that nothing is known.
    """
    for tool in demand.tools:
        located = await asked_once(host, ["sh", "-c", 'command -v "$1"', "sh", tool])
        _require_answer(host, located)
        if located.status != 0:
            raise LoadFailed(
                f"{tool} is not installed",
                where=host.name,
                hint=await install_hint(host, tool),
            )
    await require_read(host, demand)


async def has_tools(host: Host, demand: Demand) -> bool:
    """Whether all the load's tools are there."""
    looks = [
        await asked_once(host, ["sh", "-c", 'command -v "$1"', "sh", tool]) for tool in demand.tools
    ]
    return all(look.status == 0 and look.stdout for look in looks)


async def require_read(host: Host, demand: Demand) -> None:
    """Have the load's tool, which is there, read the load as it is declared.

    Raises:
        ToolRefuses: it does not know an option or a value of the load.
        CommandFailed: a signal ended the look, so that nothing is known.
    """
    if demand.check is None:
        return
    argv, declared = demand.check
    read = await asked_once(host, argv, stdin=declared)
    _require_answer(host, read)
    if read.status != 0:
        said = kerneltext.lines(kerneltext.decoded(read.stderr + read.stdout).strip())
        reason = " / ".join(line.strip() for line in said[:_SAID] if line.strip())
        raise ToolRefuses(
            f"{argv[0]} does not read the load: {reason or f'status {read.status}'}",
            where=host.name,
            hint="nothing was laid out yet; mend the option and begin again",
        )


def _require_answer(host: Host, done: Completed) -> None:
    """See that a command ended of itself, with whichever status.

    Raises:
        CommandFailed: a signal ended it.
    """
    if done.status < 0:
        raise CommandFailed(host.name, done.argv, done.status, done.stdout, done.stderr)
