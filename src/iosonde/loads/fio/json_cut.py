"""What a JSON document of fio says whose end was cut off: all values that are whole."""

from __future__ import annotations

from iosonde.loads.fio.result import find_document
from iosonde.records.stack import Json
from iosonde.text.json_output import whole_part

_LATENCIES = ("lat_ns", "lat")


def document_of_cut(text: str) -> dict[str, Json] | None:
    """The document up to the last value that is whole; None where it makes none.

    A number at the very end may have lost digits, and is left out with the name before it.

    Args:
        text: from the document's own brace on.
    """
    try:
        document = find_document(whole_part(text, values=True))
    except ValueError:
        return None
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
