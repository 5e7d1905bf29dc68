"""Scratch files: made by iosonde, marked as such, and the only files it writes to.

The mark is a file beside it, `.NAME.iosonde`, that holds the scratch file's identity (device, inode
and birth). A file that took the name later has another identity, so it is not ours. An extended
attribute would do the same, but needs a tool and a file system that many hosts lack.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass

from iosonde import kerneltext, units
from iosonde.change.keeper import OPENED, Keeper, KeeperRefused, Opened, start_keeper
from iosonde.change.node import look
from iosonde.errors import CommandFailed, FileMissing, HostFailed, IosondeError, Refused
from iosonde.hosts.cleaning import to_the_end
from iosonde.hosts.host import Host
from iosonde.records.load import Target, TargetKind

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
        mark = kerneltext.lines(kerneltext.decoded(await host.read(_mark_of(path))))
    except IosondeError:
        return False
    return mark[:2] == [_FIRST_LINE, node.identity]


@dataclass(frozen=True, slots=True)
class Scratch:
    """A scratch file: the target, and the keeper that has had it open since it was made."""

    target: Target
    keeper: Keeper
    opened: Opened

    async def remove(self) -> None:
        """Remove the file, its mark and what a load left beside it in a directory of our own."""
        await to_the_end(self.keeper.close())


async def make_scratch(
    host: Host,
    path: str,
    size: int,
    *,
    room: int = 0,
    tell: Callable[[str], None] = lambda _: None,
) -> Scratch:
    """Lay a scratch file out: every block allocated and written with what cannot be compressed.

    Unwritten extents and holes would be answered by the file system without a disk. In a directory
    it stands in a new one that only its owner may enter, so it does not matter who else may write
    to the directory around it.

    Args:
        host: where.
        path: a directory, or a path that does not exist, or an earlier scratch file.
        size: bytes.
        room: bytes that must be free besides, for files that the load makes itself.
        tell: told what is being done.

    Raises:
        Refused: no room, or a file that is not ours, or a directory in which others could replace
            the file.
        HostFailed: it cannot be written; what was made is removed.
    """
    node = await look(host, path)
    is_directory = node is not None and node.kind == "directory"
    await _require_room(host, path if is_directory else path.rpartition("/")[0] or "/", size + room)
    earlier = "" if node is None or is_directory else await _earlier(host, path)
    keeper = await start_keeper(host, where=path)
    try:
        try:
            how = ("scratch", path) if is_directory else ("named", path, earlier)
            opened = await keeper.open(*how)
        except KeeperRefused as problem:
            raise _not_made(host, path, problem) from None
        await keeper.mark(f"{_FIRST_LINE}\n{await _identity(keeper)}\n")
        tell(f"laying out {units.show_bytes(size)}")
        await _fill(host, keeper, opened.path, size)
    except BaseException:
        await to_the_end(keeper.close())
        raise
    return Scratch(Target(host.name, opened.path, TargetKind.FILE), keeper, opened)


async def _earlier(host: Host, path: str) -> str:
    """Device and inode of an earlier scratch file, left by a crash, that makes room for a new one.

    Raises:
        Refused: it is not ours.
    """
    if not await is_ours(host, path):
        raise Refused(
            "this file was not made by iosonde, so it is not written to",
            where=path,
            evidence="it carries no mark of a scratch file",
            hint="give a path that does not exist yet, or a directory",
        )
    node = await look(host, path, follow=False)
    return "" if node is None else " ".join(node.identity.split(":")[:2])


async def _identity(keeper: Keeper) -> str:
    """The file's identity, as `look` tells it, by the descriptor."""
    done = await keeper.run(["stat", "-L", "-c", "%d:%i:%w", OPENED])
    return kerneltext.decoded(done.stdout).strip()


async def _fill(host: Host, keeper: Keeper, place: str, size: int) -> None:
    """Random bytes to the last block, on the device, and out of the page cache again."""
    write = ["dd", "if=/dev/urandom", f"of={OPENED}", "bs=1M", f"count={size}",
             "iflag=fullblock,count_bytes", "conv=notrunc,fsync", "status=none"]  # fmt: skip
    forget = ["dd", "if=/dev/null", f"of={OPENED}", "oflag=nocache", "conv=notrunc,fdatasync",
              "count=0", "status=none"]  # fmt: skip
    try:
        await keeper.run(write, timeout=_LAYOUT_TIME)
        await keeper.run(forget)
    except CommandFailed as problem:
        reason = kerneltext.decoded(problem.stderr).strip().rpartition(": ")[2]
        raise _unwritable(host, place, reason) from None


def _not_made(host: Host, path: str, problem: KeeperRefused) -> Refused | HostFailed:
    """Why the keeper made no file."""
    return problem.refusal(path) if problem.why else _unwritable(host, path, problem.text)


def _unwritable(host: Host, place: str, reason: str) -> HostFailed:
    return HostFailed(
        f"the scratch file {place} cannot be written: {reason}",
        where=host.name,
        hint="choose a smaller --size or another --target"
        if reason == os.strerror(errno.ENOSPC)
        else "choose another --target",
    )


async def require_directory(host: Host, path: str) -> None:
    """Look whether there is a directory.

    Raises:
        FileMissing: there is none.
    """
    node = await look(host, path)
    if node is None or node.kind != "directory":
        raise FileMissing(f"there is no directory {path}", where=host.name)


async def _require_room(host: Host, directory: str, size: int) -> None:
    """Refuse before a single block is written where the file would fill the file system."""
    await require_directory(host, directory)
    done = await host.run(["df", "-B1", "--output=avail,target", "--", directory])
    avail, target = kerneltext.lines(kerneltext.decoded(done.stdout))[1].split(None, 1)
    if int(avail) < size + _MARGIN:
        raise Refused(
            f"a scratch file of {units.show_bytes(size)} does not fit: "
            f"{units.show_bytes(int(avail))} are free, of which iosonde leaves "
            f"{units.show_bytes(_MARGIN)}",
            where=directory,
            evidence=f"df: {avail} bytes available on {target}",
            hint="choose a smaller --size or another --target",
        )
