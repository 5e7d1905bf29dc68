"""dm-cache, dm-writecache, bcache: parsers, and when a cache is unsafe."""

from __future__ import annotations

import pytest

from iosonde.layers import dm_cache, dm_writecache
from iosonde.layers.bcache import cache_facts, chosen, size
from iosonde.layers.layer import BlockDevice, Scene
from tests.nothing import NothingHost

# In the shape of `dmsetup status` on Linux 6.1, with figures that differ from one another.
CACHE = (
    "8 9/2048 128 64/128 30 10 5 15 1 2 32 3 metadata2 writeback no_discard_passdown "
    "2 migration_threshold 2048 smq 0 rw -"
)


def test_a_cache_s_status_in_shares() -> None:
    assert dm_cache.status_facts(CACHE.split()) == {
        "cache_blocks": 128, "used_share": 0.5, "dirty_share": 0.25, "read_hits": 30,
        "read_misses": 10, "write_hits": 5, "write_misses": 15, "demotions": 1, "promotions": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (CACHE, ()),
        (CACHE[:-4] + "ro needs_check", ("metadata read-only", "needs check")),
        (CACHE[:-1] + "needs_check", ("needs check",)),
        ("Fail", ("failed",)),
        ("", ()),
    ],
)
def test_what_is_wrong_with_a_cache(status: str, words: tuple[str, ...]) -> None:
    assert dm_cache.status_hazards(status.split()) == words


def test_tables_of_caches() -> None:
    table = "253:1 253:0 253:2 512 2 metadata2 writethrough smq 2 migration_threshold 4096"
    assert dm_cache.table_facts(table.split()) == {
        "block_size": 256 * 1024, "mode": "writethrough", "policy": "smq",
    }  # fmt: skip
    assert dm_cache.table_facts(["a", "b", "c", "512", "0", "default", "0"])["mode"] == "writeback"
    assert dm_cache.table_facts(["a"]) == dm_cache.status_facts(["x", "y", "z"]) == {}


def test_a_writecache_with_and_without_the_kernel_s_counters() -> None:
    assert dm_writecache.status_facts(["0", "1000", "250", "5"]) == {
        "cache_blocks": 1000, "used_share": 0.75, "writeback_blocks": 5,
    }  # fmt: skip
    newer = dm_writecache.status_facts(
        ["0", "1000", "250", "5", "7", "6", "0", "0", "0", "0", "0", "0", "3", "0"]
    )
    assert (newer["read_requests"], newer["read_hits"], newer["flushes"]) == (7, 6, 3)
    assert dm_writecache.status_hazards(["5", "1", "1", "0"]) == ("failed",)
    assert dm_writecache.status_facts(["Error"]) == dm_writecache.status_facts([]) == {}
    assert (
        dm_writecache.table_facts(("p", "8:1", "8:2", "512", "0"))["medium"] == "persistent memory"
    )


def test_what_bcache_prints() -> None:
    assert chosen("writethrough [writeback] writearound none") == "writeback"
    assert chosen("") is None
    assert size("4.0M") == 4 * 2**20
    assert size("1.5k") == 1536
    assert size("x") is size(None) is None
    assert cache_facts({"state": "clean", "stats_total/bypassed": "2.0k"}) == {
        "state": "clean", "bypassed": 2048,
    }  # fmt: skip


def scene(*devices: BlockDevice) -> Scene:
    return Scene(NothingHost(), {one.name: one for one in devices}, (), ())


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
