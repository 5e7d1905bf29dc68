"""What iSCSI makes of requests, reckoned by hand.

The block layer cuts at 1280 KiB; RFC 7143, 13.13 and 13.14: the first burst of a write comes
unasked, each further one is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from iosonde._core import Far
from iosonde.predict.model import model_of, top_of
from iosonde.stack.file import understand
from tests.unit.layers.accounts import KIB, MIB, account

if TYPE_CHECKING:
    from iosonde._core import Rule

STACK = """
stack: s
hosts: {{n1: {{at: local}}, n2: {{at: other}}}}
layers:
  d1: {{kind: disk, host: n1, size: 1 GiB, path: /dev/x}}
  t: {{kind: iscsi_target, of: d1}}
  i: {{kind: iscsi, of: t, host: n2{keys}}}
"""


def _rule(keys: str) -> Rule:
    declared = understand(STACK.format(keys=keys), "s.yaml")
    return model_of(top_of(declared), declared.mtu).nodes[0].rule


@pytest.mark.parametrize(("length", "pieces"), [(1280, 1), (1284, 2), (2560, 2), (2564, 3)])
def test_a_command_carries_what_a_request_holds(length: int, pieces: int) -> None:
    layers = ["t: {kind: iscsi_target, of: d1}", "i: {kind: iscsi, of: t, host: n2}"]
    counts = account(layers, [("read", MIB, length * KIB)])
    assert counts["i"] == counts["t"] == counts["d1"] == (pieces, length * KIB, 0, 0)


@pytest.mark.parametrize(
    ("keys", "first", "burst"),
    [("", 64 * KIB, 256 * KIB),
     (", first_burst_length: 128 KiB, max_burst_length: 1 MiB", 128 * KIB, MIB),
     (", immediate_data: true", 64 * KIB, 256 * KIB),
     (", first_burst_length: 128 KiB, immediate_data: false", 0, 256 * KIB)],
    ids=["of LIO", "declared", "immediate", "nothing unasked"],
)  # fmt: skip
def test_bursts_are_those_declared_or_of_lio(keys: str, first: int, burst: int) -> None:
    most = 1280 * KIB
    assert _rule(keys) == Far(read=most, write=most, burst=burst, first_burst=first)
