"""Whether the start of a partition fits what lies below.

The optimal I/O size counts as a stripe only where it is a multiple of the minimum I/O size and of
the physical sector, below 64 MiB, and a power of two times at most 255 data disks: USB bridges and
some SSDs report 33553920 bytes (65535 sectors), 16773120 (4095 times 4 KiB) and the like.

Source: util-linux libfdisk/src/alignment.c for distrusting odd optimal sizes.
"""

from __future__ import annotations

from iosonde.records.stack import Scalar
from iosonde.units import MIB

_DISKS = 255


def believed_stripe(physical: int, io_min: int, io_opt: int) -> int | None:
    """The stripe width below a partition in bytes, None where what is reported is none.

    Args:
        physical: physical block size of the disk, bytes.
        io_min: minimum I/O size, bytes.
        io_opt: optimal I/O size, bytes; 0 where the device reports none.
    """
    if not 0 < io_opt < 64 * MIB or io_opt <= physical:
        return None
    disks = io_opt // (io_opt & -io_opt)
    if io_opt % physical or (io_min and io_opt % io_min) or disks > _DISKS:
        return None
    return io_opt


def alignment_facts(
    start: int, physical: int, stripe: int | None, offset: int = 0
) -> dict[str, Scalar]:
    """How a start in bytes lies on the grid of sectors and stripes.

    Args:
        start: where the partition starts on its disk, bytes.
        physical: physical block size, bytes.
        stripe: stripe width below, bytes; None where there is none.
        offset: the disk's own alignment_offset, bytes: where its grid begins.
    """
    shifted = start - offset
    facts: dict[str, Scalar] = {
        "start": start,
        "physical_block_size": physical,
        "aligned_to_sector": shifted % physical == 0,
    }
    if stripe:
        facts["stripe_width"] = stripe
        facts["aligned_to_stripe"] = shifted % stripe == 0
    # The largest power of two the start is a multiple of, up to 1 GiB: what partitioners call
    # its alignment.
    if start > 0:
        facts["alignment"] = min(start & -start, 1024 * MIB)
    return facts


def alignment_hazards(facts: dict[str, Scalar]) -> tuple[str, ...]:
    """Words for what is off the grid; the sector's grid outweighs the stripe's."""
    if facts.get("aligned_to_sector") is False:
        return ("misaligned",)
    if facts.get("aligned_to_stripe") is False:
        return ("off the stripe",)
    return ()
