"""Lists of speeds in the middle of prose. Oracle: what the rows say, and what looks alike."""

from __future__ import annotations

import pytest

from iosonde.records.stack import Json
from iosonde.text.author_rates import rates_at
from iosonde.text.clean import clean
from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput, find_and_tell


def values(text: str) -> list[dict[str, Json]]:
    """What every list of a text says."""
    lines = clean(text)
    groups, at = list[dict[str, Json]](), 0
    while at < len(lines):
        group = rates_at(lines, at)
        groups += [group.values] if group else []
        at = group.last + 1 if group else at + 1
    return groups


def test_a_name_and_a_speed() -> None:
    text = "Sequential read (mean of five):\nOriginal: 2033.7 MB/sec\nPatched:  2520.9 MB/sec\n"
    assert values(text) == [{"Original": "2033.7 MB/sec", "Patched": "2520.9 MB/sec"}]


def test_columns_have_the_names_above_them() -> None:
    text = (
        "bs      read hole     read cache\n"
        "--------------------------------\n"
        "1k      543  MiB/s    53.5 MiB/s\n"
        "1M      5072 MiB/s    8191MiB/s\n"
    )
    assert values(text) == [{
        "columns": ["bs", "read hole", "read cache"],
        "rows": [["1k", "543  MiB/s", "53.5 MiB/s"], ["1M", "5072 MiB/s", "8191MiB/s"]],
    }]  # fmt: skip


def test_figures_with_names() -> None:
    text = (
        "  - U 4k:   IOPS=125k,  BW=477MiB/s    # unwritten\n  - U 32k:  IOPS=31.2k, BW=937MiB/s\n"
    )
    assert values(text) == [{
        "columns": ["", "IOPS", "BW"],
        "rows": [["U 4k", "125k", "477MiB/s"], ["U 32k", "31.2k", "937MiB/s"]],
    }]  # fmt: skip
    assert values("average: IOPS=546k, BW=2132MiB/s (2236MB/s)\n")


def test_remarks_and_latencies_may_follow() -> None:
    text = (
        "BW   :474.93 MiB/s  (stdev:0.73 Mib/s)\nIOPS :127,182  (stdev:186 IOPS/s)\n"
        "CLAT :6.402 us  (stdev:1.146 us)\n"
    )
    assert values(text) == [{"BW": "474.93 MiB/s", "IOPS": "127,182", "CLAT": "6.402 us"}]
    assert values("raid0 on ssd 16171 MB/s  [CPU-based]\nqat  289 MB/s  [Offload]\n") == [
        {"raid0 on ssd": "16171 MB/s", "qat": "289 MB/s"}
    ]


def test_thousands_and_a_comma_between_figures_are_not_guessed_at() -> None:
    """`767,504.36us` may be 767 and 504.36 us."""
    rows = "w/  READ 392973KB/s, 767,504.36us\nw/o READ 590266KB/s, 1152,431.01us\n"
    assert values(rows) == []
    parted = values(rows.replace("7,5", "7, 5").replace("2,4", "2, 4"))
    assert parted[0]["rows"] == [
        ["w/  READ", "392973KB/s", "767", "504.36us"],
        ["w/o READ", "590266KB/s", "1152", "431.01us"],
    ]


@pytest.mark.parametrize("text", [
    "Performance went up from 900MiB/s to 1.1GiB/s by this\nand to 1.5GiB/s with the other.\n",
    "It reads at 500 MB/s.\nIt writes at 400 MB/s.\n",
    "SSD: 500 MB/s\n",  # one row says little
    "speed=93701K/sec\nfinish=10.1min\n",
    "limit: 400 KIOPS in one direction or 300 KIOPS in both\nlimit of the other: 2\n",
    "md: minimum _guaranteed_  speed: 1000 KB/sec/disk.\nmd: maximum: 200000 KB/sec/disk\n",
    "see http://host/a: 10 MB/s\nsee http://host/b: 12 MB/s\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert values(text) == []


def test_lines_that_a_reader_took_are_none_of_a_list() -> None:
    text = (
        "Then writes fell to: 55 MB/s\n"
        "536870912 bytes (537 MB) copied, 13.8827 s, 38.7 MB/s\n"
        "After it: 43 MB/s\n"
    )
    outputs = find_and_tell(of_bytes("mail.txt", text.encode()), lambda output: output, rest=True)
    read = [output for output in outputs if isinstance(output, FoundOutput)]
    assert [output.tool for output in read] == ["dd"]


def test_reads_and_writes_of_each_row() -> None:
    text = (
        "               default                   fixed\n"
        "Instance 1     r=55.7GiB/s,w=23.9GiB/s   r=9616MiB/s,w=4121MiB/s\n"
        "Instance 2     r=38.5GiB/s,w=16.5GiB/s   r=8482MiB/s,w=3635MiB/s\n"
    )
    (table,) = values(text)
    assert table["columns"] == ["", "r", "w", "r", "w"]
    assert table["rows"] == [
        ["Instance 1", "55.7GiB/s", "23.9GiB/s", "9616MiB/s", "4121MiB/s"],
        ["Instance 2", "38.5GiB/s", "16.5GiB/s", "8482MiB/s", "3635MiB/s"],
    ]


def test_other_scripts_and_their_signs() -> None:
    japanese = (
        "SSD:\n- 順次読み取り：512.25 MB / s\n"
        "- 4K読み取り（QD = 1、T = 1）:26.5 MB /秒 [6470 IOPS]\n"
    )
    assert values(japanese) == [{
        "columns": ["", "", ""],
        "rows": [
            ["順次読み取り", "512.25 MB / s", ""],
            ["4K読み取り（QD = 1、T = 1）", "26.5 MB /秒", "6470 IOPS"],
        ],
    }]  # fmt: skip
    assert values("Чтение: 210.5 МБ/с\nЗапись: 190 МБ/с\n") == [
        {"Чтение": "210.5 МБ/с", "Запись": "190 МБ/с"}
    ]
    assert values("Lecture : 98,2 Mo/s\nÉcriture : 81 Mo/s\n") == [
        {"Lecture": "98,2 Mo/s", "Écriture": "81 Mo/s"}
    ]


def test_a_figure_in_brackets_behind_a_word_begins_no_row() -> None:
    assert values("Read IOPS 14,100 (110MiB/s)\nWrite IOPS 42,200 (330MiB/s)\n") == []


@pytest.mark.parametrize("text", [
    "順次読み取りは約 512 MB/s。\n書き込みは、 480 MB/s。\n",
    "顺序读取的是 512 MB/s\n写入，大约 480 MB/s\n",
    "Il lit à 98 Mo / 2\nIl écrit à 81 Mo / 2\n",
])  # fmt: skip
def test_sentences_of_other_scripts_are_no_rows(text: str) -> None:
    assert values(text) == []


def test_a_figure_in_brackets_is_kept_and_a_remark_is_not() -> None:
    text = "disk a: 24.34 MB/s (6086 IOPS)\ndisk b: 36.18 MB/s (4523 IOPS, best of 3)\n"
    assert values(text)[0]["rows"] == [
        ["disk a", "24.34 MB/s", "6086 IOPS"],
        ["disk b", "36.18 MB/s", ""],
    ]
