"""How much of a block layer's I/O one network frame carries.

Source:
    AoE: Linux drivers/block/aoe/aoecmd.c, ata_rw_frameinit() and aoecmd_cfg_rsp(): header of 24
    bytes (14 of them Ethernet's, outside of the MTU) and 12 of ATA; as many whole sectors as fit,
    at least two. Coraid, "AoE (ATA over Ethernet)", revision 11.
"""

from __future__ import annotations

AOE_HEADER = 36
"""Bytes of a frame that are no data, as the driver subtracts them from the MTU."""
_ETHERNET_HEADER = 14

SECTOR = 512
COMMON_MTUS = (1500, 4200, 8700, 9000)
"""Ethernet's own, two that storage people set so that 4 KiB or 8 KiB fit, and jumbo frames."""


def aoe_frame_payload(mtu: int) -> int:
    """Bytes of data in a full AoE frame."""
    return max(2, (mtu - AOE_HEADER) // SECTOR) * SECTOR


def aoe_least_mtu(size: int) -> int:
    """The smallest MTU whose AoE frames carry `size` bytes, which is rounded up to sectors."""
    return -(-size // SECTOR) * SECTOR + AOE_HEADER


def aoe_frame(mtu: int) -> tuple[int, int]:
    """Bytes of data in a full frame, and of the MTU that it takes: Ethernet's header is no part."""
    payload = aoe_frame_payload(mtu)
    return payload, payload + AOE_HEADER - _ETHERNET_HEADER
