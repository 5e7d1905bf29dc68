"""Where fenced blocks begin and end. Oracle: CommonMark 0.31, 4.5, info strings."""

from __future__ import annotations

import pytest

from iosonde.text.clean import clean
from iosonde.text.fences import fenced


@pytest.mark.parametrize(("head", "language"), [
    ("```", ""), ("``` bash", "bash"), ("```shell hideCopy", "shell"),
    ('```{.console hl_lines="6"}', "console"), ('```yaml title="x.yml"', "yaml"), ("~~~ sh", "sh"),
])  # fmt: skip
def test_what_follows_the_language_opens_the_block_all_the_same(head: str, language: str) -> None:
    mark = head[:3]
    raw = ["text", head, "one", mark, "text", mark, "two", mark]
    assert fenced(raw) == ({1: language, 5: ""}, {2: 3, 6: 7})


@pytest.mark.parametrize("line", ["```code``` in a line", "~~~~~^~~~ here", "a ``` b"])
def test_lines_that_open_nothing(line: str) -> None:
    assert fenced(["text", line, "one", "two"]) == ({}, {})


def test_lines_with_an_info_string_are_blank() -> None:
    assert clean('```shell hideCopy\na\n```{.console hl_lines="6"}\nb\n```sudo lsblk') == [
        "", "a", "", "b", "```sudo lsblk",
    ]  # fmt: skip
