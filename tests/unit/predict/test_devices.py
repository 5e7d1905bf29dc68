"""Models of devices: as they are written, and what they say."""

from __future__ import annotations

from math import log
from random import Random

import pytest

from iosonde.errors import UsageError
from iosonde.predict.calibrate import CalibrationPoint, loads, points, seconds_of, study_of
from iosonde.predict.devices import KINDS, DeviceModels, model_named, parse_devices
from iosonde.predict.service.controller import Controller
from iosonde.predict.service.limits import LimitsModel
from iosonde.predict.service.link import LinkModel
from iosonde.predict.service.measured import CalibratedDevice, of_points
from iosonde.predict.service.service import Access, ServiceModel, parse_rate
from iosonde.predict.service.sheet import RotatingDisk
from iosonde.records.run import Run, RunState
from tests.unit.measure.build import loop, trial
from tests.unit.predict.stacks import disks

CHANCE = Random(7)
PAGE = Access(write=False, count=1, size=4096)


def mean(device: ServiceModel, access: Access, queue: int = 1, draws: int = 4000) -> float:
    return sum(device.seconds(access, queue, CHANCE)[0] for _ in range(draws)) / draws


def sheet(text: str = "rpm=7200,seek=8.5ms,track=0.6ms,rate=249MB/s") -> RotatingDisk:
    model = model_named(f"sheet:{text}", "test")
    assert isinstance(model, RotatingDisk)
    return model


def test_a_random_access_takes_the_seek_half_a_turn_and_the_transfer() -> None:
    disk = sheet()
    moving = 4096 / (249e6 * 0.75)  # the middle between the outer and the inner tracks
    assert mean(disk, PAGE) == pytest.approx(8.5e-3 + 60 / 7200 / 2 + moving, rel=0.04)


def test_what_follows_needs_no_seek_and_a_write_just_missed_a_turn() -> None:
    disk = sheet()
    size = 2**20
    follows = Access(write=False, count=1, size=size, jump=False)
    moving = size / (249e6 * 0.75)
    assert mean(disk, follows) == pytest.approx(moving)
    written = Access(write=True, count=1, size=4096, jump=False)
    assert mean(disk, written) == pytest.approx(60 / 7200, rel=0.01)
    again = Access(write=True, count=1, size=4096, again=True)
    assert mean(disk, again) == pytest.approx(60 / 7200, rel=0.01)


def test_queued_accesses_are_faster_and_short_strokes_are() -> None:
    disk = sheet()
    at_depth = [mean(disk, PAGE, queue) for queue in (1, 4, 32)]
    assert at_depth == sorted(at_depth, reverse=True)
    assert mean(disk.slow(), PAGE, 32) > at_depth[2] > mean(disk.fast(), PAGE, 32)
    assert mean(disk.slow(), PAGE) == pytest.approx(mean(disk.fast(), PAGE), rel=0.05)
    assert mean(disk.over(0.01), PAGE) == pytest.approx(
        0.6e-3 + 7.9e-3 * 0.1 + 60 / 7200 / 2, rel=0.05
    )  # a seek over a hundredth of the distance takes a tenth of the part that grows


def test_limits_hold_side_by_side() -> None:
    device = model_named("limits:iops=1k,bandwidth=100MB/s,latency=3ms,write_iops=500", "test")
    assert isinstance(device, LimitsModel)
    assert device.seconds(PAGE, 1, CHANCE) == pytest.approx((1e-3, 2e-3))
    large = Access(write=False, count=1, size=10**6)
    assert device.seconds(large, 1, CHANCE)[0] == pytest.approx(1e-2)
    assert device.seconds(Access(write=True, count=1, size=512), 1, CHANCE)[0] == 2e-3
    loose = model_named("limits:iops=1k,tolerance=10%", "test")
    assert loose.slow().seconds(PAGE, 1, CHANCE)[0] == pytest.approx(1e-3 / 0.9)
    assert loose.fast().seconds(PAGE, 1, CHANCE)[0] == pytest.approx(1e-3 / 1.1)


def test_a_link_carries_frames() -> None:
    """One Gbit/s at an MTU of 1500 carries at most 1460 of 1538 bytes as data of TCP."""
    link = model_named("link:rate=1Gbit/s,latency=100us", "test")
    assert isinstance(link, LinkModel)
    busy, after = link.seconds(Access(write=True, count=1, size=1460 * 1000), 1, CHANCE)
    assert 1460 * 1000 / busy == pytest.approx(125e6 * 1460 / 1538)
    assert after == pytest.approx(1e-4)


def test_a_controller_takes_time_for_ios_and_bytes() -> None:
    card = model_named("controller:overhead=10us,rate=1GB/s,cache=873MiB", "test")
    assert isinstance(card, Controller)
    assert (card.rate, card.cache) == (1e9, 873 * 2**20)
    busy, _ = card.seconds(Access(write=True, count=20, size=10**6), 1, CHANCE)
    assert busy == pytest.approx(20e-5 + 1e-3)


