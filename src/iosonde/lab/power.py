"""Switches a lab's nodes on and off, and waits until a node is up."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import time
from collections.abc import Sequence

from iosonde import kerneltext
from iosonde.errors import HostFailed, UsageError
from iosonde.lab.state import Lab, LabNode, end

_PATIENCE = 180.0  # an emulated node on a busy machine
_PAUSE = 0.02


def start(lab: Lab, what: str, command: Sequence[str]) -> None:
    """Start a node or the switch; it goes on when iosonde ends."""
    log = lab.directory / f"{what}.log"
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
            umask=0o077,
        )  # fmt: skip
    (lab.directory / f"{what}.pid").write_text(str(process.pid))
    while process.poll() is None and lab.pid(what) is None:
        time.sleep(0.001)  # execve(2) has not set its arguments yet


def not_started(lab: Lab, what: str) -> HostFailed:
    """The error that says what a node or the switch said before it ended."""
    with contextlib.suppress(OSError):
        lines = kerneltext.lines(
            (lab.directory / f"{what}.log").read_text(errors="replace").strip()
        )
        if lines:
            return HostFailed(f"QEMU did not start: {lines[-1]}", where=f"{lab.name}/{what}")
    return HostFailed("QEMU did not start", where=f"{lab.name}/{what}")


async def wait_up(lab: Lab, node: LabNode) -> None:
    """Wait for the line by which a node says that its ssh listens.

    Raises:
        HostFailed: it failed, or ended, or is too late.
    """
    console = lab.directory / node.name / "console"
    limit = time.monotonic() + _PATIENCE
    while time.monotonic() < limit:
        text = console.read_bytes() if console.exists() else b""
        if b"LAB-UP" in text:
            return
        if b"LAB-FAILED" in text:
            reason = kerneltext.decoded(kerneltext.lines(text.split(b"LAB-FAILED", 1)[1])[0])
            raise HostFailed(f"the node could not start: {reason.strip()}", where=node.name)
        if lab.pid(node.name) is None:
            raise not_started(lab, node.name)
        await asyncio.sleep(_PAUSE)
    raise HostFailed(
        f"the node is not up after {_PATIENCE:.0f} s",
        where=node.name,
        hint="this machine may be too busy; the last lines of its console: "
        + kerneltext.decoded(
            b" | ".join(kerneltext.lines(console.read_bytes().replace(b"\r", b""))[-3:])
        ),
    )


def kill(lab: Lab, node: LabNode) -> None:
    """Cut a node's power, and that of its guests. What its disks acknowledged stays in their files.

    Raises:
        UsageError: it does not run.
    """
    for guest in lab.nodes:
        if guest.host == node.name:
            end(lab, guest.name)
    if not end(lab, node.name):
        raise UsageError(f"the node {node.name} is not running")


async def power_on(lab: Lab, node: LabNode) -> None:
    """Boot a node again after `kill`, with its disks; what was not on them is forgotten.

    Raises:
        UsageError: it runs.
    """
    if lab.pid(node.name) is not None:
        raise UsageError(f"the node {node.name} is running")
    (lab.directory / node.name / "console").unlink(missing_ok=True)
    start(lab, node.name, node.command)
    await wait_up(lab, node)
