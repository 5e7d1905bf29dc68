"""Holds a target for one loop: opened once, looked at again by the guard, handed to the load.

The guard examines the very descriptor that the load's commands inherit (keeper/), so it does not
matter what a name means by then. A device is claimed exclusively meanwhile.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from iosonde.change.guard import Permission, check_target, permission_for
from iosonde.change.keeper import FOLDER, Keeper, KeeperRefused, Opened, start_keeper
from iosonde.change.node import look
from iosonde.change.scratch import Scratch
from iosonde.change.sharing import through
from iosonde.errors import FileMissing, PermissionMissing, Refused
from iosonde.hosts.cleaning import to_the_end
from iosonde.hosts.host import Host
from iosonde.records.load import Target, TargetKind


@dataclass(frozen=True, slots=True)
class Held:
    """A target that is held open; its keeper runs commands that inherit the descriptor."""

    keeper: Keeper
    opened: Opened

    def called(self, target: Target, *, own_files: bool = False) -> Target:
        """The target as commands of the keeper are to call it.

        Args:
            target: as the user knows it.
            own_files: the load makes its own files beside the scratch file.
        """
        name = self.opened.path.rpartition("/")[2]
        return replace(target, path=f"{FOLDER}/{name}" if own_files else self.opened.name)


@asynccontextmanager
async def hold(
    host: Host,
    target: Target,
    *,
    writes: bool,
    permissions: Sequence[Permission],
    scratch: Scratch | None = None,
) -> AsyncIterator[Held]:
    """Open the target, check what was opened, and keep it ours until the block ends.

    Args:
        host: where it is.
        target: what.
        writes: whether the load writes or trims.
        permissions: what the user allowed to be destroyed.
        scratch: of a target that is a scratch file, which has been open since it was made.

    Raises:
        Refused: it is no longer what it was, or somebody else has claimed it.
    """
    if scratch is not None:
        yield Held(scratch.keeper, scratch.opened)
        return
    keeper = await start_keeper(host, where=target.path)
    try:
        claims = writes and target.kind is TargetKind.DEVICE
        opened = await _opened(host, target, keeper, permissions, claims=claims)
        await check_target(  # through the keeper, which is there: a session costs four processes
            through(host, keeper.run), target.path, writes=writes, permissions=permissions,
            ours=keeper.token, opened=opened,
        )  # fmt: skip
        yield Held(keeper, opened)
        if keeper.lost:
            raise Refused(
                "the process that held the device ended during the loop",
                where=target.path,
                evidence="its output ended",
            )
    finally:
        await to_the_end(keeper.close())


async def _opened(
    host: Host, target: Target, keeper: Keeper, permissions: Sequence[Permission], *, claims: bool
) -> Opened:
    """The target, opened by the keeper.

    Raises:
        Refused: it is not there, or somebody else has claimed it.
        PermissionMissing: this user may not.
    """
    how = "device" if claims else "read"
    try:
        return await keeper.open(how, target.path)
    except KeeperRefused as problem:
        # The guard knows better why.
        await check_target(host, target.path, writes=claims, permissions=permissions)
        if problem.number == errno.EBUSY:  # it may have been claimed for a moment, as by pvscan
            with contextlib.suppress(KeeperRefused):
                return await keeper.open(how, target.path)
        if problem.why:
            raise problem.refusal(target.path) from None
        if problem.number == errno.EBUSY:
            raise Refused(
                "somebody else has claimed the device exclusively",
                where=target.path,
                evidence=f"open with O_EXCL: {problem.text}",
            ) from None
        if problem.number in {errno.EACCES, errno.EPERM}:
            error = PermissionMissing
            # The group of devices that a process is in refuses by EPERM, modes of a file by EACCES
            # (Linux, security/device_cgroup.c; fs/namei.c).
            hint = error.root_refused if problem.number == errno.EPERM else error.run_as_root
            raise error(f"{target.path}: {problem.text}", where=host.name, hint=hint) from None
        if problem.number == errno.ENOENT:
            raise FileMissing(f"{target.path}: {problem.text}", where=host.name) from None
        raise problem.refusal(target.path) from None


async def require_free(
    host: Host, path: str, *, writes: bool, permissions: Sequence[Permission]
) -> Target:
    """The target at a path, if a load may run there now; see `check_target`.

    A device that is to be written to is claimed for a moment, by a path that nobody else can turn
    to another device.

    Raises:
        Refused: it may not.
    """
    node = await look(host, path) if writes else None
    permitted = (
        node is not None
        and node.kind == "device"
        and await permission_for(host, path, node, permissions) is not None
    )
    if not permitted:
        return await check_target(host, path, writes=writes, permissions=permissions)
    # The guard looks once, at what is held open: a look at the name before would say no more.
    named = Target(host.name, path, TargetKind.DEVICE)
    async with hold(host, named, writes=True, permissions=permissions) as held:
        return replace(named, path=held.opened.path)
