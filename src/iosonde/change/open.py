"""Opens the hosts of a declared stack, with their records of what iosonde built."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from iosonde.change.journal import Journal
from iosonde.change.late import late
from iosonde.errors import HostFailed, UsageError
from iosonde.hosts import open_host
from iosonde.hosts.host import Host
from iosonde.lab.state import NodeOff
from iosonde.stack.file import DeclaredStack

_Opened = tuple[Mapping[str, Host], Mapping[str, Journal]]


@asynccontextmanager
async def opened(stack: DeclaredStack, *, some: bool = False) -> AsyncIterator[_Opened]:
    """All hosts of a stack and their journals, by the hosts' names in the stack.

    A guest that does not run, since its layer is not built, is connected to when it is first used.

    Args:
        stack: whose.
        some: leave out hosts that cannot be reached.

    Raises:
        HostFailed: one cannot be reached, or is not ours to change (no root).
    """
    async with AsyncExitStack() as exits:
        hosts: dict[str, Host] = {}
        names = list(stack.opens)
        asleep: set[str] = set()
        answers = await asyncio.gather(
            *(open_host(stack.opens[name]) for name in names), return_exceptions=True
        )
        for name, host in zip(names, answers, strict=True):
            if not isinstance(host, BaseException):
                hosts[name] = host
                if name in stack.guests:  # it may end and be started again meanwhile
                    hosts[name] = late(stack.opens[name], host)
                exits.push_async_callback(hosts[name].close)
            elif name in stack.guests and isinstance(host, HostFailed):
                hosts[name] = late(stack.opens[name])
                exits.push_async_callback(hosts[name].close)
                asleep.add(name)
            elif not (some and isinstance(host, HostFailed)):
                raise _with_lab(host, stack, name)
        await asyncio.gather(*(_require_root(hosts[name]) for name in hosts.keys() - asleep))

        async def journal(name: str) -> Journal:
            if name in asleep:  # what was in a machine that has ended is gone with it
                return Journal(hosts[name], stack.name)
            return await Journal.read(hosts[name], stack.name)

        journals = await asyncio.gather(*map(journal, hosts))
        yield hosts, dict(zip(hosts, journals, strict=True))


def _with_lab(problem: BaseException, stack: DeclaredStack, name: str) -> BaseException:
    """Of a host of the lab that does not run, or whose lab does not, what starts and builds it."""
    if isinstance(problem, UsageError) and name in stack.lab:
        whole = f"iosonde lab up {stack.file}"
        problem.hint = f"`{whole}` starts the lab of this stack"
    if isinstance(problem, NodeOff):
        problem.hint += f", and `iosonde up {stack.file}` builds what it forgot"
    return problem


async def _require_root(host: Host) -> None:
    user = (await host.run(["id", "-u"])).stdout.strip()
    if user != b"0":
        raise HostFailed(
            "only root can build and take away layers",
            where=host.name,
            hint="run iosonde as root there, or name root@HOST, or sudo:HOST where sudo makes root",
        )
