"""What a JSON document of fio says whose end was cut off: all values that are whole."""

from __future__ import annotations

import re

from iosonde.loads.fio.result import find_document
from iosonde.records.stack import Json

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}\[\],]')
_LATENCIES = ("lat_ns", "lat")
_CLOSES = {"{": "}", "[": "]"}


def document_of_cut(text: str) -> dict[str, Json] | None:
    """The document up to the last value that is whole; None where it makes none.

    A number at the very end may have lost digits, and is left out with the name before it.

    Args:
        text: from the document's own brace on.
    """
    opened: list[str] = []
    end, closing = 0, ""
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in _CLOSES:
            opened.append(_CLOSES[mark])
        elif mark in {"}", "]"}:
            if not opened or opened.pop() != mark:
                return None
            end, closing = token.end(), "".join(reversed(opened))
        elif mark == ",":
            end, closing = token.start(), "".join(reversed(opened))
    document = find_document(text[:end] + closing) if end and closing else None
    jobs = document.get("jobs") if document else None
    if isinstance(jobs, list) and jobs and isinstance(jobs[-1], dict):
        for part in jobs[-1].values():
            if isinstance(part, dict):
                _drop_halves(part)
    return document


def _drop_halves(part: dict[str, Json]) -> None:
    """Takes latencies out of a direction whose last ones are cut off.

    fio prints submission, completion and both together, in this order: without the last the second
    would be taken for it.
    """
    whole = any(isinstance(of := part.get(name), dict) and "stddev" in of for name in _LATENCIES)
    if not whole:
        for name in [name for name in part if name.startswith(("slat", "clat", "lat"))]:
            del part[name]
