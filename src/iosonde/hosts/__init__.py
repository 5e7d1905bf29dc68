"""The kinds of host a command can run on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.errors import UsageError
from iosonde.hosts.become import becomes
from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.hosts.host import Opener

HOSTS: Table[Opener] = Table(
    "kind of host",
    {
        "local": "iosonde.hosts.local:open_local",
        "ssh": "iosonde.hosts.ssh:open_ssh",
        "sudo": "iosonde.hosts.ssh:open_as_root",
        "doas": "iosonde.hosts.ssh:open_as_root",
        "lab": "iosonde.lab.host:open_lab",
        "recording": "iosonde.hosts.recording:open_recording",
    },
)


async def open_host(name: str) -> Host:
    """The host a user names.

    `local`, `lab:NAME/NODE`, `recording:PATH`, what ssh knows (`[user@]name[:port]`), or the same
    after `sudo:` or `doas:`, where all is run as root by that program.

    Raises:
        HostFailed: it cannot be reached; the message says why and what to do.
        UsageError: it is the path of a file or directory.
    """
    if name in {"local", "localhost", ""}:
        return await HOSTS.load("local")("")
    if name.startswith("recording:"):
        return await HOSTS.load("recording")(name.removeprefix("recording:"))
    if name.startswith("lab:"):
        return await HOSTS.load("lab")(name.removeprefix("lab:"))
    if way := becomes(name):
        return await HOSTS.load(way)(name)
    if "/" in name and Path(name).exists():
        raise UsageError(
            "is a path, not a host", where=name,
            hint=f"for a recording or what a support tool collected: recording:{name}",
        )  # fmt: skip
    return await HOSTS.load("ssh")(name.removeprefix("ssh:"))


if TYPE_CHECKING:
    from iosonde.hosts.host import Host
