"""A document in spans gives what it gives as a whole; memory does not grow with it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.text.document import Document, of_bytes
from iosonde.text.find import FoundOutput, find
from iosonde.text.parallel import find_by_spans
from iosonde.text.search import Search, Span

OUTPUTS = Path(__file__).parents[2] / "outputs"


def same(output: FoundOutput | Unread) -> FoundOutput | Unread:
    return output


def whole(document: Document) -> list[FoundOutput | Unread]:
    search = Search(document)
    span = Span(0, 1, len(document.data))
    return list(search.through(span))


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


def test_what_was_changed_before_a_trial_is_the_same_in_spans() -> None:
    noise = random.Random(6)
    prose = "the volume was not used by anybody else at that time of the day, " * 7 + "\n"
    parts = [
        f"Now with scheduler number {number}:\n\n$ sysctl vm.swappiness={number}\n"
        f"[root@n{number % 3} d{number % 2}]# dd if=/dev/zero of=x bs=1M count=1024\n"
        "1024+0 records in\n1024+0 records out\n"
        f"1073741824 bytes (1.1 GB) copied, {1 + number % 7}.5 s, 716 MB/s\n\n"
        + prose
        * noise.randrange(1, 400)
        for number in range(40)
    ]
    document = of_bytes("a", "".join(parts).encode())
    expected = whole(document)
    changed = [bool(trial.details) for output in expected if isinstance(output, FoundOutput)
               for trial in output.trials]  # fmt: skip
    assert len(changed) == 40
    assert all(changed)
    for size in (5_000, 30_000, 100_000):
        assert list(find_by_spans(document, same, size=size)) == expected
