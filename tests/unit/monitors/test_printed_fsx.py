"""fsx. Oracle: the log has as many operations as it says, and each as many bytes as its ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mangle import counters, folded, mangled

TEXT = (Path(__file__).parents[2] / "outputs" / "monitors-composed" / "fsx.txt").read_text()


def _values(text: str) -> list[dict[str, object]]:
    return [dict(row.values) for row in counters(text, "fsx")]


def test_what_was_wrong() -> None:
    (values,) = _values(TEXT)
    assert (values["offset"], values["size"], values["file"]) == (
        0x26B00, 0x1000, "/mnt/btrfs/junk",
    )  # fmt: skip
    assert values["offsets"] == [0x26B3A, 0x26B3B]
    assert (values["good"], values["bad"]) == (["0x0000"] * 2, ["0x15b4", "0xb415"])
    assert values["ranges"] == [0, 1]
    assert values["may_be_of_operations"] == [21, None]
    assert (values["seed"], values["largest_file"]) == (1, 0x3E19B)


def test_the_log_has_the_operations_that_it_says() -> None:
    (values,) = _values(TEXT)
    log = values["log"]
    assert isinstance(log, list)
    assert len(log) == values["operations"] == values["logged"] == 4
    for _, text in log:
        if ends := re.search(r"0x(\w+) thru 0x(\w+) \(0x(\w+) bytes\)", text):
            low, high, size = (int(figure, 16) for figure in ends.groups())
            assert high - low + 1 == size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("All operations completed A-OK!\n", {"completed": True}),
        ("All 1000 operations completed A-OK!\n", {"completed": True, "operations": 1000}),
        ("Size error: expected 0x1c000 stat 0x1b000 seek 0x1b000\n",
         {"size_expected": 0x1C000, "size_stat": 0x1B000, "size_seek": 0x1B000}),
        ("READ BAD DATA: offset = 0x1c000, size = 0x9cc0\nOFFSET  GOOD    BAD     RANGE\n"
         "0x1c000 0x09d2  000000  0x22ed\n", {"offset": 0x1C000, "ranges": [0x22ED]}),
        ("+READ BAD DATA: offset = 0x1c000, size = 0x1803, fname = /mnt/junk\n",
         {"file": "/mnt/junk"}),
        ("87 READ BAD DATA: offset = 0x37b86, size = 0x60f6, fname = 075.0\n", {"file": "075.0"}),
    ],
)  # fmt: skip
def test_a_part_alone(text: str, expected: dict[str, object]) -> None:
    (values,) = _values(f"It ends:\n\n{text}\nSo what?\n")
    assert {name: values.get(name) for name in expected} == expected


def test_two_faults_are_two_reports() -> None:
    assert len(_values(f"{TEXT}{TEXT.partition(chr(10))[2]}")) == 2


def test_a_name_that_a_mail_broke() -> None:
    (values,) = _values(folded(TEXT.replace("/mnt/btrfs/junk\n", "/mnt/btrfs/a/long/name\n"), 72))
    assert values["file"] == "/mnt/btrfs/a/long/name"
    assert values["offsets"] == [0x26B3A, 0x26B3B]


@pytest.mark.parametrize(
    "text",
    [
        "fsx says READ BAD DATA: often\n",
        "The log dump (4 operations) is below\n",
        "All operations completed, A-OK!\n",
        "Size error: expected more\n",
    ],
)
def test_what_looks_alike_is_not_read(text: str) -> None:
    assert not _values(text)


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _values(changed) == _values(TEXT), shape
