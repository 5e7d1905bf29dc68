"""dm-cache, dm-writecache, bcache: parsers, and when a cache is unsafe."""

from __future__ import annotations

import pytest

from iosonde.layers._mapper.facts import MapperTarget, has_failed
from iosonde.layers.bcache.facts import cache_facts, chosen, counts, size, span
from iosonde.layers.dm_cache import facts as dm_cache
from iosonde.layers.dm_writecache import facts as dm_writecache
from iosonde.layers.layer import BlockDevice, Scene
from tests.empty_host import EmptyHost

# In the shape of `dmsetup status` on Linux 6.1, with figures that differ from one another.
CACHE = (
    "8 9/2048 128 64/128 30 10 5 15 1 2 32 3 metadata2 writeback no_discard_passdown "
    "2 migration_threshold 2048 smq 0 rw -"
)


def test_a_cache_s_status_in_shares() -> None:
    status = dm_cache.read_status(CACHE.split())
    assert status is not None
    assert status.facts() == {"cache_blocks": 128, "used_share": 0.5, "dirty_share": 0.25}
    assert status.counters == {
        "read_hits": 30, "read_misses": 10, "write_hits": 5, "write_misses": 15, "demotions": 1,
        "promotions": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("ending", "arguments"),
    [
        ("rw -", ()),
        ("ro needs_check", ("metadata read-only", "needs check")),
        ("rw needs_check", ("needs check",)),
    ],
)
def test_what_is_wrong_with_a_cache(ending: str, arguments: tuple[str, ...]) -> None:
    status = dm_cache.read_status(f"{CACHE.removesuffix('rw -')}{ending}".split())
    assert status is not None
    assert status.hazards() == arguments


@pytest.mark.parametrize("status", ["", "x y z", "Fail", CACHE[:60]])
def test_what_is_no_status_of_a_cache(status: str) -> None:
    assert dm_cache.read_status(status.split()) is None
    assert has_failed(status.split()) == (status == "Fail")


def test_what_a_later_kernel_adds_is_no_harm_on_a_host_and_no_status_in_a_text() -> None:
    for facts, text in ((dm_cache, CACHE), (dm_writecache, "0 1000 250 5 1 2 3 4 5 6 7 8 9 10")):
        longer = f"{text} 11".split()
        assert facts.read_status(longer) is not None
        assert facts.read_target(MapperTarget(0, 8, "x", tuple(text.split()))) is not None
        assert facts.read_target(MapperTarget(0, 8, "x", tuple(longer))) is None


def test_tables_of_caches() -> None:
    text = "253:1 253:0 253:2 512 2 metadata2 writethrough smq 2 migration_threshold 4096"
    assert dm_cache.read_table(text.split()) == dm_cache.CacheTable(
        "253:1", "253:0", "253:2", 256 * 1024, "writethrough", "smq"
    )
    table = dm_cache.read_table(["a", "b", "c", "512", "0", "default", "0"])
    assert table is not None
    assert table.mode == "writeback"
    assert dm_cache.read_table(["a"]) is None


def test_a_writecache_with_and_without_the_kernel_s_counters() -> None:
    older = dm_writecache.read_status(["0", "1000", "250", "5"])
    assert older == dm_writecache.WritecacheStatus(0, 1000, 250, 5, {})
    assert older.facts() == {"cache_blocks": 1000, "used_share": 0.75, "writeback_blocks": 5}
    newer = dm_writecache.read_status(
        ["0", "1000", "250", "5", "7", "6", "0", "0", "0", "0", "0", "0", "3", "0"]
    )
    assert newer is not None
    counted = newer.counters
    assert (counted["read_requests"], counted["read_hits"], counted["flushes"]) == (7, 6, 3)
    failed = dm_writecache.read_status(["5", "1", "1", "0"])
    assert failed is not None
    assert failed.error == 5
    assert dm_writecache.read_status(["Error"]) is dm_writecache.read_status([]) is None
    table = dm_writecache.read_table(("p", "8:1", "8:2", "512", "0"))
    assert table is not None
    assert table.medium == "persistent memory"


def test_what_bcache_prints() -> None:
    assert chosen("writethrough [writeback] writearound none") == "writeback"
    assert chosen("") is None
    assert size("4.0M") == 4 * 2**20
    assert size("1.5k") == 1536
    assert size("x") is size(None) is None
    assert size("4.00 KiB (1%)") == 4096
    assert span("4.0M") == (4 * 2**20, 4 * 2**20 + 2**20 // 10 + 1)
    assert span("0") == (0, 0)
    assert span("x") is None
    assert cache_facts({"state": "clean"}) == {"state": "clean"}
    files = {"stats_total/bypassed": "2.0k", "stats_hour/cache_hits": "3"}
    assert counts(files) == {"bypassed": 2048}
    assert counts(files, "stats_hour") == {"cache_hits": 3}


def scene(*devices: BlockDevice) -> Scene:
    return Scene(EmptyHost(), {device.name: device for device in devices}, (), ())


def device(name: str, type_: str, *below: str, path: str = "") -> BlockDevice:
    return BlockDevice(name, path or f"/dev/{name}", "1:1", type_, 1, below)


def test_what_survives_the_loss_of_a_disk() -> None:
    made = scene(
        device("sda", "disk"), device("sdb", "disk"), device("md0", "raid1", "sda", "sdb"),
        device("md1", "raid0", "sda", "sdb"), device("dm-0", "lvm", "md0"),
        device("dm-1", "lvm", "md0", "sda"),
        device("dm-2", "lvm", "sda", path="/dev/mapper/vg-r_rimage_0"),
        device("dm-3", "lvm", "dm-2"),
    )  # fmt: skip
    survivors = {name for name in made.devices if made.survives_a_loss(name)}
    assert survivors == {"md0", "dm-0", "dm-3"}
    assert not made.survives_a_loss("nowhere")
