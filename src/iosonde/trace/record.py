"""A block device traced while it works, by blktrace on its host.

blktrace writes into memory there (/dev/shm), so that recording adds no I/O to what is recorded, and
ends by itself after the time that it is given, whatever becomes of the connection.

Source: blktrace 1.2, blktrace(8); Linux 6.1, kernel/trace/blktrace.c (a block device has a
directory `trace` in sysfs where CONFIG_BLK_DEV_IO_TRACE is; `enable` is 1 while someone traces).
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde import kerneltext
from iosonde.errors import FileMissing, HostFailed, Refused, UsageError
from iosonde.hosts.cleaning import leaves, left_nothing, made, to_the_end
from iosonde.hosts.packages import install_hint
from iosonde.hosts.private import temporary_directory
from iosonde.outputs import output_file
from iosonde.trace.read import sources

if TYPE_CHECKING:
    from iosonde.hosts.host import Completed, Host

DEBUGFS = "/sys/kernel/debug"
MEMORY = "/dev/shm"  # noqa: S108 - a private directory is made there
LIMIT = 1 << 28
"""Bytes of memory that a recording may take on its host."""

_DROPPED = re.compile(rb"Total:\s+(\d+) events \(dropped (\d+)\)")
_TRANSFER = 600.0  # seconds for a part of a recording
_GRACE = 30.0  # seconds for blktrace to write out what it has


@dataclass(frozen=True, slots=True)
class RecordedTrace:
    """What was recorded. `dropped` events had no room, as blktrace says; None: it did not say.

    `cut` tells that it ended before its time, because it took all the memory it may.
    """

    host: str
    device: str
    path: Path
    files: tuple[Path, ...]
    bytes: int
    dropped: int | None
    cut: bool


async def record(
    host: Host,
    device: str,
    *,
    seconds: float,
    directory: Path,
    limit: int = LIMIT,
    begun: Callable[[], None] = lambda: None,
) -> RecordedTrace:
    """Trace a block device.

    Args:
        host: where it is.
        device: its path there.
        seconds: how long; blktrace counts whole ones, a part of one becomes one.
        directory: where the files go here, as `NAME.blktrace.CPU`.
        limit: bytes of memory that it may take on the host.
        begun: is called as soon as blktrace runs.

    Raises:
        UsageError: it is no block device; the files are there already.
        Refused: someone else traces it.
        HostFailed: the host has no blktrace or its kernel cannot trace.
    """
    name = await _traceable(host, device)
    path = directory / name
    if sources([str(path)])[0].paths != (str(path),):
        raise UsageError(
            "there is a recording already", where=f"{path}.blktrace.*",
            hint="remove it, or say another directory with --output",
        )  # fmt: skip
    there = await made(_directory(host), lambda place: _remove(host, place))
    try:
        done, cut = await _trace(host, f"/dev/{name}", there, name, seconds, limit, begun)
        files = await _fetch(host, there, directory)
    finally:
        await to_the_end(_remove(host, there))
    if not files:
        raise _nothing_recorded(done, f"{host.name}:{device}")
    match = _DROPPED.search(done.stdout + done.stderr)
    return RecordedTrace(
        host.name, f"/dev/{name}", path, files, sum(file.stat().st_size for file in files),
        int(match[2]) if match else None, cut,
    )  # fmt: skip


def _nothing_recorded(done: Completed, where: str) -> HostFailed:
    """Under lockdown the kernel lets nobody map blktrace's files in debugfs.

    Source: Linux 6.1, fs/debugfs/file.c, debugfs_locked_down (EPERM); kernel_lockdown(7).
    """
    said = _first_line(done)
    refused = "Operation not permitted" in said
    return HostFailed(
        f"blktrace recorded nothing: {said}", where=where,
        hint="the kernel refuses its trace files: it is locked down (Secure Boot: cat "
        "/sys/kernel/security/lockdown), or this is a container; record on the host itself"
        if refused else "the device had no I/O in that time, or blktrace could not read its events",
    )  # fmt: skip


async def _directory(host: Host) -> str:
    """A new directory in memory."""
    there = await temporary_directory(host, "iosonde-trace", MEMORY)
    leaves(host.name, there, ["rm", "-r", "-f", "--", there])
    return there


async def _remove(host: Host, there: str) -> None:
    for path in await host.glob(f"{there}/*"):
        await host.remove(path)
    await host.run(["rmdir", there], check=False)
    left_nothing(host.name, there)


async def _traceable(host: Host, device: str) -> str:
    """The kernel's name of a device that can be traced now."""
    try:
        path = await host.resolve(device)
    except FileMissing:
        raise UsageError("there is no such device", where=f"{host.name}:{device}") from None
    name = path.removeprefix("/dev/").replace("/", "!")
    where = f"{host.name}:{device}"
    if not path.startswith("/dev/") or not await host.glob(f"/sys/class/block/{name}"):
        raise UsageError(
            "this is not a block device", where=where, hint="say a device such as /dev/sda"
        )
    enable = f"/sys/class/block/{name}/trace/enable"
    try:
        busy = (await host.read(enable)).strip() != b"0"
    except FileMissing:
        raise HostFailed(
            "the kernel cannot trace block devices", where=where,
            hint="it needs CONFIG_BLK_DEV_IO_TRACE, which Debian's kernels have",
        ) from None  # fmt: skip
    if busy:
        raise Refused(
            "someone else traces this device", where=where, evidence=f"{enable} is not 0",
            hint=f"wait, or end it: blktrace -d /dev/{name} -k",
        )  # fmt: skip
    mounts = kerneltext.decoded(await host.read("/proc/self/mounts"))
    if not any(
        kerneltext.fields(line)[1:3] == [DEBUGFS, "debugfs"] for line in kerneltext.lines(mounts)
    ):
        raise HostFailed(
            "debugfs is not mounted, through which the kernel provides traces", where=where,
            hint=f"mount -t debugfs none {DEBUGFS}",
        )  # fmt: skip
    version = await host.run(["blktrace", "-V"], check=False)
    if version.status == 127:
        raise HostFailed(
            "blktrace is not installed",
            where=host.name,
            hint=await install_hint(host, "blktrace"),
        )
    return name


