"""Guests of nodes: who starts them, what a node may ask for, how their disks are reached."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.lab.guests import answered, listener
from iosonde.lab.image import Image
from iosonde.lab.machine import NodeLocation, disk_arguments, node_arguments
from iosonde.lab.spec import DiskSpec, LabSpec, NodeSpec, checked
from iosonde.lab.state import Lab, LabNode, find
from iosonde.lab.up import _forwarded

IMAGE = Image(
    Path("/i"), Path("/i/kernel"), Path("/i/ram"), Path("/i/root.ext4"), Path("/i/key"),
    Path("/i/host"),
)  # fmt: skip


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("IOSONDE_LAB", str(tmp_path))
    nodes = (
        LabNode("s1", 1, 1, (), ()),
        LabNode("s2", 2, 2, (), ()),
        LabNode("vm", 3, 3, ("vm",), (), "s1"),
    )
    return Lab("try", "/i", "tcg", True, (), nodes).keep()


@pytest.fixture
def runs(lab: Lab) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is the guest's as far as the lab can tell: its arguments name the lab."""
    process = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)", str(lab.directory)]
    )
    (lab.directory / "vm.pid").write_text(str(process.pid))
    yield process
    process.kill()
    process.wait()


def ask(lab: Lab, node: str, line: str) -> str:
    return asyncio.run(answered(lab, lab.node(node), line))


def test_a_guest_is_off_until_it_is_started(lab: Lab) -> None:
    assert ask(lab, "s1", "state vm") == "off"
    assert ask(lab, "s1", "stop vm") == "off"


def test_a_running_guest_is_left_alone_by_start_and_ended_by_stop(
    lab: Lab, runs: subprocess.Popen[bytes]
) -> None:
    while lab.pid("vm") is None:  # its arguments are there after execve(2)
        assert runs.poll() is None
    assert ask(lab, "s1", "state vm") == "running"
    assert ask(lab, "s1", "start vm") == "running"
    assert runs.poll() is None
    assert ask(lab, "s1", "stop vm") == "off"
    assert runs.wait(timeout=60) is not None  # its arguments go a little earlier


@pytest.mark.parametrize(
    ("node", "line"), [("s2", "stop vm"), ("s1", "stop s2"), ("s1", "burn vm"), ("s1", "")]
)
def test_a_node_can_ask_for_nothing_but_its_own_guests(lab: Lab, node: str, line: str) -> None:
    with pytest.raises(UsageError, match="cannot ask"):
        ask(lab, node, line)


def test_what_qemu_runs_answers_one_line(lab: Lab) -> None:
    option = listener("try", "s1", lab.directory.parent.parent)
    assert option.startswith(",guestfwd=tcp:10.0.2.100:7000-cmd:")
    argv = option.partition("-cmd:")[2].replace(",,", ",").split()
    for line, answer in (("state vm", "off"), ("stop s2", "failed: s1 cannot ask")):
        done = subprocess.run(argv, input=f"{line}\n", capture_output=True, text=True, check=True)
        assert done.stdout.startswith(answer)
        assert done.stdout.count("\n") == 1


def test_the_host_of_a_guest_is_kept(lab: Lab) -> None:
    assert find("try") == lab
    whole = json.loads((lab.directory / "lab.json").read_text())
    for node in whole["nodes"]:
        del node["host"]  # as labs of earlier versions are written down
    (lab.directory / "lab.json").write_text(json.dumps(whole))
    assert {node.host for node in find("try").nodes} == {""}


def test_a_disk_that_a_node_exports_is_reached_by_a_forwarded_port() -> None:
    spec = LabSpec(
        "try",
        (
            NodeSpec("s1"),
            NodeSpec("vm", host="s1", disks=(DiskSpec("vm", source="nbd:s1:12000/try-vm"),)),
        ),
    )
    moved, forwards = _forwarded(checked(spec), [40001])
    ((local, port),) = forwards["s1"]
    assert (local, port) == (40001, 12000)
    assert moved.nodes[1].disks[0].source == f"nbd:127.0.0.1:{local}/try-vm"
    place = NodeLocation(
        Path("/r"), 1, 2201, Path("/r/port-1"), tuple(forwards["s1"]), ",guestfwd=x"
    )
    argv = node_arguments(spec.nodes[0], IMAGE, place, accel="tcg", mtu=9000, peers=[])
    (user,) = (word for word in argv if word.startswith("user,"))
    assert user.endswith(
        f",hostfwd=tcp:127.0.0.1:2201-:22,hostfwd=tcp:127.0.0.1:{local}-:12000,guestfwd=x"
    )


def test_a_disk_elsewhere_stays_where_it_is() -> None:
    disk = DiskSpec("d", source="nbd:127.0.0.1:10809/e")
    spec = LabSpec("try", (NodeSpec("s1", disks=(disk,)),))
    assert _forwarded(spec, []) == (spec, {})


def test_the_controller_of_a_scsi_disk_has_its_options() -> None:
    disk = DiskSpec("d", bus="virtio-scsi", options={"num_queues": "2", "iothread": "io0"})
    argv = disk_arguments(disk, Path("/x"))
    assert "virtio-scsi-pci,id=c-d,num_queues=2,iothread=io0" in argv
    (device,) = (word for word in argv if word.startswith("scsi-hd,"))
    assert "bus=c-d.0" in device
    assert "queues" not in device


def test_a_guest_needs_a_node_that_is_none() -> None:
    for host in ("nobody", "vm"):
        with pytest.raises(UsageError, match="not a guest"):
            checked(LabSpec("try", (NodeSpec("s1"), NodeSpec("vm", host=host))))
