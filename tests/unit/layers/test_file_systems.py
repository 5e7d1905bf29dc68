"""What XFS, ext4 and btrfs say of themselves, and what is wrong with them."""

from __future__ import annotations

import pytest

from iosonde.layers.btrfs import kind as btrfs
from iosonde.layers.ext4 import facts as superblock
from iosonde.layers.ext4 import kind as ext4
from iosonde.layers.md.facts import ArrayMember
from iosonde.layers.md.kind import misaligned
from iosonde.layers.xfs.facts import geometry_facts
from iosonde.records.stack import Scalar
from tests.unit.layers._caches.test_discovered import device, scene

# In the shape of xfs_info 6.1, with a log on a device of its own.
XFS = """meta-data=/dev/mapper/vg--data-home isize=512    agcount=8, agsize=35200 blks
         =                       sectsz=4096  attr=2, projid32bit=1
         =                       crc=1        finobt=1, sparse=1, rmapbt=0
data     =                       bsize=4096   blocks=281600, imaxpct=25
         =                       sunit=16     swidth=48 blks
naming   =version 2              bsize=4096   ascii-ci=0, ftype=1
log      =/dev/sdz1              bsize=4096   blocks=16384, version=2
         =                       sectsz=512   sunit=1 blks, lazy-count=1
realtime =none                   extsz=4096   blocks=0, rtextents=0
"""


def test_the_geometry_of_xfs_is_not_mixed_with_that_of_its_log() -> None:
    assert geometry_facts(XFS) == {
        "block_size": 4096, "sector_size": 4096, "stripe_unit": 65536, "stripe_width": 196608,
        "allocation_groups": 8, "log": "/dev/sdz1", "log_size": 64 * 2**20,
    }  # fmt: skip
    plain = geometry_facts(XFS.replace("sunit=16     swidth=48", "sunit=0      swidth=0"))
    assert "stripe_unit" not in plain
    assert geometry_facts("") == geometry_facts("xfs_info: /x is not mounted") == {}


@pytest.mark.parametrize(
    ("state", "errors", "options", "arguments"),
    [
        ("clean", "0", {}, ()),
        ("", "", {}, ()),
        ("not clean", "0", {}, ()),
        ("clean with errors", "0", {}, ("needs fsck",)),
        ("clean", "3", {}, ("needs fsck",)),
        ("clean", "0", {"nobarrier": True}, ("no barriers",)),
        ("clean", "0", {"barrier": "0"}, ("no barriers",)),
        ("clean", "0", {"barrier": "1"}, ()),
    ],
)
def test_what_is_wrong_with_ext4(
    state: str, errors: str, options: dict[str, Scalar], arguments: tuple[str, ...]
) -> None:
    assert ext4.hazards_of(state, errors, options) == arguments


def test_superblocks_of_ext4() -> None:
    text = "Block size:               1024\nRAID stride:              16\nJournal size:  4096k\n"
    assert superblock.superblock_facts(text) == {
        "block_size": 1024, "stripe_unit": 16384, "journal_size": 4 * 2**20,
    }  # fmt: skip
    assert superblock.superblock_facts("dumpe2fs 1.47.0 (5-Feb-2023)\n") == {}


def test_what_is_wrong_with_btrfs() -> None:
    stats = "write_errs 2\nread_errs 0\nflush_errs 0\ncorruption_errs 1\ngeneration_errs 0\n"
    assert btrfs.device_errors(stats) == 3
    assert btrfs.hazards_of({}, 0, 0) == ()
    assert btrfs.hazards_of({"degraded": True}, 0, 0) == ("degraded",)
    assert btrfs.hazards_of({"nobarrier": True}, 1, 3) == (
        "degraded", "3 device errors", "no barriers",
    )  # fmt: skip
    paths = ["/x/allocation/data/single/total_bytes", "/x/allocation/data/raid1/total_bytes"]
    assert btrfs.profiles(paths, "data") == "raid1, single"
    assert btrfs.profiles(paths, "metadata") is None


def test_data_of_an_array_off_the_sectors_of_a_member() -> None:
    from dataclasses import replace

    disk = replace(device("sda", "disk"), queue={"physical_block_size": "4096"})
    made = scene(disk)
    assert misaligned(made, [ArrayMember("sda", "in_sync", 0, 2**20)]) == ()
    assert misaligned(made, [ArrayMember("sda", "in_sync", 0, 2**20 + 512)]) == ("misaligned",)
    assert misaligned(made, [ArrayMember("sda", "in_sync", 0, None)]) == ()
