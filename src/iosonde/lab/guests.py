"""A node's guests: machines of the lab that a node switches on and off, as a hypervisor does.

Nesting an emulator in an emulated node would be too slow, so a guest is one more node, whose disks
its host node exports by NBD. It does not start with the lab: what runs on the host node asks for it
at an address of QEMU's user network, behind which QEMU runs this module for each connection. One
line is read, "start NAME", "stop NAME" or "state NAME", and one is answered: "running", "off" or
"failed: REASON". A node can switch its own guests and nothing else.

Source: qemu(1) 7.2, -netdev user, guestfwd=…-cmd:; libslirp src/misc.c (fork_exec).
"""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from iosonde.errors import IosondeError, UsageError
from iosonde.lab.power import power_on
from iosonde.lab.state import Lab, LabNode, end, find

ADDRESS, PORT = "10.0.2.100", 7000
"""Where a node asks, on its user network."""


def listener(lab: str, node: str, base: Path) -> str:
    """The option of `-netdev user` that lets a node ask (with the comma before it)."""
    argv = [
        "env", f"IOSONDE_LAB={base}", sys.executable, "-m", "iosonde.lab.guests", lab, node
    ]  # fmt: skip
    command = shlex.join(argv).replace(",", ",,")
    return f",guestfwd=tcp:{ADDRESS}:{PORT}-cmd:{command}"


def guests_of(lab: Lab, node: LabNode) -> tuple[LabNode, ...]:
    """The guests that a node can switch."""
    return tuple(guest for guest in lab.nodes if guest.host == node.name)


async def answered(lab: Lab, node: LabNode, line: str) -> str:
    """Do what a node asks for.

    Args:
        lab: where.
        node: who asks.
        line: "start NAME", "stop NAME" or "state NAME".

    Raises:
        UsageError: the line is none of these, or the node has no such guest.
        HostFailed: the guest does not start; it does not run then.
    """
    word, _, name = line.partition(" ")
    guests = {guest.name: guest for guest in guests_of(lab, node)}
    if word not in {"start", "stop", "state"} or name not in guests:
        raise UsageError(
            f"{node.name} cannot ask for {line!r}; its guests: {', '.join(guests) or 'none'}",
            hint="start the lab from the stack file that declares the guest",
        )
    guest = guests[name]
    if word == "start" and lab.pid(name) is None:
        await _start(lab, guest)
    elif word == "stop":
        end(lab, name)
    return "off" if lab.pid(name) is None else "running"


async def _start(lab: Lab, guest: LabNode) -> None:
    try:
        await power_on(lab, guest)
    except BaseException:
        end(lab, guest.name)
        raise


def main(arguments: Sequence[str]) -> int:
    """Answer one line of standard input for "LAB NODE" on standard output."""
    name, node = arguments
    try:
        lab = find(name)
        answer = asyncio.run(answered(lab, lab.node(node), sys.stdin.readline().strip()))
    except IosondeError as problem:
        hint = f" ({problem.hint})" if problem.hint else ""
        answer = f"failed: {problem.message}{hint}".replace("\n", " ")
    sys.stdout.write(f"{answer}\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
