"""The store that verbs write to, and files for what they make of stored runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.errors import UsageError

if TYPE_CHECKING:
    from iosonde.store.store import Store


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


def write_out(content: bytes, output: Path | None, what: str, *, binary: bool) -> None:
    """To a file, or to standard output where that is no terminal or the content is text.

    Args:
        content: all of it.
        output: where to; None, `-` and /dev/stdout: standard output.
        what: it is, for messages.
        binary: no text.

    Raises:
        UsageError, Refused, OutputFailed: see `iosonde.outputs.write_output`; bytes would go to a
            terminal.
    """
    from iosonde.outputs import descriptor_of, write_output

    place = output or "-"
    if binary and descriptor_of(place) == 1 and sys.stdout.isatty():
        raise UsageError("this format is not text", hint="give a file with -o")
    write_output(place, content, what)
