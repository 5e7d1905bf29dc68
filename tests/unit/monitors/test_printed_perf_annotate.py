"""perf annotate. Oracle: the shares as they stand there, in hundredths."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled

TEXT = (
    Path(__file__).parents[2] / "outputs" / "tracers-composed" / "perf-annotate.txt"
).read_text()
STDIO = """\
 Percent |      Source code & Disassembly of kcore for cycles (96 samples, percent: local period)
--------------------------------------------------------------------------------------------------
         : 0      ffffffff81a0 <spin>:
    0.00 :   ffffffff81a0:       push   %rbp
   75.00 :   ffffffff81a4:       pause
   25.00 :   ffffffff81a6:       jmp    ffffffff81a4
"""


def test_a_function_in_the_browser() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        if shape == "quoted-printable":
            continue  # which nothing but the vertical lines would say
        (row,) = (each for each in counters(given) if each.tool == "perf annotate")
        assert row.values["symbol"] == "spin_on_owner", shape
        assert row.values["event"] == "cycles:P"
        assert row.values["instructions"] == [
            {"share": 0.0125, "code": "movl 0x8(%rdx),%eax"},
            {"share": 0.805, "address": "270", "code": "pause"},
            {"share": 0.1775, "code": "je 270"},
        ]


def test_with_addresses() -> None:
    (row,) = counters(STDIO)
    assert row.values["instructions"] == [
        {"share": 0.75, "address": "ffffffff81a4", "code": "pause"},
        {"share": 0.25, "address": "ffffffff81a6", "code": "jmp ffffffff81a4"},
    ]
    assert row.values["event"] == "cycles"


@pytest.mark.parametrize("text", [
    "Percent | Reads\n12.00 | low\n", "[Percent: 12]\n", "Percent │\n\nnothing\n",
])  # fmt: skip
def test_other_tables_of_percents_are_none(text: str) -> None:
    assert not [row for row in counters(text) if row.tool == "perf annotate"]
