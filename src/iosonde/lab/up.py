"""Starts a lab: the switch, then all nodes at once; waits until each says that it is up.

Until the lab stands whole, a guard process holds its life: should iosonde be killed, the guard sees
its pipe close, ends what was started and removes its files.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from iosonde.errors import UsageError
from iosonde.lab.accel import accelerator
from iosonde.lab.architecture import architecture, qemu
from iosonde.lab.guests import listener
from iosonde.lab.image import Image, Tell, base, image
from iosonde.lab.machine import NodeLocation, node_arguments, switch_arguments
from iosonde.lab.power import not_started, start, wait_up
from iosonde.lab.spec import DiskSpec, LabSpec, NodeSpec, checked
from iosonde.lab.state import Lab, LabNode, labs, take_down
from iosonde.private_folder import make_private
from iosonde.scripts import program
from iosonde.store.owner import is_gone, this_process
from iosonde.units import show_seconds

_LONGEST_SOCKET = 100  # sun_path is 108 bytes (unix(7))

_GUARD = program("iosonde.lab", "guard.sh")


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds since the call until something was so: the image there, all started, each node up."""

    image: float
    started: float
    nodes: dict[str, float]


async def up(spec: LabSpec, tell: Tell) -> tuple[Lab, Times]:
    """Start a lab and wait until every node answers.

    Args:
        spec: what it is made of.
        tell: told what is being done.

    Raises:
        UsageError: it is already running, or there is no such architecture or release.
        HostFailed: QEMU is missing or a node does not come up; nothing is left then.
    """
    began = time.monotonic()
    checked(spec)
    chosen = architecture(spec.arch)
    program = qemu(chosen)
    sweep()
    for lab in (lab for lab in labs() if lab.name == spec.name):
        stands = any(lab.pid(node.name) for node in lab.nodes)
        raise UsageError(
            f"a lab {spec.name!r} is already running"
            if stands
            else f"a lab {spec.name!r} exists, but none of its hosts is running",
            hint=f"`iosonde lab down {spec.name}` first, or give another --name",
        )
    made = await image(tell, chosen, spec.suite)
    at_image = time.monotonic() - began
    lab = _written(spec, made, await accelerator(made), program)
    try:
        with _guarded(lab.directory):
            _start_all(lab)
            started = time.monotonic() - began
            number = len(_first(lab))
            how = "by KVM" if lab.accel == "kvm" else "emulated, without KVM"
            tell(f"starting {number} node{'s' * (number != 1)}, {how}", None)
            nodes = await _all_up(lab, began, tell)
            lab.completed()
    except BaseException:
        take_down(lab.name)
        raise
    return lab.completed(), Times(at_image, started, nodes)


def sweep() -> None:
    """Remove labs that a crash left half-way, where their guard could not."""
    for lab in labs():
        owner = lab.directory / "owner"
        if not lab.complete and not _lives(owner):
            take_down(lab.name)


def _lives(owner: Path) -> bool:
    """Whether who starts a lab may still be there. Earlier versions wrote "PID START"."""
    try:
        mark = owner.read_text()
    except OSError:
        return False
    if ":" not in mark:
        mark = ":".join([*this_process().split(":")[:-2], *mark.split()])
    return not is_gone(mark)


