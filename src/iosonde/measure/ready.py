"""Makes a probe point ready for its loops: tools there, target allowed, prepared, captured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack

from iosonde import units
from iosonde.change.guard import Permission, check_target
from iosonde.change.node import look
from iosonde.change.scratch import is_ours, make_scratch, remove_scratch
from iosonde.errors import LoadFailed, Refused, UsageError
from iosonde.hosts.command import quote
from iosonde.hosts.host import Host
from iosonde.loads import LOADS
from iosonde.measure.fleet import server_command
from iosonde.measure.prepare import prepare
from iosonde.measure.progress import Progress
from iosonde.measure.study import PlannedTrial, Study
from iosonde.measure.trial import Bench
from iosonde.records import Capture, Demand, Target, TargetKind
from iosonde.stack.discover import discover
from iosonde.stack.model import devices_under

_PLACE_KEPT = 4096  # bytes of a scratch file beside which a load makes its own files
_SCRATCH_SIZE = units.GIB


async def make_ready(
    planned: PlannedTrial,
    host: Host,
    study: Study,
    *,
    others: Sequence[Host] = (),
    permissions: tuple[Permission, ...],
    progress: Progress,
    stack: AsyncExitStack,
) -> tuple[Bench, Capture, str]:
    """The bench of a trial, the capture of its host, and its command as text.

    Args:
        planned: the trial.
        host: where it runs.
        study: what it belongs to.
        others: further hosts of its stack, for the capture.
        permissions: devices that may be written to.
        progress: told what is being done.
        stack: what was made here is removed when it closes.

    Raises:
        Refused: the target may not be written to.
        LoadFailed: the load's tool is missing on the host.
    """
    engine = LOADS.load(planned.load.engine)()
    demand = engine.demand(planned.load)
    await _require(host, demand)

    def tell(what: str) -> None:
        progress.preparing(planned.id, what)

    target, scratch = await _target(planned, host, study, demand, permissions, stack, tell)
    await prepare(host, target, study.prepare, permissions=permissions, tell=tell)
    tell("reading the stack")
    capture = await discover([host, *others])
    bench = Bench(
        trial=planned.id,
        host=host,
        engine=engine,
        load=planned.load,
        demand=demand,
        target=target,
        scratch=scratch,
        size=await _size(host, target, demand),
        devices=devices_under(capture, host.name, target.path),
        permissions=permissions,
        observe=study.observe,
        memory=study.memory,
    )
    command = engine.command(planned.load, target, directory="DIRECTORY", seconds=study.seconds)
    return bench, capture, quote(command.argv)


async def _size(host: Host, target: Target, demand: Demand) -> int | None:
    """Bytes that the load touches: what it wants of the target, at most all of it."""
    if target.kind is TargetKind.DEVICE:
        told = await host.run(["blockdev", "--getsize64", target.path], check=False)
        whole = int(told.stdout) if told.status == 0 else None
    else:
        node = await look(host, target.path)
        whole = node.size if node else None
    if demand.own_files:
        return demand.size
    known = [size for size in (whole, demand.size) if size is not None]
    return min(known, default=None)


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
        f"\n  # {path}\n" + "\n".join(f"  {line}" for line in content.decode().splitlines())
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
        return await check_target(host, path, writes=demand.writes, permissions=permissions)
    if demand.device_only:
        raise UsageError(f"{planned.load.name} measures block devices, this is none", where=path)
    return None


async def _target(
    planned: PlannedTrial,
    host: Host,
    study: Study,
    demand: Demand,
    permissions: tuple[Permission, ...],
    stack: AsyncExitStack,
    tell: Callable[[str], None],
) -> tuple[Target, bool]:
    """The target, and whether it is a scratch file, which then is removed when `stack` closes."""
    path = planned.probe.path
    target = await require_target(planned, host, demand, permissions)
    if target is not None:
        return target, False
    size = demand.size or study.size or _SCRATCH_SIZE
    if demand.own_files:
        target = await make_scratch(host, path, _PLACE_KEPT, room=size, tell=tell)
    else:
        target = await make_scratch(host, path, size, tell=tell)
    stack.push_async_callback(remove_scratch, host, target)
    return target, True


async def _require(host: Host, demand: Demand) -> None:
    for tool in demand.tools:
        found = await host.run(["sh", "-c", 'command -v "$1"', "sh", tool], check=False)
        if found.status != 0:
            raise LoadFailed(
                f"{tool} is not installed",
                where=host.name,
                hint=f"apt-get install {tool}, or what that system calls it",
            )
