"""Tables in the middle of prose. Oracle: what the rows say, cell by cell, and near misses."""

from __future__ import annotations

import pytest

from iosonde.records.printed import PrintedCounters
from iosonde.text.author_tables import table_at
from iosonde.text.clean import clean
from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput
from iosonde.text.remainder import remainder

_SHIFTED = """\
All runs on the same disks, in MB/s.

depth    jobs    bs    before    after    %chg
------------randwrite, SSD------------
128    1    4k    282    283    0
2048    4    4k    266    251    -5
------------seqwrite, HDD------------
128    1    4k    87    107    +23

The cache was off.
"""
_ALIGNED = """\
Some results, not of direct I/O:
dbench20 results
      metric          baseline     current    stdev         diff
================================================================
avg_commit_ms           2594.25     2607.85       0     0.52%
dev_write_iops          6182312     6172004       0    -0.17%
write_bw_bytes         23906517    24164054       0     1.08%
"""
_BARRED = """\
|  libaio   | bio(base) | blk-mq | delta  |

+-----------+-----------+--------+--------+

|   read    |    415    |  339   | -18.31 |

|   write   |    410    |  340   | -17.07 |

| randwrite |    371    |  318   | -14.29 |

+-----------+-----------+--------+--------+

|   psync   | bio(base) | blk-mq | delta  |

+-----------+-----------+--------+--------+

|   read    |    700    |  554   | -20.86 |
"""


def counters(text: str) -> list[PrintedCounters]:
    outputs = remainder(of_bytes("mail.txt", text.encode()), ())
    return [row for output in outputs if isinstance(output, FoundOutput) for row in output.counters]


def test_rows_below_sections_say_whose_they_are() -> None:
    (table,) = counters(_SHIFTED)
    assert table.values == {
        "columns": ["", "depth", "jobs", "bs", "before", "after", "%chg"],
        "rows": [
            ["randwrite, SSD", "128", "1", "4k", "282", "283", "0"],
            ["randwrite, SSD", "2048", "4", "4k", "266", "251", "-5"],
            ["seqwrite, HDD", "128", "1", "4k", "87", "107", "+23"],
        ],
    }


def test_a_table_in_a_paragraph_is_named_by_the_line_above_it() -> None:
    (table,) = counters(_ALIGNED)
    assert table.name == "dbench20 results"
    rows = table.values["rows"]
    assert isinstance(rows, list)
    assert rows[2] == ["write_bw_bytes", "23906517", "24164054", "0", "1.08%"]
    baseline, current = float(str(rows[0][1])), float(str(rows[0][2]))  # type: ignore[index]
    assert f"{current / baseline - 1:.2%}" == rows[0][4]  # type: ignore[index]


def test_blank_lines_between_rows_with_bars_and_the_next_tables_head() -> None:
    table = table_at(clean(_BARRED), 0)
    assert table is not None
    assert table.values["columns"] == ["libaio", "bio(base)", "blk-mq", "delta"]
    assert table.values["rows"] == [
        ["read", "415", "339", "-18.31"], ["write", "410", "340", "-17.07"],
        ["randwrite", "371", "318", "-14.29"],
    ]  # fmt: skip


@pytest.mark.parametrize("text", [
    "name    size    when\n  a few    2    weeks\n  b    3    days\n",  # two rows
    "Ada Lovelace  (3):\n      md: count 2 stripes\n      md: fix 3 leaks\n      md: 4 more\n",
    "dr-xr-xr-x  2 root root  4096 Oct  2 10:00 a\n" * 4,
    " drivers/md/md.c    | 13 ++++--\n drivers/md/md.h    | 11 ++++--\n 2 files    | 3 changed\n",
    "#define A    1\n#define B    2\n#define C    3\n#define D    4\n",
    "foo  bar  baz\nwe saw this\nand this 3\nand that 4\n",
])  # fmt: skip
def test_what_is_no_table(text: str) -> None:
    lines = clean(text)
    assert not any(table_at(lines, at) for at in range(len(lines)) if lines[at])


def test_a_grid_of_lines_that_a_terminal_draws() -> None:
    text = (
        "│  test    │  before    │  after     │\n"
        "├──────────┼────────────┼────────────┤\n"
        "│  Test 1  │  11.8 MB/s │  23.3 MB/s │\n"
        "│  Test 2  │  1617 MB/s │  1740 MB/s │\n"
    )
    (table,) = counters(text)
    assert table.values["columns"] == ["test", "before", "after"]
    assert table.values["rows"] == [
        ["Test 1", "11.8 MB/s", "23.3 MB/s"], ["Test 2", "1617 MB/s", "1740 MB/s"],
    ]  # fmt: skip


def test_names_of_columns_may_begin_with_an_ordinal() -> None:
    text = (
        "size | BW       | 99th percentile | 99.99th\n"
        "512B | 3.8GiB/s | 1401  usec      | 2442 usec\n"
        "4k   | 7.0GiB/s | 4817  usec      | 6587 usec\n"
    )
    (table,) = counters(text)
    assert table.values["columns"] == ["size", "BW", "99th percentile", "99.99th"]


def test_a_grid_with_heads_over_several_columns_is_kept_cell_by_cell() -> None:
    text = (
        "|CPU: Example 920   |          P80            |\n"
        "|Memory: 512GB      |-------------------------|\n"
        "|960GB SSD (0.5GB/s)| base  |    patched      |\n"
        "|-------------------|-------|-----------------|\n"
        "|optimize_scan=0    | 2667  | 4821  (+80.7%)  |\n"
        "|optimize_scan=1    | 2643  | 4784  (+81.0%)  |\n"
    )
    (table,) = counters(text)
    rows = table.values["rows"]
    assert isinstance(rows, list)
    assert rows[-1] == ["optimize_scan=1", "2643", "4784  (+81.0%)"]
    assert table.values["columns"] == ["", "", ""] or rows[0] != rows[-1]


def test_prose_between_bars_is_no_grid() -> None:
    assert table_at(["either a | b | c", "-----", "or d | e | f, I think"], 0) is None
    assert counters("cat a | grep 1 | wc -l\ncat b | grep 2 | wc -l\n") == []


def test_rows_with_a_blank_line_below_each() -> None:
    text = (
        "Results:\n\n"
        "BS   1.read (target CPU)  2.read (target CPU)  3.read\n"
        "---  -------------------  -------------------  ------\n"
        "1k   5.88M (80%)          5.45M (72%)          6.77M\n\n"
        "2k   3.56M (65%)          3.45M (59%)          3.72M\n\n"
        "4k   1.8M (33%)           1.87M (32%)          1.88M\n\n"
        "BS   1.write              2.write              3.write\n"
        "---  -------------------  -------------------  ------\n"
        "1k   5.42M (63%)          5.14M (55%)          7.75M\n\n"
        "2k   4.15M (56%)          4.14M (51%)          4.16M\n\n"
        "4k   2.17M (28%)          2.17M (27%)          2.16M\n\n"
        "The first is 5 % faster.\n"
    )
    reads, writes = counters(text)
    assert reads.values["columns"] == ["BS", "1.read (target CPU)", "2.read (target CPU)", "3.read"]
    assert [row[0] for row in writes.values["rows"]] == ["1k", "2k", "4k"]  # type: ignore[index,union-attr]
