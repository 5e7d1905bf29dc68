"""What fio printed, read as after a loop."""

from __future__ import annotations

from iosonde.loads.fio.result import parse
from iosonde.records.load import LoadResult, RawOutput


def read_document(text: str) -> LoadResult:
    """The result in a text that somebody saved.

    Raises:
        LoadFailed: there is none, or its jobs failed.
    """
    return parse(RawOutput(status=0, stdout=text.encode(), stderr=b""))
