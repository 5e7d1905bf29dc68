"""A document in spans gives what it gives as a whole; memory does not grow with it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.text.document import Document, of_bytes
from iosonde.text.find import FoundOutput, Search, Span, find, hits
from iosonde.text.parallel import find_by_spans

OUTPUTS = Path(__file__).parents[2] / "outputs"


def same(output: FoundOutput | Unread) -> FoundOutput | Unread:
    return output


def whole(document: Document) -> list[FoundOutput | Unread]:
    search = Search(document)
    span = Span(0, 1, len(document.data))
    return [output for hit in hits(document, span) for output in search.look(*hit)]


def text(seed: int, *, gaps: int, count: int = 60) -> bytes:
    """Real outputs in a random order, with headings here and there and prose in between."""
    noise = random.Random(seed)
    paths = sorted(OUTPUTS.glob("*/*.txt")) + sorted(OUTPUTS.glob("*/*.out"))
    parts = []
    for number in range(count):
        if noise.random() < 0.3:
            parts.append(f"## Heading {number}\n")
        parts.append(noise.choice(paths).read_text(errors="replace"))
        parts.append("a line of prose, nothing more\n" * noise.randrange(gaps))
    return "\n".join(parts).encode()


@pytest.mark.parametrize(("seed", "gaps"), [(1, 3), (2, 40), (3, 400), (4, 3000)])
@pytest.mark.parametrize("size", [3_000, 20_000, 100_000])
def test_spans_give_what_the_whole_gives(seed: int, gaps: int, size: int) -> None:
    # Each span is begun 64 KiB before it: of short ones, 25 outputs have hundreds.
    count = 60 if size > 3_000 else 25
    document = of_bytes("a", text(seed, gaps=min(gaps, size), count=count))
    expected = whole(document)
    assert len(expected) > count * 2 // 3
    assert list(find_by_spans(document, same, size=size)) == expected


def test_a_short_document_is_not_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(document: Document) -> None:
        raise AssertionError(document.name)

    monkeypatch.setattr("iosonde.text.parallel.find_by_spans", never)
    assert list(find(of_bytes("a", text(5, gaps=3))))
