"""A node of the lab as a host: ordinary ssh, with the image's keys."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncssh

from iosonde.errors import HostFailed, UsageError
from iosonde.hosts.ssh.host import SshHost
from iosonde.lab.state import Lab, LabNode, NodeOff, find

DEFAULT = "lab"
"""The lab that is meant where no other is named."""
_CONNECT_TIME = 40.0  # an emulated node needs a while for the key exchange
_ALIVE = {"keepalive_interval": 5, "keepalive_count_max": 4}


def parse_address(address: str) -> tuple[str, str]:
    """Lab and node of "LAB/NODE" or "NODE"."""
    lab, slash, node = address.partition("/")
    if not slash:
        lab, node = DEFAULT, address
    if not lab or not node:
        raise UsageError("expected lab:LAB/NODE or lab:NODE", where=repr(f"lab:{address}"))
    return lab, node


async def open_lab(address: str) -> SshHost:
    """Connect to a node.

    Args:
        address: "LAB/NODE", or "NODE" of the lab named "lab".

    Raises:
        UsageError: no such lab or node.
        HostFailed: it does not answer.
    """
    name, node = parse_address(address)
    lab = find(name)
    return await connect(lab, lab.node(node), f"lab:{address}")


async def connect(lab: Lab, node: LabNode, called: str) -> SshHost:
    """The node as a host of the name `called`."""
    if lab.pid(node.name) is None:
        raise NodeOff(
            "this node is not running",
            where=called,
            hint=f"`iosonde lab start {node.name} --name {lab.name}` boots it again",
        )
    image = Path(lab.image)
    key = (image / "host_key.pub").read_text()
    host_keys = asyncssh.import_known_hosts(f"[127.0.0.1]:{node.port} {key}")
    try:
        async with asyncio.timeout(_CONNECT_TIME):
            connection = await asyncssh.connect(
                "127.0.0.1", node.port, username="root", config=None, known_hosts=host_keys,
                client_keys=[str(image / "key")], agent_path=None,
                kex_algs=["curve25519-sha256"], encryption_algs=["aes128-gcm@openssh.com"],
                compression_algs=None, connect_timeout=_CONNECT_TIME, **_ALIVE,
            )  # fmt: skip
    except (asyncssh.Error, OSError, TimeoutError) as problem:
        reason = str(problem) or "it did not answer in time"
        raise HostFailed(
            f"the node does not answer: {reason}",
            where=called,
            hint=f"its console: {lab.directory / node.name / 'console'}",
        ) from None
    return SshHost(called, connection)


def ssh_argv(lab: Lab, node: LabNode, command: tuple[str, ...]) -> list[str]:
    """The argument list of OpenSSH that leads to a node."""
    image = Path(lab.image)
    known_hosts = lab.directory / "known_hosts"
    key = (image / "host_key.pub").read_text()
    known_hosts.write_text("".join(f"[127.0.0.1]:{node.port} {key}" for node in lab.nodes))
    return [
        "ssh",
        "-F",
        "none",
        "-i",
        str(image / "key"),
        "-p",
        str(node.port),
        "-o",
        f"UserKnownHostsFile={known_hosts}",
        "-o",
        "IdentitiesOnly=yes",
        "-o",
        "LogLevel=ERROR",
        "root@127.0.0.1",
        *command,
    ]
