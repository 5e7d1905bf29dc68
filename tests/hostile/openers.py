"""Run as a program: has a device open in a way that /proc/PID/fd does not show, until it is ended.

    python openers.py WAY DEVICE [MOUNT-POINT]

It prints "ready" once it has it, and ends when its standard input does.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_FS, CLONE_FILES, CLONE_NEWNS = 0x200, 0x400, 0x20000  # include/uapi/linux/sched.h
MS_REC, MS_PRIVATE = 0x4000, 0x40000  # include/uapi/linux/mount.h
PR_SET_DUMPABLE = 4
IO_URING_SETUP, IO_URING_REGISTER, IORING_REGISTER_FILES = 425, 427, 2
EXIT = {"x86_64": 60, "aarch64": 93}[platform.machine()]  # of one thread


def done(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def mapping(device: str) -> object:
    handle = os.open(device, os.O_RDWR)
    memory = mmap.mmap(handle, 4096)  # which keeps a duplicate
    os.closerange(3, handle + 16)
    return memory


def in_thread(work: Callable[[], object]) -> None:
    """Do something in a thread that stays."""
    ready = threading.Event()

    def run() -> None:
        kept = work()
        ready.set()
        while kept is not self_ended:
            LIBC.pause()

    threading.Thread(target=run, daemon=True).start()
    ready.wait()


self_ended = object()


def own_table(device: str) -> None:
    def work() -> int:
        done(LIBC.unshare(CLONE_FILES))
        return os.open(device, os.O_RDWR)

    in_thread(work)


def leader_ended(device: str) -> None:
    in_thread(lambda: mapping(device))


def in_flight(device: str) -> object:
    pair = socket.socketpair()
    handle = os.open(device, os.O_RDWR)
    socket.send_fds(pair[0], [b"x"], [handle])
    os.close(handle)
    pair[0].close()
    return pair


def strangers(device: str) -> object:
    """In flight to a process of another user (who may look like what it is: proc(5), dumpable)."""
    kept = in_flight(device)
    os.setresuid(64123, 64123, 64123)
    done(LIBC.prctl(PR_SET_DUMPABLE, 1))
    return kept


def received(device: str) -> object:
    """Nothing is left of it: what was sent was received, and closed."""
    left, right = socket.socketpair()
    handle = os.open(device, os.O_RDWR)
    socket.send_fds(left, [b"x"], [handle])
    for number in (handle, *socket.recv_fds(right, 1, 1)[1]):
        os.close(number)
    return left, right


def ring(device: str) -> int:
    handle = os.open(device, os.O_RDWR)
    number = done(LIBC.syscall(IO_URING_SETUP, 8, (ctypes.c_uint32 * 30)()))
    table = (ctypes.c_int * 1)(handle)
    done(LIBC.syscall(IO_URING_REGISTER, number, IORING_REGISTER_FILES, table, 1))
    os.close(handle)
    return number


def thread_mounted(device: str) -> None:
    def work() -> None:
        done(LIBC.unshare(CLONE_FS | CLONE_NEWNS))
        done(LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
        done(LIBC.mount(device.encode(), sys.argv[3].encode(), b"ext4", 0, None))

    in_thread(work)


WAYS: dict[str, Callable[[str], object]] = {
    "mapping": mapping,
    "own-table": own_table,
    "leader-ended": leader_ended,
    "in-flight": in_flight,
    "strangers": strangers,
    "received": received,
    "ring": ring,
    "thread-mounted": thread_mounted,
}


def ready() -> None:
    os.write(1, b"ready\n")
    os.read(0, 1)


def ready_without_leader() -> None:
    """Say so once the thread that the process began with has ended."""
    stat = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/stat")
    while stat.read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    ready()
    os._exit(0)


def main() -> None:
    way, device = sys.argv[1:3]
    kept = WAYS[way](device)
    if way == "leader-ended":
        threading.Thread(target=ready_without_leader, daemon=True).start()
        LIBC.syscall(EXIT, 0)
    ready()
    del kept


if __name__ == "__main__":
    main()
