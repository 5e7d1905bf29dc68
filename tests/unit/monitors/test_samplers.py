"""The samplers on what kernels of many years print, and on garbage."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde.hosts.host import FilesSnapshot
from iosonde.hosts.sampler import change
from iosonde.layers.link import sampled as link
from iosonde.layers.md import sampled as resync
from iosonde.layers.nfs import sampled as nfs_server
from iosonde.monitors import SAMPLERS, diskstats


def figures(name: str, before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, float]:
    """`subject.name` → value of what a sampler sees in two seconds."""
    old, new = (
        FilesSnapshot(time, {path: text.encode() for path, text in files.items()})
        for time, files in ((10.0, before), (12.0, after))
    )
    points = SAMPLERS.load(name)().points(old, new)
    return {f"{point.subject}.{point.name}": point.value for point in points if point.value}


BASE = "   8       0 sda 100 0 800 50 200 0 1600 400 0 900 450"


@pytest.mark.parametrize("more", ["", " 0 0 0 0", " 0 0 0 0 5 10"])
def test_diskstats_of_every_kernel(more: str) -> None:
    """11 figures, 15 since 4.18, 17 since 5.5."""
    later = "   8       0 sda 300 0 2400 250 600 0 4800 1200 1 1900 1450"
    grown = {"": "", " 0 0 0 0": " 10 0 80 20"}.get(more, " 10 0 80 20 9 18")
    seen = figures("diskstats", {diskstats.PATH: BASE + more}, {diskstats.PATH: later + grown})
    assert seen["sda.read.iops"] == 100
    assert seen["sda.read.bandwidth"] == 1600 * 512 / 2
    assert seen["sda.read.request_size"] == 4096
    assert seen["sda.read.await"] == pytest.approx(0.001)
    assert seen["sda.write.iops"] == 200
    assert seen["sda.write.await"] == pytest.approx(0.002)
    assert seen["sda.utilisation"] == pytest.approx(0.5)
    assert seen["sda.queue"] == pytest.approx(0.5)
    assert seen.get("sda.discard.iops") == (5 if more else None)
    assert seen.get("sda.flush.iops") == (2 if len(more) > 10 else None)


def test_a_device_that_came_or_went_has_no_rates() -> None:
    other = BASE.replace("sda", "sdb")
    assert figures("diskstats", {diskstats.PATH: BASE}, {diskstats.PATH: other}) == {}


def test_one_line_is_found_without_the_others() -> None:
    text = f"{BASE.replace('sda', 'sda1')}\n{BASE}\n".encode()
    assert diskstats.line_of(text, "sda") == diskstats.figures(text)["sda"]
    assert diskstats.line_of(text, "sd") is None


def test_counters_wrap_at_32_and_64_bits_and_are_reset() -> None:
    assert change(2**32 - 10, 5) == 15
    assert change(2**64 - 1, 0) == 1
    assert change(1_000_000, 7) == 7
    assert change(5, 5) == 0


def test_cpu_time_in_cores() -> None:
    before = "cpu  100 0 50 1000 10 0 0 0 0 0\ncpu0 50 0 25 500 5 0 0 0\ncpu1 50 0 25 500 5 0 0 0\n"
    after = (
        "cpu  300 0 150 1080 30 0 0 0 0 0\ncpu0 240 0 35 500 5 0 0 0\ncpu1 60 0 115 580 25 0 0\n"
    )
    seen = figures("cpu", {"/proc/stat": before}, {"/proc/stat": after})
    assert seen["all.user"] == pytest.approx(1.0)
    assert seen["all.system"] == pytest.approx(0.5)
    assert seen["all.iowait"] == pytest.approx(0.1)
    assert seen["busiest.busy"] == pytest.approx(1.0)


def test_link_pressure_memory_nfsd() -> None:
    head = "Inter-|   Receive  |  Transmit\n face |bytes packets errs drop fifo frame compressed\n"
    line = "  eth0: {} {} 0 {} 0 0 0 0 {} {} 0 0 0 0 0 0\n"
    seen = figures(
        "link",
        {link.PATH: head + line.format(0, 0, 0, 0, 0)},
        {link.PATH: head + line.format(3000, 2, 4, 1000, 8)},
    )
    assert seen == {
        "eth0.receive.bandwidth": 1500, "eth0.receive.packets": 1, "eth0.receive.lost": 2,
        "eth0.transmit.bandwidth": 500, "eth0.transmit.packets": 4,
    }  # fmt: skip
    some = "some avg10=0.00 avg60=0.00 avg300=0.00 total={}\nfull avg10=0.00 total=0\n"
    path = "/proc/pressure/io"
    assert figures("pressure", {path: some.format(0)}, {path: some.format(500_000)}) == {
        "io.some": 0.25
    }
    memory = "MemTotal:  9 kB\nCached:   100 kB\nDirty:     4 kB\nWriteback: 0 kB\n"
    assert figures("memory", {}, {"/proc/meminfo": memory}) == {
        "memory.dirty": 4096, "memory.cached": 102400,
    }  # fmt: skip
    nfsd = "rc 0 0 10\nio {} 0\nth 8 0 0.000\nrpc {} 0 0 0 0\n"
    path = nfs_server.PATH
    assert figures("nfsd", {path: nfsd.format(0, 0)}, {path: nfsd.format(2048, 6)}) == {
        "nfsd.read.bandwidth": 1024, "nfsd.calls": 3, "nfsd.threads": 8,
    }  # fmt: skip


MDSTAT = """\
Personalities : [raid1] [raid6] [raid5] [raid4]
md1 : active raid5 sdd1[3] sdc1[1] sdb1[0]
      1953260544 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [UU_]
      [==>..................]  recovery = 12.6% (123456/976630272) finish=127.5min speed=33440K/sec

