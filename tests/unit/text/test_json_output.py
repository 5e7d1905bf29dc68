"""Where a document in JSON begins and ends in a text, and what broken ones say."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest

from iosonde.records.printed import Unreadable
from iosonde.text.cursor import TextCursor
from iosonde.text.json_output import begin_of, document_at, leaves, number, objects, part
from tests.growth import grows_faster
from tests.mangle import cut, folded

HEAD = re.compile(r'\{\s*"disks"\s*:')
DOCUMENT = {
    "disks": [
        {"name": "sda", "model": 'a } with { brackets [ and " quotes', "size": 1234567890123},
        {"name": "sdb", "model": "two words of a very long model name of nobody", "size": 2},
    ],
    "version": 1,
}
PRETTY = json.dumps(DOCUMENT, indent=4)


class Lines(TextCursor):
    """A text as a cursor."""

    host = ""

    def __init__(self, rows: Sequence[str]) -> None:
        self.rows = list(rows)
        self.at = 0

    def has(self, index: int) -> bool:
        return 0 <= index < len(self.rows)

    def line(self, index: int) -> str:
        return self.rows[index] if self.has(index) else ""

    stamped = line

    def block(self, first: int, most: int) -> list[str]:
        return self.rows[first : first + most]


def lines_of(text: str) -> Lines:
    return Lines([line.rstrip() for line in text.split("\n")])


@pytest.mark.parametrize(
    "text",
    [
        PRETTY,
        json.dumps(DOCUMENT),
        folded(PRETTY, 30),
        folded(json.dumps(DOCUMENT), 60),
        cut(PRETTY, 37),
        cut(json.dumps(DOCUMENT), 40),
        "\n\n".join(PRETTY.split("\n")),
    ],
)
def test_whatever_broke_its_lines(text: str) -> None:
    cursor = lines_of(f'{text} and more\nprose: "follows" {{here}}')
    document = document_at(cursor, 0, HEAD)
    assert document.value == DOCUMENT
    assert not document.is_cut
    assert document.last == len(cursor.rows) - 2


def test_it_may_be_a_part_of_a_line() -> None:
    cursor = lines_of(f'"stdout": {json.dumps(DOCUMENT)}, "rc": 0')
    assert begin_of(cursor, 0, HEAD) == 10
    assert document_at(cursor, 0, HEAD).value == DOCUMENT


def test_warnings_between_its_lines_are_left_out() -> None:
    rows = PRETTY.split("\n")
    rows.insert(6, "  WARNING: a device is missing (or nearly so)")
    assert document_at(Lines(rows), 0, HEAD).value == DOCUMENT


def test_what_is_whole_of_a_document_that_is_cut_off() -> None:
    rows = PRETTY.split("\n")[:9]
    cursor = Lines([*rows, "", "[root@here ~]# uptime", " 10:00 up 3 days"])
    document = document_at(cursor, 0, HEAD)
    assert document.is_cut
    assert document.value == {"disks": DOCUMENT["disks"][:1]}  # type: ignore[index]
    assert document.last == 9


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"disks": 1, "more": ', "it is cut off, or its brackets do not close"),
        ('{"disks": [1, 2}', "its brackets do not match"),
        ('{"disks": [1, oops, 2]}', "it is not valid JSON"),
    ],
)
def test_the_reason_is_true(text: str, reason: str) -> None:
    with pytest.raises(Unreadable) as error:
        document_at(lines_of(text), 0, HEAD)
    assert error.value.reason == reason


def test_values() -> None:
    assert objects([{"a": 1}, 2, None, {}]) == [{"a": 1}, {}]
    assert objects({"a": 1}) == []
    assert part({"a": {"b": {"c": 1}}}, "a", "b") == {"c": 1}
    assert part({"a": [1]}, "a", "b") == {}
    assert [number(value) for value in (1, 2.5, True, "1", None)] == [1, 2.5, None, None, None]
    assert dict(leaves({"a": {"b": 1, "c": ""}, "d": [1], "e": "x"})) == {"a.b": 1, "e": "x"}


def test_the_time_grows_with_the_length() -> None:
    def work(text: str) -> object:
        try:
            return document_at(lines_of('{"disks":' + text), 0, HEAD)
        except Unreadable:
            return None

    for unit in ("[", '{"a":[', '"\n', '"\\', "1 \n", "x:\n"):
        assert not grows_faster(work, unit, 4000), unit
