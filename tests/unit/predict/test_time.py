"""Times of stacks whose figures can be reckoned by hand."""

from __future__ import annotations

import pytest

from iosonde.predict.time import NoTime
from iosonde.stack.file import DeclaredStack, understand
from tests.unit.predict.stacks import certain, disks, md, time_of

HELD = {"disk": "limits:iops=200"}
RANDOM = "--rw=randwrite --bs=4k --ioengine=libaio"


def test_one_disk_does_what_it_is_held_to() -> None:
    stack = disks(1, "p: {kind: partition, of: d1, size: 1 GiB}")
    time = certain(time_of(stack, f"{RANDOM} --iodepth=8", HELD))
    assert time.iops == pytest.approx(200)
    assert time.latency == pytest.approx(8 / 200)
    assert time.bandwidth == pytest.approx(200 * 4096)
    assert (time.bottleneck, time.depth) == ("d1", 8)
    assert time.band == pytest.approx((200, 200), rel=1e-3)


@pytest.mark.parametrize(
    ("level", "number", "per_request"), [(0, 4, 1), (10, 4, 2), (5, 4, 4), (6, 6, 6), (5, 8, 4)]
)
def test_deep_random_writes_are_bounded_by_the_ios_of_all_disks(
    level: int, number: int, per_request: int
) -> None:
    """Saturated, all disks are busy: disks × rate / I/Os of a request (lab notes: 1, 2, 4, 6)."""
    time = certain(time_of(md(level, number), f"{RANDOM} --iodepth=128", HELD))
    assert time.iops == pytest.approx(number * 200 / per_request, rel=0.06)


@pytest.mark.parametrize(("level", "phases"), [(0, 1), (10, 1), (5, 2), (6, 2)])
def test_alone_a_write_waits_for_what_must_be_read_first(level: int, phases: int) -> None:
    time = certain(time_of(md(level, 6 if level == 6 else 8), f"{RANDOM} --iodepth=1", HELD))
    assert time.latency == pytest.approx(phases / 200, rel=0.01)


def test_synchronous_engines_have_one_request_under_way() -> None:
    time = certain(time_of(md(0, 4), "--rw=randread --bs=4k --ioengine=psync --iodepth=32", HELD))
    assert time.depth == 1
    four = certain(time_of(md(0, 4), "--rw=randread --bs=4k --numjobs=4", HELD))
    assert four.depth == 4


def test_a_load_that_holds_itself_back_waits_less() -> None:
    paced = certain(time_of(md(0, 4), f"{RANDOM} --iodepth=64 --rate_iops=100", HELD))
    assert paced.iops == pytest.approx(100, rel=0.01)
    assert paced.latency < 0.02
    beyond = certain(time_of(md(0, 4), f"{RANDOM} --iodepth=64 --rate_iops=100000", HELD))
    assert beyond.iops < 801


def test_what_is_not_known_is_not_predicted() -> None:
    bare = time_of(md(0, 4), RANDOM)
    assert isinstance(bare, NoTime)
    assert "d1, d2, d3 and 1 more" in bare.reason
    cached = time_of(md(0, 4), "--rw=write --bs=4k --direct=0", HELD)
    assert isinstance(cached, NoTime)
    assert "page cache" in cached.reason


def over_network(model: str) -> DeclaredStack:
    return understand(
        "stack: s\nhosts: {a: {at: local}, b: {at: b, address: 10.0.0.2}}\nlayers:\n"
        "  d1: {kind: disk, host: b, path: /dev/x, size: 4 GiB}\n"
        "  e: {kind: nvmeof_target, of: d1}\n"
        "  n: {kind: nvmeof, of: e, host: a}\n"
        f"devices: {{d1: 'limits:latency=100us,iops=100k'{model}}}\n",
        "s.yaml",
    )


