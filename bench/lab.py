"""How soon a lab answers and a stack stands, from a cached image, with the parts of the time."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

from bench.figures import medians
from iosonde.lab.host import connect
from iosonde.lab.image import image
from iosonde.lab.spec import LabSpec, NodeSpec
from iosonde.lab.state import take_down
from iosonde.lab.up import up
from iosonde.records.bench import BenchFigure

_STACK = Path(__file__).parents[1] / "examples" / "stacks" / "nvme-fabric.yaml"
_SINGLE, _THREE, _FABRIC = 6.0, 13.0, 40.0  # seconds


def _silent(what: str, share: float | None) -> None:
    """Tells nobody."""


async def _boot(count: int) -> dict[str, float]:
    """Seconds until all nodes of a lab ran a command over ssh, and the parts of it."""
    name = f"bench{count}"
    spec = LabSpec(name, tuple(NodeSpec(f"n{number}") for number in range(1, count + 1)))
    begin = time.perf_counter()
    lab, times = await up(spec, _silent)
    marked = time.perf_counter() - begin
    try:
        hosts = await asyncio.gather(*(connect(lab, node, node.name) for node in lab.nodes))
        await asyncio.gather(*(host.run(["true"]) for host in hosts))
        whole = time.perf_counter() - begin
        await asyncio.gather(*(host.close() for host in hosts))
    finally:
        take_down(name)
    return {
        "ssh": whole, "qemu started": times.started - times.image,
        "boot": max(times.nodes.values()) - times.started, "first command": whole - marked,
    }  # fmt: skip


def _fabric() -> dict[str, float]:
    """Seconds from nothing until the fabric's XFS is mounted: its lab, then its layers."""
    command = str(Path(sys.executable).with_name("iosonde"))

    def run(*arguments: str) -> float:
        begin = time.perf_counter()
        subprocess.run(
            [command, *arguments], check=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=600,
        )  # fmt: skip
        return time.perf_counter() - begin

    try:
        lab = run("lab", "up", str(_STACK))
        layers = run("up", str(_STACK))
    finally:
        run("lab", "down", "nvme-fabric")
    return {"stands": lab + layers, "lab": lab, "layers": layers}


def run(*, quick: bool) -> list[BenchFigure]:
    """Medians of one node, of three, and of the NVMe fabric; the image is there before."""
    asyncio.run(image())
    rounds = 1 if quick else 3
    figures = []
    for count, limit in ((1, _SINGLE), (3, _THREE)):
        times = medians(asyncio.run(_boot(count)) for _ in range(rounds))
        whole = times.pop("ssh")
        figures.append(
            BenchFigure(f"lab.{count}", whole, "s", f"limit of {limit:g} s", limit / whole)
        )
        figures += [BenchFigure(f"lab.{count}.{part}", value, "s") for part, value in times.items()]
    times = medians(_fabric() for _ in range(rounds))
    whole = times.pop("stands")
    figures.append(
        BenchFigure("lab.fabric", whole, "s", f"limit of {_FABRIC:g} s", _FABRIC / whole)
    )
    figures += [BenchFigure(f"lab.fabric.{part}", value, "s") for part, value in times.items()]
    return figures
