"""Where `at: every layer` applies loads."""

from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from iosonde.measure.layer_points import probe_points
from iosonde.measure.study import EVERY_LAYER, Study
from iosonde.stack.file import understand

STACK = understand(
    "stack: s\nhosts: {h: {at: local}}\nlayers:\n"
    "  d: {kind: disk, file: /srv/d}\n"
    "  p: {kind: lvm, type: thin-pool, of: d}\n"
    "  t: {kind: lvm, type: thin, of: p, size: 1 GiB}\n"
    "  x: {kind: xfs, of: t, mount: /m}\n",
    "s.yaml",
)


def study(at: str) -> Study:
    return Study(stack="s.yaml", at=[at], loads=["latency"])


def test_a_thin_pool_is_no_place_for_a_load() -> None:
    assert [point.name for point in probe_points(study(EVERY_LAYER), STACK)] == ["d", "t", "x"]
    assert [point.name for point in probe_points(study("t"), STACK)] == ["t"]
    with pytest.raises(UsageError, match="'p' is a thin pool: no load can be applied"):
        probe_points(study("p"), STACK)