def test_a_network_adds_its_latency_and_bounds_the_rate() -> None:
    near = certain(time_of(over_network(""), RANDOM))
    assert near.latency == pytest.approx(100e-6)
    assert any("network takes no time" in note for note in near.notes)
    far = certain(time_of(over_network(", n: 'link:rate=1Gbit/s,latency=50us'"), RANDOM))
    frames = 3 * 78
    assert far.latency == pytest.approx(150e-6 + (4096 + frames) / 125e6, rel=1e-3)
    large = "--rw=randwrite --bs=1m --ioengine=libaio --iodepth=16"
    full = certain(time_of(over_network(", n: 'link:rate=1Gbit/s,latency=50us'"), large))
    assert full.bandwidth == pytest.approx(125e6 * 1460 / 1538, rel=0.01)
    assert full.bottleneck == "n>"
    reads = certain(
        time_of(over_network(", n: 'link:rate=1Gbit/s'"), large.replace("write", "read"))
    )
    assert reads.bottleneck == "n<"


def hardware(cache: str, level: int = 5) -> DeclaredStack:
    drives = ", ".join(f'"1:{number}"' for number in range(4))
    return understand(
        "stack: s\nhosts: {n: {at: local}}\nlayers:\n"
        f"  r: {{kind: hwraid, host: n, drives: [{drives}], level: {level}, drive_size: 10 GiB,"
        " strip_size: 64 KiB}\n"
        f"devices: {{r.drives: 'limits:iops=200', r: 'controller:rate=1GB/s{cache}'}}\n",
        "s.yaml",
    )


def test_a_cache_that_holds_all_is_not_timed_and_says_so() -> None:
    time = time_of(hardware(",cache=256MiB"), f"{RANDOM} --size=64m")
    assert isinstance(time, NoTime)
    assert "stays in its cache" in time.reason


def test_reads_do_not_wait_for_the_write_cache() -> None:
    reads = "--rw=randread --bs=4k --size=64m --ioengine=libaio --iodepth=8"
    time, other = (certain(time_of(hardware(text), reads)) for text in ("", ",cache=256MiB"))
    assert time.iops == pytest.approx(other.iops, rel=0.02)
    mixed = certain(time_of(hardware(",cache=256MiB"), reads.replace("read", "rw")))
    assert mixed.iops == pytest.approx(2 * time.iops, rel=0.1)  # every other request is a write
    assert any("stays in its cache" in note for note in mixed.notes)


def test_a_write_back_cache_gathers_what_is_random() -> None:
    """Whole strips at random over twice the cache: hits, and fewer partial stripes."""
    load = "--rw=randwrite --bs=64k --size=64m --ioengine=libaio --iodepth=32"
    through = certain(time_of(hardware(""), load))
    cached = certain(time_of(hardware(",cache=32MiB"), load))
    assert through.iops == pytest.approx(200, rel=0.06)  # four I/Os for each write
    assert cached.iops > 2 * through.iops
    assert any("once its cache" in note for note in cached.notes)


def test_hardware_raid_counts_as_the_array_that_it_is() -> None:
    soft, hard = md(10, 4), hardware("", level=10)
    load = f"{RANDOM} --iodepth=32"
    time, other = certain(time_of(soft, load, HELD)), certain(time_of(hard, load))
    assert time.iops == pytest.approx(other.iops, rel=0.05)


def test_a_target_of_aoe_serves_one_request_after_the_other() -> None:
    text = (
        "stack: s\nhosts: {a: {at: lab}, b: {at: lab}}\nlayers:\n"
        "  d1: {kind: disk, host: a, size: 192 MiB, iops: 40}\n"
        "  d2: {kind: disk, host: a, size: 192 MiB, iops: 40}\n"
        "  r: {kind: md, level: 0, chunk_size: 64k, of: [d1, d2]}\n"
        "  t: {kind: aoe_target, of: r}\n  e: {kind: aoe, of: t, host: b}\n"
    )
    load = "--rw=randread --bs=4k --iodepth=8 --ioengine=libaio"
    far, near = (certain(time_of(understand(text, "s.yaml"), load, at=at)) for at in ("e", "r"))
    assert near.iops > 1.5 * far.iops
    assert far.latency == pytest.approx(8 / far.iops)
    assert any("one frame after the other" in note for note in far.notes)
    assert not any("one frame after the other" in note for note in near.notes)
    large = certain(time_of(understand(text, "s.yaml"), load.replace("4k", "64k"), at="e"))
    assert large.iops == pytest.approx(40 / 8, rel=0.1), "eight frames of 8704 bytes, one disk"
    linked = certain(
        time_of(understand(text, "s.yaml"), load, {"aoe": "link:rate=1Gbit/s"}, at="e")
    )
    assert any("left out" in note for note in linked.notes)
