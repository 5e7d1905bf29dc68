"""Runs as Markdown to paste into a wiki or a ticket: the page without its charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from typing_extensions import override

from iosonde import units
from iosonde.records.comparison import ALONE, ComparedSheets
from iosonde.records.sheet import RunSheet
from iosonde.report.blocks import (
    Badge,
    Block,
    Cells,
    Lines,
    Pictures,
    Problem,
    Problems,
    Text,
    Title,
)
from iosonde.report.format import Format
from iosonde.report.html import page_of
from iosonde.visible import visible

_SPECIAL = str.maketrans({char: "\\" + char for char in "\\`*_{}[]<>#|~$"})


_FOLDED = 40
"""Rows of a table that a page folds in and a text still shows."""


class MarkdownFormat(Format):
    """The answer, then every table, finding and command."""

    name = "markdown"
    suffix = ".md"

    @override
    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        page = page_of(runs, compared)
        lines = [f"# {_plain(page.title)}", "", f"**{_plain(page.answer, code=True)}**", ""]
        lines += [" · ".join(map(_plain, page.about)), ""]
        notes = [*(f"{name}: {value}" for name, value in page.chips),
                *(badge.text for badge in page.badges)]  # fmt: skip
        lines += [" · ".join(map(_plain, notes)), ""] if notes else []
        for level in page.stack:
            layers = (
                f"{layer.kind} {layer.name}{' (measured)' * layer.measured}" for layer in level
            )
            lines.append(f"- {_plain(', '.join(layers))}")
        lines += [""] if page.stack else []
        written = [
            block for block in (*page.blocks, *page.appendix) if not isinstance(block, Pictures)
        ]
        for block, following in zip(written, [*written[1:], Title("")], strict=True):
            empty = isinstance(block, Title) and (
                isinstance(following, Title) and following.level <= block.level
            )
            lines += [] if empty else _block(block)
        return (visible("\n".join(lines), lines=True).rstrip() + "\n").encode()


def _block(block: Block) -> Iterator[str]:
    """A part of the page other than its charts, whose figures the tables hold."""
    if isinstance(block, Title):
        yield f"{'#' * block.level} {_plain(block.text)}"
    elif isinstance(block, Text):
        text = _plain(block.text, code=True)
        yield f"**{text}**" if block.kind == "note" else text
    elif isinstance(block, Lines):
        yield from _fence("\n".join(block.lines))
    elif isinstance(block, Cells) and block.folded and len(block.rows) > _FOLDED:
        yield f"({_plain(block.folded)}: in the HTML report.)"
    elif isinstance(block, Cells):
        yield from _table(block)
    elif isinstance(block, Problems):
        for problem in block.problems:
            yield from _problem(problem)
    yield ""


def _table(block: Cells) -> Iterator[str]:
    rules = ("---" if at in block.left else "---:" for at in range(len(block.head)))
    yield f"| {' | '.join(map(_plain, block.head))} |"
    yield f"| {' | '.join(rules)} |"
    for number, row in enumerate(block.rows):
        cells = [_plain(cell.text if isinstance(cell, Badge) else cell) for cell in row]
        if number in block.bold:
            cells = [f"**{cell}**" if cell else cell for cell in cells]
        yield f"| {' | '.join(cells)} |"


def _problem(problem: Problem) -> Iterator[str]:
    yield f"- **{problem.severity}: {_plain(problem.rule)}**"
    for sentence, places in problem.said:
        where = f" ({_plain(', '.join(places))})" if places else ""
        yield f"  - {_plain(sentence)}{where}"
    for place, evidence in problem.evidence:
        where = ", ".join(part for part in (place, evidence.where) if part)
        figure = units.show_evidence(evidence.value, evidence.unit)
        what = f"{evidence.what}: {figure}" if figure else evidence.what
        yield f"  - {_plain(what)} ({_plain(where)})"
    for what, text in problem.remedies:
        yield f"  - {what.lower()}: {_plain(text)}"


def _plain(text: str, *, code: bool = False) -> str:
    """Text that no Markdown reader takes for markup; one line.

    With `code` what stands between two backticks stays code: for sentences of our own.
    """
    if code and text.count("`") % 2 == 0:
        parts = text.split("`")
        return "".join(
            f"`{part}`" if at % 2 else part.translate(_SPECIAL) for at, part in enumerate(parts)
        )
    return " ".join(visible(text.translate(_SPECIAL), lines=True).split())


def _fence(text: str) -> list[str]:
    """A code block, its fence longer than any run of backticks inside."""
    longest = max((len(run) for run in text.split() if set(run) == {"`"}), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, text, fence]
