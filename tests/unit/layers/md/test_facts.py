"""md's parsers, on arrays of one guest as the kernel and mdadm show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.md.facts import (
    ArrayMember,
    array_facts,
    parse_mdstat,
    parse_member,
)
from iosonde.layers.md.facts_mdadm import parse_mdadm
from iosonde.units import KIB

PLACE = Path(__file__).parents[3] / "outputs" / "md-6.1"
GEOMETRY = ("level", "raid_disks", "chunk_size", "layout", "data_members", "stripe_width")


def lines(name: str) -> list[str]:
    """Of a sample, without the command above."""
    return (PLACE / name).read_text().splitlines()[1:]


def test_the_kernel_mdadm_and_a_member_tell_one_geometry() -> None:
    kernel = {
        array.name: array.facts for array in parse_mdstat("\n".join(lines("mdstat-busy.txt")))
    }
    examined = lines("examine.txt")
    second, _ = parse_mdadm(examined[examined.index("/dev/ubdj:") :])
    first, last = parse_mdadm(examined)
    assert examined[last + 1] == "/dev/ubdj:"
    for name, member in (("md0", first), ("md1", second)):
        detail, _ = parse_mdadm(lines(f"detail-{name}.txt"))
        assert not detail.examined
        assert member.examined
        for fact in GEOMETRY:
            assert kernel[name][fact] == detail.facts[fact] == member.facts[fact], fact
        assert detail.facts["uuid"] == member.facts["uuid"]


@pytest.mark.parametrize(
    ("line", "operation", "action", "waits"),
    [
        ("[=>..]  recovery =  5.3% (8704/162816) finish=0.8min speed=2901K/sec",
         "recovery", "recover", None),
        ("\tresync=DELAYED", "resync", "resync", "delayed"),
        ("\tcheck=PENDING", "check", "check", "pending"),
    ],
)  # fmt: skip
def test_work_keeps_the_kernels_word_beside_that_of_sysfs(
    line: str, operation: str, action: str, waits: str | None
) -> None:
    (array,) = parse_mdstat(
        f"md1 : active raid1 sdb1[1] sda1[0]\n      9 blocks [2/2] [UU]\n      {line}\n"
    )
    assert array.work is not None
    assert (array.work.operation, array.work.action, array.work.waits) == (operation, action, waits)
    assert (array.work.share is None) == (waits is not None)


def test_an_array_that_is_cut_off_is_none() -> None:
    assert list(parse_mdstat("")) == []
    assert list(parse_mdstat("md0 : active raid1 sdb1[1] sda1[0]\n")) == []


@pytest.mark.parametrize(
    ("location", "bitmap"),
    [("none", {"bitmap": "none"}), ("+8", {"bitmap": "internal", "bitmap_chunk": 65536 * KIB}),
     ("-8", {"bitmap": "internal", "bitmap_chunk": 65536 * KIB}),
     ("/bits", {"bitmap": "/bits", "bitmap_chunk": 65536 * KIB}), (None, {})],
)  # fmt: skip
def test_bitmaps_lie_inside_or_in_a_file(location: str | None, bitmap: dict[str, object]) -> None:
    files = {"bitmap/chunksize": str(65536 * KIB)}
    assert array_facts(files | ({"bitmap/location": location} if location else {})) == bitmap


def test_a_member_lies_in_a_directory_without_slashes() -> None:
    files = {"dev-cciss!c0d1/state": "in_sync", "dev-cciss!c0d1/slot": "1",
             "dev-cciss!c0d1/offset": "2048"}  # fmt: skip
    assert parse_member("cciss/c0d1", files) == ArrayMember("cciss/c0d1", "in_sync", 1, 2048 * 512)
    assert parse_member("sda", {"dev-sda/slot": "none"}) == ArrayMember("sda", "", None, None)
