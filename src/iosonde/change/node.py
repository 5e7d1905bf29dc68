"""What a path is on its host: told by stat, so that no name, link or second node deceives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.errors import HostFailed
from iosonde.hosts.host import Host
from iosonde.hosts.packages import install_hint
from iosonde.kerneltext import decoded

# stat(1), GNU coreutils: hex mode, rdev, identity, links. The name ends at "\0": it may hold "\n".
_FORMAT = r"%f|%t|%T|%d|%i|%h|%s|%w|%n\0"
# "unrecognized option" of busybox 1.36 (getopt(3)), "Unknown option" of toybox 0.8. Only the
# beginning counts: behind it a path may hold any word.
_NOT_GNU = re.compile(rb"stat: (?:unrecognized|unknown|invalid) option", re.IGNORECASE)
_KINDS = {0o140000: "socket", 0o120000: "symbolic link", 0o100000: "file", 0o060000: "device",
          0o040000: "directory", 0o020000: "character device", 0o010000: "pipe"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FileNode:
    """One file of any kind.

    `kind` is file, directory, device (block), "character device", "symbolic link", pipe or socket;
    `number` is "MAJOR:MINOR" of a device; `identity` tells a file from any other that ever had its
    name, `file` ("DEVICE:INODE") from any other that is there now.
    """

    path: str
    kind: str
    number: str
    identity: str
    links: int
    size: int

    @property
    def file(self) -> str:
        """The device and inode of the node itself."""
        return ":".join(self.identity.split(":")[:2])


async def look(host: Host, path: str, *, follow: bool = True) -> FileNode | None:
    """The node behind a path (symbolic links followed unless told otherwise); None: there is none.

    Raises:
        HostFailed: stat is missing, or not GNU's.
    """
    nodes = await look_at(host, [path], follow=follow)
    return nodes.get(path)


async def look_at(host: Host, paths: Sequence[str], *, follow: bool = True) -> dict[str, FileNode]:
    """Several paths with one command; those that do not exist are left out."""
    if not paths:
        return {}
    argv = ["stat", *(["-L"] if follow else []), "--printf", _FORMAT, "--", *paths]
    done = await host.run(argv, check=False)
    if done.status == 127:
        raise HostFailed("the command stat is missing", where=host.name)
    if not done.stdout and _NOT_GNU.match(done.stderr):
        raise HostFailed(
            "its stat is not GNU's but that of a small system, and tells too little of a file to "
            "write there safely",
            where=host.name,
            hint=await install_hint(host, "coreutils"),
        )
    nodes = (_node(row) for row in decoded(done.stdout).split("\0") if row)
    return {node.path: node for node in nodes}


def _node(row: str) -> FileNode:
    mode, major, minor, device, inode, links, size, born, path = row.split("|", 8)
    kind = _KINDS.get(int(mode, 16) & 0o170000, "something else")
    return FileNode(
        path=path,
        kind=kind,
        number=f"{int(major, 16)}:{int(minor, 16)}" if "device" in kind else "",
        identity=f"{device}:{inode}:{born}",
        links=int(links),
        size=int(size),
    )
