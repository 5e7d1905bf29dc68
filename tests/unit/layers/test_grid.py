"""The arithmetic of alignment."""

from __future__ import annotations

import pytest

from iosonde.layers._grid import alignment_facts, alignment_hazards, believed_stripe

KIB = 1024


@pytest.mark.parametrize(
    ("start", "physical", "stripe", "offset", "hazards"),
    [
        (1024 * KIB, 4096, None, 0, ()),  # today's 1 MiB
        (63 * 512, 4096, None, 0, ("misaligned",)),  # DOS cylinders on an advanced-format disk
        (63 * 512, 512, None, 0, ()),  # the same on a disk of true 512-byte sectors
        (1024 * KIB, 4096, None, 3584, ("misaligned",)),
        (63 * 512, 4096, None, 3584, ()),  # a disk jumpered for DOS
        (1024 * KIB, 4096, 1024 * KIB, 0, ()),
        (1024 * KIB, 4096, 768 * KIB, 0, ("off the stripe",)),  # 3 data disks × 256 KiB
        (768 * KIB, 4096, 768 * KIB, 0, ()),
        (63 * 512, 4096, 768 * KIB, 0, ("misaligned",)),  # one word, the graver one
    ],
)
def test_alignment(
    start: int, physical: int, stripe: int | None, offset: int, hazards: tuple[str, ...]
) -> None:
    facts = alignment_facts(start, physical, stripe, offset)
    assert facts["start"] == start
    assert alignment_hazards(facts) == hazards
    assert facts.get("stripe_width") == stripe


@pytest.mark.parametrize(
    ("start", "alignment"), [(1024 * KIB, 1024 * KIB), (63 * 512, 512), (3 * 4096, 4096)]
)
def test_the_alignment_of_a_start(start: int, alignment: int) -> None:
    assert alignment_facts(start, 512, None)["alignment"] == alignment


@pytest.mark.parametrize(
    ("physical", "io_min", "io_opt", "stripe"),
    [
        (4096, 4096, 0, None),  # a plain disk reports none
        (512, 512, 512, None),  # or its sector
        (4096, 524288, 1572864, 1572864),  # md RAID 5 of four, 512 KiB chunks
        (512, 262144, 1048576, 1048576),  # a RAID controller
        (4096, 4096, 33553920, None),  # USB bridge: 65535 sectors
        (4096, 4096, 4294966784, None),
        (4096, 4096, 16773120, None),  # 4095 times 4 KiB: as many data disks has no array
        (4096, 65536, 3932160, 3932160),  # 60 data disks
        (512, 131072, 1000448, None),  # not whole chunks
    ],
)
def test_an_optimal_size_is_believed_only_where_it_can_be_a_stripe(
    physical: int, io_min: int, io_opt: int, stripe: int | None
) -> None:
    assert believed_stripe(physical, io_min, io_opt) == stripe
