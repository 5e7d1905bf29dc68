"""What XFS makes of direct I/O to one preallocated file: nothing else."""

from __future__ import annotations

import pytest

from tests.unit.layers.accounts import KIB, MIB, account

XFS = ["x: {kind: xfs, of: d1, mount: /m}"]


@pytest.mark.parametrize(("length", "pieces"), [(4, 1), (1280, 1), (1284, 2)])
def test_direct_io_goes_down_as_it_is(length: int, pieces: int) -> None:
    counts = account(XFS, [("write", 64 * MIB, length * KIB)])
    assert counts["x"] == (0, 0, 1, length * KIB)
    assert counts["d1"] == (0, 0, pieces, length * KIB)
