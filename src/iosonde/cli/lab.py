"""`iosonde lab`: virtual hosts with the real kernel, to build stacks on and to break them."""

from __future__ import annotations

import os
from shlex import join
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.misspelt import no_such_action
from iosonde.cli.output import out, print_json, print_next
from iosonde.cli.steps import TenthsProgress
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from iosonde.verbs.lab import Fault
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

LabName = Annotated[
    str, typer.Option("--name", help="Name of the lab; else the only one with that node.")
]
Node = Annotated[str, typer.Argument(metavar="NODE", help="As `lab list` names it.")]
Disk = Annotated[str, typer.Argument(metavar="NODE/DISK", help="As `lab list` names them: n1/d1.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def lab(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="What to do (above).")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="WHAT", help="Of the action; its options follow.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Virtual hosts with the real kernel: start them, reach them, break and mend them.

    The lab of a stack file bears the stack's name, any other the name `lab`. Its nodes are hosts
    like any other: `iosonde show lab:NAME/NODE`. `iosonde lab ACTION --help` has an action's
    options.
    """
    del arguments, as_json
    raise no_such_action("lab", action, ACTIONS)


def up(
    stack: Annotated[
        str, typer.Argument(metavar="[STACK]", help="A stack file: its hosts and disks.")
    ] = "",
    name: Annotated[str, typer.Option("--name", help="Name of the lab.")] = "",
    nodes: Annotated[
        int | None, typer.Option(help="How many nodes, n1, n2 …  [default: 1]", min=1, max=200)
    ] = None,
    disks: Annotated[
        int | None, typer.Option(help="How many disks each, d1, d2 …  [default: 0]", min=0, max=20)
    ] = None,
    size: Annotated[str, typer.Option(help="Of each disk; it is sparse.  [default: 1 GiB]")] = "",
    bus: Annotated[
        str, typer.Option(help="Of disks: virtio-scsi, nvme, …  [default: virtio-blk]")
    ] = "",
    memory: Annotated[str, typer.Option(help="Of each node.  [default: 384 MiB]")] = "",
    remember: Annotated[
        bool, typer.Option("--remember", help="Nodes keep their files over a loss of power.")
    ] = False,
    mtu: Annotated[
        int | None, typer.Option(help="Of the network between them.  [default: 9000]", min=576)
    ] = None,
    arch: Annotated[
        str,
        typer.Option(help="Architecture of the nodes: amd64, arm64; this machine's by default."),
    ] = "",
    suite: Annotated[
        str,
        typer.Option(help="Their release: trixie, bookworm-backports; this machine's by default."),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Start a lab as a stack file declares it, or with nodes n1, n2 … that are alike.

    The first one makes the image, which takes some minutes.
    """
    from iosonde import units
    from iosonde.verbs import lab as verb

    alike = {
        "--name": name, "--nodes": nodes, "--disks": disks, "--size": size, "--bus": bus,
        "--memory": memory, "--remember": remember, "--mtu": mtu,
    }  # fmt: skip
    given = [option for option, value in alike.items() if value]
    if stack and given:
        raise UsageError(
            f"give a stack file or --nodes, not both: {stack} says what {given[0]} would",
            hint="iosonde lab up --help",
        )
    started = verb.start(
        stack or None, name=name, nodes=nodes, disks=disks or 0, bus=bus or "virtio-blk",
        size=units.parse_bytes(size or "1 GiB", where="--size"),
        memory=units.parse_bytes(memory or "384 MiB", where="--memory"),
        remember=remember, mtu=mtu or 9000, arch=arch, suite=suite,
        progress=TenthsProgress(as_json=as_json),
    )  # fmt: skip
    at = started.steps[0].layer
    first = next(node for lab in verb.running().labs if lab.name == at for node in lab.nodes)
    _print(
        started, f"iosonde show lab:{at}/{first.name}", f"iosonde lab ssh {first.name}",
        f"iosonde lab down {at}", as_json=as_json,
    )  # fmt: skip


def list_labs(as_json: AsJson = False) -> None:
    """The labs that run here, with their nodes and disks."""
    from iosonde.verbs import lab as verb

    running = verb.running()
    if as_json:
        print_json(running.to_json())
        return
    for lab in running.labs:
        kind = filter(None, (lab.arch, lab.suite, _speed(lab.accel)))
        out().print(f"{lab.name} ({', '.join(kind)})")
        for node in lab.nodes:
            state = "" if node.running else "  does not run"
            disks = f"  disks {', '.join(node.disks)}" if node.disks else ""
            out().print(f"  lab:{lab.name}/{node.name}  {node.address}{disks}{state}")
    if not running.labs:
        out().print("no lab is running; `iosonde lab up --nodes 1` starts one")


def _speed(accel: str) -> str:
    return "KVM" if accel == "kvm" else "emulated, without KVM"


def ssh(
    node: Node,
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COMMAND…]", help="Instead of a shell; all that follows NODE."),
    ] = None,
    name: LabName = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print errors as JSON; what it runs prints as it does.")
    ] = False,
) -> None:
    """A shell on a node, or a command there."""
    from iosonde.verbs import lab as verb

    del as_json
    argv = command or []
    argv = verb.shell(node, *(argv[1:] if argv[:1] == ["--"] else argv), lab=name)
    os.execvp(argv[0], argv)  # noqa: S606 - an argument list: no shell sees it


