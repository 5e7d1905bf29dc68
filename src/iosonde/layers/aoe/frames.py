"""What AoE frames make of a cache's blocks, at every MTU that is known and at common ones.

Source: Linux drivers/block/aoe/aoecmd.c, aoecmd_cfg_rsp().
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._caches.frames import RequestFrames
from iosonde.layers.aoe.facts import COMMON_MTUS, aoe_frame_payload, aoe_least_mtu
from iosonde.records.evidence import CounterEvidence, EvidenceSet
from iosonde.records.finding import Evidence


def frames_of_blocks(case: EvidenceSet, counted: CounterEvidence, block: int) -> Iterator[Evidence]:
    """What an AoE frame carries at every MTU that the case knows, and at common ones."""
    mtus: dict[int, str] = dict.fromkeys(
        COMMON_MTUS, "computed: as many sectors as fit into MTU − 36"
    )
    for state in case.with_value("mtu"):
        mtu = state.values.get("mtu")
        if (
            isinstance(mtu, int)
            and state.source == counted.source
            and not state.values.get("loopback")
        ):
            mtus[mtu] = state.where
    for mtu, where in sorted(mtus.items()):
        payload = aoe_frame_payload(mtu)
        fits = "less than a block" if payload < block else f"{payload % block} bytes left over"
        fits = fits if payload % block else "whole blocks"
        yield Evidence(f"an AoE frame at MTU {mtu}", f"{payload} bytes, {fits}", "", where)


def whole_block_mtus(block: int) -> str:
    """The MTUs whose frames carry one block, or two: "4132–4643 or 8228–8739"."""
    return " or ".join(
        f"{aoe_least_mtu(block * count)}–{aoe_least_mtu(block * count + units.SECTOR) - 1}"
        for count in (1, 2)
    )


def _remedy(block: int) -> str:
    return (
        f"If requests come over AoE, an MTU of {whole_block_mtus(block)} on both ends and every "
        f"port between makes full frames whole blocks of {units.show_bytes(block)}; setting it "
        "interrupts the link."
    )


FRAMES = RequestFrames(frames_of_blocks, _remedy)
