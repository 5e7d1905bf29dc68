"""A campaign's account as parts of a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape

from iosonde.records import Run
from iosonde.report.blocks import Cells, Lines, Pictures, Text, Title
from iosonde.report.charts import Figure
from iosonde.report.tuning import blocks
from iosonde.tuning import Tuning

_MANY = 7
"""Columns from which on a table is written closely, and row by row on a narrow page."""
_KINDS = {"": "", "note": ' class="answer"', "soft": ' class="soft"'}


def tuning_section(
    run: Run, tuning: Tuning, charts: Callable[[Sequence[Figure]], Iterator[str]]
) -> Iterator[str]:
    """All blocks; `charts` draws figures side by side."""
    for block in blocks(run, tuning):
        if isinstance(block, Title):
            yield f"<h{block.level}>{escape(block.text)}</h{block.level}>"
        elif isinstance(block, Text):
            yield f"<p{_KINDS[block.kind]}>{_prose(block.text)}</p>"
        elif isinstance(block, Lines):
            yield f"<pre>{escape(chr(10).join(block.lines))}</pre>"
        elif isinstance(block, Pictures):
            yield from charts(block.figures)
        else:
            yield from _table(block)


def _table(block: Cells) -> Iterator[str]:
    if block.folded:
        yield f"<details><summary>{escape(block.folded)}</summary>"
    many = " many" if len(block.head) >= _MANY else ""
    yield f'<div class="wide"><table class="tuned{many}">'
    if any(block.head):
        yield "<thead><tr>"
        yield from (_cell("th", cell, at, block) for at, cell in enumerate(block.head))
        yield "</tr></thead>"
    yield "<tbody>"
    for number, row in enumerate(block.rows):
        yield '<tr class="headline">' if number in block.bold else "<tr>"
        yield from (_cell("td", cell, at, block) for at, cell in enumerate(row))
        yield "</tr>"
    yield "</tbody></table></div>"
    if block.folded:
        yield "</details>"


def _cell(tag: str, text: str, at: int, block: Cells) -> str:
    """Words to the left, figures to the right; its title for pages too narrow for columns."""
    kind = ' class="text"' if at in block.left else ""
    title = block.head[at] if tag == "td" and at < len(block.head) else ""
    label = f' data-label="{escape(title)}"' if title else ""
    return f"<{tag}{kind}{label}>{escape(text)}</{tag}>"


def _prose(text: str) -> str:
    """A sentence; what stands between backticks is code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
