"""Whether what a reader made of an output can be what the tool printed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from iosonde.records.printed import OutputReading, Unreadable, is_finite
from iosonde.records.stack import Json
from iosonde.text.cursor import Output, TextCursor

BREAKS_LOST = "its line breaks seem to be lost, and what stood in which line is not certain"
_LABEL = re.compile(r"(?<!\S)[A-Za-z][\w.() -]{0,40}\s?[:=]\s")
_LONG_LINE, _LONG_VALUE, _LABELS = 120, 50, 2


def require_sound(cursor: TextCursor, reading: OutputReading, output: Output) -> None:
    """Raises Unreadable where a value cannot be what the tool printed."""
    if not is_finite(reading):
        raise Unreadable("a figure of it is larger than any number")
    if _runs_together(cursor, reading, getattr(output, "joined_by", "")):
        raise Unreadable(BREAKS_LOST)


def _runs_together(cursor: TextCursor, reading: OutputReading, joined: str) -> bool:
    """Whether a value is the rest of an output of which only one line is left.

    `joined`, unless it is empty, stands between messages that the tool itself puts into a line.
    """
    if reading.last > reading.first or len(cursor.line(reading.first)) < _LONG_LINE:
        return False
    subjects = [subject for state in reading.states for subject in state.subjects]
    texts = [subject.name for subject in subjects]
    values: list[Mapping[str, Json]] = [subject.values for subject in subjects]
    values += [counters.values for counters in reading.counters]
    texts += [value for each in values for value in each.values() if isinstance(value, str)]
    parts = [part for text in texts for part in (text.split(joined) if joined else (text,))]
    return any(len(text) > _LONG_VALUE and len(_LABEL.findall(text)) >= _LABELS for text in parts)
