"""Several traces at once: by threads of this machine, or by the workers of a Dask cluster.

Each trace is one task. The core lets go of Python while it reads, so that threads are enough here;
a worker of a cluster opens the files by the same names, from a file system that it shares. Other
work that falls into parts is done likewise (predict/search.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, TypeVar

from iosonde.errors import HostFailed, UsageError
from iosonde.extras import require_extra

T = TypeVar("T")
R = TypeVar("R")

_CONNECT = "20s"
LOCAL = "local"
"""Instead of an address: the threads of this machine, by Dask."""


def attempted(work: Callable[..., R], item: T, **options: Any) -> R | UsageError:
    """What a function makes of an item, or why it could not: one bad file does not lose others."""
    try:
        return work(item, **options)
    except UsageError as problem:
        return problem


def by_threads(
    work: Callable[[T, Callable[[], bool]], R], items: Sequence[T], *, threads: int = 0
) -> list[R]:
    """The results in the order of the items.

    Args:
        work: what to do with each, and whom to ask whether to go on; its errors are raised here,
            the first item's first.
        items: any.
        threads: 0 = one per processor.
    """
    stop = Event()

    def go_on() -> bool:
        return not stop.is_set()

    count = min(len(items), threads or os.cpu_count() or 1)
    if count <= 1:
        return [work(item, go_on) for item in items]
    with ThreadPoolExecutor(count) as pool:
        begun = [pool.submit(work, item, go_on) for item in items]
        try:
            return [future.result() for future in begun]
        except BaseException:  # Ctrl-C too: the threads would otherwise read on to the end
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def by_dask(work: Callable[[T], R], items: Sequence[T], *, address: str) -> list[R]:
    """The same by Dask, in the order of the items.

    Args:
        work: can be pickled; the workers have this version of iosonde.
        items: can be pickled.
        address: of the scheduler, "tcp://host:8786"; `LOCAL` for threads of this machine.

    Raises:
        UsageError: Dask is not installed.
        HostFailed: the scheduler does not answer, or a worker was lost on the way.
    """
    require_extra("dask")
    from dask.base import compute
    from dask.delayed import delayed
    from distributed import Client
    from distributed.scheduler import KilledWorker

    if address == LOCAL:
        parts = [delayed(work)(item) for item in items]
        return list(compute(*parts, scheduler="threads"))  # type: ignore[no-untyped-call]
    try:
        client = Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise HostFailed(
            f"no Dask scheduler answers there: {problem}", where=address,
            hint="start one: `dask scheduler`, and workers: `dask worker ADDRESS`",
        ) from None  # fmt: skip
    with client:
        if not client.scheduler_info()["workers"]:
            raise HostFailed(
                "the Dask scheduler has no workers", where=address,
                hint=f"start some: `dask worker {address}`",
            )  # fmt: skip
        try:
            # Not pure: a file may have changed since its name was last given.
            return list(client.gather(client.map(work, list(items), pure=False)))
        except KilledWorker as problem:
            raise HostFailed(
                f"workers of the Dask cluster died over it: {problem}", where=address,
                hint="their memory may be too small; `dask worker --memory-limit`",
            ) from None  # fmt: skip
