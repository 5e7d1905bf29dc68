"""Tables with every cell on a line of its own. Oracle: the same table in rows of Markdown."""

from __future__ import annotations

import pytest

from iosonde.records.printed import PrintedCounters
from iosonde.text.author_tables import table_at
from iosonde.text.clean import clean
from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput
from iosonde.text.remainder import remainder
from iosonde.text.stacked_cells import stacked_at

_MARKDOWN = """\
| Array | read | write | seeks |
|---|---|---|---|
| 4x mirror | 411 | 187 | 306 @ 8 GB |
| 4x RAID 6 | 388 | 92 | 290 @ 8 GB |
| 2x stripe | 402 | 391 | 511 @ 8 GB |
"""


def stacked(rows: str, end: str = " |") -> list[str]:
    """The cells of Markdown's rows, each on a line of its own."""
    lines = [line.strip("|").split("|") for line in rows.splitlines() if "---" not in line]
    return [f"{cell.strip()}{end}" for line in lines for cell in line]


@pytest.mark.parametrize("mark", ["", "> ", "> > "])
def test_it_is_the_table_that_stands_in_rows_elsewhere(mark: str) -> None:
    in_rows = table_at(_MARKDOWN.splitlines(), 0)
    lines = clean("\n".join(mark + line for line in ["Means of three runs.", *stacked(_MARKDOWN)]))
    assert in_rows
    group = stacked_at(lines, 1)
    assert group
    assert group.values == in_rows.values
    assert (group.first, group.last) == (1, 16)


def test_the_first_name_may_be_empty_and_the_last_row_cut() -> None:
    lines = ["|", *stacked(_MARKDOWN)[1:-2], "A word after it."]
    group = stacked_at(lines, 0)
    assert group
    assert group.values["columns"] == ["", "read", "write", "seeks"]
    assert group.values["rows"] == [
        ["4x mirror", "411", "187", "306 @ 8 GB"],
        ["4x RAID 6", "388", "92", "290 @ 8 GB"],
        ["2x stripe", "402", "", ""],
    ]


def test_an_import_keeps_it() -> None:
    text = "\n".join(["Means of three runs:", *stacked(_MARKDOWN), "That was all."])
    outputs = [*remainder(of_bytes("page.txt", text.encode()), ())]
    kept = [row for out in outputs if isinstance(out, FoundOutput) for row in out.counters]
    assert [type(row) for row in kept] == [PrintedCounters]
    assert kept[0].values["columns"] == ["Array", "read", "write", "seeks"]


@pytest.mark.parametrize(
    "lines",
    [
        stacked(_MARKDOWN, ""),  # lines without a bar
        stacked(_MARKDOWN)[:7],  # one row
        [f"{name} |" for name in ("Home", "Forum", "Search", "Log in", "Page 1", "Page 2")],
        [f"| {cell}" for cell in stacked(_MARKDOWN)],  # a frame around lines
        ["12 |", "13 |", "14 |", "15 |", "16 |", "17 |"],  # no names
        ["a |", "b |", "1 |", "x |", "y |", "2 |", "3 |", "z |"],  # of no width alike
    ],
)
def test_what_looks_alike_is_no_table(lines: list[str]) -> None:
    assert stacked_at(lines, 0) is None
    assert all(stacked_at(lines, at) is None for at in range(len(lines)))


def test_a_long_column_of_bars_takes_linear_time() -> None:
    lines = ["word |"] * 20_000
    assert all(stacked_at(lines, at) is None for at in range(len(lines)))
