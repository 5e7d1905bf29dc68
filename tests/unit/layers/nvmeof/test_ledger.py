"""What NVMe over Fabrics makes of requests, reckoned by hand.

NVMe-oF 1.1, 1.5.3: the data of a write that do not fit into the command's capsule are asked for;
nvmet takes four pages, 16 KiB, unless its port says otherwise.
"""

from __future__ import annotations

import pytest

from iosonde.predict.model import model_of, top_of
from iosonde.stack.file import understand
from tests.unit.layers.accounts import KIB, MIB, account

STACK = """
stack: s
hosts: {{n1: {{at: local}}, n2: {{at: other}}}}
layers:
  d1: {{kind: disk, host: n1, size: 1 GiB, path: /dev/x}}
  t: {{kind: nvmeof_target, of: d1{keys}}}
  i: {{kind: nvmeof, of: t, host: n2}}
"""


@pytest.mark.parametrize(("length", "pieces"), [(1280, 1), (1284, 2)])
def test_a_command_carries_what_a_request_holds(length: int, pieces: int) -> None:
    layers = ["t: {kind: nvmeof_target, of: d1}", "i: {kind: nvmeof, of: t, host: n2}"]
    counts = account(layers, [("write", MIB, length * KIB)])
    assert counts["i"] == counts["t"] == counts["d1"] == (0, 0, pieces, length * KIB)


@pytest.mark.parametrize(
    ("keys", "inline"), [("", 16 * KIB), (", inline_data_size: 4 KiB", 4 * KIB)]
)
def test_what_comes_with_the_command_is_the_targets(keys: str, inline: int) -> None:
    declared = understand(STACK.format(keys=keys), "s.yaml")
    rule = model_of(top_of(declared), declared.mtu).nodes[0].rule
    assert getattr(rule, "inline", None) == inline
