"""Live hosts as cases: their stack as discovery finds it, and what their tools and /proc say.

What a host prints is read by the same parsers that read what somebody pasted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from iosonde.explain.gather import of_capture, of_document, together
from iosonde.hosts import open_host
from iosonde.hosts.host import Host
from iosonde.records.evidence import EvidenceSet
from iosonde.stack.discover import discover
from iosonde.stack.health import with_health
from iosonde.text.document import of_bytes

_FILES = (
    "/proc/net/rpc/nfsd", "/proc/fs/nfsd/pool_stats", "/proc/self/mountstats", "/proc/mdstat",
    "/proc/drbd", "/proc/interrupts", "/etc/exports", "/etc/sysctl.conf", "/etc/fstab",
)  # fmt: skip
_COMMANDS = (
    ("dmsetup", "status"), ("dmsetup", "table"), ("exportfs", "-v"),
    ("drbdsetup", "status", "--verbose", "--statistics"), ("nvme", "list"),
    ("storcli64", "/call", "show", "all"), ("perccli64", "/call", "show", "all"),
    ("ssacli", "ctrl", "all", "show", "config", "detail"),
    ("hpacucli", "ctrl", "all", "show", "config", "detail"),
    ("MegaCli64", "-LDInfo", "-Lall", "-aALL"), ("MegaCli64", "-AdpBbuCmd", "-aALL"),
)  # fmt: skip
"""Each only reads. What a host does not have answers nothing."""


async def of_hosts(names: Sequence[str]) -> EvidenceSet:
    """The case of hosts that the user named.

    Raises:
        HostFailed: one cannot be reached.
    """
    opened: dict[str, Host] = {}
    try:
        for name in names:
            host = await open_host(name)
            if host.name in opened:
                await host.close()
            opened.setdefault(host.name, host)
        hosts = tuple(opened.values())
        capture = await with_health(await discover(hosts), hosts)
        said = await asyncio.gather(*(_said(host) for host in hosts))
        return together([of_capture(capture, ", ".join(opened)), *said])
    finally:
        for host in opened.values():
            await host.close()


async def _said(host: Host) -> EvidenceSet:
    """What a host's own files and tools say, as far as it has them."""
    files = await host.read_many(list(_FILES))
    texts = [
        (path, content) for path, content in files.items() if isinstance(content, bytes) and content
    ]
    for argv in _COMMANDS:
        done = await host.run(argv, check=False)
        if done.status == 0 and done.stdout:
            texts.append((" ".join(argv), done.stdout))
    cases = []
    for origin, content in texts:
        case, _ = of_document(of_bytes(f"{host.name}: {origin}", content))
        cases.append(case.on(host.name))
    return together(cases)
