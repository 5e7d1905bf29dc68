"""`iosonde lab`: virtual hosts with the real kernel, to build stacks on and to break them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iosonde.cli.output import err, out, print_json
from iosonde.errors import UsageError
from iosonde.verbs.signals import run_async

if TYPE_CHECKING:
    from iosonde.lab.spec import LabSpec
    from iosonde.lab.state import Lab, Node
    from iosonde.records import Json

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
    "heal": "mend what was cut, failed or slowed: `heal [NODE]`",
}
_EPILOG = "\n\n".join(f"{name}: {text}" for name, text in ACTIONS.items())


def lab(
    action: Annotated[str, typer.Argument(metavar="ACTION", help=", ".join(ACTIONS))],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WHAT", help="A stack file, NODE or NODE/DISK.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the lab.")] = "",
    nodes: Annotated[
        int | None, typer.Option(help="How many nodes, n1, n2 …", min=1, max=200)
    ] = None,
    disks: Annotated[int, typer.Option(help="How many disks each, d1, d2 …", min=0, max=20)] = 0,
    size: Annotated[str, typer.Option(help="Size of each disk; it is sparse.")] = "1 GiB",
    memory: Annotated[str, typer.Option(help="Memory of each node.")] = "384 MiB",
    remember: Annotated[
        bool, typer.Option("--remember", help="Nodes keep their files over a loss of power.")
    ] = False,
    mtu: Annotated[int, typer.Option(help="MTU of the network between them.", min=576)] = 9000,
    iops: Annotated[float | None, typer.Option(help="I/Os per second of a slow disk.")] = None,
    bandwidth: Annotated[str, typer.Option(help="Bytes per second of a slow disk.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Virtual hosts with the real kernel: start them, reach them, break and mend them.

    The lab of a stack file bears the stack's name, any other the name `lab`. Its nodes are hosts
    like any other: `iosonde show lab:NAME/NODE`.
    """
    from iosonde import units
    from iosonde.lab.spec import Limits

    words = words or []
    options: dict[str, Any] = {
        "name": name, "nodes": nodes, "disks": disks, "size": units.parse_bytes(size),
        "memory": units.parse_bytes(memory), "mtu": mtu, "remember": remember,
        "limits": Limits(iops, units.parse_bytes(bandwidth) if bandwidth else None),
    }  # fmt: skip
    if action not in _DOING:
        raise UsageError(
            f"there is no action {action!r}; known: {', '.join(ACTIONS)}", hint="iosonde lab --help"
        )
    told = _Told(as_json=as_json)
    advice = "nothing of an unfinished lab is left."
    return int(run_async(_DOING[action](words, options, told), advice))


