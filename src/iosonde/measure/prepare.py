"""What a study asks to be done to a target before its first loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from iosonde import kerneltext, units
from iosonde.change.guard import Permission
from iosonde.change.hold import hold
from iosonde.change.keeper import OPENED
from iosonde.change.scratch import Scratch
from iosonde.errors import HostFailed, PermissionMissing, Refused, UsageError
from iosonde.hosts.host import FilesSnapshot, Host
from iosonde.loads.fio.command import filename_option
from iosonde.measure.study import Prepare
from iosonde.monitors import SAMPLERS
from iosonde.records.load import Target, TargetKind

_DROP = "/proc/sys/vm/drop_caches"
_ACTION = "/sys/block/*/md/sync_action"
_LOOK_AGAIN = 2.0
_LONGEST_WAIT = 48 * 3600.0
_DAY = 24 * 3600.0


async def prepare(
    host: Host,
    target: Target,
    wanted: Prepare,
    *,
    permissions: Sequence[Permission],
    scratch: Scratch | None = None,
    tell: Callable[[str], None],
) -> None:
    """Discard, precondition, wait and drop caches, in this order, as far as wanted.

    Raises:
        Refused: the guard forbids it, or the caches may not be dropped.
        UsageError: it makes no sense for such a target.
        HostFailed: the host could not.
    """
    if wanted.discard:
        await discard(host, target, permissions=permissions, tell=tell)
    if wanted.precondition:
        await precondition(
            host, target, wanted, permissions=permissions, scratch=scratch, tell=tell
        )
    if wanted.wait_idle:
        await wait_idle(host, tell=tell)
    if wanted.drop_caches:
        tell("dropping caches")
        await drop_caches(host)


async def discard(
    host: Host,
    target: Target,
    *,
    permissions: Sequence[Permission],
    tell: Callable[[str], None],
) -> None:
    """Tell the device that nothing on it is needed any more (blkdiscard(8)).

    Raises:
        UsageError: the target is no device.
    """
    if target.kind is not TargetKind.DEVICE:
        raise UsageError(
            "prepare: discard is for block devices, the target is a file", where=target.path
        )
    tell("discarding the whole device")
    async with hold(host, target, writes=True, permissions=permissions) as held:
        await held.keeper.run(["blkdiscard", "--force", "--", OPENED], timeout=_DAY)


async def precondition(
    host: Host,
    target: Target,
    wanted: Prepare,
    *,
    permissions: Sequence[Permission],
    scratch: Scratch | None = None,
    tell: Callable[[str], None],
) -> None:
    """Write the whole target so often that an SSD has no fresh blocks left (SNIA PTS, 3.2)."""
    for number in range(1, wanted.precondition + 1):
        tell(f"preconditioning, pass {number} of {wanted.precondition}")
        async with hold(
            host, target, writes=True, permissions=permissions, scratch=scratch
        ) as held:
            argv = [
                "fio", "--name=precondition", filename_option(held.opened.name), "--rw=write",
                f"--bs={wanted.bs}", "--direct=1", "--ioengine=libaio", "--iodepth=32",
                "--allow_file_create=0", "--eta=never", "--minimal",
            ]  # fmt: skip
            await held.keeper.run(argv, timeout=_DAY)


async def wait_idle(
    host: Host, *, tell: Callable[[str], None], limit: float = _LONGEST_WAIT
) -> None:
    """Wait until no md array resyncs, recovers, reshapes or is checked.

    Raises:
        HostFailed: one still does after `limit` seconds.
    """
    end = time.monotonic() + limit
    while going := await background(host):
        tell(f"waiting for {going[0]}")
        if time.monotonic() >= end:
            raise HostFailed(
                f"still busy after {units.show_seconds(limit)}: {'; '.join(going)}",
                where=host.name,
                hint="measure later, or without prepare: wait_idle",
            )
        await asyncio.sleep(_LOOK_AGAIN)


async def background(host: Host) -> tuple[str, ...]:
    """What md arrays do besides their work: "md0: resync 12.6%"."""
    sampler = SAMPLERS.load("resync")()
    files = await host.read_many(sampler.paths)
    reading = FilesSnapshot(
        0.0, {path: text for path, text in files.items() if isinstance(text, bytes)}
    )
    shares = {point.subject: point.value for point in sampler.points(reading, reading)}
    actions = []
    for file in await host.glob(_ACTION):
        array = file.split("/")[3]
        action = kerneltext.decoded(await host.read(file)).strip()
        if action not in {"idle", "frozen"}:
            share = f" {shares[array]:.1%}" if array in shares else ""
            actions.append(f"{array}: {action}{share}")
    return tuple(actions)


async def drop_caches(host: Host) -> None:
    """Write back what is dirty, then drop page cache, dentries and inodes.

    Written to the kernel's file directly: `echo 3 > …` without a shell drops nothing.
    Source: Documentation/admin-guide/sysctl/vm.rst, drop_caches.

    Raises:
        Refused: only root may.
    """
    await host.run(["sync"], timeout=600)
    try:
        await host.write(_DROP, b"3\n")
    except PermissionMissing:
        raise Refused(
            "only root may drop the caches",
            where=host.name,
            evidence=_DROP,
            hint="run as root, or without drop_caches",
        ) from None
