"""What an NFS mount makes of requests, reckoned by hand.

nfs(5), rsize and wsize: the most bytes that one READ or WRITE moves; 1 MiB where nobody says.
"""

from __future__ import annotations

import pytest

from tests.unit.layers.accounts import KIB, MIB, account


@pytest.mark.parametrize(
    ("way", "length", "calls"),
    [
        ("write", 64 * KIB, 1), ("write", 68 * KIB, 2), ("write", 256 * KIB, 4),
        ("read", 32 * KIB, 1), ("read", 36 * KIB, 2), ("read", 256 * KIB, 8),
    ],
)  # fmt: skip
def test_calls_are_at_most_as_large_as_the_mount_says(way: str, length: int, calls: int) -> None:
    counts = account(
        ["fs: {kind: xfs, of: d1, mount: /srv}", "s: {kind: nfs_server, of: fs}",
         "n: {kind: nfs, of: s, host: n2, mount: /mnt, wsize: 64 KiB, rsize: 32 KiB}"],
        [(way, 0, length)],
    )  # fmt: skip
    here = (calls, length, 0, 0) if way == "read" else (0, 0, calls, length)
    assert counts["s"] == counts["fs"] == here
    assert counts["n"] == ((1, length, 0, 0) if way == "read" else (0, 0, 1, length))


@pytest.mark.parametrize(("length", "calls"), [(MIB, 1), (MIB + 4 * KIB, 2), (3 * MIB, 3)])
def test_a_mount_that_does_not_say_moves_a_mebibyte(length: int, calls: int) -> None:
    counts = account(
        ["fs: {kind: xfs, of: d1, mount: /srv}", "s: {kind: nfs_server, of: fs}",
         "n: {kind: nfs, of: s, host: n2, mount: /mnt}"],
        [("write", 0, length)],
    )  # fmt: skip
    assert counts["s"] == (0, 0, calls, length)
