"""An address becomes a connection, or a sentence saying why not."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import asyncssh

from iosonde.errors import HostFailed, UsageError
from iosonde.hosts.become import becomes, without_way
from iosonde.hosts.command import quote
from iosonde.hosts.ssh.become import require_root
from iosonde.hosts.ssh.host import SshHost

_CONNECT_TIME = 15.0
_ALIVE = {"keepalive_interval": 15, "keepalive_count_max": 3}  # seconds, and unanswered ones
_PORTS = range(1, 65536)


def parse_address(address: str) -> tuple[str, str | None, int | None]:
    """Name, user and port of `[user@]name[:port]`.

    An IPv6 address stands in brackets when a port follows.

    Raises:
        UsageError: no name, or a port that is none.
    """
    user, at, rest = address.rpartition("@")
    if rest.startswith("["):
        name, _, port = rest[1:].partition("]")
        colon, port = port[:1], port[1:]
    elif rest.count(":") > 1:
        name, colon, port = rest, "", ""
    else:
        name, colon, port = rest.partition(":")
    good_port = port.isdecimal() and int(port) in _PORTS if colon else not port
    if not name or (at and not user) or not good_port:
        raise UsageError(
            "expected [user@]name[:port], with a port of 1 to 65535", where=repr(address)
        )
    return name, user or None, int(port) if port else None


_OTHER_KINDS = frozenset({"local", "localhost", "lab", "recording"})


async def open_as_root(address: str) -> SshHost:
    """Connect, and run all there as root, by sudo or doas.

    Args:
        address: as `open_ssh` takes it, after `sudo:` or `doas:`; alone where `--become` is given.

    Raises:
        UsageError: this is no address, or of no host over ssh.
        HostFailed: why it cannot be reached or root not become, and what to do.
    """
    reached, way = without_way(address), becomes(address)
    if (kind := reached.partition(":")[0]) in _OTHER_KINDS:
        raise UsageError(
            f"{way}: stands before the address of a host over ssh, not before {kind}",
            where=repr(address),
            hint="`sudo iosonde …` is root on this machine" if kind[:5] == "local" else "",
        )
    host = await open_ssh(reached.removeprefix("ssh:"), called=address, become=way)
    try:
        await require_root(host, way)
    except BaseException:
        await host.close()
        raise
    return host


async def open_ssh(address: str, *, called: str = "", become: str = "") -> SshHost:
    """Connect.

    Args:
        address: `[user@]name[:port]`; what it leaves open, ~/.ssh/config says.
        called: the host's name, where that is not the address.
        become: what makes root there, "sudo" or "doas", by which all is run; empty: nothing.

    Raises:
        UsageError: this is no address.
        HostFailed: why it cannot be reached, and what to do.
    """
    name, user, port = parse_address(address)
    called = called or address
    wanted: dict[str, Any] = dict(_ALIVE)
    by_hand = ["ssh"]
    if port:
        wanted["port"] = port
        by_hand += ["-p", str(port)]
    if user:
        wanted["username"] = user
    by_hand.append(f"{user}@{name}" if user else name)
    try:
        async with asyncio.timeout(_CONNECT_TIME):
            return SshHost(called, await asyncssh.connect(name, **wanted), become=become)
    except (asyncssh.Error, OSError, TimeoutError) as problem:
        message, hint = _refusal(problem, quote(by_hand))
        raise HostFailed(message, where=called, hint=hint) from None


_REFUSALS: tuple[tuple[type[Exception], str, str], ...] = (
    (
        asyncssh.HostKeyNotVerifiable,
        "its host key is not known here, or not the one that is known",
        "run `{ssh}` once, compare the key's fingerprint, and accept it",
    ),
    (
        asyncssh.PermissionDenied,
        "it accepts none of your keys",
        "try `{ssh} true`; load the key into ssh-agent or name it in ~/.ssh/config",
    ),
    (asyncssh.ConfigParseError, "~/.ssh/config cannot be read: {problem}", "mend that line"),
    (
        socket.gaierror,
        "there is no host of this name",
        "check the spelling, DNS and ~/.ssh/config",
    ),
    (ConnectionRefusedError, "nothing listens at its ssh port", "check sshd there, and the port"),
    (TimeoutError, "it did not answer in time", "check the host, the cable and firewalls"),
    (Exception, "the connection failed: {problem}", "try `{ssh} true`"),
)


def _refusal(problem: Exception, ssh: str) -> tuple[str, str]:
    """Why a connection failed, and what to do, in the user's words."""
    _, message, hint = next(row for row in _REFUSALS if isinstance(problem, row[0]))
    said = str(problem) or type(problem).__name__
    return message.format(problem=said), hint.format(ssh=ssh)
