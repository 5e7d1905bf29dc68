"""Stacks with what caches, journals and bitmaps do of their own, down to the disks."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde import _core
from iosonde.errors import UsageError
from iosonde.layers.ext4.ledger import journal_blocks, tags
from iosonde.loads.named import declare_load
from iosonde.predict.devices import DeviceModels, with_caches
from iosonde.predict.model import Prediction, model_of, predict, top_of
from iosonde.predict.requests import of_load
from iosonde.predict.shape import shape_of
from iosonde.predict.time import NoTime, time_of
from iosonde.predict.what_if import parse_change, variants
from iosonde.stack.file import DeclaredStack
from tests.unit.predict.test_tables import named, stack

MIB = 2**20
WRITES = "fio --name=x --rw=randwrite --bs=4k --direct=1 --size=128m --number_ios=1000"


def run(declared: DeclaredStack, load: str, *changes: str, at: str = "") -> Prediction:
    (variant,) = variants(
        declared, top_of(declared, at), [parse_change(change) for change in changes]
    )
    made = declare_load(load, where="test", directory=Path())
    buffered = shape_of(made).buffered
    model = model_of(variant.top, declared.mtu, variant.extra, buffered=buffered)
    return predict(model, of_load(made, 1000, model.size))


def disks(prediction: Prediction) -> tuple[int, int, int, int]:
    counts = prediction.disks()
    return (
        sum(totals.reads for totals in counts), sum(totals.writes for totals in counts),
        sum(totals.read_bytes for totals in counts), sum(totals.write_bytes for totals in counts),
    )  # fmt: skip


def test_a_bitmap_costs_a_write_for_each_chunk_that_was_clean() -> None:
    """128 MiB are two chunks of 64 MiB: two pages of 512 bytes on each of two members."""
    declared = stack("r: {kind: md, level: 1, of: [d1, d2], bitmap: internal}", disks=2)
    # Both bits are cleared by one more write of their page.
    assert disks(run(declared, WRITES))[1] == 2 * (1000 + 2 + 1)
    assert disks(run(declared, WRITES))[3] == 2 * (1000 * 4096 + 3 * 512)
    fine = run(declared, WRITES, "r.bitmap_chunk=1m")
    assert named(fine, "r").events == {
        "bitmap_bits": 128, "bitmap_pages": 128, "bitmap_pages_cleared": 1,
    }  # fmt: skip
    assert disks(fine)[1] == 2 * (1000 + 128 + 1)
    assert any("cleared" in note for note in named(fine, "r").notes)
    lost = run(declared, WRITES, "r.failed=1")
    assert [disk.writes for disk in lost.disks()] == [1002, 0]
    assert disks(run(declared, WRITES.replace("write", "read")))[1] == 0


def test_a_bitmap_of_parity_stands_for_places_of_the_members() -> None:
    """128 MiB of data on three members with data are 43 MiB of each: one chunk."""
    of = "of: [d1, d2, d3, d4], chunk_size: 64k, bitmap: internal"
    prediction = run(stack(f"r: {{kind: md, level: 5, {of}}}"), WRITES)
    assert named(prediction, "r").events == {
        "bitmap_bits": 1, "bitmap_pages": 1, "bitmap_pages_cleared": 1,
    }  # fmt: skip
    assert disks(prediction)[1] == 2000 + 4 + 4


BCACHE = "b: {{kind: bcache, of: [d1, d2], {0}}}"


def test_bcache_takes_small_writes_until_its_share_is_dirty() -> None:
    """1 GiB of cache: all dirty data fit below 10 %, and with 0 % none stay."""
    prediction = run(stack(BCACHE.format("cache_mode: writeback"), disks=2), WRITES)
    assert named(prediction, "d1").writes == 0
    assert named(prediction, "d2").write_bytes == 1000 * 4096
    assert named(prediction, "b").events["dirty_bytes"] == 1000 * 4096
    assert any("b: approximate: dirty data are held at 10 %" in note for note in prediction.notes)
    none = run(stack(BCACHE.format("cache_mode: writeback, writeback_percent: 0"), disks=2), WRITES)
    assert named(none, "d1").writes == named(none, "d2").reads == 1000
    for mode in ("writethrough", "writearound", "none"):
        through = run(stack(BCACHE.format(f"cache_mode: {mode}"), disks=2), WRITES)
        assert named(through, "d1").writes == 1000
        assert named(through, "d2").writes == (1000 if mode == "writethrough" else 0)


def test_bcache_lets_streams_pass() -> None:
    """Up to the cutoff of 4 MiB a stream is cached, from then on not."""
    declared = stack(BCACHE.format("cache_mode: writeback"), disks=2)
    load = "fio --name=x --rw=write --bs=1m --direct=1 --size=64m --number_ios=64"
    prediction = run(declared, load)
    assert named(prediction, "d2").write_bytes <= 3 * MIB + 64
    every = run(declared, load, "b.sequential_cutoff=0")
    assert named(every, "d1").writes == 0


HWRAID = (
    'r: {kind: hwraid, host: n1, level: 5, drives: ["252:0", "252:1", "252:2", "252:3", "252:4"],'
    " strip_size: 64k, drive_size: 1 TiB}"
)
SMALL = "fio --name=x --rw=write --bs=4k --direct=1 --size=64m --number_ios=16384"


def test_a_controllers_cache_makes_whole_stripes_of_small_writes() -> None:
    """Sequential writes of 4 KiB leave as four strips and their parity, without a read."""
    declared = stack(HWRAID, disks=0)
    through = run(declared, SMALL, at="r")
    assert any("cache_size" in note for note in named(through, "r").notes)
    prediction = run(declared, SMALL, "r.cache_size=16 MiB", at="r")
    assert [layer.id for layer in prediction.layers][:2] == ["r", "r-array"]
    assert disks(prediction) == (0, 5 * 256, 0, 64 * MIB * 5 // 4)
    assert named(prediction, "r").events["left_at_the_end"] == 16 * MIB
    assert any(note.startswith("r: approximate: stripes leave") for note in prediction.notes)
    assert disks(through)[1] > 10 * disks(prediction)[1]


def test_what_a_random_load_writes_leaves_once() -> None:
    """A cache that holds all of a load that overwrites: each byte goes out once, whole."""
    load = "fio --name=x --rw=randwrite --bs=64k --direct=1 --size=16m --number_ios=4000"
    prediction = run(stack(HWRAID, disks=0), load, "r.cache_size=32 MiB", at="r")
    assert named(prediction, "r-array").write_bytes == 16 * MIB
    assert named(prediction, "r").events["whole_stripes"] == 64
    with pytest.raises(UsageError, match="no room for a stripe"):
        run(stack(HWRAID, disks=0), load, "r.cache_size=64k", at="r")


def test_the_controllers_model_says_how_large_its_cache_is() -> None:
    declared = stack(HWRAID, disks=0)
    devices = DeviceModels({"r": "controller:overhead=1us,rate=1GB/s,cache=16MiB"})
    extra = with_caches({}, top_of(declared, "r"), devices)
    assert extra == {"r": {"cache_size": 16 * MIB}}
    said = with_caches({"r": {"cache_size": "4096"}}, top_of(declared, "r"), devices)
    assert said["r"]["cache_size"] == "4096"
    through = stack(
        HWRAID.replace("drive_size", "write_policy: write_through, drive_size"), disks=0
    )
    assert len(model_of(top_of(through, "r"), 1500, extra).nodes) == 6


def test_a_smart_array_divides_its_cache() -> None:
    drives = '"1I:1:1", "1I:1:2", "1I:1:3"'
    declared = stack(
        f"r: {{kind: hwraid, host: n1, level: 5, drives: [{drives}], strip_size: 64k,"
        " drive_size: 1 TiB, cache_ratio: 75}",
        disks=0,
    )
    reads = (
        "fio --name=x --rw=randread --bs=4k --direct=1 --size=8m --number_ios=20000 --norandommap"
    )
    prediction = run(declared, reads, "r.cache_size=16 MiB", at="r")
    assert (
        named(prediction, "r-array").reads == named(prediction, "r-array").read_bytes / 4096 <= 2048
    )
    model = model_of(top_of(declared, "r"), 1500, {"r": {"cache_size": 16 * MIB}})
    rule = model.nodes[0].rule
    assert isinstance(rule, _core.Controller)
    assert rule.room == 4 * MIB


EXT4 = "f: {{kind: ext4, of: d1, mount: /m, journal: journal{0}}}"


def test_data_journalled_are_written_twice() -> None:
    """A flush behind each write: descriptor, data, inode and commit block, then the place."""
    load = WRITES + " --fsync=1"
    prediction = run(stack(EXT4.format(""), disks=1), load)
    journal = named(prediction, "f")
    assert journal.events["commits"] == 1000
    assert journal.events["log_blocks"] == 4000
    assert journal.events["blocks_in_place"] == 1001
    assert named(prediction, "d1").write_bytes >= (4000 + 1001) * 4096
    assert named(prediction, "d1").flushes >= 2000
    assert any(note.startswith("f: approximate: a transaction") for note in prediction.notes)
    ordered = run(stack(EXT4.format("").replace("l: journal", "l: ordered"), disks=1), load)
    assert named(ordered, "d1").writes == 1000


def test_a_small_journal_is_emptied_more_often() -> None:
    load = "fio --name=x --rw=write --bs=64k --direct=1 --size=256m --number_ios=4096"
    large = run(stack(EXT4.format(", journal_size: 128 MiB"), disks=1), load)
    small = run(stack(EXT4.format(", journal_size: 4 MiB"), disks=1), load)
    for prediction in (large, small):
        assert named(prediction, "f").events["blocks_in_place"] >= 65536
        assert named(prediction, "d1").write_bytes > 2 * 256 * MIB
    assert named(small, "f").events["commits"] > 20 * named(large, "f").events["commits"]


def test_what_a_journal_is_made_of() -> None:
    assert journal_blocks(2**18 - 1) * 4096 == 16 * MIB
    assert journal_blocks(2**30) * 4096 == 1024 * MIB
    # 4096 bytes less header, UUID and, with checksums, the tail.
    assert (tags(checksums=True), tags(checksums=False)) == (253, 506)


def test_a_journalled_load_has_no_time() -> None:
    declared = stack(EXT4.format(""), disks=1)
    made = declare_load(WRITES, where="test", directory=Path())
    model = model_of(top_of(declared), 1500)
    devices = DeviceModels({"disk": "7k2-sata"})
    time = time_of(model, of_load(made, 10, model.size), shape_of(made), devices)
    assert isinstance(time, NoTime)
    assert "data=journal" in time.reason


BUFFERED = "fio --name=x --rw={0} --bs=4k --size=64m"


def test_buffered_writes_leave_merged() -> None:
    declared = stack("f: {kind: xfs, of: d1, mount: /m}", disks=1)
    load = BUFFERED.format("randwrite") + " --number_ios=16384"
    prediction = run(declared, load, "f.page_cache=1g")
    assert [layer.id for layer in prediction.layers] == ["f-page-cache", "f", "d1"]
    # All that is written fits below the threshold, and goes out in one piece each 1280 KiB.
    assert named(prediction, "d1").writes <= 64 * 1024 // 1280 + 1
    # Of a device each page is a bio, and a request takes 254 of them.
    bare = run(
        stack("p: {kind: partition, of: d1, start: 1 MiB}", disks=1), load, "p.page_cache=1g"
    )
    assert named(bare, "d1").writes == 64 * 256 // 254 + 1
    assert named(prediction, "d1").write_bytes == 64 * MIB
    tight = run(declared, load, "f.page_cache=1g", "f.dirty_background_bytes=1m")
    assert named(tight, "d1").writes > 1000
    assert any(note.startswith("f-page-cache: approximate") for note in prediction.notes)
    assert not any("not modelled" in note for note in prediction.notes)
    without = run(declared, load)
    assert any("not modelled" in note for note in without.notes)


def test_buffered_reads_run_ahead() -> None:
    declared = stack("f: {kind: xfs, of: d1, mount: /m}", disks=1)
    prediction = run(declared, BUFFERED.format("read") + " --number_ios=16384", "f.page_cache=1g")
    assert named(prediction, "d1").read_bytes == pytest.approx(64 * MIB, rel=0.01)
    assert named(prediction, "d1").read_sizes[128 * 1024] > 500
    larger = run(
        declared, BUFFERED.format("read") + " --number_ios=16384", "f.page_cache=1g",
        "f.read_ahead_kb=1024",
    )  # fmt: skip
    assert named(larger, "d1").reads < 80
    again = run(declared, BUFFERED.format("read") + " --number_ios=65536", "f.page_cache=1g")
    assert named(again, "d1").read_bytes == pytest.approx(64 * MIB, rel=0.01)


def test_a_page_cache_is_before_the_layer_that_is_loaded() -> None:
    declared = stack("f: {kind: xfs, of: d1, mount: /m}", disks=1)
    direct = run(declared, WRITES, "f.page_cache=1g")
    assert named(direct, "d1").writes == 1000
    assert any("direct, so its page_cache changes nothing" in note for note in direct.notes)
    with pytest.raises(UsageError, match=r"d1\.page_cache means nothing: the load is applied to f"):
        run(declared, BUFFERED.format("read"), "d1.page_cache=1g")
    with pytest.raises(UsageError, match="not a size"):
        run(declared, WRITES, "f.page_cache=much")
    with pytest.raises(UsageError, match="has no page"):
        run(declared, BUFFERED.format("read"), "f.page_cache=1k")
