"""A directory on a host for one loop's job file and outputs, and those that a killed one has left.

Its name says whose it is, so that what is left behind is known without opening it: the machine and
its boot as eight hexadecimal digits, the process and its start. Only whoever is on that machine in
that boot can say that the process is gone; everybody else leaves the directory alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from iosonde.hosts.host import Host
from iosonde.store.owner import tag, tag_is_gone

_OURS = re.compile(r"iosonde\.([0-9a-f]{8}-\d+-\d+)\.[A-Za-z0-9]{10}")
_LIST = 'cd "${TMPDIR:-/tmp}" && find . -maxdepth 1 -type d -user "$(id -u)" -name "iosonde.*"'
_SWEEP = 'cd "${TMPDIR:-/tmp}" && rm -r -f -- "$@"'


@asynccontextmanager
async def workplace(host: Host) -> AsyncIterator[str]:
    """A new directory on the host; gone afterwards."""
    made = await host.run(["mktemp", "-d", "-t", f"iosonde.{tag()}.XXXXXXXXXX"])
    directory = made.stdout.decode().strip()
    try:
        yield directory
    finally:
        with contextlib.suppress(Exception):
            await asyncio.shield(host.run(["rm", "-r", "-f", "--", directory], check=False))


async def sweep(host: Host) -> tuple[str, ...]:
    """Take away what processes of this machine that are gone have left there; the names."""
    done = await host.run(["sh", "-c", _LIST], check=False)
    names = [line.removeprefix("./") for line in done.stdout.decode(errors="replace").split("\n")]
    left = [
        name for name in names if (found := _OURS.fullmatch(name)) and tag_is_gone(found[1])
    ]  # fmt: skip
    if left:
        await host.run(["sh", "-c", _SWEEP, "sh", *left], check=False)
    return tuple(left)
