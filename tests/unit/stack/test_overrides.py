"""Values given beside a stack file hold instead of those in it, and are checked like them."""

from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from iosonde.layers.drbd.kind import DrbdDeclared
from iosonde.layers.md.kind import MdDeclared
from iosonde.records.stack import Json
from iosonde.stack.file import understand
from iosonde.stack.overrides import parse_overrides

STACK = """stack: s
hosts: {a: {lab: {}}, b: {lab: {}}}
layers:
  d1: {kind: disk, host: a, size: 64 MiB}
  d2: {kind: disk, host: a, size: 64 MiB}
  d3: {kind: disk, host: b, size: 64 MiB}
  m: {kind: md, level: 1, of: [d1, d2]}
  r: {kind: drbd, of: [m, d3], primary: a}
"""


def test_values_hold_instead_of_the_files() -> None:
    values = parse_overrides(["m.level=0", "m.chunk_size=64 KiB", "r.net.max-buffers=8000"])
    stack = understand(STACK, "s.yaml", values=values)
    array = stack.site("m").declared_as(MdDeclared)
    assert (array.level, array.chunk_size) == (0, 65536)
    assert stack.site("r").declared_as(DrbdDeclared).net == {"max-buffers": 8000}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"x.level": 0}, "no layer 'x'"), ({"m.level": 7}, "level"), ({"m.colour": 1}, "colour"),
        ({"m.level.deep": 1}, "holds no keys"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(values: dict[str, Json], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        understand(STACK, "s.yaml", values=values)


@pytest.mark.parametrize("text", ["mtu=9000", "target.mtu", "m.x=[1", ".a=1"])
def test_words_that_are_no_override(text: str) -> None:
    with pytest.raises(UsageError):
        parse_overrides([text])
