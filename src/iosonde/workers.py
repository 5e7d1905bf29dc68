"""Processes of this machine that share out some work, and end with iosonde however it ends."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context

_PR_SET_PDEATHSIG = 1  # include/uapi/linux/prctl.h


@contextmanager
def worker_pool(count: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of forked processes; when the block fails or is interrupted they are killed at once.

    Args:
        count: how many processes.
    """
    others = set(active_children())
    pool = ProcessPoolExecutor(
        count, mp_context=get_context("fork"), initializer=follow, initargs=(os.getpid(),)
    )
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in set(active_children()) - others:
            worker.kill()
        raise
    pool.shutdown()


def follow(parent: int) -> None:
    """In a forked worker: its parent answers signals, and its parent's death is its own.

    A worker waits at a pipe whose other end its siblings have open too, so without this those of a
    killed process would wait for ever. Source: PR_SET_PDEATHSIG(2const).

    Args:
        parent: process id of the parent.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
