"""Guests with real md, LVM, device-mapper, bcache and btrfs, replayed from their recordings.

What each must show is what its script in tests/uml/scenes made; tools/uml/record records them anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.hosts import open_host
from iosonde.records.stack import Capture, StackLayer
from iosonde.stack.discover import discover

RECORDINGS = Path(__file__).parents[3] / "recordings"
KIB, MIB = 1024, 1024**2


async def guest(scene: str) -> tuple[Capture, dict[str, StackLayer]]:
    capture = await discover([await open_host(f"recording:{RECORDINGS / f'uml-{scene}'}")])
    return capture, {layer.id.partition("/")[2]: layer for layer in capture.layers}


def has(layer: StackLayer, **facts: object) -> None:
    assert {name: layer.facts.get(name) for name in facts} == facts


def names(layer: StackLayer) -> list[str]:
    return [name.partition("/")[2] for name in layer.below]


@pytest.mark.parametrize(
    "scene", ["md-lvm-xfs", "md-trouble", "lvm-kinds", "lost-disk", "mapped", "nfs"]
)
async def test_nothing_of_a_guest_stays_unread(scene: str) -> None:
    capture, _ = await guest(scene)
    assert capture.gaps == ()


async def test_a_file_server_from_its_file_systems_to_its_disks() -> None:
    _, layers = await guest("md-lvm-xfs")
    six, ten = layers["md:md0"], layers["md:md1"]
    has(six, level="raid6", raid_disks=5, chunk_size=64 * KIB, data_members=3,
        stripe_width=192 * KIB, bitmap="internal", bitmap_chunk=64 * MIB, active_members=5,
        metadata_version="1.2", consistency_policy="bitmap", degraded=0)  # fmt: skip
    has(ten, level="raid10", chunk_size=256 * KIB, data_members=4, stripe_width=MIB,
        active_members=4, spares="ubdj", bitmap="none", layout=0x201)  # fmt: skip
    assert six.settings["stripe_cache_size"] == 256
    assert six.settings["sync_speed_max"]
    assert "stripe_cache_size" not in ten.settings
    assert names(six) == [f"disk:ubd{letter}" for letter in "abcde"]
    assert "degraded" not in six.hazards
    home, xfs = layers["lvm:vg--data-home"], layers["xfs:/run/home"]
    has(home, volume_group="vg-data", segment_type="linear", extent_size=MIB,
        data_offset=6 * 192 * KIB)  # fmt: skip
    assert names(home) == ["md:md0"]
    has(xfs, stripe_unit=64 * KIB, stripe_width=192 * KIB, block_size=4096, log="internal")
    ext4 = layers["ext4:/run/srv"]
    has(ext4, stripe_unit=64 * 4096, stripe_width=128 * 4096, journal_mode="journal",
        superblock_state="clean", block_size=4096)  # fmt: skip
    assert ext4.hazards == ()


async def test_arrays_at_work_on_themselves() -> None:
    _, layers = await guest("md-trouble")
    rebuilt, resynced, reshaped, spared = (layers[f"md:md{index}"] for index in range(4))
    has(rebuilt, degraded=1, active_members=2, rebuilding="ubdc", sync_action="recover")
    assert rebuilt.hazards[:2] == ("degraded", "recover 0%")
    assert isinstance(rebuilt.facts["sync_speed"], int)
    has(resynced, faulty="ubdg", sync_action="resync", active_members=3)
    assert resynced.hazards[:3] == ("degraded", "resync 0%", "ubdg faulty")
    has(reshaped, raid_disks=4, raid_disks_before=3, sync_action="reshape", active_members=4)
    # It goes by whole stripes of the new shape: three members with data.
    position = int(str(reshaped.facts["reshape_position"]))
    assert 0 < position < (reshaped.size or 0)
    assert position % (3 * 64 * KIB) == 0
    has(spared, spares="ubdn", active_members=2, sync_action="idle", level="raid1")
    assert "chunk_size" not in spared.facts
    assert all(layer.facts["data_offset"] == MIB for layer in (rebuilt, resynced, spared))


async def test_logical_volumes_of_every_kind() -> None:
    _, layers = await guest("lvm-kinds")
    made = {key.removeprefix("lvm:my--vg-"): layer for key, layer in layers.items()
            if key.startswith("lvm:")}  # fmt: skip
    has(made["striped-real"], segment_type="striped", stripes=2, chunk_size=64 * KIB,
        stripe_width=128 * KIB, role="real", data_offset=MIB)  # fmt: skip
    has(made["r5"], segment_type="raid5", data_members=2, stripe_width=64 * KIB, in_sync=1.0)
    has(made["r10"], segment_type="raid10", stripes=4, data_members=2, chunk_size=32 * KIB)
    has(made["r1"], segment_type="raid1", region_size=2 * MIB, chunk_size=None, stripe_width=None)
    has(made["mir"], segment_type="mirror", in_sync=1.0, stripe_width=None)
    has(made["pool-tpool"], segment_type="thin-pool", block_size=128 * KIB, role="tpool")
    assert made["pool-tpool"].hazards[0] == "97% full"
    has(made["thin"], segment_type="thin", pool="pool", full=0.31, stripes=None)
    assert made["thin"].hazards == ()
    has(made["snap"], segment_type="snapshot", origin="striped", block_size=4 * KIB)
    has(made["slow"], segment_type="cache", mode="writeback", policy="smq", block_size=64 * KIB,
        used_share=0.0, dirty_share=0.0)  # fmt: skip
    has(made["slow2"], segment_type="writecache", block_size=4 * KIB)
    assert made["slow"].hazards == made["slow2"].hazards == ("unsafe cache",)
    has(made["multi"], segment_type="linear", segments=2)
    assert names(made["multi"]) == ["disk:ubda", "disk:ubdd"]
    assert not [word for layer in made.values() for word in layer.hazards if "resync" in word]


async def test_volumes_and_an_array_on_a_disk_that_was_pulled_out() -> None:
    _, layers = await guest("lost-disk")
    assert layers["lvm:vg0-pair"].hazards == ("degraded", "partial")
    lone = layers["lvm:vg0-lone"]
    assert lone.hazards == ("partial", "lost sda1")
    assert lone.below == ()
    assert lone.size == 16 * MIB
    assert "disk:sda" not in layers
    mirror = layers["md:md0"]
    assert mirror.hazards == ("degraded", "sda2 faulty", "lost sda2")
    assert names(mirror) == ["disk:ubdb"]


async def test_what_dmsetup_and_cryptsetup_made() -> None:
    _, layers = await guest("mapped")
    cached, written = layers["dm_cache:cached"], layers["dm_writecache:written"]
    has(cached, mode="writeback", policy="smq", block_size=64 * KIB, cache_blocks=512,
        cache_device="/dev/mapper/fast", origin_device="/dev/mapper/origin")  # fmt: skip
    assert "unsafe cache" in cached.hazards
    assert set(names(cached)) == {"dm:fast", "dm:fastmeta", "dm:origin"}
    has(written, medium="ssd", block_size=4096, options="high_watermark 60", used_share=0.0,
        cache_device="/dev/ubde", origin_device="/dev/ubdd")  # fmt: skip
    has(layers["dm_crypt:secret"], format="LUKS2", cipher="aes-xts-plain64", sector_size=4096,
        data_offset=16 * MIB, flags="allow_discards")  # fmt: skip
    lun = layers["multipath:mpatha"]
    has(lun, paths=2, path_groups=2, path_selector="service-time", queue_if_no_path=True,
        wwid="3333333000002710")  # fmt: skip
    assert lun.hazards == ("failed path sdb",)
    has(layers["dm:stripes"], target="striped", chunk_size=32 * KIB, stripe_width=64 * KIB)
    assert layers["dm:stripes"].hazards == ("suspended",)


async def test_bcache_and_btrfs() -> None:
    _, layers = await guest("mapped")
    cached = layers["bcache:bcache0"]
    has(cached, state="dirty", mode="writeback", block_size=4096, bucket_size=512 * KIB)
    assert 0 < int(str(cached.facts["dirty"])) <= 64 * 64 * KIB
    assert cached.settings["writeback_percent"] == 10
    assert cached.hazards == ("unsafe cache",)
    assert names(cached) == ["disk:ubdg", "disk:ubdj"]
    assert not [key for key in layers if key.startswith("disk:bcache")]
    pair = layers["btrfs:/run/pair"]
    has(pair, data_profile="raid1", metadata_profile="raid1", devices=2, block_size=4096,
        checksum="crc32c")  # fmt: skip
    assert names(pair) == ["disk:ubdh", "disk:ubdi"]
    lone = layers["btrfs:/run/lone"]
    has(lone, data_profile="single", metadata_profile="dup", devices=1)
    assert names(lone) == ["disk:ubdk"]
    assert pair.hazards == ()
    assert "in use" in layers["disk:ubdi"].hazards
    assert not [key for key in layers if key.startswith("filesystem:/run/pair")]


async def test_an_nfs_mount_and_a_bind_mount() -> None:
    _, layers = await guest("nfs")
    images = layers["nfs:/run/images"]
    has(images, server="127.0.0.1", export="/", version="4.2", protocol="tcp", connections=4,
        read_size=64 * KIB, write_size=64 * KIB, hard=False, sync=False)  # fmt: skip
    assert images.hazards == ("soft mount",)
    assert names(images) == ["link:lo"]
    link = layers["link:lo"]
    assert link.settings["mtu"] == 65536
    assert (link.settings["tso"], link.settings["lro"]) == (True, False)
    memory = layers["filesystem:/run"]
    has(memory, mounts="/etc")


async def test_a_key_is_nowhere_in_what_is_shown_or_recorded() -> None:
    capture, _ = await guest("mapped")
    crypt = [layer for layer in capture.layers if layer.kind == "dm_crypt"]
    assert "logon" not in repr(crypt)
