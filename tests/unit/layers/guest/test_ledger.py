"""What a guest makes of requests: QEMU hands each on to its host, and none is lost."""

from __future__ import annotations

import pytest

from tests.unit.layers.accounts import KIB, MIB, account

GUEST = ["g: {kind: guest, of: d1, host: n1, image: /x.qcow2, at: root@vm}"]


def test_a_request_is_one_on_the_host_too() -> None:
    counts = account(GUEST, [("write", 0, 64 * KIB), ("read", MIB, 4 * KIB)])
    assert counts["g"] == counts["d1"] == (1, 4 * KIB, 1, 64 * KIB)


@pytest.mark.parametrize(
    ("mebibytes", "pieces"), [(1, 1), (2, 2), (4, 4)], ids=["whole", "two", "four"]
)
def test_a_large_request_is_cut_and_nothing_of_it_is_lost(mebibytes: int, pieces: int) -> None:
    """1280 KiB each: 2 MiB are 1280 and 768 KiB, 4 MiB three of 1280 KiB and one of 256 KiB."""
    size = mebibytes * MIB
    for way, expected in (("read", (pieces, size, 0, 0)), ("write", (0, 0, pieces, size))):
        counts = account(GUEST, [(way, 2 * MIB, size)])
        assert counts["g"] == counts["d1"] == expected