def _written(spec: LabSpec, made: Image, accel: str, program: str) -> Lab:
    """The lab with its directory, disks and command lines; nothing runs yet."""
    lab = Lab(
        spec.name, str(made.directory), accel, False, (), (), made.architecture.name, made.suite
    )
    directory = lab.directory
    if len(str(directory)) > _LONGEST_SOCKET - 40:
        raise UsageError(
            f"the path {directory} is too long for sockets", hint="set IOSONDE_LAB to a shorter one"
        )
    make_private(directory.parent)
    directory.mkdir(mode=0o700)  # where another one has just begun it, this fails
    (directory / "owner").write_text(this_process())
    peers = [(node.name, f"10.9.0.{number}") for number, node in enumerate(spec.nodes, 1)]
    sockets = [directory / f"port-{number}" for number, _ in enumerate(spec.nodes, 1)]
    nodes = []
    ports = free_ports(sum(1 + len(node.disks) for node in spec.nodes))
    spec, forwards = _forwarded(spec, ports[len(spec.nodes) :])
    for number, node in enumerate(spec.nodes, 1):
        hosting = any(guest.host == node.name for guest in spec.nodes)
        place = NodeLocation(
            directory / node.name, number, ports[number - 1], sockets[number - 1],
            tuple(forwards.get(node.name, ())),
            listener(spec.name, node.name, base()) if hosting else "",
        )  # fmt: skip
        place.directory.mkdir(mode=0o700)
        _make_disks(node, place.directory)
        command = node_arguments(
            node, made, place, accel=accel, mtu=spec.mtu, peers=peers, program=program
        )
        disks = tuple(disk.name for disk in node.disks)
        nodes.append(LabNode(node.name, number, place.port, disks, tuple(command), node.host))
    switch = switch_arguments(sockets, directory / "qmp", program)
    return replace(lab, switch=tuple(switch), nodes=tuple(nodes)).keep()


def _forwarded(
    spec: LabSpec, ports: Sequence[int]
) -> tuple[LabSpec, dict[str, list[tuple[int, int]]]]:
    """The lab with disks that nodes export at forwarded ports, and each node's ports for that.

    `ports` are free ones of 127.0.0.1, as many as there are disks.
    """
    free = iter(ports)
    names = {node.name for node in spec.nodes}
    forwards: dict[str, list[tuple[int, int]]] = {}

    def moved(disk: DiskSpec) -> DiskSpec:
        host, _, place = disk.source.partition(":")[2].partition(":")
        if host not in names:
            return disk
        port, _, export = place.partition("/")
        local = next(free)
        forwards.setdefault(host, []).append((local, int(port)))
        return replace(disk, source=f"nbd:127.0.0.1:{local}/{export}")

    nodes = tuple(replace(node, disks=tuple(map(moved, node.disks))) for node in spec.nodes)
    return replace(spec, nodes=nodes), forwards


def _first(lab: Lab) -> tuple[LabNode, ...]:
    """The nodes that start with the lab: all but guests."""
    return tuple(node for node in lab.nodes if not node.host)


def _make_disks(node: NodeSpec, directory: Path) -> None:
    for disk in node.disks:
        if not disk.source:
            with (directory / f"disk-{disk.name}").open("wb") as file:
                file.truncate(disk.size)


def free_ports(count: int) -> list[int]:
    """Ports of 127.0.0.1 that nobody listens at now."""
    with contextlib.ExitStack() as stack:
        ports = []
        for _ in range(count):
            listener = stack.enter_context(socket.socket())
            listener.bind(("127.0.0.1", 0))
            ports.append(int(listener.getsockname()[1]))
        return ports


@contextlib.contextmanager
def _guarded(directory: Path) -> Iterator[None]:
    guard = subprocess.Popen(
        ["sh", "-c", _GUARD, "sh", str(directory)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield
    finally:
        # Also after a failure: who raised it takes the lab down itself.
        guard.communicate(b"whole\n")


def _start_all(lab: Lab) -> None:
    start(lab, "switch", lab.switch)
    limit = time.monotonic() + 10.0
    while not all((lab.directory / f"port-{node.number}").exists() for node in lab.nodes):
        if lab.pid("switch") is None or time.monotonic() > limit:
            raise not_started(lab, "switch")
        time.sleep(0.005)
    for node in _first(lab):
        start(lab, node.name, node.command)


async def _all_up(lab: Lab, began: float, tell: Tell) -> dict[str, float]:
    """Seconds after `began` at which each node said it was up."""

    async def node_up(node: LabNode) -> tuple[str, float]:
        await wait_up(lab, node)
        tell(f"{node.name} is up after {show_seconds(time.monotonic() - began)}", None)
        return node.name, time.monotonic() - began

    return dict(await asyncio.gather(*map(node_up, _first(lab))))