@pytest.mark.parametrize(
    ("text", "rate"),
    [("215 MB/s", 215e6), ("10 Gbit/s", 1.25e9), ("100MiB/s", 100 * 2**20), ("2GB/s", 2e9)],
)
def test_rates_as_they_are_written(text: str, rate: float) -> None:
    assert parse_rate(text, "test") == rate


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_kind_is_a_model(name: str) -> None:
    device = model_named(name, "test")
    assert mean(device, PAGE, draws=10) > 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("fast", "is not a device model"),
        ("sheet:rpm=7200", "the model lacks seek"),
        ("sheet:rpm=7200,seek=8ms,rate=200MB/s,colour=1", "has no colour"),
        ("sheet:rpm=0,seek=8ms,rate=200MB/s", "above 0"),
        ("limits:", "neither latency nor iops"),
        ("limits:iops=many", "is a number"),
        ("limits:iops", "says nothing"),
    ],
)
def test_complaints_of_models(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        model_named(text, "test")


def test_the_nearest_name_holds() -> None:
    stack = disks(2, "p: {kind: partition, of: d1, size: 1 GiB}")
    devices = DeviceModels(parse_devices(["disk=7k2-sata", "d2=limits:iops=1k"]))
    assert isinstance(devices.of(stack.site("d1")), RotatingDisk)
    assert isinstance(devices.of(stack.site("d2")), LimitsModel)
    assert devices.of(stack.site("p")) is None
    with pytest.raises(UsageError, match="no layer or kind 'd9'"):
        DeviceModels({"d9": "7k2-sata"}).check(["d1"], ["disk"])
    with pytest.raises(UsageError, match="names no layer"):
        parse_devices(["d1"])


def test_disks_of_the_lab_are_what_they_are_held_to() -> None:
    held = disks(1, "p: {kind: partition, of: d1}", keys="iops: 200, bandwidth: 16 MiB", at="")
    device = DeviceModels({}).of(held.site("d1"))
    assert isinstance(device, LimitsModel)
    assert (device.read.iops, device.read.bandwidth, device.burst) == (200, 16 * 2**20, 0.1)
    assert (device.rotates, device.tolerance) == (True, 0.2)
    like = disks(1, "p: {kind: partition, of: d1}", keys="like: 7k2-sata, path: /dev/x")
    assert isinstance(DeviceModels({}).of(like.site("d1")), RotatingDisk)


# ── calibrations ─────────────────────────────────────────────────────────────────────────────────


def made(latency: float, rate: float, most: float) -> list[CalibrationPoint]:
    """A device with a latency, a transfer rate and a highest number of I/Os, measured."""
    calibration_points = []
    for size in (4096, 65536, 2**20):
        for depth in (1, 4, 32):
            iops = min(depth / (latency + size / rate), most, rate / size)
            calibration_points.append(CalibrationPoint(False, True, size, depth, iops, 0.0))
    return calibration_points


def test_a_calibration_says_what_was_measured() -> None:
    every = made(1e-4, 1e9, 1e5)
    device = of_points("x", every)
    for point in every:
        access = Access(write=False, count=1, size=point.size)
        busy, after = device.seconds(access, point.depth, CHANCE)
        assert 1 / (busy + after) == pytest.approx(point.iops)
    deep = device.seconds(PAGE, 1000, CHANCE)[0]
    assert deep == device.seconds(PAGE, 32, CHANCE)[0]
    large = device.seconds(Access(write=False, count=1, size=2**23), 1, CHANCE)[0]
    assert large == pytest.approx(8 * device.seconds(Access(False, 1, 2**20), 1, CHANCE)[0])


def test_its_band_is_what_interpolation_and_loops_miss() -> None:
    straight = [
        CalibrationPoint(False, True, size, depth, depth**0.5 * size**-0.5 * 1e5, 0.0)
        for size in (4096, 65536, 2**20) for depth in (1, 4, 32)
    ]  # fmt: skip
    assert of_points("x", straight).off == pytest.approx(0, abs=1e-9)
    noisy = [CalibrationPoint(p.write, p.random, p.size, p.depth, p.iops, 0.03) for p in straight]
    assert of_points("x", noisy).off == pytest.approx(0.03)
    bent = of_points("x", made(1e-4, 1e9, 1e5))
    assert bent.off > 0.05
    slow, fast = (device.seconds(PAGE, 1, CHANCE)[0] for device in (bent.slow(), bent.fast()))
    assert log(slow / fast) == pytest.approx(2 * 1.96 * bent.off)


def test_what_was_not_measured_is_said() -> None:
    device = of_points("x", made(1e-4, 1e9, 1e5))
    with pytest.raises(UsageError, match=r"has no writes.*--writes"):
        device.seconds(Access(write=True, count=1, size=4096), 1, CHANCE)
    with pytest.raises(UsageError, match="incomplete"):
        of_points("x", made(1e-4, 1e9, 1e5)[:-1])
    with pytest.raises(UsageError, match="no figures"):
        of_points("x", [])


def test_the_loads_take_about_the_time_that_they_may() -> None:
    for writes in (False, True):
        seconds = seconds_of(writes=writes, total=110)
        lines = loads(writes=writes, seconds=seconds)
        assert len(lines) * 2 * seconds == pytest.approx(110, rel=0.1)
        assert any("write" in line for line in lines) is writes
        assert len(set(lines)) == len(lines)


def test_points_come_from_the_loops_of_a_run() -> None:
    loops = [loop(at, {"read.iops": value}) for at, value in enumerate((90.0, 110.0))]
    good = trial(loops, ident="random-read-4k-32@/dev/x")
    empty = trial([], ident="random-read-64k-1@/dev/x")
    other = trial(loops, ident="something@/dev/x")
    run = Run("r", study_of("x"), {}, 0.0, RunState.FINISHED, (good, empty, other))
    (point,) = points(run)
    assert point == CalibrationPoint(False, True, 4096, 32, 100.0, point.spread)
    assert point.spread == pytest.approx(0.1)


def test_a_measured_device_is_a_model_like_any_other() -> None:
    assert isinstance(of_points("x", made(1e-4, 1e9, 1e5)).over(0.1), CalibratedDevice)
