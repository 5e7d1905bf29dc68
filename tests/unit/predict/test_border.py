"""How a stack comes to the core: rules made by keyword, what is wrong with them refused by name."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from iosonde import _core
from iosonde._core import Bitmap, Cache, LedgerError, Limits, Node, Parity, Same

if TYPE_CHECKING:
    from iosonde._core import Rule

NEEDED: dict[str, dict[str, Any]] = {
    "Same": {},
    "Linear": {},
    "Segments": {"segments": [_core.Segment(start=0, length=8, child=0, at=0)]},
    "Striped": {"chunk": 4096},
    "Mirror": {},
    "Raid1": {},
    "Raid10": {"chunk": 4096, "size": 2**20},
    "Parity": {"parity": 1, "chunk": 4096},
    "Cache": {"block": 4096, "blocks": 8, "mode": "back"},
    "Promote": {"block": 4096, "blocks": 8, "mode": "back", "origin": 80, "rate": 9},
    "Writecache": {"block": 4096, "blocks": 8, "high": 50, "low": 45, "commit": 4, "rate": 9},
    "Bcache": {"bucket": 65536, "buckets": 8, "mode": "none"},
    "Controller": {"width": 65536, "room": 2**20},
    "PageCache": {"pages": 8, "background": 4, "ahead": 2, "largest": 4, "size": 99},
    "Journal": {"at": 2**30, "blocks": 1024, "tags": 254},
    "Drbd": {"log": 2**30},
    "Far": {"read": 8704, "write": 8704},
}
"""Rule → the keys that it cannot do without."""
STANDS_ON = {
    "Raid10": 2,
    "Parity": 3,
    "Cache": 2,
    "Promote": 2,
    "Writecache": 2,
    "Bcache": 2,
    "Drbd": 2,
}


def made(name: str, **figures: Any) -> Rule:
    rule: Rule = getattr(_core, name)(**figures)
    return rule


def test_all_rules_are_here() -> None:
    stub = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text())
    (rules,) = (
        node.value
        for node in stub.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "Rule"
    )
    assert set(NEEDED) == {node.id for node in ast.walk(rules) if isinstance(node, ast.Name)}


@pytest.mark.parametrize("name", NEEDED)
def test_what_is_optional_can_be_left_out(name: str) -> None:
    count = STANDS_ON.get(name, 1)
    top = Node(made(name, **NEEDED[name]), below=range(1, count + 1))
    core = _core.Ledger([top, *[Node(Same())] * count])
    core.run(bytes([0]), (0).to_bytes(8, "little"), (4096).to_bytes(8, "little"))
    assert core.counts(0).reads == 1


@pytest.mark.parametrize("name", NEEDED)
def test_a_key_that_a_rule_does_not_have_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=rf"{name}\.__new__\(\) got an unexpected .*'strip'"):
        made(name, **NEEDED[name], strip=4096)


@pytest.mark.parametrize(("name", "key"), [(rule, key) for rule in NEEDED for key in NEEDED[rule]])
def test_a_key_that_is_missing_is_named(name: str, key: str) -> None:
    given = {other: figure for other, figure in NEEDED[name].items() if other != key}
    with pytest.raises(TypeError, match=rf"{name}\.__new__\(\) missing .*'{key}'"):
        made(name, **given)


KEYS = [
    (name, key)
    for name in (*NEEDED, "Segment", "Limits", "Bitmap")
    for key in inspect.signature(getattr(_core, name)).parameters
]


@pytest.mark.parametrize(("name", "key"), KEYS)
@pytest.mark.parametrize("value", [-1, 2**64, 1.5, "4 KiB"])
def test_a_value_that_a_key_cannot_have_is_refused_by_rule_and_key(
    name: str, key: str, value: Any
) -> None:
    if isinstance(value, str) and key == "mode":
        return  # a text, of which the stack says that it is no mode
    others = {"start": 0, "length": 8, "child": 0, "at": 0, "chunk": 512, "covers": 8}
    needed = NEEDED.get(name, {} if name == "Limits" else others)
    takes = inspect.signature(getattr(_core, name)).parameters
    given = {other: figure for other, figure in needed.items() if other in takes}
    with pytest.raises(LedgerError) as refused:
        getattr(_core, name)(**{**given, key: value})
    text = str(refused.value)
    assert text.startswith(f"{name}: {key} is "), text
    assert text.endswith(f", not {value!r}"), text


def test_numbers_of_layers_below_are_held_to_the_same() -> None:
    with pytest.raises(LedgerError, match=r"^Node: below is .*, not \[-1\]$"):
        Node(Same(), below=[-1])
    with pytest.raises(LedgerError, match=r"^Node: starts is .*, not '8'$"):
        Node(Same(), below=[1], starts="8")  # type: ignore[arg-type]


@pytest.mark.parametrize("figures", [{"most": 4096, "merge": True}, {"segment": 8}])
def test_limits_have_no_other_keys(figures: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"Limits.*'(merge|segment)'"):
        Limits(**figures)


def test_nothing_goes_by_its_place() -> None:
    with pytest.raises(TypeError, match=r"Parity.*positional"):
        Parity(1, 4096)  # type: ignore[call-arg]


@pytest.mark.parametrize("rule", ["parity", "partiy", None, Parity, Limits()])
def test_what_is_no_rule_is_refused_by_name(rule: Any) -> None:
    with pytest.raises(TypeError) as refused:
        Node(rule)
    assert str(refused.value) == f"{rule!r} is no rule of the ledger"


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ([], "there is no layer"),
        ([Node(Parity(parity=1, chunk=4096), below=[1, 2])],
         "layer 0 stands on one that does not come after it"),
        ([Node(Parity(parity=1, chunk=4097), below=[1, 2])],
         "a chunk of RAID 4, 5 and 6 is a multiple of 4 KiB"),
        ([Node(Same(), below=[1], starts=[0, 8]), Node(Same())],
         "layer 0 has 2 beginnings on 1 layers"),
        ([Node(Cache(block=4096, blocks=8, mode="aside"))],  # type: ignore[arg-type]
         'a cache\'s mode is back, through or around, not "aside"'),
        ([Node(_core.Raid1(), below=[1, 2], bitmap=Bitmap(chunk=0, covers=8, at=8))],
         "a bit of a bitmap stands for at least a sector"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_said(nodes: list[Node], text: str) -> None:
    with pytest.raises(LedgerError) as refused:
        _core.Ledger(nodes)
    assert str(refused.value) == text


def test_rules_are_compared_by_what_they_say() -> None:
    assert Parity(parity=1, chunk=4096) == Parity(chunk=4096, parity=1, layout=2)
    assert Parity(parity=1, chunk=4096) != Parity(parity=1, chunk=8192)
    assert repr(_core.Linear(start=8)) == "Linear { start: 8 }"


def test_counts_have_names() -> None:
    core = _core.Ledger([Node(Same())])
    before = core.counts(0)
    core.run(bytes([1, 0, 2]), bytes(24), b"".join(n.to_bytes(8, "little") for n in (4096, 512, 0)))
    got = core.counts(0) - before
    assert (got.reads, got.writes, got.flushes) == (1, 1, 1)
    assert (got.read_bytes, got.write_bytes) == (512, 4096)
    assert (got.off_grid_reads, got.off_grid_writes) == (1, 0)
    assert (core.read_sizes(0), core.write_sizes(0)) == ({512: 1}, {4096: 1})
