"""Blocks that Markdown fences off, also within the marks of a quoted mail.

Source: CommonMark 0.31, 4.5.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iosonde.text.clean import is_underline, quote_marks

_FENCE = re.compile(
    r"[ \t]*(?:`{3,}|~{3,}(?=[ \t]*[\w+-]*[ \t]*$))[ \t]*"
    r"(?:\{[ \t]*\.?)?(?P<language>[\w+-]*)(?P<more>[^`]{0,200})"
)
"""With what may follow the language: `{.console hl_lines="6"}`, `bash title="x"`."""


def fenced(raw: Sequence[str]) -> tuple[dict[int, str], dict[int, int]]:
    """Line that opens a fenced block → its language; line in one → the line that closes it."""
    opening: dict[int, str] = {}
    closing: dict[int, int] = {}
    opened, language = -1, ""
    for at, line in enumerate(raw):
        if "```" not in line and "~~~" not in line:
            continue
        match = _FENCE.fullmatch(line[quote_marks(line) :].rstrip())
        if match is None or is_underline(raw, at):
            continue
        if opened < 0 or match["language"] or match["more"].strip():
            opened, language = at, match["language"].lower()
            continue
        opening[opened] = language
        closing |= dict.fromkeys(range(opened + 1, at), at)
        opened = -1
    return opening, closing
