"""Outputs that are one value or one JSON document. Oracle: json and the text itself."""

from __future__ import annotations

import json

import pytest

from iosonde.text.whole_outputs import whole_json, whole_value
from tests.mangle import kept_as_printed


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ("nvme frob --queues /dev/sdz", "256"),
        ("cat /sys/fs/btrfs/d5cc/features/raid56", "1"),
        ("cat /sys/kernel/config/frob/state", "offline"),
        ("ps aux | grep kworker | wc -l", "131"),
        ("frobctl --size64 /dev/sdz", "824.398 GB"),
    ],
)
def test_one_value_is_kept_under_its_command(command: str, value: str) -> None:
    (record,) = kept_as_printed(f"> $ {command}\n> {value}\n>\n> What does it mean?\n")
    assert (record.name, record.values) == (command, {"value": value})


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("frobctl --state", ["offline"]),  # a word without a figure, and of no file
        ("frobctl --state", ["it took 7 goes"]),
        ("frobctl --state", ["7", "8"]),
        ("frobctl &", ["[2]"]),
        ("frobctl --state", []),
        ("cat /sys/kernel/config/frob/state", ["", "Thanks"]),
    ],
)
def test_what_is_no_single_value(command: str, lines: list[str]) -> None:
    assert whole_value(command, lines) is None


DOCUMENT = {"mon": {"ceph version 12.2.9 (9e30) luminous (stable)": 3}, "osd": {}, "overall": [1]}


def test_json_is_kept_as_it_is_nested() -> None:
    text = json.dumps(DOCUMENT, indent=4)
    for end in ("", "\n\nRegards\n", "\nThis is all that it says of the 3 monitors.\n"):
        (record,) = kept_as_printed(f"$ frobctl versions\n{text}{end}")
        assert record.values == DOCUMENT
    rows = [{"name": "sdz", "size": 7}, {"name": "sdy", "size": 8}]
    assert whole_json(json.dumps(rows).split("\n")) == ({"items": rows}, 1)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(DOCUMENT, indent=4)[:-1],  # cut
        json.dumps(DOCUMENT).replace(":", "="),
        json.dumps(DOCUMENT) + " and more",
        "[1, 2]", "{}", "[]", "7",
        "[" * 30 + "7" + "]" * 30,
        '{"a": ' * 5000 + "7" + "}" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_json_object(text: str) -> None:
    assert whole_json(text.split("\n")) is None
