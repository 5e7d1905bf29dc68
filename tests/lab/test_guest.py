"""A guest on a volume of its host: started, used inside, seen from both sides, taken away."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.conftest import good, iosonde, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow]

STACK = """\
stack: guesttest
hosts:
  s1: {}
layers:
  d1: {kind: disk, host: s1, size: 400 MiB}
  lv: {kind: lvm, of: d1}
  vm: {kind: guest, of: lv, disk: DISK, queues: 2, cpus: 2, cache: writethrough}
  fs: {kind: xfs, of: vm, log_size: 64 MiB, mount: /mnt/guest}
"""
LOAD = (
    "--name=w --rw=randwrite --bs=4k --ioengine=libaio --direct=1 --iodepth=4 --size=8m "
    "--verify=crc32c --do_verify=1 --verify_fatal=1"
)
HOST, GUEST = "lab:guesttest/s1", "lab:guesttest/vm"


@pytest.fixture(params=["virtio-blk", pytest.param("virtio-scsi", marks=pytest.mark.long)])
def stack(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    file = tmp_path / "stack.yaml"
    file.write_text(STACK.replace("DISK", request.param))
    with running("guesttest", file):
        yield file, request.param


def test_a_guest_from_up_to_down(stack: tuple[Path, str], tmp_path: Path) -> None:
    file, bus = stack
    assert not runs("vm"), "it does not run before its layer is built"
    study = tmp_path / "study.yaml"
    study.write_text(
        f"study: guest\nstack: {file}\nat: [lv, vm, fs]\n"
        f"loads: [{{name: w, fio: {LOAD!r}}}]\nloops: 1\nseconds: 2\n"
    )
    run = good("run", study, "--json", timeout=1200).document
    assert [(trial["probe"], trial["host"]) for trial in run["trials"]] == [
        ("lv", HOST), ("vm", GUEST), ("fs", GUEST),
    ]  # fmt: skip
    assert all(trial["metrics"]["write.iops"]["mean"] > 0 for trial in run["trials"])
    assert runs("vm")
    seen_from_both_sides(bus)
    data_reach_the_device_below(bus)
    again = good("up", file, "--json").document
    assert {step["state"] for step in again["steps"]} <= {"unchanged", "done"}
    assert {step["action"] for step in again["steps"] if step["state"] == "done"} <= {
        "load dm_mod", "load virtio_scsi, sd_mod",
    }  # fmt: skip
    down = good("down", file, "--json").document["steps"]
    assert {step["state"] for step in down} == {"removed"}
    assert down[0]["layer"] == "fs"
    assert not runs("vm")
    assert good("down", file, "--json").document["steps"] == []
    ssh("guesttest", "s1", "test", "!", "-e", "/var/lib/iosonde/built")
    ssh("guesttest", "s1", "!", "pgrep", "nbd-server")
    left = ssh("guesttest", "s1", "ls", "/run").split()
    # The folder of its lock file stays.
    assert [name for name in left if name.startswith("iosonde-")] == []
    assert {layer["kind"] for layer in layers(HOST)} <= {"disk", "filesystem"}


@pytest.mark.long
def test_a_guest_that_lost_power_comes_back_with_its_data(stack: tuple[Path, str]) -> None:
    file, _ = stack
    good("up", file)
    ssh("guesttest", "vm", "cp", "/etc/os-release", "/mnt/guest/kept", "&&", "sync")
    good("lab", "kill", "--name", "guesttest", "vm")
    assert "guest" not in {layer["kind"] for layer in layers(HOST)}
    states = {
        (step["layer"], step["action"]): step["state"]
        for step in good("up", file, "--json").document["steps"]
    }
    assert states["vm", "start the guest vm"] == "done"
    assert states["fs", "make an xfs file system"] == "found"
    ssh("guesttest", "vm", "cmp", "/etc/os-release", "/mnt/guest/kept")
    good("lab", "kill", "--name", "guesttest", "s1")
    assert not runs("vm"), "a guest ends with its host"


def seen_from_both_sides(bus: str) -> None:
    """The file system in the guest stands on the host's disk, through the guest."""
    by_id = {layer["id"]: layer for layer in layers(HOST, GUEST)}
    (at,) = (values for values in by_id.values() if values["kind"] == "xfs")
    chain = []
    while at["below"]:
        (below,) = at["below"]
        at = by_id[below]
        chain.append((at["kind"], at["host"]))
    assert chain == [
        ("disk", GUEST), ("guest", HOST), ("nbd_server", HOST), ("lvm", HOST), ("disk", HOST),
    ]  # fmt: skip
    (guest,) = (values for values in by_id.values() if values["kind"] == "guest")
    facts = guest["facts"]
    assert (facts["bus"], facts["queues"], facts["iothread"]) == (bus, 2, True)
    name = {"virtio-blk": "vdb", "virtio-scsi": "sda"}[bus]
    cache = ssh("guesttest", "vm", "cat", f"/sys/block/{name}/queue/write_cache")
    assert cache.strip() == "write through", "the guest sees the cache that is declared"
    queues = ssh("guesttest", "vm", "ls", f"/sys/block/{name}/mq").split()
    assert len(queues) == 2


def data_reach_the_device_below(bus: str) -> None:
    """What the guest writes, the host's own disk counts: no cache of writes between them."""
    before = sectors_written()
    argv = ["fio", "--name=c", "--filename=/mnt/guest/c", "--rw=write", "--bs=64k", "--size=4m",
            "--direct=1", "--verify=crc32c", "--do_verify=1", "--output-format=json"]  # fmt: skip
    document = json.loads(re.sub(r"^[^{]*", "", ssh("guesttest", "vm", *argv)))
    (job,) = document["jobs"]
    assert job["error"] == 0
    assert job["write"]["io_bytes"] == job["read"]["io_bytes"] == 4 * 2**20
    assert sectors_written() - before >= 4 * 2**20 // 512, bus


def sectors_written() -> int:
    """Field 7 of /sys/block/NAME/stat (Documentation/block/stat.rst), of the host's disk."""
    return int(ssh("guesttest", "s1", "cat", "/sys/block/vdb/stat").split()[6])


def runs(node: str) -> bool:
    return iosonde("lab", "ssh", "--name", "guesttest", node, "--", "true").status == 0


def layers(*hosts: str) -> list[dict[str, Any]]:
    shown = good("show", *hosts, "--json").document
    return list(shown["layers"])
