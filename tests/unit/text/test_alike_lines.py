"""Lists of lines that differ in their figures alone, and what looks like one."""

from __future__ import annotations

import pytest

from iosonde.text.alike_lines import alike_at
from tests.growth import grows_faster
from tests.mangle import kept_as_printed


def kept(text: str) -> list[dict[str, object]]:
    return [dict(counter.values) for counter in kept_as_printed(text)]


@pytest.mark.parametrize(
    ("lines", "columns", "first"),
    [
        (["irq 31, cpu list 2,4", "irq 32, cpu list 10,12", "irq 33, cpu list 0-1"],
         ["irq", "cpu list"], ["31", "2,4"]),
        (["        last_physical: 0", "        last_physical: 80805888",
          "        last_physical: 1986068480"], ["last_physical"], ["0"]),
        (["ID 256 gen 53 bottom level 5 path sub1", "ID 260 gen 56 bottom level 5 path sub2",
          "ID 261 gen 57 bottom level 5 path .snapshot/s1"],
         ["ID", "gen", "bottom level", "path"], ["256", "53", "5", "sub1"]),
        (["frob/042 2s ...  3s", "frob/043 13s ...  13s", "frob/044 1s ...  1s"],
         ["frob", "", "..."], ["042", "2s", "3s"]),
        (["block 4711(gen: 1293 level: 0) bad", "block 4712(gen: 1283 level: 0) bad",
          "block 4713(gen: 1283 level: 1) bad"], ["block", "gen", "level", ""],
         ["4711", "1293", "0", "bad"]),
    ],
)  # fmt: skip
def test_the_words_before_a_figure_name_its_column(
    lines: list[str], columns: list[str], first: list[str]
) -> None:
    text = "It prints:\n\n" + "\n".join(f"> {line}" for line in lines) + "\n\nWhy?\n"
    (values,) = kept(text)
    assert values["columns"] == columns
    rows = values["rows"]
    assert isinstance(rows, list)
    assert len(rows) == len(lines)
    assert rows[0] == first


@pytest.mark.parametrize(
    "lines",
    [
        ["irq 31, cpu list 2,4", "irq 32, cpu list 10,12"],  # two may be chance
        ["irq 31, cpu list 2,4", "irq 32, cpus 10,12", "irq 33, list 0-1"],
        ["frob 7 is ready"] * 4,  # nothing is listed
        ["\tfrob[1] = 7;", "\tfrob[2] = 8;", "\tfrob[3] = 9;"],
        ["+frob 1 bar 7", "+frob 2 bar 8", "+frob 3 bar 9"],
        ["1. Take disk 7", "2. Take disk 8", "3. Take disk 9"],
        ["[1] https://example.org/a1", "[2] https://example.org/b2", "[3] https://example.org/c3"],
        [" create mode 100644 fs/a.c", " create mode 100644 fs/b.c", " create mode 100755 fs/c"],
        ["0xffffffff812e4859 <+9>: push %r15", "0xffffffff812e485b <+11>: push %r14",
         "0xffffffff812e485d <+13>: push %r13"],
        ["9a7c7d74b2c2d (A B 2022-07-06 284) case A", "9a7c7d74b2c2d (A B 2022-07-06 285) case B",
         "9a7c7d74b2c2d (A B 2022-07-06 286) case C"],
        ["v1: frob 7", "v2: frob 8", "v3: frob 9"],
        ["12 34 56", "13 35 57", "14 36 58"],  # nothing names them
    ],
)  # fmt: skip
def test_what_looks_like_a_list_of_a_program(lines: list[str]) -> None:
    assert alike_at(lines, 0) is None


def test_a_list_ends_where_another_line_stands() -> None:
    lines = [f"queue {at} depth {at * 7}" for at in range(5)] + ["and so on", "queue 7 depth 49"]
    group = alike_at(lines, 0)
    assert group is not None
    assert (group.first, group.last) == (0, 4)


def test_long_lists_take_time_in_proportion() -> None:
    assert not grows_faster(lambda text: alike_at([text[:160]] * len(text), 0), "frob 1 ", 400)


def test_below_a_command_a_list_is_its_output() -> None:
    rows = "".join(f"ID {at} gen {at * 7} bottom level 5 path sub{at}\n" for at in range(256, 260))
    (values,) = kept(f"$ frobctl list /mnt\n{rows}\n")
    assert values["columns"] == ["ID", "gen", "bottom level", "path"]
    few = "one line\nanother line, 7 long\n" * 5
    (values,) = kept(f"$ frobctl list /mnt\n{few}{rows[: rows.index('ID 259')]}")
    assert list(values) == ["lines"]


def test_rows_may_begin_with_figures_of_any_form() -> None:
    rows = ["12 errors of 100", "0x10 errors of 7", "٣ errors of 9"]
    group = alike_at(rows, 0)
    assert group is not None
    assert group.values["rows"] == [["12", "100"], ["0x10", "7"], ["٣", "9"]]
