"""`iosonde run --ledger` through caches in the lab: what can be told of one that is in use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.conftest import running, ssh
from tests.lab.ledgers import ledger, study_of

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAME = "test-run-ledger-caches"
STACK = """
stack: test-run-ledger-caches
hosts: {n1: {}}
layers:
  d1: {kind: disk, host: n1, size: 96 MiB}
  d2: {kind: disk, host: n1, size: 96 MiB}
  d3: {kind: disk, host: n1, size: 96 MiB}
  d4: {kind: disk, host: n1, size: 96 MiB}
  d5: {kind: disk, host: n1, size: 96 MiB}
  d6: {kind: disk, host: n1, size: 96 MiB}
  d7: {kind: disk, host: n1, size: 96 MiB}
  d8: {kind: disk, host: n1, size: 96 MiB}
  lv: {kind: lvm, of: d7, size: 80 MiB}
  w: {kind: dm_writecache, of: [d1, d2]}
  c: {kind: dm_cache, of: [d3, d4], mode: writeback, block_size: 32 KiB}
  b: {kind: bcache, of: [d5, d6], cache_mode: writeback, bucket_size: 64 KiB, sequential_cutoff: 0}
"""
LOAD = "fio --name=w --rw={way} --bs={size} --direct=1 --size=64m --number_ios={count}"
SLACK = 64 * 1024
"""Bytes: superblocks, and what was written between reading one counter and another."""
COPIED = 32 * 1024
Row = dict[str, Any]


def study(directory: Path, at: str, way: str, size: str, count: int) -> Path:
    """A study of one layer of the stack."""
    return study_of(directory, STACK, at, LOAD.format(way=way, size=size, count=count))


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("ledger")
    study(directory, "w", "randread", "4k", 1)
    with running(NAME, directory / "stack.yaml") as name:
        yield name


def rows(directory: Path, at: str, way: str, size: str = "4k", count: int = 600) -> dict[str, Row]:
    """The ledger of a run, in which all is covered and nothing differs; by the kernel's names."""
    document = ledger(study(directory, at, way, size, count))
    assert document["not_covered"] == []
    assert [finding["message"] for finding in document["findings"]] == []
    return {row["device"]: row for row in document["layers"] if row["device"]}


def ends(row: Row, what: str) -> tuple[float, float]:
    """The least and the most that was predicted."""
    low, high = row["between"] or (row["predicted"], row["predicted"])
    return low[what], high[what]


@pytest.mark.long
def test_a_write_cache(lab: str, tmp_path: Path) -> None:
    """Empty, all is known; filled beyond its watermark, how much comes back lies in a band."""
    own = rows(tmp_path, "w", "randwrite")
    slow, fast = own["vdb"], own["vdc"]
    assert slow["between"] is None
    assert slow["counted"]["write_bytes"] == slow["predicted"]["write_bytes"] == 0
    low, high = ends(fast, "write_bytes")
    assert low == 600 * 4096
    # Its metadata are committed by the clock: not yet, where the load was over within a second.
    assert 0 <= fast["counted"]["write_bytes"] - low <= high - low

    own = rows(tmp_path, "w", "randwrite", "64k", 1000)
    slow, fast = own["vdb"], own["vdc"]
    low, high = ends(slow, "write_bytes")
    assert low > 8 * 2**20
    assert high - low < (600 + 0.05 * 24225 + 2) * 4096, "what was there, and 5 % of all"
    assert low <= slow["counted"]["write_bytes"] <= high
    assert fast["counted"]["write_bytes"] >= 1000 * 65536

    own = rows(tmp_path, "w", "randread")
    slow, fast = own["vdb"], own["vdc"]
    assert slow["counted"]["read_bytes"] > 0 < fast["counted"]["read_bytes"], "some of each"
    # It counts the blocks that it had not: those came from the slow disk.
    assert ends(slow, "read_bytes")[1] == slow["counted"]["read_bytes"]
    assert ends(fast, "read_bytes")[0] <= fast["counted"]["read_bytes"]


@pytest.mark.long
def test_a_cache_that_copies(lab: str, tmp_path: Path) -> None:
    """Its counters of hits and of blocks taken in say what both disks read and wrote."""
    for _ in range(2):
        own = rows(tmp_path, "c", "randread")
        slow, fast = own["vdd"], own["vde"]
        low, high = ends(slow, "read_bytes")
        assert low == high == slow["counted"]["read_bytes"]
        low, high = ends(fast, "read_bytes")
        assert low == high == fast["counted"]["read_bytes"]
        low, high = ends(fast, "write_bytes")
        assert low == high == fast["counted"]["write_bytes"]
    assert fast["counted"]["read_bytes"] > 0, "what was copied is found"
    own = rows(tmp_path, "c", "randwrite")
    for choice in ("vdd", "vde"):
        low, high = ends(own[choice], "write_bytes")
        assert low - SLACK <= own[choice]["counted"]["write_bytes"] <= high + SLACK
        assert high - low <= 600 * COPIED


@pytest.mark.long
def test_bcache(lab: str, tmp_path: Path) -> None:
    """Writes go to the fast disk, with its journal and btree; reads lie between."""
    rows(tmp_path, "b", "randwrite", count=10)  # by now it stands
    quiet = "'for one in /sys/fs/bcache/*-*/congested_*_us; do echo 0 >$one; done'"
    ssh(NAME, "n1", "sh", "-c", quiet)
    own = rows(tmp_path, "b", "randwrite")
    slow, fast = own["vdf"], own["vdg"]
    low, high = ends(fast, "write_bytes")
    assert low >= 600 * 4096
    assert high < 2 * 600 * 4096
    assert low - 4096 <= fast["counted"]["write_bytes"] <= high + 4096, "an entry of its journal"
    assert slow["counted"]["write_bytes"] <= ends(slow, "write_bytes")[1] + SLACK
    own = rows(tmp_path, "b", "randread")
    slow, fast = own["vdf"], own["vdg"]
    assert ends(slow, "read_bytes") == (0, 600 * 4096)
    assert fast["counted"]["read_bytes"] >= 600 * 4096, "all that was written before is there"
    assert slow["counted"]["read_bytes"] <= SLACK


@pytest.mark.long
def test_a_volume_that_lvm_caches(lab: str, tmp_path: Path) -> None:
    """Its cache is of parts of one volume: the same counters, by another name."""
    rows(tmp_path, "lv", "randread", count=10)  # by now it stands
    group = f"{NAME}-lv"
    ssh(
        NAME, "n1", "sh", "-c",
        f"'vgextend --yes {group} /dev/vdi && lvcreate --yes --type cache-pool --size 32m "
        f"--name pool {group} /dev/vdi && lvconvert --yes --type cache --cachemode writeback "
        f"--chunksize 32k --cachepool pool {group}/lv'",
    )  # fmt: skip
    for _ in range(2):
        own = rows(tmp_path, "lv", "randread")
        for device, what in (("vdh", "read_bytes"), ("vdi", "read_bytes"), ("vdi", "write_bytes")):
            low, high = ends(own[device], what)
            assert low - SLACK <= own[device]["counted"][what] <= high + SLACK
            assert high - low <= SLACK
    assert own["vdi"]["counted"]["write_bytes"] > 0, "blocks are copied"