md0 : active raid1 sdf1[1] sde1[0]
      1048512 blocks [2/2] [UU]
      [=======>.............]  check = 38.1% (400000/1048512) finish=0.1min speed=100000K/sec

md2 : active raid1 sdh1[1] sdg1[0]
      1048512 blocks [2/2] [UU]
        resync=DELAYED

unused devices: <none>
"""


def test_md_at_work() -> None:
    groups = resync.operations(MDSTAT.encode())
    assert groups == {"md1": ("recovery", pytest.approx(0.126)), "md0": ("check", 0.381)}


@pytest.mark.parametrize("name", sorted(SAMPLERS))
@given(st.binary(max_size=300), st.binary(max_size=300))
def test_no_sampler_fails_on_garbage(name: str, before: bytes, after: bytes) -> None:
    sampler = SAMPLERS.load(name)()
    pair = (
        FilesSnapshot(time, dict.fromkeys(sampler.paths, text))
        for time, text in ((1.0, before), (2.0, after))
    )
    list(sampler.points(*pair))


@cache
def read_once(path: str) -> bytes | None:
    """A file of this kernel, which says something else each time it is read."""
    return Path(path).read_bytes() if Path(path).exists() else None


@pytest.mark.parametrize("name", sorted(SAMPLERS))
@given(st.data())
def test_no_sampler_fails_on_damaged_files_of_this_kernel(name: str, data: st.DataObject) -> None:
    sampler = SAMPLERS.load(name)()
    files = {path: text for path in sampler.paths if (text := read_once(path)) is not None}
    cut = {
        path: text[: data.draw(st.integers(0, len(text)))].replace(
            b"1", data.draw(st.sampled_from([b"1", b"", b"-", b"x", b" "]))
        )
        for path, text in files.items()
    }
    list(sampler.points(FilesSnapshot(1.0, files), FilesSnapshot(2.0, cut)))
    list(sampler.points(FilesSnapshot(1.0, cut), FilesSnapshot(2.0, files)))
