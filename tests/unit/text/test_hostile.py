"""No text makes the search crash, or look at lines more often than in proportion to its length."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iosonde.errors import UsageError
from iosonde.text.document import of_bytes
from iosonde.text.find import find
from iosonde.text.search import outputs
from iosonde.text.window import View
from tests.examples import examples
from tests.mangle import read

OUTPUTS = sorted(
    path for path in (Path(__file__).parents[2] / "outputs").glob("*/*")
    if path.suffix in {".txt", ".out"} and path.stat().st_size < 60_000
)  # fmt: skip
ANCHORS = sorted({anchor for output in outputs() for anchor in output.anchors})
FRAGMENTS = st.one_of(
    st.sampled_from(ANCHORS),
    st.sampled_from(
        ["(", ")", "[", "]", "{", "}", "=", ":", ",", "%", "\n", "\n\n", "  ", "- ", "|"]
    ),
    st.from_regex(r"[0-9]{1,25}(\.[0-9]{1,5})?[kKMGT]?i?B?(/s)?", fullmatch=True),
    st.text(max_size=8),
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(FRAGMENTS, max_size=60))
def test_anchors_among_anything(arguments: list[str]) -> None:
    text = "".join(arguments).encode(errors="replace")
    with suppress(UsageError):  # what is no text is refused
        list(find(of_bytes("a", text)))


@settings(max_examples=examples(150), deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    with suppress(UsageError):
        list(find(of_bytes("a", data)))


def _damaged(text: str, noise: random.Random) -> str:
    """A text with something lost, doubled, exchanged or put in."""
    letters = list(text)
    for _ in range(noise.randrange(1, 6)):
        at = noise.randrange(len(letters) or 1)
        length = noise.choice((1, 3, 20, 200))
        what = noise.randrange(5)
        if what == 0:
            del letters[at : at + length]
        elif what == 1:
            letters[at:at] = letters[at : at + length]
        elif what == 2:
            letters[at:at] = list(noise.choice(ANCHORS))
        elif what == 3:
            letters[at : at + 1] = [noise.choice("\n\t 0-9.:%=()[]{}x€")]
        else:
            letters[at:at] = ["9" * 30]
    return "".join(letters)


_TIMES = 6
"""Of each sample, of which there are many; tests/fuzz takes the time to damage them further."""


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_damaged_outputs(path: Path) -> None:
    text = path.read_text(errors="replace")
    noise = random.Random(path.name)
    for _ in range(_TIMES):
        read(_damaged(text, noise))


_MOST = 600
"""Times that each line of a text may be looked at, whatever the text holds."""
_REPEATED = 6 * _MOST
"""Lines of a repeated text: looked at by each line before, a line would be looked at 1800 times."""
_LINES, _OF_EACH = 600, 250
"""So many lines alike, each looked at so often: were it by each line before it, it would be 300."""
_FEW, _OF_FEW = 120, 40
"""The same of fewer lines, where it would be 60: most parsers pass this already."""


class Looked:
    """How many lines parsers asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lines = 0
        line, block = View.line, View.block

        def counted_line(view: View, index: int) -> str | None:
            self.lines += 1
            return line(view, index)

        def several(view: View, first: int, most: int) -> list[str]:
            names = block(view, first, most)
            self.lines += len(names)
            return names

        monkeypatch.setattr(View, "line", counted_line)
        monkeypatch.setattr(View, "block", several)

    def at(self, text: str) -> int:
        before = self.lines
        read(text)
        return self.lines - before


@pytest.mark.slow
@pytest.mark.parametrize("name", [type(output).__name__ for output in outputs()])
def test_lines_are_looked_at_in_proportion(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beginnings without ends, by the hundred: the worst that a text can hold."""
    output = next(
        printed_output for printed_output in outputs() if type(printed_output).__name__ == name
    )
    looked = Looked(monkeypatch)
    for anchor in output.anchors:
        line = f"x {anchor} 1\n"
        if looked.at(line * _FEW) <= _OF_FEW * _FEW:
            continue
        many = looked.at(line * _LINES)
        assert many <= _OF_EACH * _LINES or many <= 5 * looked.at(line * (_LINES // 4)), anchor


@pytest.mark.slow
@pytest.mark.parametrize("path", OUTPUTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_outputs_cut_short_and_repeated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text(errors="replace")
    half = text[: len(text) // 2] + "\n"
    lines = half.count("\n")
    times = min(256, max(32, _REPEATED // lines))
    looked = Looked(monkeypatch)
    few, many = looked.at(half * (times // 4)), looked.at(half * times)
    assert many <= max(5 * few, _MOST * lines * times)
