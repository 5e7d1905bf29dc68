"""Run inside a guest of tools/uml/run: builds scenes, loads them with fio, writes down counters.

    python -m tests.uml.ledgers NUMBER[:LOAD,LOAD…]…    scenes of tests/uml/ledger_cases.py

Writes one JSON document per line to $OUTPUT/ledgers: the scene's number, and of each load what
`iosonde run --ledger` keeps of a loop. tests/uml/test_ledger.py makes the ledgers of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import TypeAdapter

from iosonde.hosts.local import LocalHost
from iosonde.measure.counting import Counting, Snapshot, counting_of
from iosonde.monitors import diskstats
from iosonde.records.load import Target, TargetKind
from iosonde.records.stack import Capture
from iosonde.stack.discover import discover
from iosonde.stack.model import layers_under
from tests.uml.ledger_cases import SCENES, Scene

ARRAYS = Path("/sys/block")
COUNT = f"sleep 0.05 && cat {diskstats.PATH}"


def tool(command: str, directory: str = "/") -> str:
    done = subprocess.run(
        shlex.split(command), capture_output=True, text=True, check=False, timeout=600,
        stdin=subprocess.DEVNULL, cwd=directory,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def build(scene: Scene) -> None:
    """The scene, marked as written to, with arrays that write no superblock any more."""
    for command in scene.commands():
        tool(command)
    for array in ARRAYS.glob("md*/md"):
        if (array / "safe_mode_delay").exists():
            (array / "safe_mode_delay").write_text("0")
            (array / "array_state").write_text("active")
    tool(f"dd if=/dev/zero of={scene.target} bs=64k count=1 oflag=direct status=none")


def remove() -> None:
    subprocess.run(["vgremove", "-q", "-y", "vg0"], check=False, capture_output=True)
    for array in ARRAYS.glob("md*"):
        subprocess.run(["pvremove", "-q", "-y", f"/dev/{array.name}"], check=False,
                       capture_output=True)  # fmt: skip
        tool(f"mdadm --quiet --stop /dev/{array.name}")
    for disk in ARRAYS.glob("ubd*"):
        for part in disk.glob("ubd*"):
            tool(f"wipefs -qaf /dev/{part.name}")
        tool(f"wipefs -qaf /dev/{disk.name}")
        subprocess.run(["blockdev", "--rereadpt", f"/dev/{disk.name}"], check=False,
                       capture_output=True)  # fmt: skip


def loaded(scene: Scene, counting: Counting, host: str) -> list[dict[str, Any]]:
    """All loads, one after the other, by one fio, which takes seconds to start here.

    The kernel's counters are copied by fio itself, before and after each load.
    """
    records = []
    with TemporaryDirectory() as directory:
        names = [f"part{number}" for number in range(len(scene.loads))]
        sections = [
            f"[{name}]\nstonewall\nthread\nfilename={scene.target}\nexec_prerun={COUNT}\n"
            f"exec_postrun={COUNT}\nwrite_iolog={directory}/{name}.log\n{load.section(number)}\n"
            for number, (name, load) in enumerate(zip(names, scene.loads, strict=True))
        ]
        Path(directory, "job").write_text("\n".join(sections))
        tool("fio --allow_file_create=0 --output=out job", directory)
        for name in names:
            before, after = (
                snapshot(counting, host, Path(directory, f"{name}.{end}.txt").read_bytes())
                for end in ("prerun", "postrun")
            )
            packed = counting.packed([before, before, before, after], [{}, {}])
            requests = Path(directory, f"{name}.log").read_text()
            records.append({"elapsed": 1.0, "counted": packed.decode(), "requests": requests})
    return records


def snapshot(counting: Counting, host: str, text: bytes) -> Snapshot:
    """The figures of the devices of a scene in /proc/diskstats."""
    every = diskstats.figures(text)
    return Snapshot({host: {device: every[device] for device in counting.devices[host]}}, 0.0)


def disk_reads() -> int:
    """Reads of all disks so far."""
    every = diskstats.figures(Path(diskstats.PATH).read_bytes())
    return sum(numbers[0] for device, numbers in every.items() if device.startswith("ubd"))


async def loaded_beside_others(scene: Scene, counting: Counting) -> list[dict[str, Any]]:
    """Each load as `iosonde run --ledger` takes it, while others do I/O as steadily as they can."""
    records = []
    with subprocess.Popen(
        scene.others.split(), stdout=subprocess.DEVNULL, start_new_session=True
    ) as others:
        try:
            quiet = disk_reads()
            while disk_reads() < quiet + 100:
                assert others.poll() is None, scene.others
                await asyncio.sleep(0.1)
            for number, load in enumerate(scene.loads):
                before, rested = await counting.idle()
                began = time.monotonic()
                log = Path("/tmp/requests")
                log.unlink(missing_ok=True)
                command = f"{load.command(number)} --filename={scene.target} --write_iolog={log}"
                done = await asyncio.create_subprocess_exec(
                    *command.split(), stdout=subprocess.DEVNULL
                )
                assert await done.wait() == 0, command
                elapsed = time.monotonic() - began
                after = await counting.settled()
                packed = counting.packed([before, rested, rested, after], [{}, {}])
                records.append({
                    "elapsed": elapsed, "counted": packed.decode(), "requests": log.read_text(),
                })  # fmt: skip
        finally:
            os.killpg(others.pid, signal.SIGKILL)
    return records


async def scene_document(number: int, numbers: list[int]) -> dict[str, Any]:
    """What the host's side needs to know of a scene with those of its loads, or all."""
    whole = SCENES[number]
    numbers = numbers or list(range(len(whole.loads)))
    scene = replace(whole, loads=tuple(whole.loads[count] for count in numbers))
    build(scene)
    try:
        host = LocalHost()
        capture = await discover([host])
        path = await host.resolve(scene.target)
        target = Target(host.name, path, TargetKind.DEVICE)
        counting = await counting_of(capture, [host], target)
        if scene.others:
            loads = await loaded_beside_others(scene, counting)
        else:
            loads = loaded(scene, counting, host.name)
        under = layers_under(capture, host.name, path)
    finally:
        remove()
    return {
        "scene": number, "numbers": numbers, "kernel": os.uname().release,
        "host": host.name, "path": path,
        "capture": TypeAdapter(Capture).dump_python(replace(capture, layers=under), mode="json"),
        "loads": loads,
    }  # fmt: skip


def main() -> None:
    with Path(os.environ["OUTPUT"], "ledgers").open("a") as file:
        for message in sys.argv[1:]:
            number, _, loads = message.partition(":")
            numbers = [int(word) for word in loads.split(",") if word]
            file.write(json.dumps(asyncio.run(scene_document(int(number), numbers))) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
