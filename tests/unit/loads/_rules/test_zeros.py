"""Zeros on what compresses them, as texts show it, and what looks alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.verbs.explain import explain

ZFS = (
    "root@nas:~# zfs get compression,dedup tank/data\n"
    "NAME       PROPERTY     VALUE     SOURCE\n"
    "tank/data  compression  {compression}       local\n"
    "tank/data  dedup        {dedup}       default\n"
)
BTRFS = "$ mount | grep data\n/dev/sdb on /data type btrfs (rw,noatime,{option},space_cache=v2)\n"
COPIED = (
    "10240+0 records in\n10240+0 records out\n"
    "10737418240 bytes (11 GB, 10 GiB) copied, 3.1 s, 3.5 GB/s\n"
)
FIO = (
    "$ fio --name=w --filename=/data/x --rw=write --bs=1M --size=4G {more}\n"
    "w: (g=0): rw=write, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, "
    "ioengine=psync, iodepth=1\nfio-3.33\nStarting 1 process\n\n"
    "w: (groupid=0, jobs=1): err= 0: pid=1234: Mon Jan  1 00:00:00 2024\n"
    "  write: IOPS=1000, BW=1000MiB/s (1049MB/s)(4096MiB/4096msec); 0 zone resets\n"
    "    clat (usec): min=100, max=2000, avg=900.00, stdev=10.00\n"
    "     lat (usec): min=100, max=2000, avg=910.00, stdev=10.00\n"
    "  cpu          : usr=1.00%, sys=2.00%, ctx=4096, majf=0, minf=10\n"
    "     issued rwts: total=0,4096,0,0 short=0,0,0,0 dropped=0,0,0,0\n\n"
    "Run status group 0 (all jobs):\n"
    "  WRITE: bw=1000MiB/s (1049MB/s), 1000MiB/s-1000MiB/s (1049MB/s-1049MB/s), io=4096MiB "
    "(4295MB), run=4096-4096msec\n"
)


def _dd(target: str, source: str = "/dev/zero", more: str = "") -> str:
    return f"# dd if={source} of={target} bs=1M count=10240{more}\n{COPIED}"


def _zfs(compression: str, dedup: str = "off") -> str:
    return ZFS.format(compression=compression, dedup=dedup)


def _btrfs(option: str) -> str:
    return BTRFS.format(option=option)


def _said(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "text").write_text(text)
    findings = explain(str(tmp_path / "text")).findings
    return [finding.message for finding in findings if finding.rule == "compressed-zeros"]


@pytest.mark.parametrize(("text", "said"), [
    (_zfs("lz4") + _dd("/tank/data/x"), "and tank/data has compression lz4: hardly anything"),
    (_dd("/mnt/tank/data/x") + _zfs("zstd-3"), "and tank/data has compression zstd-3"),
    (_zfs("on", "on") + _dd("/tank/data/x"), "and tank/data has compression, dedup"),
    (_zfs("lz4") + _dd("/dev/zvol/tank/data"), "3.23 GiB/s is the speed of the processor and of"),
    (_btrfs("compress=zstd:3") + _dd("/data/x"), "and /data has compress zstd:3"),
    (_btrfs("compress-force=lzo") + FIO.format(more="--zero_buffers"), "has compress-force lzo"),
])  # fmt: skip
def test_zeros_that_are_compressed(tmp_path: Path, text: str, said: str) -> None:
    (message,) = _said(tmp_path, text)
    assert said in message


@pytest.mark.parametrize("text", [
    _zfs("off") + _dd("/tank/data/x"),
    _zfs("lz4") + _dd("/tank/data/x", "/dev/urandom"),
    _zfs("lz4") + _dd("/srv/x"),  # elsewhere
    _zfs("lz4") + _dd("/tank/database/x"),
    _zfs("lz4") + _zfs("off") + _dd("/tank/data/x"),  # as it was at last
    _btrfs("compress=zstd:3") + _dd("/data/x", more=" oflag=direct"),  # not compressed by btrfs
    _btrfs("compress=no") + _dd("/data/x"),
    _btrfs("compress=zstd:3") + FIO.format(more=""),  # random data
    _btrfs("compress=zstd:3") + FIO.format(more="--zero_buffers=0"),
])  # fmt: skip
def test_what_is_not_compressed(tmp_path: Path, text: str) -> None:
    assert _said(tmp_path, text) == []
