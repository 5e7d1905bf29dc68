"""Tables with commas, semicolons or tabs between cells. Oracle: csv.DictReader, near misses."""

from __future__ import annotations

import csv

import pytest

from iosonde.text.clean import clean
from iosonde.text.comma_tables import comma_table_at
from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput
from iosonde.text.remainder import remainder

_TABLE = """\
Test N#, Drive, Operation, Access, Run N#, IOPS, MB/sec, Latency ms, CPU %
Test 1,E:,Read,Random,Run 1,41401.38,161.72,0.309,20.46%
Test 2,E:,Read,Random,Run 2,41158.41,160.77,0.291,20.42%
Test 3,E:,Write,"Random, aligned",Run 1,15775.73,61.62,0.811,7.14%
"""


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_it_is_what_a_reader_of_csv_reads(separator: str) -> None:
    text = _TABLE.replace(", ", ",").replace("Random,aligned", "Random aligned")
    text = text.replace(",", separator)
    group = comma_table_at(clean(text), 0)
    assert group
    rows = list(csv.DictReader(text.splitlines(), delimiter=separator))
    assert group.values["columns"] == list(rows[0])
    assert group.values["rows"] == [list(row.values()) for row in rows]
    assert (group.first, group.last) == (0, 3)


def test_an_import_keeps_it_also_quoted() -> None:
    text = f"> Results:\n> \n> {_TABLE.replace(chr(10), chr(10) + '> ')}\n> \n> Slow?\n"
    outputs = [*remainder(of_bytes("mail.txt", text.encode()), ())]
    (kept,) = [row for out in outputs if isinstance(out, FoundOutput) for row in out.counters]
    assert kept.values["columns"][-2:] == ["Latency ms", "CPU %"]  # type: ignore[index]
    assert len(kept.values["rows"]) == 3  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "It reads, writes, seeks, and stops.\nWith 1, 2, 3, and 4 disks.\nSo 5, 6, 7, and 8.\n",
        "one,two,three,four\nfive,six,seven,eight\nnine,ten,eleven,twelve\n",  # no figure
        "1,2,3,4\n5,6,7,8\n9,10,11,12\n",  # no names
        "name,read,write,seek\nsda,1,2,3\n",  # one row
        "int a, b, c, d;\nint e1, f, g, h;\nint i1, j, k, l;\n",
        "a,b,c,d\nx{1},2,3,4;\ny{1},2,3,4;\nz,1,2,3;\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    lines = clean(text)
    assert all(comma_table_at(lines, at) is None for at in range(len(lines)))


def test_a_broken_quote_and_a_long_line() -> None:
    names = "name,read,write,seek\n"
    assert comma_table_at(clean(names + 'sda,"1,2,3\nsdb,4,5,6\nsdc,7,8,9\n'), 0) is None
    long = ",".join(["name"] * 5000)
    assert comma_table_at(clean(f"{long}\n{long}\n{long}\n"), 0) is None
