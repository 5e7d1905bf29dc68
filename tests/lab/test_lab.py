"""Nodes of the lab, and every fault that can be made."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.lab.image import base
from iosonde.lab.state import find, labs
from tests.cli.conftest import COMMAND
from tests.lab.conftest import good, iosonde, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAME = "test-faults"


@pytest.fixture(scope="module")
def pair() -> Iterator[str]:
    with running(NAME, "--name", NAME, "--nodes", "2", "--disks", "2", "--size", "64 MiB") as lab:
        yield lab


def fault(*arguments: str) -> None:
    good("lab", *arguments, "--name", NAME)


def reaches(node: str, address: str) -> bool:
    argv = ("ping", "-c", "1", "-W", "2", "-M", "do", "-s", "8972", address)
    return iosonde("lab", "ssh", "--name", NAME, node, "--", *argv).status == 0


def test_nodes_are_hosts_like_any_other(pair: str) -> None:
    document = good("show", f"lab:{pair}/n1", "--json").document
    devices = {
        layer["device"]: layer["size"] for layer in document["layers"] if layer["kind"] == "disk"
    }
    assert list(devices.values()).count(64 * 2**20) == 2
    listed = good("lab", "list", "--json").document
    (lab,) = [record for record in listed["labs"] if record["name"] == pair]
    assert [(node["name"], node["running"]) for node in lab["nodes"]] == [
        ("n1", True), ("n2", True)
    ]  # fmt: skip


def test_jumbo_frames_pass_until_a_cable_is_cut(pair: str) -> None:
    assert reaches("n1", "10.9.0.2")
    fault("cut", "n2")
    assert not reaches("n1", "10.9.0.2")
    assert good("lab", "ssh", "--name", pair, "n2", "--", "hostname").out == "n2\n"
    fault("heal", "n2")
    assert reaches("n1", "10.9.0.2")


def test_a_killed_node_forgets_everything_but_its_disks(pair: str) -> None:
    ssh(pair, "n2", "sh", "-c", "'echo precious > /dev/vdb; sync; echo gone > /root/file'")
    fault("kill", "n2")
    assert iosonde("show", f"lab:{pair}/n2").status == 4
    assert iosonde("lab", "kill", "n2", "--name", NAME).status == 2
    assert "n1" in ssh(pair, "n1", "hostname")
    fault("start", "n2")
    assert "precious" in ssh(pair, "n2", "head", "-c", "9", "/dev/vdb")
    ssh(pair, "n2", "test", "!", "-e", "/root/file")
    assert reaches("n1", "10.9.0.2")


def test_a_failing_disk_gives_errors_until_it_is_healed(pair: str) -> None:
    read = ("dd", "if=/dev/disk/by-id/virtio-d2", "of=/dev/null", "bs=4k", "count=1",
            "iflag=direct")  # fmt: skip
    ssh(pair, "n1", *read)
    fault("fail", "n1/d2")
    ended = iosonde("lab", "ssh", "--name", NAME, "n1", "--", *read)
    assert ended.status != 0
    assert "Input/output error" in ended.err
    fault("heal", "n1")
    ssh(pair, "n1", *read)


def test_a_slow_disk_does_no_more_than_it_may(pair: str) -> None:
    def seconds(count: int) -> float:
        began = time.monotonic()
        ssh(pair, "n1", "dd", "if=/dev/disk/by-id/virtio-d1", "of=/dev/null", "bs=4k",
            f"count={count}", "iflag=direct")  # fmt: skip
        return time.monotonic() - began

    fault("slow", "n1/d1", "--iops", "10")
    assert seconds(60) > 4
    fault("heal", "n1")
    assert seconds(600) < 40, "at 10 a second it would be 60 s"


def test_wrong_words_are_told(pair: str) -> None:
    assert "no node 'n9'" in iosonde("lab", "cut", "n9", "--name", pair).err
    assert "no disk 'd9'" in iosonde("lab", "fail", "n1/d9", "--name", pair).err
    assert "is already running" in iosonde("lab", "up", "--name", pair).err
    assert "no action" in iosonde("lab", "explode").err


def processes(directory: Path) -> list[str]:
    completed = subprocess.run(
        ["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True
    )
    return [line for line in completed.stdout.splitlines() if str(directory) in line]


@pytest.mark.parametrize("signal", ["KILL", "INT"])
def test_an_up_that_is_killed_leaves_nothing(signal: str) -> None:
    name = "test-killed"
    directory = base() / "running" / name
    # A shell that starts the tests in its background has them, and all they start, ignore Ctrl-C.
    process = subprocess.Popen(
        ["env", "--default-signal=INT", *COMMAND, "lab", "up", "--name", name],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    limit = time.monotonic() + 60
    try:
        while not any(lab.name == name and lab.pid("n1") for lab in labs()):
            assert time.monotonic() < limit
            time.sleep(0.05)
        subprocess.run(["kill", f"-{signal}", str(process.pid)], check=True)
        process.wait(timeout=60)
    finally:
        process.kill()
        process.wait()
    while processes(directory) or directory.exists():
        assert time.monotonic() < limit, processes(directory)
        time.sleep(0.1)


def test_down_twice_and_of_what_never_was() -> None:
    name = "test-twice"
    with running(name, "--name", name):
        assert processes(find(name).directory)
        directory = find(name).directory
    assert processes(directory) == []
    assert not directory.exists()
    assert "was not there" in good("lab", "down", name).out