async def _trace(
    host: Host,
    device: str,
    there: str,
    name: str,
    seconds: float,
    limit: int,
    begun: Callable[[], None],
) -> tuple[Completed, bool]:
    """Run blktrace to its end, or until it has taken all the memory it may."""
    whole = max(1, math.ceil(seconds))
    argv = ["blktrace", "-d", device, "-w", str(whole), "-D", there, "-o", name]
    process = await host.start(argv)
    begun()
    waiting = asyncio.ensure_future(process.wait(whole + _GRACE))
    cut = False
    try:
        while not (await asyncio.wait({waiting}, timeout=1.0))[0]:
            taken = await host.run(["du", "-sk", there], check=False)
            if not cut and int((taken.stdout.split() or [b"0"])[0]) * 1024 > limit:
                cut = True
                await process.stop(_GRACE)
        done = await waiting
    except asyncio.CancelledError:
        waiting.cancel()  # which stops blktrace
        await asyncio.wait({waiting})
        raise
    if done.status != 0 and not cut:
        said = _first_line(done)
        hint = "run as root, or record root@HOST:DEVICE" if "Permission denied" in said else ""
        raise HostFailed(f"blktrace failed: {said}", where=f"{host.name}:{device}", hint=hint)
    return done, cut


def _first_line(done: Completed) -> str:
    text = kerneltext.decoded(done.stderr or done.stdout).strip()
    return kerneltext.lines(text)[0] if text else f"it ended with status {done.status}"


async def _fetch(host: Host, there: str, directory: Path) -> tuple[Path, ...]:
    """What blktrace wrote, copied here; processors that saw nothing leave nothing."""
    directory.mkdir(parents=True, exist_ok=True)
    files = []
    for written in await host.glob(f"{there}/*"):
        content = await _part(host, written, 0)
        if not content:
            continue
        path = directory / written.rpartition("/")[2]
        with output_file(path, "the recording") as file:
            number = 0
            while content:  # a recording may be longer than what a host's files may be
                file.write(content)
                number += 1
                content = await _part(host, written, number)
        files.append(path)
    return _in_order(files)


async def _part(host: Host, path: str, number: int) -> bytes:
    """Part of a file, 64 MiB, by its number from 0; empty behind the end of the file."""
    argv = [
        "dd", f"if={path}", "bs=64M", "count=1", f"skip={number}", "iflag=fullblock", "status=none",
    ]  # fmt: skip
    return (await host.run(argv, timeout=_TRANSFER)).stdout


def _in_order(files: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(sorted(files, key=lambda path: int(path.name.rpartition(".")[2])))