class _Told:
    """What is done, for people as it is done, or as one object at the end."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._began = time.monotonic()
        self._last: tuple[str, int | None] = "", None

    def __call__(self, what: str, share: float | None) -> None:
        tenth = None if share is None else int(share * 10)
        if not self.as_json and (what, tenth) != self._last:
            self._last = what, tenth
            percent = f" {share:4.0%}" if share is not None else ""
            err().print(f"{what}{percent}")

    def step(self, where: str, action: str) -> int:
        """One thing is done."""
        seconds = time.monotonic() - self._began
        if self.as_json:
            step: dict[str, Json] = {
                "layer": where, "host": where, "action": action, "command": "", "state": "done",
                "seconds": round(seconds, 3),
            }  # fmt: skip
            print_json({"schema": "iosonde.up/1", "steps": [step]})
        else:
            out().print(f"{where}: {action} ({seconds:.1f} s)")
        return 0


async def _up(words: list[str], options: dict[str, Any], told: _Told) -> int:
    from iosonde.lab.up import up

    spec = _spec_of(words, options)
    made, _ = await up(spec, told)
    names = ", ".join(f"{one.name} {one.address}" for one in made.nodes)
    return told.step(made.name, f"up by {made.accel}: {names}")


def _spec_of(words: list[str], options: dict[str, Any]) -> LabSpec:
    from iosonde.lab.host import DEFAULT
    from iosonde.lab.spec import DiskSpec, LabSpec, NodeSpec, memory_disk

    if len(words) > 1 or (words and options["nodes"]):
        raise UsageError("give a stack file or --nodes", where="iosonde lab up")
    if words:
        from iosonde.stack.file import read_stack
        from iosonde.stack.rehearsal import lab_of

        return lab_of(read_stack(Path(words[0]), rehearse=True))
    disks = tuple(DiskSpec(f"d{n}", options["size"]) for n in range(1, options["disks"] + 1))
    disks += (memory_disk(),) if options["remember"] else ()
    nodes = tuple(
        NodeSpec(f"n{n}", options["memory"], disks=disks)
        for n in range(1, (options["nodes"] or 1) + 1)
    )
    return LabSpec(options["name"] or DEFAULT, nodes, options["mtu"])


def _found(options: dict[str, Any], node: str = "") -> Lab:
    """The lab that is meant: the one named, the only one with that node, or the one named `lab`."""
    from iosonde.lab.host import DEFAULT
    from iosonde.lab.state import find, labs

    running = [lab for lab in labs() if not node or node in {one.name for one in lab.nodes}]
    if not options["name"] and len(running) == 1:
        return running[0]
    return find(options["name"] or DEFAULT)


def _node(words: list[str], options: dict[str, Any], action: str) -> tuple[Lab, Node, str]:
    """Lab, node and disk that "NODE" or "NODE/DISK" names."""
    if not words:
        raise UsageError(f"say which: iosonde lab {ACTIONS[action].split('`')[1]}")
    node, _, disk = words[0].partition("/")
    lab = _found(options, node)
    return lab, lab.node(node), disk


async def _down(words: list[str], options: dict[str, Any], told: _Told) -> int:
    from iosonde.lab.state import take_down

    name = (words or [options["name"]])[0]
    if name.endswith((".yaml", ".yml")):
        name = _spec_of([name], {**options, "nodes": None}).name
    if not name:
        from iosonde.lab.state import labs

        running = [one.name for one in labs()]
        if len(running) > 1:
            raise UsageError(f"say which lab: {', '.join(running)}", where="iosonde lab down")
        name = running[0] if running else "lab"
    there = await asyncio.to_thread(take_down, name)
    return told.step(name, "down" if there else "was not there")


async def _list(words: list[str], options: dict[str, Any], told: _Told) -> int:
    from iosonde.lab.state import labs
    from iosonde.lab.up import sweep

    del words, options
    sweep()
    running = list(labs())
    if told.as_json:
        print_json(
            {
                "schema": "iosonde.lab/1",
                "labs": [
                    {
                        "name": one.name, "accel": one.accel,
                        "nodes": [
                            {"name": node.name, "address": node.address, "ssh_port": node.port,
                             "running": one.pid(node.name) is not None, "disks": list(node.disks)}
                            for node in one.nodes
                        ],
                    }
                    for one in running
                ],
            }
        )  # fmt: skip
        return 0
    for one in running:
        out().print(f"{one.name} ({one.accel})")
        for node in one.nodes:
            state = "" if one.pid(node.name) else "  does not run"
            disks = f"  disks {', '.join(node.disks)}" if node.disks else ""
            out().print(f"  lab:{one.name}/{node.name}  {node.address}{disks}{state}")
    if not running:
        out().print("no lab is running")
    return 0


async def _ssh(words: list[str], options: dict[str, Any], told: _Told) -> int:
    from iosonde.lab.host import ssh_argv

    del told
    lab, node, _ = _node(words, options, "ssh")
    argv = ssh_argv(lab, node, tuple(words[1:]))
    os.execvp(argv[0], argv)  # noqa: S606 - an argument list: no shell sees it


def _fault(
    action: str, said: str, do: Callable[[Lab, Node], Awaitable[None]]
) -> Callable[[list[str], dict[str, Any], _Told], Awaitable[int]]:
    async def doing(words: list[str], options: dict[str, Any], told: _Told) -> int:
        lab, node, _ = _node(words, options, action)
        await do(lab, node)
        return told.step(node.name, said)

    return doing


async def _cut(lab: Lab, node: Node) -> None:
    from iosonde.lab.faults import cut

    await cut(lab, node)


async def _kill(lab: Lab, node: Node) -> None:
    from iosonde.lab.faults import kill

    kill(lab, node)


async def _start(lab: Lab, node: Node) -> None:
    from iosonde.lab.faults import power_on

    await power_on(lab, node)


async def _fail(words: list[str], options: dict[str, Any], told: _Told) -> int:
    from iosonde.lab.faults import fail

    lab, node, disk = _node(words, options, "fail")
    await fail(lab, node, disk)
    return told.step(words[0], "every I/O fails")


async def _slow(words: list[str], options: dict[str, Any], told: _Told) -> int:
    from iosonde.lab.faults import slow

    lab, node, disk = _node(words, options, "slow")
    if options["limits"].iops is None and options["limits"].bandwidth is None:
        raise UsageError("say how slow: --iops or --bandwidth", where="iosonde lab slow")
    await slow(lab, node, disk, options["limits"])
    return told.step(words[0], "limited")


async def _heal(words: list[str], options: dict[str, Any], told: _Told) -> int:
    from iosonde.lab.faults import heal

    lab = _found(options)
    for node in [lab.node(words[0])] if words else lab.nodes:
        await heal(lab, node)
    return told.step(words[0] if words else lab.name, "healed")


_DOING: dict[str, Callable[[list[str], dict[str, Any], _Told], Any]] = {
    "up": _up, "list": _list, "ssh": _ssh, "down": _down, "fail": _fail, "slow": _slow,
    "heal": _heal,
    "cut": _fault("cut", "cut off the network", _cut),
    "kill": _fault("kill", "without power", _kill),
    "start": _fault("start", "up again", _start),
}  # fmt: skip
