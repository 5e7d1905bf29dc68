"""The NVMe fabric loses a whole storage server: its data stay, and everything can be removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.stack.file import read_stack
from tests.lab.conftest import STACKS, good, iosonde, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long]

NAME = "nvme-fabric"
FILE = STACKS / f"{NAME}.yaml"
VERIFY = (
    "--name=v --rw=randwrite --bs=4k --size=16m --ioengine=libaio --direct=1 --iodepth=4 "
    "--filename=/mnt/fabric/kept --verify=crc32c --randrepeat=1 --allow_file_create=1"
)


@pytest.fixture(scope="module")
def fabric() -> Iterator[str]:
    with running(NAME, FILE):
        good("up", FILE)
        yield NAME


def test_a_lost_server_costs_no_data_and_is_named(fabric: str, tmp_path: Path) -> None:
    ssh(fabric, "front", "fio", *VERIFY.split(), "--do_verify=0", "--end_fsync=1")
    good("lab", "kill", "s2", "--name", fabric)
    study = tmp_path / "study.yaml"
    study.write_text(
        f"study: loss\ntargets: ['lab:{fabric}/front:/mnt/fabric']\nloops: 2\nseconds: 3\n"
        "loads: [{fio: '--name=w --rw=randwrite --bs=4k --direct=1 --size=8m --ioengine=libaio'}]\n"
    )
    run = iosonde("run", study, "--json", timeout=500)
    assert run.status in {0, 4}, run.err  # it goes on with the halves that are left, or says why
    ssh(fabric, "front", "sh", "-c", "'echo 3 > /proc/sys/vm/drop_caches'")
    verified = iosonde(
        "lab", "ssh", "--name", fabric, "front", "--", "fio", *VERIFY.split(), "--verify_only"
    )
    assert verified.status == 0, verified.out + verified.err
    document = iosonde("explain", f"lab:{fabric}/front", "--json").document
    degraded = [finding for finding in document["findings"] if finding["rule"] == "degraded"]
    assert len(degraded) == 3


def test_what_cannot_be_reached_or_cleared_is_told_and_never_overwritten(fabric: str) -> None:
    ended = iosonde("down", FILE)
    assert ended.status == 4
    assert "s2" in ended.err
    ssh(fabric, "front", "test", "!", "-e", "/var/lib/iosonde/built")
    good("lab", "start", "s2", "--name", fabric)
    good("down", FILE)
    assert good("down", FILE, "--json").document["steps"] == []
    refused = iosonde("up", FILE)
    assert refused.status == 3
    assert "linux_raid_member" in refused.err
    stack = read_stack(FILE)
    halves = [f"/dev/disk/by-id/nvme-uuid.{stack.site(f'eb{n}').uuid()}" for n in (1, 2, 3)]
    allowed = [word for half in halves for word in ("--destroy", f"{half}=linux_raid_member")]
    good("up", FILE, *allowed)
    ssh(fabric, "front", "mountpoint", "/mnt/fabric")