def down(
    lab: Annotated[
        str,
        typer.Argument(metavar="[NAME]", help="Of the lab, or its stack file; else the only one."),
    ] = "",
    name: Annotated[str, typer.Option("--name", help="The same.")] = "",
    as_json: AsJson = False,
) -> None:
    """End a lab and remove all its files."""
    from iosonde.verbs import lab as verb

    _print(verb.end(lab or name), as_json=as_json)


def cut(node: Node, name: LabName = "", as_json: AsJson = False) -> None:
    """Cut a node off the network, silently: the link stays up; ssh still works."""
    _fault("cut", node, name, as_json=as_json)


def kill(node: Node, name: LabName = "", as_json: AsJson = False) -> None:
    """Cut a node's power; what its disks acknowledged stays."""
    _fault("kill", node, name, as_json=as_json)


def start(node: Node, name: LabName = "", as_json: AsJson = False) -> None:
    """Boot a node again after `kill`, with its disks."""
    _fault("start", node, name, as_json=as_json)


def fail(disk: Disk, name: LabName = "", as_json: AsJson = False) -> None:
    """Let every read and write of a disk end with an error."""
    _fault("fail", disk, name, as_json=as_json)


def slow(
    disk: Disk,
    iops: Annotated[float | None, typer.Option(help="At most so many I/Os per second.")] = None,
    bandwidth: Annotated[str, typer.Option(help="At most so many bytes per second.")] = "",
    name: LabName = "",
    as_json: AsJson = False,
) -> None:
    """Limit a disk; a limit that is not given ends."""
    from iosonde import units

    rate = units.parse_bytes(bandwidth, where="--bandwidth") if bandwidth else None
    _fault("slow", disk, name, as_json=as_json, iops=iops, bandwidth=rate)


def heat(disk: Disk, name: LabName = "", as_json: AsJson = False) -> None:
    """Let an NVMe drive warn in its SMART log that it is too hot; its speed is set by `slow`."""
    _fault("heat", disk, name, as_json=as_json)


def heal(
    node: Annotated[str, typer.Argument(metavar="[NODE]", help="This one alone; else all.")] = "",
    name: LabName = "",
    as_json: AsJson = False,
) -> None:
    """Mend what was cut, failed, slowed or heated; a node without power stays so."""
    from iosonde.verbs import lab as verb

    _print(verb.heal(node, lab=name), as_json=as_json)


def _fault(
    what: Fault,
    where: str,
    name: str,
    *,
    as_json: bool,
    iops: float | None = None,
    bandwidth: float | None = None,
) -> None:
    from iosonde.verbs import lab as verb

    done = verb.fault(what, where, iops=iops, bandwidth=bandwidth, lab=name)
    node = where.partition("/")[0]
    named = ["--name", name] if name else []
    undo = {"kill": ["start", node], "start": []}.get(what, ["heal", node])
    _print(done, *([join(["iosonde", "lab", *undo, *named])] if undo else []), as_json=as_json)


def _print(done: StackSteps, *after: str, as_json: bool) -> None:
    if as_json:
        print_json(done.to_json())
        return
    for step in done.steps:
        out().print(f"{step.layer}: {step.action} ({step.seconds:.1f} s)")
    if after:
        print_next(*after)
