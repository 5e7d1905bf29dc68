"""The heading above an output."""

from __future__ import annotations

import pytest

from iosonde.text.find import heading_above


def above(text: str) -> str:
    lines = text.split("\n")
    return heading_above(
        lambda index: lines[index] if 0 <= index < len(lines) else None, len(lines)
    )


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# One\n\n## Two drives ##\n\nProse about it.", "Two drives"),
        ("== Wiki heading ==\nProse.", "Wiki heading"),
        ("Underlined\n==========\nProse.", "Underlined"),
        (
            "Prose that ends.\nStrip sizes\nMore prose, long enough to be none itself.",
            "Strip sizes",
        ),
        ("# **Bold** #", "Bold"),
        ("no heading here at all, only prose\nthat goes on.", ""),
        ("Writing 1.5 GiB took 3.2 s", ""),
        ("Key = value", ""),
        ("", ""),
    ],
)
def test_the_nearest_heading_counts(text: str, heading: str) -> None:
    assert above(text) == heading


def test_a_line_within_a_paragraph_is_no_heading() -> None:
    assert above("# Real\nthe first line of a paragraph\nShort line\nand its end.") == "Real"


def test_a_command_after_the_prompt_of_root_is_no_heading() -> None:
    assert above("## Real\n\n# fio --name=a --rw=read\n") == "Real"
