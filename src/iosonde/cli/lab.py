"""`iosonde lab`: virtual hosts with the real kernel, to build stacks on and to break them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, cast

import typer

from iosonde.cli.output import out, print_json
from iosonde.cli.steps import TenthsProgress
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from iosonde.verbs.lab import Fault, RunningLabs
    from iosonde.verbs.up import StackSteps

ACTIONS = {
    "up": "start one: `up STACK` as a stack file declares it, or `up --nodes N`",
    "list": "the labs that run",
    "ssh": "a shell on a node, or a command there: `ssh NODE [COMMAND…]`",
    "down": "end it and remove all its files: `down [NAME]`",
    "cut": "cut a node off the network: `cut NODE`",
    "kill": "cut a node's power: `kill NODE`",
    "start": "boot a node again after `kill`: `start NODE`",
    "fail": "let every I/O of a disk fail: `fail NODE/DISK`",
    "slow": "limit a disk: `slow NODE/DISK --iops N --bandwidth SIZE`",
    "heat": "let an NVMe drive warn that it is too hot: `heat NODE/DISK`",
    "heal": "mend what was cut, failed, slowed or heated: `heal [NODE]`",
}


def lab(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="What to do (above).")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="WHAT", help="A stack file, NODE or NODE/DISK.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the lab.")] = "",
    nodes: Annotated[
        int | None, typer.Option(help="How many nodes, n1, n2 …", min=1, max=200)
    ] = None,
    disks: Annotated[int, typer.Option(help="How many disks each, d1, d2 …", min=0, max=20)] = 0,
    size: Annotated[str, typer.Option(help="Size of each disk; it is sparse.")] = "1 GiB",
    bus: Annotated[
        str, typer.Option(help="Of disks: virtio-blk, virtio-scsi, nvme.")
    ] = "virtio-blk",
    memory: Annotated[str, typer.Option(help="Memory of each node.")] = "384 MiB",
    remember: Annotated[
        bool, typer.Option("--remember", help="Nodes keep their files over a loss of power.")
    ] = False,
    mtu: Annotated[int, typer.Option(help="MTU of the network between them.", min=576)] = 9000,
    arch: Annotated[
        str,
        typer.Option(help="Architecture of the nodes: amd64, arm64; this machine's by default."),
    ] = "",
    iops: Annotated[float | None, typer.Option(help="I/Os per second of a slow disk.")] = None,
    bandwidth: Annotated[str, typer.Option(help="Bytes per second of a slow disk.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Virtual hosts with the real kernel: start them, reach them, break and mend them.

    The lab of a stack file bears the stack's name, any other the name `lab`. Its nodes are hosts
    like any other: `iosonde show lab:NAME/NODE`.
    """
    from iosonde import units
    from iosonde.verbs import lab as verb

    if action not in ACTIONS:
        raise UsageError(
            f"there is no action {action!r}; known: {', '.join(ACTIONS)}", hint="iosonde lab --help"
        )
    first, *more = arguments or [""]
    speed = units.parse_bytes(bandwidth) if bandwidth else None
    if action == "up" and more:
        raise UsageError("give a stack file or --nodes", where="iosonde lab up")
    if not first and action not in {"up", "list", "down", "heal"}:
        raise UsageError(f"say which: iosonde lab {ACTIONS[action].split('`')[1]}")
    if action == "ssh":
        argv = verb.shell(first, *more, lab=name)
        os.execvp(argv[0], argv)  # noqa: S606 - an argument list: no shell sees it
    doing: dict[str, Callable[[], StackSteps | RunningLabs]] = {
        "up": lambda: verb.start(
            first or None, name=name, nodes=nodes, disks=disks, bus=bus,
            size=units.parse_bytes(size),
            memory=units.parse_bytes(memory), remember=remember, mtu=mtu, arch=arch,
            progress=TenthsProgress(as_json=as_json),
        ),
        "list": verb.running,
        "down": lambda: verb.end(first or name),
        "heal": lambda: verb.heal(first, lab=name),
    }  # fmt: skip
    if action in doing:
        done = doing[action]()
    else:
        done = verb.fault(cast("Fault", action), first, iops=iops, bandwidth=speed, lab=name)
    if as_json:
        print_json(done.to_json())
    elif action == "list":
        _print_labs(cast("RunningLabs", done))
    else:
        for step in cast("StackSteps", done).steps:
            out().print(f"{step.layer}: {step.action} ({step.seconds:.1f} s)")


def _print_labs(running: RunningLabs) -> None:
    for lab in running.labs:
        out().print(f"{lab.name} ({', '.join(filter(None, (lab.arch, lab.accel)))})")
        for node in lab.nodes:
            state = "" if node.running else "  does not run"
            disks = f"  disks {', '.join(node.disks)}" if node.disks else ""
            out().print(f"  lab:{lab.name}/{node.name}  {node.address}{disks}{state}")
    if not running.labs:
        out().print("no lab is running")
