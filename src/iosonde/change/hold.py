"""Holds a target for one loop: the guard looks again, and nobody else can claim the device.

The kernel grants one holder an exclusive open of a block device (block/bdev.c,
bd_prepare_to_claim): mount, swapon, mdadm, LVM and mkfs ask for it too and get EBUSY while we have
it. fio opens without O_EXCL, so it still can. The holder is a process on the host, because the
claim must be made there; it ends by itself when its parent is gone.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from iosonde.change.guard import Permission, check_target
from iosonde.change.in_use import holder_is_open
from iosonde.errors import Refused
from iosonde.hosts.host import Completed, Host
from iosonde.records import Target, TargetKind

_PYTHON = """\
import os, sys, time
os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
parent = os.getppid()
while os.getppid() == parent:
    time.sleep(1)
"""
_PERL = """\
use Fcntl;
sysopen(my $device, $ARGV[0], O_RDONLY | O_EXCL) or die "$!\\n";
my $parent = getppid();
sleep 1 while getppid() == $parent;
"""
_TIME = 10.0  # seconds a holder may take to open the device


@dataclass(frozen=True, slots=True)
class _Holder:
    """The process that has, or tries to have, a device open: `token` is on its command line."""

    token: str
    ended: asyncio.Future[Completed]


@asynccontextmanager
async def hold(
    host: Host, target: Target, *, writes: bool, permissions: Sequence[Permission]
) -> AsyncIterator[None]:
    """Check the target again and keep it ours until the block ends.

    Raises:
        Refused: it is no longer what it was, or somebody else has claimed it.
    """
    if not writes or target.kind is not TargetKind.DEVICE:
        await check_target(host, target.path, writes=writes, permissions=permissions)
        yield
        return
    async with _holder(host, target) as holder:
        await _until_ours(host, target, holder, permissions)
        yield
        if holder.ended.done():
            raise Refused(
                "the process that held the device ended during the loop",
                where=target.path,
                evidence=_complaint(holder.ended.result()),
            )


@asynccontextmanager
async def _holder(host: Host, target: Target) -> AsyncIterator[_Holder]:
    """A holder that has just been started, and is gone when the block ends."""
    token = "iosonde-holds-" + secrets.token_hex(8)
    process = await host.start([*await _interpreter(host, target), target.path, token])
    ended = asyncio.ensure_future(process.wait())
    try:
        yield _Holder(token, ended)
    finally:
        await asyncio.shield(process.stop())
        await asyncio.gather(ended, return_exceptions=True)


async def _interpreter(host: Host, target: Target) -> list[str]:
    """Perl or Python: the first starts faster, and perl-base is essential on Debian."""
    for command, flag, script in (("perl", "-e", _PERL), ("python3", "-c", _PYTHON)):
        if (await host.run([command, flag, "1"], check=False)).status == 0:
            return [command, flag, script]
    raise Refused(
        "the device cannot be held exclusively: the host has neither python3 nor perl",
        where=target.path,
        evidence="both commands failed to start",
        hint="install perl-base or python3 there",
    )


async def _until_ours(
    host: Host, target: Target, holder: _Holder, permissions: Sequence[Permission]
) -> None:
    """Wait until the holder has the device, and see that nobody else uses it.

    Raises:
        Refused: it has not, or somebody does.
    """
    try:
        await _until_held(host, target, holder)
    except Refused:  # the guard knows better why
        await check_target(host, target.path, writes=True, permissions=permissions)
        raise
    # Once, and not before: a claim to read does no harm to whoever has the device.
    await check_target(host, target.path, writes=True, permissions=permissions, ours=holder.token)


async def _until_held(host: Host, target: Target, holder: _Holder) -> None:
    """Wait until the holder is seen to have the device open.

    Raises:
        Refused: it could not open it, or did not in time.
    """
    waited = 0.0
    while not holder.ended.done():
        if await holder_is_open(host, target.path, holder.token):
            return
        if waited >= _TIME:
            raise Refused(
                "the device could not be opened exclusively in time",
                where=target.path,
                evidence=f"still trying after {_TIME:g} s",
            )
        await asyncio.wait({holder.ended}, timeout=0.05)
        waited += 0.05
    raise Refused(
        "somebody else has claimed the device exclusively",
        where=target.path,
        evidence=f"open with O_EXCL: {_complaint(holder.ended.result())}",
    )


def _complaint(done: Completed) -> str:
    said = done.stderr.decode(errors="replace").strip()
    return said.splitlines()[-1] if said else f"exit status {done.status}"
