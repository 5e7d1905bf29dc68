"""Literals in lines. Oracle: Python's own search for each of them in each line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from iosonde.layers import KERNEL_MESSAGES
from iosonde.text.literals import Literals

_KERNEL = [
    message.literal for kind in KERNEL_MESSAGES for message in KERNEL_MESSAGES.load(kind)
]  # fmt: skip
_PIECES = st.sampled_from(
    [*_KERNEL, "I/O error", "é", "\u2028", "\r", " ", "İ", "\ud800", "\U0001f4be", "ata1: ", ""]
)
_LINES = st.lists(st.lists(_PIECES, max_size=4).map("".join), max_size=12)


def _obvious(literals: list[str], texts: list[str]) -> dict[int, list[int]]:
    held = {
        place: [number for number, literal in enumerate(literals) if literal in text]
        for place, text in enumerate(texts)
    }
    return {place: numbers for place, numbers in held.items() if numbers}


@given(_LINES)
def test_each_line_has_what_a_search_by_itself_sees(texts: list[str]) -> None:
    assert Literals(_KERNEL).lines(texts) == _obvious(_KERNEL, texts)


@given(st.lists(st.text("aé\u00a0 ", min_size=1, max_size=3), min_size=1, max_size=4, unique=True),
       st.lists(st.text("aé\u00a0 b", max_size=9), max_size=9))  # fmt: skip
def test_overlapping_ones_are_all_seen(literals: list[str], texts: list[str]) -> None:
    assert Literals(literals).lines(texts) == _obvious(literals, texts)


def test_none_goes_over_the_end_of_a_line() -> None:
    assert Literals(["ab"]).lines(["xa", "bx", "ab"]) == {2: [0]}
