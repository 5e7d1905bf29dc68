"""What AoE makes of requests, reckoned by hand.

aoecmd.c: a frame has 36 bytes that are no data, and as many whole sectors as fit beside them:
 2 at an MTU of 1500 (1464 bytes), 7 at 4131 (4095), 8 at 4132 (4096), 17 at 9000 (8964).
"""

from __future__ import annotations

import pytest

from tests.unit.layers.accounts import KIB, MIB, account


@pytest.mark.parametrize(
    ("mtu", "frames"), [(1500, 16), (4131, 5), (4132, 4), (4200, 4), (9000, 2)]
)
def test_each_frame_is_an_io_at_the_target(mtu: int, frames: int) -> None:
    """16 KiB are 32 sectors: 16 frames of 2, 5 of 7, 4 of 8, 2 of 17."""
    layers = ["ta: {kind: aoe_target, of: d1}", f"ia: {{kind: aoe, of: ta, host: n2, mtu: {mtu}}}"]
    counts = account(layers, [("write", 0, 16 * KIB), ("read", MIB, 16 * KIB)])
    assert counts["ia"] == (1, 16 * KIB, 1, 16 * KIB)
    assert counts["ta"] == counts["d1"] == (frames, 16 * KIB, frames, 16 * KIB)


def test_what_fits_into_one_frame_is_not_cut() -> None:
    layers = ["ta: {kind: aoe_target, of: d1}", "ia: {kind: aoe, of: ta, host: n2, mtu: 1500}"]
    assert account(layers, [("read", 0, KIB)])["d1"] == (1, KIB, 0, 0)
    assert account(layers, [("read", 0, KIB + 512)])["d1"] == (2, KIB + 512, 0, 0)
