"""Lets a load have only so much memory, its page cache included, as a smaller host would.

Source: Documentation/admin-guide/cgroup-v2.rst ("memory.max"), cgroup-v1/memory.rst
("limit_in_bytes", "2.3 Shared Page Accounting": a page of the cache is charged to the group that
first touches it).
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from iosonde.errors import HostFailed
from iosonde.hosts.host import Host

_MAKE = """
if test -e /sys/fs/cgroup/cgroup.controllers; then
    base=/sys/fs/cgroup limit=memory.max
    grep -qw memory $base/cgroup.subtree_control || echo +memory >$base/cgroup.subtree_control
else
    base=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
fi
rmdir $base/iosonde-* 2>/dev/null
mkdir "$base/$1" && echo "$2" >"$base/$1/$limit" && echo "$base/$1"
"""
_ENTER = 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"'
_LEAVE = 'for try in 1 2 3 4 5 6 7 8 9 10; do rmdir "$1" 2>/dev/null && break; sleep 0.1; done'


@asynccontextmanager
async def limited(host: Host, memory: int | None) -> AsyncIterator[tuple[str, ...]]:
    """What to put before a command so that it and its page cache have `memory` bytes at most.

    Nothing where there is no limit. Groups of earlier runs that were killed are taken away.

    Raises:
        HostFailed: the host has no control group for memory, or we are not root there.
    """
    if memory is None:
        yield ()
        return
    name = f"iosonde-{secrets.token_hex(4)}"
    made = await host.run(["sh", "-c", _MAKE, "sh", name, str(memory)], check=False)
    if made.status != 0:
        said = made.stderr.decode(errors="replace").strip().splitlines()
        raise HostFailed(
            "no control group could be made to limit the load's memory"
            + (f": {said[-1]}" if said else ""),
            where=host.name,
            hint="it takes root and the memory controller; or leave `memory` out",
        )
    group = made.stdout.decode().strip()
    try:
        yield ("sh", "-c", _ENTER, "sh", group)
    finally:
        with contextlib.suppress(HostFailed):
            await host.run(["sh", "-c", _LEAVE, "sh", group], check=False)
