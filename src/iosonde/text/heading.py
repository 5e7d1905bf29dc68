"""The heading above an output: what its author called it."""

from __future__ import annotations

import re
from collections.abc import Callable

_MARKED = re.compile(r"\s*(?:#{1,6}\s+(?P<a>\S.*?)\s*#*|(?P<m>={2,6})\s*(?P<b>\w.*?)\s*(?P=m))\s*")
_COMMAND = re.compile(r"\s-{1,2}[A-Za-z]|/(?:dev|proc|sys|etc)/")  # after the prompt of root
_UNDERLINE = re.compile(r"\s*(?:={4,}|-{4,})\s*")
_TITLE = re.compile(r"[A-Z0-9][^=|;:{}<>\[\]$@\\]{2,69}")
_ENDED = re.compile(r"[.!?:)\"'…]\s*$|^\s*$")
_FIGURE = re.compile(r"\d{3,}|\d\.\d|%")
_EMPHASIS = re.compile(r"^[*_`\s]+|[*_`\s]+$")


def heading_above(line: Callable[[int], str | None], first: int) -> str:
    """The nearest heading above a line.

    A heading is marked (Markdown, wiki, underlined), or a short line that begins with a capital,
    has no end of a sentence, and does not go on a paragraph.

    Args:
        line: the line with an index, None outside of what may be looked at.
        first: index of the output's first line.

    Returns:
        Its words; empty where there is none.
    """
    for index in range(first - 1, -1, -1):
        text = line(index)
        if text is None:
            break
        marked = _MARKED.fullmatch(text)
        if marked and not _COMMAND.search(text):
            return _EMPHASIS.sub("", marked["a"] or marked["b"])
        if _is_title(text, line(index - 1), line(index + 1)):
            return _EMPHASIS.sub("", text)
    return ""


def _is_title(text: str, before: str | None, after: str | None) -> bool:
    words = text.split()
    if not 1 <= len(words) <= 9 or not _TITLE.fullmatch(text.strip()):
        return False
    if after and _UNDERLINE.fullmatch(after):
        return True
    ended = text.rstrip().endswith((".", ",", "?")) or (text.endswith("!") and len(words) > 3)
    if ended or _FIGURE.search(text) or text.startswith((" ", "\t")):
        return False
    return before is None or bool(_ENDED.search(before))
