"""How on_host.py walks to a path without following what others could change.

It is sent to the host together with on_host.py: Python 3.6 or later, no import of iosonde.
"""

import errno
import os
import stat


class Stopped(Exception):
    """A request that is not carried out: error number, place, and why."""

    def __init__(self, number: int, where: bytes, why: str = "") -> None:
        super().__init__(number, where, why)
        self.number, self.where, self.why = number, where, why


class KeeperState:
    """What this process has: requests to come, its warden, what it made."""

    coming = b""
    warden = 0
    leash = -1
    root_owner = 0
    disk_group = -1
    name = b""
    identity = (0, 0)
    folder = b""
    folder_identity = (0, 0)
    node = b""


def is_trusted(uid: int) -> bool:
    """Whether a user may decide what root or we open."""
    return uid in (0, os.geteuid(), KeeperState.root_owner)


def is_closed(facts: os.stat_result) -> bool:
    """Whether nobody but root and us decides what stands in a directory."""
    open_to_group = facts.st_mode & stat.S_IWGRP and facts.st_gid not in (
        os.getegid(),
        KeeperState.disk_group,
    )
    open_to_others = bool(open_to_group or facts.st_mode & stat.S_IWOTH)
    return is_trusted(facts.st_uid) and (not open_to_others or bool(facts.st_mode & stat.S_ISVTX))


def names_of(path: bytes) -> "list[bytes]":
    """The names in a path."""
    return [name for name in path.split(b"/") if name not in (b"", b".")]


class Way:
    """The working directory on its way to a path; it is the handle that nobody can swap."""

    def __init__(self, path: bytes) -> None:
        self.left = names_of(path)
        self.done = []  # type: list[bytes]
        self.links = 0
        os.chdir("/")

    def here(self) -> bytes:
        """The canonical path of the working directory."""
        return b"/" + b"/".join(self.done)

    def up(self) -> None:
        """To the directory above."""
        os.chdir("..")
        self.done = self.done[:-1]

    def follow(self, name: bytes) -> None:
        """To where a symbolic link leads."""
        self.links += 1
        if self.links > 40:
            raise Stopped(errno.ELOOP, inside(self.here(), name))
        target = os.readlink(name)
        if target.startswith(b"/"):
            os.chdir("/")
            self.done = []
        self.left = names_of(target) + self.left

    def enter(self, name: bytes, entry: os.stat_result) -> None:
        """Into a directory, which must still be the one that was seen."""
        os.chdir(name)
        if identity_of(os.lstat(".")) != identity_of(entry):
            raise Stopped(errno.EPERM, inside(self.here(), name), "swapped")
        self.done.append(name)


def walk(path: bytes, strict: bool) -> "tuple[bytes, bytes]":
    """Go to the directory of a path; the canonical directory, and the last name."""
    way = Way(path)
    while True:
        here = os.lstat(".")
        if strict and not is_closed(here):
            raise Stopped(errno.EPERM, way.here(), "others")
        if not way.left:
            return way.here(), b"."
        name = way.left.pop(0)
        if name == b"..":
            way.up()
            continue
        place = inside(way.here(), name)
        entry = entry_of(name, place, may_miss=not way.left)
        if entry is None:
            return way.here(), name
        only_ours = is_closed(here) and (
            is_trusted(entry.st_uid) or not here.st_mode & stat.S_ISVTX
        )
        if stat.S_ISDIR(entry.st_mode):
            way.enter(name, entry)
        elif stat.S_ISLNK(entry.st_mode):
            if not only_ours:
                raise Stopped(errno.EPERM, place, "symlink")
            way.follow(name)
        else:
            check_last(place, more=bool(way.left), allowed=only_ours or not strict)
            return way.here(), name


def check_last(place: bytes, more: bool, allowed: bool) -> None:
    """What is no directory must be the last, and nobody else's to replace."""
    if more:
        raise Stopped(errno.ENOTDIR, place)
    if not allowed:
        raise Stopped(errno.EPERM, place, "others")


def identity_of(facts: os.stat_result) -> "tuple[int, int]":
    """Device and inode."""
    return facts.st_dev, facts.st_ino


def entry_of(name: bytes, place: bytes, may_miss: bool = False) -> "os.stat_result | None":
    """An entry of the working directory; None where it is missing and may be."""
    try:
        return os.lstat(name)
    except OSError as problem:
        if may_miss and problem.errno == errno.ENOENT:
            return None
        raise Stopped(problem.errno or 0, place) from None


def mode_of(name: bytes, place: bytes) -> int:
    """The mode of an entry of the working directory."""
    entry = entry_of(name, place)
    return entry.st_mode if entry else 0


def open_here(name: bytes, flags: int, place: bytes) -> int:
    """A descriptor of an entry of the working directory."""
    try:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError as problem:
        raise Stopped(problem.errno or 0, place) from None


def inside(folder: bytes, name: bytes) -> bytes:
    """The path of a name in a directory."""
    return folder.rstrip(b"/") + b"/" + name


def remove(path: bytes) -> None:
    """Remove a file; none there is no error."""
    try:
        os.unlink(path)
    except OSError:
        return


def is_same(path: bytes, identity: "tuple[int, int]") -> bool:
    """Whether the entry at a path is the very one that was made."""
    try:
        return identity_of(os.lstat(path)) == identity
    except OSError:
        return False
