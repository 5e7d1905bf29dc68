"""The observer on this machine, with fio's own count of device I/O as the second view."""

from __future__ import annotations

import asyncio
import json
import os
import time
from itertools import pairwise
from pathlib import Path

import pytest

from iosonde.hosts.local import LocalHost
from iosonde.monitors.observer import _BATCH, Observer


def device_below(path: Path) -> str:
    """Kernel name of the disk or partition a path lies on, as the kernel's own link says."""
    number = path.stat().st_dev
    link = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    assert link.exists(), "the directory of the tests must lie on a block device"
    return link.resolve().name


def reads(device: str) -> int:
    """Reads completed by a device so far, as sysfs counts them."""
    return int(Path(f"/sys/class/block/{device}/stat").read_text().split()[0])


@pytest.mark.slow
async def test_it_counts_what_fio_counts(tmp_path: Path) -> None:
    place = Path.cwd() / f".observer-{os.getpid()}"
    device = device_below(Path.cwd())
    host = LocalHost()
    try:
        place.write_bytes(os.urandom(16 * 2**20))
        argv = [
            "fio", "--name=o", f"--filename={place}", "--rw=randread", "--bs=4k", "--direct=1",
            "--ioengine=libaio", "--iodepth=4", "--time_based", "--runtime=2", "--readonly",
            "--output-format=json",
        ]  # fmt: skip
        before = reads(device)
        async with Observer(host, devices=(device,), interval=0.5) as observer:
            while observer.live(device) is None:  # before the second reading
                await asyncio.sleep(0.05)
            done = await host.run(argv)
            ended = time.time()
            while observer.series()[0].times[-1] <= ended:
                await asyncio.sleep(0.05)
            live = observer.live(device)
        counted = reads(device) - before
    finally:
        place.unlink()
    issued = json.loads(done.stdout)["jobs"][0]["read"]["total_ios"]
    series = next(
        readings
        for readings in observer.series()
        if (readings.sampler, readings.subject, readings.name) == ("diskstats", device, "read.iops")
    )
    spans = [0.5, *(later - before for before, later in pairwise(series.times))]
    seen = sum((value or 0) * span for value, span in zip(series.values, spans, strict=True))
    assert issued > 100
    assert seen >= 0.95 * issued
    assert seen <= counted * 1.01  # others may read from this disk meanwhile
    assert live is not None
    assert live.iops >= 0


async def test_series_have_a_value_for_each_time_and_idle_strangers_are_left_out() -> None:
    async with Observer(LocalHost(), devices=("loop7",), interval=0.1) as observer:
        while not (begun := observer.series()) or len(begun[0].times) < 2:
            await asyncio.sleep(0.05)
    series = observer.series()
    assert {readings.sampler for readings in series} >= {"diskstats", "cpu", "memory"}
    for readings in series:
        assert len(readings.times) == len(readings.values) >= 2
        assert list(readings.times) == sorted(readings.times)
    subjects = {readings.subject for readings in series if readings.sampler == "diskstats"}
    assert "loop7" in subjects or not Path("/sys/block/loop7").exists()
    assert "loop6" not in subjects


@pytest.mark.slow
async def test_the_schedule_does_not_drift() -> None:
    """Readings and those left out are as many as intervals have passed, however late they came.

    A pause of an interval after each reading would add what the reading took, some hundred times.
    """
    interval = 0.005
    began = time.monotonic()
    async with Observer(LocalHost(), interval=interval) as observer:
        read = 0
        while time.monotonic() - began < 2 or read <= 10:
            await asyncio.sleep(0.1)
            read = max((len(series.times) for series in observer.series()), default=0)
    lasted = time.monotonic() - began
    times = observer.series()[0].times
    due = len(times) + observer.missed
    assert (times[-1] - times[0]) / interval <= due + 1
    assert due <= lasted / interval + 1


async def test_many_readings_are_packed_and_come_back_whole() -> None:
    observer = Observer(LocalHost(), interval=0.01)
    async with observer:
        while not observer._packed:
            await asyncio.sleep(0.1)
            observer.background()
    times = observer.series()[0].times
    assert len(times) >= _BATCH - 1
    assert list(times) == sorted(set(times))
