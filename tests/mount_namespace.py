"""A mount namespace of its own for the process that runs tests, and what a host keeps of iosonde.

Each worker of pytest-xdist is a process, so what one changes in /var/lib/iosonde (journal, rollback
script, records of what was built) and in /run/iosonde (locks) is seen by no other, nor by another
run of the tests at the same time. Devices, their queues, sysctls, ports and processes stay the
kernel's, and are shared.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from pathlib import Path

from iosonde.change.journal import LOCKS, STATE

# linux/sched.h and sys/mount.h
_CLONE_NEWNS = 0x0002_0000
_MS_REC, _MS_PRIVATE = 0x4000, 0x4_0000
_MNT_DETACH = 2


def enter() -> None:
    """Put the calling thread, and what it starts from now on, into a mount namespace of its own.

    Nothing happens without the privilege for it; what needs root is no use there.

    Raises:
        OSError: with the privilege, a mount was refused.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if not _divided(libc):
        return
    _leave_to_others(libc)
    for path in (STATE, LOCKS):
        Path(path).mkdir(mode=0o700, parents=True, exist_ok=True)
        _mount(libc, "tests", path, "tmpfs", 0, "mode=0700")
    # A manager of services works outside: it would look for the rollback script there.
    if Path("/run/systemd/system").is_dir():
        _mount(libc, "tests", "/run/systemd", "tmpfs", 0, "mode=0755")


def divide() -> None:
    """The same with nothing mounted: what is from now on is for this process alone.

    Raises:
        OSError: the privilege for it is not there.
    """
    if not _divided(ctypes.CDLL(None, use_errno=True)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _divided(libc: ctypes.CDLL) -> bool:
    if libc.unshare(_CLONE_NEWNS) != 0:
        return False
    _mount(libc, "none", "/", "", _MS_REC | _MS_PRIVATE, "")
    return True


def _leave_to_others(libc: ctypes.CDLL) -> None:
    """What another run of the tests has mounted would else stay mounted here, and its device busy.

    Args:
        libc: the C library.
    """
    rows = Path("/proc/thread-self/mountinfo").read_text().splitlines()
    for place in [row.split(" ")[4] for row in reversed(rows)]:
        # pytest's own; the project itself may be mounted elsewhere below, as in tools/uml
        if place.startswith(f"{tempfile.gettempdir()}/pytest-of-"):
            libc.umount2(os.fsencode(place), _MNT_DETACH)


def _mount(
    libc: ctypes.CDLL, source: str, target: str, kind: str, flags: int, options: str
) -> None:
    if libc.mount(source.encode(), target.encode(), kind.encode(), flags, options.encode()) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)
