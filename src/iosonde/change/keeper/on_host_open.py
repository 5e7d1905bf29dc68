"""What on_host.py opens and makes, and how that is removed.

It is sent to the host together with on_host.py, after on_host_walk.py, whose import falls away.
"""

import errno
import os
import random
import stat
import string

from iosonde.change.keeper.on_host_walk import (
    KeeperState,
    Stopped,
    identity_of,
    inside,
    is_closed,
    is_same,
    mode_of,
    open_here,
    remove,
    walk,
)

FILE, FOLDER, PARENT = 100, 101, 102


def settle(descriptor: int, number: int) -> None:
    """Put a descriptor under a fixed number, which commands inherit."""
    os.dup2(descriptor, number)
    os.close(descriptor)


def described(descriptor: int, place: bytes, name: bytes = b"") -> "list[bytes | str | int]":
    """Settle the descriptor.

    Returns:
        Path, device, inode, mode, links, device number, size, and the name for commands.
    """
    settle(descriptor, FILE)
    facts = os.fstat(FILE)
    name = name or node(facts.st_rdev) or b"/proc/self/fd/%d" % FILE
    return [place, facts.st_dev, facts.st_ino, facts.st_mode, facts.st_nlink, facts.st_rdev,
            facts.st_size, name]  # fmt: skip


def node(number: int) -> bytes:
    """Make a node of our own for a device; empty where that cannot be."""
    folder = b"/dev/iosonde." + random_letters()
    path = folder + b"/target"
    if not number:
        return b""
    try:
        os.mkdir(folder, 0o700)
        KeeperState.node = folder
        os.mknod(path, stat.S_IFBLK | 0o600, number)
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except OSError:
        remove_node()
        return b""
    return path


def remove_node() -> None:
    """Remove the node."""
    if KeeperState.node:
        remove(KeeperState.node + b"/target")
        try:
            os.rmdir(KeeperState.node)
        except OSError:
            return
        finally:
            KeeperState.node = b""


def random_letters() -> bytes:
    """Eight letters and digits for a name."""
    letters = string.ascii_lowercase + string.digits
    return "".join(random.choice(letters) for _ in range(8)).encode()  # noqa: S311 - no secret


def open_device(path: bytes) -> "list[bytes | str | int]":
    """Claim a device exclusively."""
    folder, name = walk(path, True)
    place = inside(folder, name)
    if not stat.S_ISBLK(mode_of(name, place)):
        raise Stopped(errno.EPERM, place, "kind")
    return described(open_here(name, os.O_RDONLY | os.O_EXCL, place), place)


def open_read(path: bytes) -> "list[bytes | str | int]":
    """Open a device or a file that is only read."""
    folder, name = walk(path, False)
    place = inside(folder, name)
    mode = mode_of(name, place)
    if not stat.S_ISBLK(mode) and not stat.S_ISREG(mode):
        raise Stopped(errno.EPERM, place, "kind")
    descriptor = open_here(name, os.O_RDONLY, place)
    if not stat.S_ISREG(mode) or not is_closed(os.lstat(".")):
        return described(descriptor, place)
    settle(open_here(b".", os.O_RDONLY | os.O_DIRECTORY, folder), FOLDER)
    return described(descriptor, place, b"/proc/self/fd/%d/" % FOLDER + name)


def make_file(folder: bytes, name: bytes) -> "list[bytes | str | int]":
    """Make the file in the working directory."""
    place = inside(folder, name)
    settle(open_here(b".", os.O_RDONLY | os.O_DIRECTORY, folder), FOLDER)
    descriptor = open_here(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, place)
    KeeperState.identity, KeeperState.name = identity_of(os.fstat(descriptor)), name
    return described(descriptor, place, b"/proc/self/fd/%d/" % FOLDER + name)


def make_scratch(path: bytes) -> "list[bytes | str | int]":
    """Make a file in a new directory that is ours alone."""
    folder, last = walk(path, False)
    if last != b".":
        raise Stopped(errno.ENOTDIR, path)
    settle(open_here(b".", os.O_RDONLY | os.O_DIRECTORY, folder), PARENT)
    for left in reversed(range(100)):
        name = b"iosonde-scratch." + random_letters()
        try:
            os.mkdir(name, 0o700)
            break
        except FileExistsError:
            if left == 0:
                raise
    place = inside(folder, name)
    new = open_here(name, os.O_RDONLY | os.O_DIRECTORY, place)
    facts = os.fstat(new)
    if facts.st_uid != os.geteuid() or stat.S_IMODE(facts.st_mode) != 0o700 or os.listdir(new):
        raise Stopped(errno.EPERM, place, "swapped")
    os.fchdir(new)
    os.close(new)
    KeeperState.folder, KeeperState.folder_identity = name, identity_of(facts)
    return make_file(place, b"data")


def make_named(path: bytes, earlier: bytes) -> "list[bytes | str | int]":
    """Make a file under a name that the user chose; an earlier one of ours makes room."""
    folder, name = walk(path, True)
    if earlier:
        facts = os.lstat(name)
        if b"%d %d" % identity_of(facts) != earlier or not stat.S_ISREG(facts.st_mode):
            raise Stopped(errno.EPERM, path, "swapped")
        os.unlink(name)
        os.unlink(b"." + name + b".iosonde")
    return make_file(folder, name)


def mark(text: bytes) -> None:
    """Write the file beside it that says whose it is."""
    name = b"/proc/self/fd/%d/.%s.iosonde" % (FOLDER, KeeperState.name)
    remove(name)
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    os.write(descriptor, text)
    os.close(descriptor)


def clean() -> None:
    """Remove what was made."""
    remove_node()
    within = b"/proc/self/fd/%d/" % FOLDER
    if KeeperState.folder:
        for name in os.listdir(within) if KeeperState.name else ():
            remove(within + name)
        folder = b"/proc/self/fd/%d/" % PARENT + KeeperState.folder
        if is_same(folder, KeeperState.folder_identity):
            try:
                os.rmdir(folder)
            except OSError:
                return
    elif KeeperState.name:
        if is_same(within + KeeperState.name, KeeperState.identity):
            remove(within + KeeperState.name)
        remove(within + b"." + KeeperState.name + b".iosonde")
