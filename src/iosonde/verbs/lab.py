"""Virtual hosts with the real kernel: started, reached, broken and mended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

from iosonde.change.build import Report
from iosonde.contract import VerbResult
from iosonde.errors import UsageError
from iosonde.lab import faults, power
from iosonde.lab.host import DEFAULT, ssh_argv
from iosonde.lab.machine import BUSES
from iosonde.lab.spec import DiskLimits, DiskSpec, LabSpec, NodeSpec, memory_disk
from iosonde.lab.state import Lab, LabNode, NodeOff, find, labs, take_down
from iosonde.lab.up import sweep
from iosonde.lab.up import up as start_lab
from iosonde.stack.file import read_stack
from iosonde.stack.rehearsal import lab_of
from iosonde.units import GIB, MIB
from iosonde.verbs.signals import run_async
from iosonde.verbs.up import StackSteps

_ADVICE = "nothing of an unfinished lab is left."


@dataclass(frozen=True, slots=True)
class RunningNode:
    """A virtual host; `lab:LAB/NODE` names it wherever a host is asked for."""

    name: str
    address: str
    ssh_port: int
    running: bool
    disks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunningLab:
    """A lab on this machine; `arch` is the architecture of its nodes, `suite` their release.

    `suite` is empty where the nodes have the release of the machine that made their image.
    """

    name: str
    accel: Literal["kvm", "tcg"]
    nodes: tuple[RunningNode, ...]
    arch: str
    suite: str


@dataclass(frozen=True, slots=True)
class RunningLabs(VerbResult):
    """The labs that run, as `lab list` prints them."""

    SCHEMA = "iosonde.lab/1"
    labs: tuple[RunningLab, ...]


def start(
    stack: str | Path | None = None,
    *,
    name: str = "",
    nodes: int | None = None,
    disks: int = 0,
    size: int = GIB,
    bus: str = "virtio-blk",
    memory: int = 384 * MIB,
    remember: bool = False,
    mtu: int = 9000,
    arch: str = "",
    suite: str = "",
    progress: Callable[[str, float | None], None] = lambda _what, _share: None,
) -> StackSteps:
    """Start a lab, as a stack file declares it or with nodes n1, n2 … that are alike.

    Args:
        stack: the file; the lab bears the stack's name, and nothing else is asked for.
        name: of the lab.
        nodes: how many; None: one.
        disks: of each node.
        size: of each disk, in bytes; it is sparse.
        bus: by which they are attached: virtio-blk, virtio-scsi or nvme.
        memory: of each node, in bytes.
        remember: nodes keep their files over a loss of power.
        mtu: of the network between them.
        arch: architecture of the nodes, amd64 or arm64; empty: this machine's.
        suite: their release of Debian, or its backports, whose kernel alone is taken; empty: this
            machine's.
        progress: hears what is done and, where known, how far it is (a fraction).

    Raises:
        UsageError: it is already running, or there is no such bus, architecture or release.
        HostFailed: QEMU is missing or a node does not come up; nothing is left then.
    """
    began = time.monotonic()
    if stack is not None and nodes:
        raise UsageError("give a stack file or --nodes", where="iosonde lab up")
    if stack is not None:
        spec = _declared(stack)
    else:
        if bus not in BUSES:
            raise UsageError(f"there is no bus {bus!r}; known: {', '.join(BUSES)}", where="--bus")
        drives = tuple(DiskSpec(f"d{number}", size, bus=bus) for number in range(1, disks + 1))
        drives += (memory_disk(),) if remember else ()
        alike = tuple(
            NodeSpec(f"n{number}", memory, disks=drives) for number in range(1, (nodes or 1) + 1)
        )
        spec = LabSpec(name or DEFAULT, alike, mtu)
    spec = replace(spec, arch=arch, suite=suite)
    lab, _ = run_async(start_lab(spec, progress), _ADVICE)
    hosts = ", ".join(f"{node.name} {node.address}" for node in lab.nodes)
    how = "by KVM" if lab.accel == "kvm" else "emulated"
    return _step(lab.name, f"up, {how}: {hosts}", began)


def _declared(stack: str | Path) -> LabSpec:
    return lab_of(read_stack(Path(stack), rehearse=True))


def _step(where: str, action: str, began: float) -> StackSteps:
    seconds = round(time.monotonic() - began, 3)
    return StackSteps((Report(where, where, action, "", "done", seconds),))


def running() -> RunningLabs:
    """The labs that run on this machine; what is left of killed ones is removed first."""
    sweep()
    return RunningLabs(
        tuple(
            RunningLab(
                lab.name,
                cast('Literal["kvm", "tcg"]', lab.accel),
                tuple(
                    RunningNode(
                        node.name, node.address, node.port, lab.pid(node.name) is not None,
                        node.disks,
                    )
                    for node in lab.nodes
                ),
                lab.arch,
                lab.suite,
            )
            for lab in labs()
        )
    )  # fmt: skip


def end(name: str = "") -> StackSteps:
    """End a lab and remove all its files.

    Args:
        name: of it, or its stack file; empty: the only one that runs.
    """
    began = time.monotonic()
    if name.endswith((".yaml", ".yml")):
        name = _declared(name).name
    if not name:
        names = [lab.name for lab in labs()]
        if len(names) > 1:
            raise UsageError(f"say which lab: {', '.join(names)}", where="iosonde lab down")
        name = names[0] if names else DEFAULT
    there = run_async(asyncio.to_thread(take_down, name), _ADVICE)
    return _step(name, "down" if there else "was not there", began)


def shell(node: str, *command: str, lab: str = "") -> list[str]:
    """The command that opens a shell on a node, or runs a command there."""
    chosen, host, _ = _find(node, lab)
    if chosen.pid(host.name) is None:
        raise NodeOff(
            f"the node {host.name} is not running",
            hint=f"`iosonde lab start {host.name} --name {chosen.name}` boots it again",
        )
    return ssh_argv(chosen, host, command)


def _find(where: str, lab: str) -> tuple[Lab, LabNode, str]:
    """Lab, node and disk that "NODE" or "NODE/DISK" names."""
    node, _, disk = where.partition("/")
    chosen = _meant(lab, node)
    return chosen, chosen.node(node), disk


def _meant(name: str, node: str = "") -> Lab:
    """The lab that is meant: the one named, the only one with that node, or the one named `lab`."""
    fitting = [lab for lab in labs() if not node or node in {member.name for member in lab.nodes}]
    return fitting[0] if not name and len(fitting) == 1 else find(name or DEFAULT)


async def _kill(lab: Lab, node: LabNode, disk: str, limits: DiskLimits) -> None:
    del disk, limits
    power.kill(lab, node)


Fault = Literal["cut", "kill", "start", "fail", "slow", "heat"]
_FAULTS: dict[Fault, tuple[str, Callable[[Lab, LabNode, str, DiskLimits], Awaitable[None]]]] = {
    "cut": ("cut off the network", lambda lab, node, *_: faults.cut(lab, node)),
    "kill": ("without power", _kill),
    "start": ("up again", lambda lab, node, *_: power.power_on(lab, node)),
    "fail": ("every I/O fails", lambda lab, node, disk, _: faults.fail(lab, node, disk)),
    "slow": ("limited", faults.slow),
    "heat": ("warns of its temperature", lambda lab, node, disk, _: faults.heat(lab, node, disk)),
}


def fault(
    what: Fault,
    where: str,
    *,
    iops: float | None = None,
    bandwidth: float | None = None,
    lab: str = "",
) -> StackSteps:
    """Break a lab on purpose: cut a node off, take its power, fail, slow or heat a disk.

    Args:
        what: cut, kill; start: boot a node again after kill; fail, slow, heat.
        where: NODE; of fail, slow and heat NODE/DISK.
        iops: limit of a slow disk, 1/s.
        bandwidth: limit of a slow disk, bytes/s.
        lab: its name; empty: the only one with that node.
    """
    began = time.monotonic()
    chosen, node, disk = _find(where, lab)
    if what == "slow" and iops is None and bandwidth is None:
        raise UsageError("say how slow: --iops or --bandwidth", hint="iosonde lab slow --help")
    done, doing = _FAULTS[what]

    async def do() -> None:
        await doing(chosen, node, disk, DiskLimits(iops, bandwidth))

    run_async(do(), _ADVICE)
    return _step(where if what in {"fail", "slow", "heat"} else node.name, done, began)


def heal(where: str = "", *, lab: str = "") -> StackSteps:
    """Mend what was cut, failed, slowed or heated, of one node or of all."""
    began, chosen = time.monotonic(), _meant(lab)
    nodes = [chosen.node(where)] if where else chosen.nodes

    async def do() -> None:
        for node in nodes:
            await faults.heal(chosen, node)

    run_async(do(), _ADVICE)
    return _step(where or chosen.name, "healed", began)
