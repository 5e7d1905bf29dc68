"""Tables of Markdown and Org, and lines with bars that are none."""

from __future__ import annotations

import pytest

from iosonde.text.pipe_tables import pipe_table_at

_ROWS = "| sda | about 23 MiB/s |\n| **sdb** | `145` |"


@pytest.mark.parametrize(
    ("text", "columns", "rows", "last"),
    [
        (f"| disk | read |\n|---|:---:|\n{_ROWS}\n\nMore.", ["disk", "read"],
         [["sda", "about 23 MiB/s"], ["sdb", "145"]], 3),
        ("disk | read\n--- | ---\nsda | 3,800 IOPS / 0.26 ms\nprose", ["disk", "read"],
         [["sda", "3,800 IOPS / 0.26 ms"]], 2),
        ("| disk | read |\n|------+------|\n| sda  |   12 |\n|------+------|\n| sum  |   12 |",
         ["disk", "read"], [["sda", "12"], ["sum", "12"]], 4),
        ("|  | read |\n|---|---|\n| sda |\n| sdb | 4 | 5 |", ["", "read"],
         [["sda", ""], ["sdb", "4"]], 3),
        ("| disk | read |\n|--|--|\n| sda | 5 |\n\n| a | b | c |\n|--|--|--|\n| 1 | 2 | 3 |",
         ["disk", "read"], [["sda", "5"]], 2),
        (" buffers_backend_fsync | __io_time__ \n----+----\n 5 | _x_ \n",
         ["buffers_backend_fsync", "io_time"], [["5", "x"]], 2),
    ],
)  # fmt: skip
def test_a_table_ends_where_its_bars_do(
    text: str, columns: list[str], rows: list[list[str]], last: int
) -> None:
    table = pipe_table_at(text.split("\n"), 0)
    assert table is not None
    assert table.values == {"columns": columns, "rows": rows}
    assert (table.first, table.last) == (0, last)


@pytest.mark.parametrize(
    "text",
    [
        "| disk | read |\n| sda | 5 |\n| sdb | 6 |",
        "| disk | read | write |\n|---|---|\n| sda | 5 | 6 |",
        "| disk | kind |\n|---|---|\n| sda | fast |",
        "|---|---|\n|---|---|\n| sda | 5 |",
        "disk\n---\nsda 5",
        "a | b\n-|- says 5 | 6\n5 | 6",
        "$ zpool list | grep tank\n-----\n5 | 6",
        "| disk | read |\n|---|---|",
    ],
)
def test_lines_with_bars_that_are_no_table(text: str) -> None:
    assert pipe_table_at(text.split("\n"), 0) is None
