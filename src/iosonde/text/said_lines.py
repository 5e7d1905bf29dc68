"""Lines of an output that are kept as they stand beside what is read of them."""

from __future__ import annotations

import re
from collections.abc import Callable

from iosonde.text.cursor import TextCursor, prompt_in
from iosonde.text.secrets import without_secrets

_SENTENCES = 50  # of an answer
_LETTER = re.compile(r"[^\W\d_]")


def sentences_of(
    cursor: TextCursor,
    first: int,
    last: int,
    is_said: Callable[[str], object] = _LETTER.search,
) -> tuple[str, ...]:
    """The lines of an answer without indents and secrets; no prompts, and no lines of signs.

    Args:
        cursor: to look at.
        first: index of its first line.
        last: index of its last line; of a long one the first lines are taken.
        is_said: what must hold of a line.
    """
    lines = (cursor.line(index) for index in range(first, min(last + 1, first + _SENTENCES)))
    said = (line.strip() for line in lines if is_said(line) and not prompt_in(line))
    return tuple(map(without_secrets, said))
