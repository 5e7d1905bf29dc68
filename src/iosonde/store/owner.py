"""Who is running a run, and whether that process is still there.

A process id means something in one PID namespace only (pid_namespaces(7)): process 7 of a container
is another one than process 7 of its host. So an owner's mark names the machine, its boot, the
namespace, the process and its start, and only who is in that namespace looks for the id. From
elsewhere a lock tells, which its owner holds as long as it lives (flock(2)); where there is none,
the owner counts as alive. Marks of earlier versions have no namespace; they are taken for those of
the reader's own.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import socket
from collections.abc import Callable
from pathlib import Path

_NO_NAMESPACE = "0"


def _start_ticks(pid: int) -> str | None:
    """Start of a process in clock ticks since boot: field 22 of /proc/PID/stat (proc(5))."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    return stat.rsplit(")", 1)[1].split()[19]


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    """The number of this process's PID namespace (namespaces(7), /proc/PID/ns/pid).

    "0" where /proc shows those of another namespace, so that nobody could be looked for in it.
    """
    try:
        if Path("/proc/self").readlink().name != str(os.getpid()):
            return _NO_NAMESPACE
        return Path("/proc/self/ns/pid").readlink().name.removeprefix("pid:[")[:-1]
    except OSError:
        return _NO_NAMESPACE


def this_process() -> str:
    """The owner's mark of the calling process: "HOST/BOOT/NAMESPACE:PID:STARTTICKS"."""
    pid = os.getpid()
    return f"{socket.gethostname()}/{_boot()}/{_namespace()}:{pid}:{_start_ticks(pid)}"


def same_place(owner: str) -> bool:
    """Whether an owner's mark is of this boot of this machine and of this PID namespace."""
    return (
        owner.rpartition(":")[0].rpartition(":")[0]
        == (this_process().rpartition(":")[0].rpartition(":")[0])
    )


def is_gone(owner: str, *, let_go: Callable[[], bool] = lambda: False) -> bool:
    """Whether the owner's process has certainly ended.

    Args:
        owner: its mark; empty: nobody.
        let_go: tells whether the lock that it held is there and free. Asked only where the process
            is of this boot of this machine, and of another PID namespace.
    """
    if not owner:
        return True
    machine, pid, ticks = owner.rsplit(":", 2)
    name, boot, namespace = (*machine.split("/"), "", "")[:3]
    if boot != _boot():  # rebooted since; of another machine we cannot know
        return name == socket.gethostname()
    if not namespace and name != socket.gethostname():
        return False
    return _ended(namespace or _namespace(), pid, ticks, let_go)


def _ended(namespace: str, pid: str, ticks: str, let_go: Callable[[], bool]) -> bool:
    """Whether a process of this boot has ended."""
    if namespace == _NO_NAMESPACE or namespace != _namespace():
        return let_go()
    return _start_ticks(int(pid)) != ticks


def tag() -> str:
    """The owner's mark of the calling process as part of a file's name.

    "BOOT-NAMESPACE-PID-STARTTICKS", the boot as eight hexadecimal digits.
    """
    pid = os.getpid()
    return f"{_digest()}-{_namespace()}-{pid}-{_start_ticks(pid)}"


def tag_is_gone(tag: str, *, let_go: Callable[[], bool] = lambda: False) -> bool:
    """Whether a tag is of a process of this boot that has ended; else we cannot know.

    Args:
        tag: as `tag` gives it.
        let_go: see `is_gone`.
    """
    digest, namespace, pid, ticks = tag.split("-")
    return digest == _digest() and _ended(namespace, pid, ticks, let_go)


def _digest() -> str:
    return hashlib.sha256(_boot().encode()).hexdigest()[:8]


def hold_lock(path: Path) -> int:
    """Make a file that is locked from before it is there under its name; its descriptor.

    The lock ends when the descriptor is closed, or with this process; what it starts does not
    inherit it.

    Raises:
        OSError: it cannot be made.
    """
    unlocked = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    descriptor = os.open(unlocked, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unlocked.rename(path)
    except BaseException:
        os.close(descriptor)
        unlocked.unlink(missing_ok=True)
        raise
    return descriptor


def lock_is_free(path: Path) -> bool:
    """Whether a file that `hold_lock` made is there, and nobody holds its lock any more."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
