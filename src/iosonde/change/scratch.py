"""Scratch files: made by iosonde, marked as such, and the only files it writes to.

The mark is a file beside it, `.NAME.iosonde`, that holds the scratch file's identity (device, inode
and birth). A file that took the name later has another identity, so it is not ours. An extended
attribute would do the same, but needs a tool and a file system that many hosts lack.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from iosonde import units
from iosonde.change.node import look
from iosonde.errors import CommandFailed, FileMissing, HostFailed, IosondeError, Refused
from iosonde.hosts.host import Host
from iosonde.records import Target, TargetKind

_NAME = "iosonde-scratch.XXXXXXXX"
_LAYOUT_TIME = 24 * 3600.0  # seconds; a slow disk and a large file are no error
_MARGIN = 64 * units.MIB  # left free besides the file, so that nobody else's write fails
_FIRST_LINE = "iosonde scratch file"


def _mark_of(path: str) -> str:
    directory, _, name = path.rpartition("/")
    return f"{directory}/.{name}.iosonde"


async def is_ours(host: Host, path: str) -> bool:
    """Whether the plain file at `path` is one that iosonde made: no link, of one name, marked."""
    node = await look(host, path, follow=False)
    if node is None or node.kind != "file" or node.links != 1:
        return False
    try:
        mark = (await host.read(_mark_of(path))).decode(errors="replace").splitlines()
    except IosondeError:
        return False
    return mark[:2] == [_FIRST_LINE, node.identity]


async def make_scratch(
    host: Host,
    path: str,
    size: int,
    *,
    room: int = 0,
    tell: Callable[[str], None] = lambda _: None,
) -> Target:
    """Lay a scratch file out: every block allocated and written with what cannot be compressed.

    Unwritten extents and holes would be answered by the file system without a disk.

    Args:
        host: where.
        path: a directory, or a path that does not exist, or an earlier scratch file.
        size: bytes.
        room: bytes that must be free besides, for files that the load makes itself.
        tell: told what is being done.

    Raises:
        Refused: no room, or a file that is not ours.
        HostFailed: it cannot be written; what was made is removed.
    """
    node = await look(host, path)
    directory = path if node is not None and node.kind == "directory" else path.rpartition("/")[0]
    await _require_room(host, directory or "/", size + room)
    if node is not None and node.kind == "directory":
        made = await host.run(["mktemp", "-p", path, _NAME])
        place = made.stdout.decode().strip()
    else:
        place = path
        if node is not None:
            await _remove_earlier(host, path)
        await _create(host, place)
    place = await host.resolve(place)
    target = Target(host.name, place, TargetKind.FILE)
    try:
        created = await look(host, place, follow=False)
        if created is None or created.kind != "file":
            raise Refused("the scratch file was replaced while it was made", where=place)
        await host.write(_mark_of(place), f"{_FIRST_LINE}\n{created.identity}\n".encode())
        tell(f"laying out {units.show_bytes(size)}")
        await _fill(host, place, size)
    except BaseException:
        await _forget(host, place)
        raise
    return target


async def remove_scratch(host: Host, target: Target) -> None:
    """Remove a scratch file of ours; a file that took its name meanwhile stays."""
    if await is_ours(host, target.path):
        await host.remove(target.path)
    with contextlib.suppress(HostFailed):
        await host.remove(_mark_of(target.path))


async def _forget(host: Host, place: str) -> None:
    """Remove what a failed layout left; the disk may be too full even for the mark."""
    with contextlib.suppress(HostFailed):
        await host.remove(place)
    with contextlib.suppress(HostFailed):
        await host.remove(_mark_of(place))


async def _remove_earlier(host: Host, path: str) -> None:
    """An earlier scratch file, left by a killed run, makes room for a new one.

    Raises:
        Refused: it is not ours, or a load still has it open.
    """
    if not await is_ours(host, path):
        raise Refused(
            "this file was not made by iosonde, so it is not written to",
            where=path,
            evidence="it carries no mark of a scratch file",
            hint="give a path that does not exist yet, or a directory",
        )
    await remove_scratch(host, Target(host.name, path, TargetKind.FILE))


async def _create(host: Host, place: str) -> None:
    """An empty file where there was none: O_EXCL, so nobody's file is taken."""
    try:
        await host.run(["dd", "if=/dev/null", f"of={place}", "conv=excl", "status=none"])
    except CommandFailed as problem:
        raise _told(host, place, problem) from None


async def _fill(host: Host, place: str, size: int) -> None:
    """Random bytes to the last block, on the device, and out of the page cache again."""
    write = ["dd", "if=/dev/urandom", f"of={place}", "bs=1M", f"count={size}",
             "iflag=fullblock,count_bytes", "conv=notrunc,fsync", "status=none"]  # fmt: skip
    try:
        await host.run(write, timeout=_LAYOUT_TIME)
        await host.run(
            ["dd", f"of={place}", "oflag=nocache", "conv=notrunc,fdatasync", "count=0",
             "status=none"],
            stdin=b"",
        )  # fmt: skip
    except CommandFailed as problem:
        raise _told(host, place, problem) from None


def _told(host: Host, place: str, problem: CommandFailed) -> HostFailed:
    reason = problem.stderr.decode(errors="replace").strip().rpartition(": ")[2]
    return HostFailed(
        f"the scratch file {place} cannot be written: {reason}",
        where=host.name,
        hint="choose another --target, or a smaller --size",
    )


async def _require_room(host: Host, directory: str, size: int) -> None:
    """Refuse before a single block is written where the file would fill the file system."""
    node = await look(host, directory)
    if node is None or node.kind != "directory":
        raise FileMissing(f"there is no directory {directory}", where=host.name)
    done = await host.run(["df", "-B1", "--output=avail,target", "--", directory])
    avail, target = done.stdout.decode().splitlines()[1].split(None, 1)
    if int(avail) < size + _MARGIN:
        raise Refused(
            f"a scratch file of {units.show_bytes(size)} does not fit: "
            f"{units.show_bytes(int(avail))} are free, and {units.show_bytes(_MARGIN)} stay so",
            where=directory,
            evidence=f"df: {avail} bytes available on {target}",
            hint="choose a smaller --size or another --target",
        )
