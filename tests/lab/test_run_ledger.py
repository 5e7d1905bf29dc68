"""`iosonde run --ledger` on stacks in the lab: what holds, and what a difference is put down to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.conftest import running, ssh
from tests.lab.ledgers import ledger, study_of

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAME = "test-run-ledger"
STACK = """
stack: test-run-ledger
hosts: {storage: {}, diskless: {}}
layers:
  d1: {kind: disk, host: storage, size: 96 MiB}
  d2: {kind: disk, host: storage, size: 96 MiB}
  d3: {kind: disk, host: storage, size: 96 MiB}
  d4: {kind: disk, host: storage, size: 96 MiB}
  r: {kind: md, level: 10, chunk_size: 64 KiB, of: [d1, d2, d3, d4], assume_clean: true}
  lv: {kind: lvm, of: r}
  target: {kind: aoe_target, of: lv, mtu: MTU}
  aoe: {kind: aoe, of: target, host: diskless, mtu: MTU}
"""
LOAD = "fio --name=w --rw=randwrite --bs=4k --direct=1 --size=64m --number_ios=600"
DISKS = {"vdb", "vdc", "vdd", "vde"}


def study(directory: Path, chunk: str = "64 KiB") -> Path:
    """A study at the top of the stack, from the diskless host down to the server's disks."""
    return study_of(directory, STACK.replace("MTU", "4200").replace("64 KiB", chunk), "aoe", LOAD)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    directory = tmp_path_factory.mktemp("ledger")
    file = study(directory)
    with running(NAME, directory / "stack.yaml"):
        yield file


def test_from_a_diskless_host_to_the_disks(lab: Path) -> None:
    """AoE → LVM → RAID 10 → disks: every write of the load, twice, on the server's disks."""
    document = ledger(lab)
    assert document["recorded"]
    assert document["not_covered"] == []
    rows = {row["device"]: row for row in document["layers"] if row["device"]}
    assert set(rows) >= DISKS
    assert sum(rows[disk]["predicted"]["writes"] for disk in DISKS) == 1200
    for disk in DISKS:
        counted, said = rows[disk]["counted"], rows[disk]["predicted"]
        # The superblock is written before the first write and behind the last one.
        assert 0 <= counted["writes"] - said["writes"] <= 3
        assert 0 <= counted["write_bytes"] - said["write_bytes"] <= 3 * 4096
    assert [finding["message"] for finding in document["findings"]] == []


@pytest.mark.long
def test_an_array_with_a_bitmap(lab: Path) -> None:
    """Bits that are set by the first write to their places are predicted, found as they stand."""
    add = "mdadm --grow /dev/md/r --bitmap=internal --bitmap-chunk=64K || exit 1; udevadm settle"
    ssh(NAME, "storage", "sh", "-c", f"'set -- /dev/md*[0-9]; {add.replace('/dev/md/r', '$1')}'")
    try:
        document = ledger(lab)
    finally:
        ssh(NAME, "storage", "sh", "-c", "'set -- /dev/md*[0-9]; mdadm --grow $1 --bitmap=none'")
    assert [finding["message"] for finding in document["findings"]] == []
    rows = {row["device"]: row for row in document["layers"] if row["device"]}
    for disk in DISKS:
        counted, said = rows[disk]["counted"]["writes"], rows[disk]["predicted"]["writes"]
        assert said > 600, "300 copies on each disk, and bits besides"
        assert abs(counted - said) < 0.1 * said


@pytest.mark.long
def test_an_array_that_is_not_what_was_declared(lab: Path, tmp_path: Path) -> None:
    """The stack file says 128 KiB where 64 was built."""
    document = ledger(study(tmp_path, "128 KiB"))
    (finding,) = document["findings"]
    assert finding["rule"] == "ledger-difference"
    assert "is not what was declared" in finding["message"]


@pytest.mark.long
def test_someone_else_on_a_disk(lab: Path) -> None:
    """A reader of one of the disks is seen while the load does not run, and named."""
    reader = "'while :; do dd if=/dev/vdc of=/dev/null bs=64k count=200 iflag=direct; done'"
    ssh(NAME, "storage", "sh", "-c", f"{reader} >/dev/null 2>&1 & echo started")
    document = ledger(lab)
    (finding,) = document["findings"]
    assert "Someone else" in finding["message"]
    assert "vdc" in finding["message"]
