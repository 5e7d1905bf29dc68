"""Outputs that are one value or one JSON document: as whole, kept with the command as their name.

`cat /sys/…/raid56`, `blockdev --getss /dev/sda`, `… | wc -l`; `ceph versions`, `lvs --reportformat
json` of a version that no reader knows. Nothing is concluded from them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from iosonde.records.stack import Json

_VALUE = re.compile(r"(?!\d{1,3}、)[^\s`'\"<>|]{1,120}(?: ?(?:[KMGTP]i?B?|[kKMGT]?B/s|ms|us|%))?")
_SHOWN = re.compile(r"/(?:sys|proc)/\S+\s*$")
_LONGEST = 1 << 16  # characters of a JSON document
_DEEPEST = 20
_DECODER = json.JSONDecoder()


def whole_value(command: str, lines: Sequence[str]) -> dict[str, Json] | None:
    """`{"value": …}` where an output is one value; None where it is not, as a job of a shell ([2]).

    Args:
        command: whose output it is.
        lines: clean ones. Of a file of /sys or /proc the value may be a word, of others it has a
            figure. A word below a blank line is of another paragraph.
    """
    own = [line.strip() for line in lines if line.strip()]
    if len(own) != 1 or own[0][0] == "[" or not _VALUE.fullmatch(own[0]):
        return None
    is_word = not any(map(str.isdigit, own[0]))
    if is_word and (not lines[0].strip() or not _SHOWN.search(command)):
        return None
    return {"value": own[0]}


def whole_json(lines: Sequence[str]) -> tuple[dict[str, Json], int] | None:
    """The object that an output is, in JSON, and how many lines it has; prose may follow.

    A list of objects is `{"items": […]}`. None where it is none, is cut or damaged, or nested more
    than twenty times.
    """
    text = "\n".join(lines)
    begin = len(text) - len(text.lstrip())
    if text[begin : begin + 1] not in ("{", "["):
        return None
    document: Json
    try:
        document, end = _DECODER.raw_decode(text[:_LONGEST], begin)
    except (ValueError, RecursionError):
        return None
    if not document or _depth(document) > _DEEPEST or text[end:].partition("\n")[0].strip():
        return None
    count = text.count("\n", 0, end) + 1
    if isinstance(document, dict):
        return document, count
    is_of_objects = isinstance(document, list) and all(isinstance(item, dict) for item in document)
    return ({"items": document}, count) if is_of_objects else None


def _depth(value: Json) -> int:
    """How often lists and objects stand in one another."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        parts = [part for part in level if isinstance(part, dict | list)]
        level = [
            item for part in parts for item in (part.values() if isinstance(part, dict) else part)
        ]
        depth += bool(parts)
    return depth
