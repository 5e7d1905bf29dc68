"""checkpatch. Oracle: its last line counts what it listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers._commands.printed_checkpatch import Checkpatch
from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[3] / "outputs" / "builds-composed" / "checkpatch.txt").read_text()


def _values(text: str) -> list[dict[str, object]]:
    return [dict(row.values) for row in counters(text, Checkpatch.tool)]


def test_the_total_counts_what_is_listed() -> None:
    (values,) = _values(TEXT)
    (listed,) = _values(TEXT.partition("total:")[0])
    messages = values.pop("messages")
    assert isinstance(messages, list)
    assert values == {"errors": 1, "warnings": 1, "checks": 1, "lines_checked": 74}
    assert {name: listed[name] for name in ("errors", "warnings", "checks")} == {
        name: values[name] for name in ("errors", "warnings", "checks")
    }
    assert messages[1] == {
        "level": "ERROR", "type": "SPACING", "patch_line": 51, "file": "fs/pond/newt.c",
        "line": 17, "message": "space required before the open parenthesis '('",
    }  # fmt: skip


def test_the_last_line_alone_and_terse_messages() -> None:
    assert _values("total: 0 errors, 2 warnings, 30 lines checked\n") == [
        {"errors": 0, "warnings": 2, "lines_checked": 30}
    ]
    (values,) = _values("fs/pond/newt.c:17: ERROR:SPACING: space required\n")
    assert values["errors"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "WARNING: CPU: 1 PID: 234 at fs/pond/heron.c:61\n",
        "In total: 3 errors, 2 warnings were seen\n",
        "#38: FILE: fs/pond/heron.c:212:\n",
        "ERROR: cannot open the pond\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _values(text) == []


def test_a_text_of_two_is_not_added_up() -> None:
    wrong = TEXT.replace("total: 1 errors", "total: 0 errors")
    assert _values(wrong) == []


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _values(changed) == _values(TEXT), shape
