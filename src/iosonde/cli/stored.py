"""The store that verbs write to, and where what they make of stored runs may go."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.errors import UsageError

if TYPE_CHECKING:
    from iosonde.store.store import Store

_BINARY = {"parquet", "png"}


@contextmanager
def store_to_write(place: str | None) -> Iterator[Store]:
    """A store that a verb puts something into.

    Raises:
        StoreFailed: at the end, where all of it is in another file than was named; that is also
            said on standard error as soon as it is so.
    """
    from iosonde.cli.output import write_message
    from iosonde.store import open_store

    kept = open_store(place, tell=write_message)
    try:
        yield kept
    finally:
        kept.close()
    if kept.rescued is not None:
        raise kept.rescued


def require_file_for_binary(form: str, place: str | Path) -> None:
    """Refuses to write a format that is no text to a terminal.

    Args:
        form: name of the format.
        place: where to; `-` and /dev/stdout: standard output.

    Raises:
        UsageError: bytes would go to a terminal.
    """
    from iosonde.outputs import descriptor_of

    if form in _BINARY and descriptor_of(place) == 1 and sys.stdout.isatty():
        raise UsageError("this format is not text", hint="give a file with -o")
