"""The runs of the store as a table: what they reached, and what changed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from iosonde.cli.output import err, out, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from iosonde.store.lines import RunLine
    from iosonde.verbs.listing import RunChange, RunList

_LONGEST = 16  # characters of a name, unless the terminal is very wide
_WIDE, _VERY_WIDE = 120, 160  # columns of a terminal
_COLOURS = {"finished": "green", "running": "cyan", "interrupted": "yellow", "failed": "red"}


def print_list(listed: RunList, *, newest_last: bool = True) -> None:
    """A row for each run; how many there are besides stands above it."""
    from iosonde.cli.table import TableColumn, fitted

    lines = listed.lines[::-1] if newest_last else listed.lines
    if listed.matching > len(lines):
        err().print(
            f"{listed.matching:,} runs; the newest {len(lines)} are shown (--limit 0: all)",
            style="dim",
        )
    columns = (
        TableColumn("run"), TableColumn("name", rank=2), TableColumn("when", rank=4),
        TableColumn("study", rank=3), TableColumn("target", rank=5),
        TableColumn("headline"), TableColumn("changed", rank=1),
        TableColumn("tags", rank=6, name=True), TableColumn("hosts", rank=9, name=True),
        TableColumn("state"), TableColumn("trials", right=True, rank=7),
        TableColumn("loops", right=True, rank=8),
    )  # fmt: skip
    out().print(fitted(columns, [_row(line, listed.changes.get(line.id, ())) for line in lines]))


def _row(line: RunLine, changes: Sequence[RunChange]) -> list[str | Text]:
    from iosonde.sentences import figure_words
    from iosonde.visible import visible

    outline, state = line.outline, line.state.value
    others = len(outline.targets) - 1
    cells = [
        line.id,
        _short(line.name),
        time.strftime("%Y-%m-%d %H:%M", time.localtime(line.created)),
        _short(line.study),
        _short("".join(outline.targets[:1])) + (f" +{others}" if others > 0 else ""),
        figure_words(outline.headline) if outline.headline else "",
        _short(change_words(changes), 2 * _LONGEST),
        ", ".join(line.tags),
        ", ".join(outline.hosts),
        "" if state == "finished" and out().width <= _WIDE else _coloured(state),
        str(outline.trials),
        str(outline.loops),
    ]  # fmt: skip
    return [visible(cell) if isinstance(cell, str) else cell for cell in cells]


def _short(text: str, most: int = _LONGEST) -> str:
    """Without its middle, where it is long and the terminal is not wide."""
    if len(text) <= most or out().width > _VERY_WIDE:
        return text
    return f"{text[: most // 2]}…{text[-(most - most // 2 - 1) :]}"


def _coloured(state: str) -> Text:
    text = styled("{}", state)
    text.stylize(_COLOURS[state])
    return text


def change_words(changes: Sequence[RunChange]) -> str:
    """The first change, and how many more: `sda.scheduler none → bfq, +2`."""
    if not changes:
        return ""
    first = changes[0]
    name = first.name.rpartition("/")[2].partition(":")[2] or first.name
    values = ("not set" if value is None else value for value in (first.before, first.after))
    more = f", +{len(changes) - 1}" if len(changes) > 1 else ""
    return f"{name} {' → '.join(map(str, values))}{more}"
