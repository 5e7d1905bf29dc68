"""Lets a load have only so much memory, its page cache included, as a smaller host would.

Source: Documentation/admin-guide/cgroup-v2.rst ("memory.max"), cgroup-v1/memory.rst
("limit_in_bytes", "2.3 Shared Page Accounting": a page of the cache is charged to the group that
first touches it).
"""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from iosonde import kerneltext
from iosonde.errors import HostFailed
from iosonde.hosts.cleaning import leaves, left_nothing, made, to_the_end
from iosonde.hosts.host import Host
from iosonde.scripts import program
from iosonde.store.owner import tag, tag_is_gone

_OURS = re.compile(r".*/iosonde-([0-9a-f]{8}-\d+-\d+-\d+)-[0-9a-f]{8}")
_MAKE = program("iosonde.measure", "confine.sh")
_ENTER = 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"'
_LEAVE = (
    'for try in 1 2 3 4 5 6 7 8 9 10; do rmdir "$1" 2>/dev/null && exit; sleep 0.1; done; exit 1'
)


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
    await _sweep(host)
    name = f"iosonde-{tag()}-{secrets.token_hex(4)}"

    async def remove(group: str) -> None:
        with contextlib.suppress(HostFailed):
            await host.run(["sh", "-c", _LEAVE, "sh", group])
            left_nothing(host.name, group)

    group = await made(_group(host, name, memory), remove)
    try:
        yield ("sh", "-c", _ENTER, "sh", group)
    finally:
        await to_the_end(remove(group))


async def _group(host: Host, name: str, memory: int) -> str:
    """A new control group; its directory."""
    done = await host.run(["sh", "-c", _MAKE, "sh", name, str(memory)], check=False)
    if done.status != 0:
        said = kerneltext.lines(kerneltext.decoded(done.stderr).strip())
        raise HostFailed(
            "no control group could be made to limit the load's memory"
            + (f": {said[-1]}" if said else ""),
            where=host.name,
            hint="it takes root and the memory controller; or leave `memory` out",
        )
    group = kerneltext.decoded(done.stdout).strip()
    leaves(host.name, group, ["rmdir", group])
    return group


async def _sweep(host: Host) -> None:
    """Take away the groups of runs of this machine that are gone; a group of others may be new."""
    there = [*await host.glob("/sys/fs/cgroup/iosonde-*"),
             *await host.glob("/sys/fs/cgroup/memory/iosonde-*")]  # fmt: skip
    left = [path for path in there if (ours := _OURS.fullmatch(path)) and tag_is_gone(ours[1])]
    if left:
        await host.run(["rmdir", "--", *left], check=False)
