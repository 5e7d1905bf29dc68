"""A long document, cut into spans that several processes go through at the same time.

What a search finds depends on what it found before. Each process therefore begins some way before
its span, and its results count only if it arrives at the span in the state in which the search of
the span before leaves it; else the span is gone through again, from the right state.
"""

from __future__ import annotations

import mmap
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from itertools import islice
from multiprocessing import get_context

from iosonde.evidence.document import Document
from iosonde.evidence.find import (
    Found,
    Search,
    Span,
    State,
    end_of_line,
    hits,
    marked_between,
    outputs,
)
from iosonde.printed import Place, Unread

LONG = 1 << 24
"""Bytes from which more processes than one are worth their start."""

_SPAN = 1 << 22
_RUN_UP = 1 << 16
_INHERITED = "\0"  # no heading contains it: the one that holds where the run-up began
_document: Document | None = None  # of a worker, and of the process that it is forked from

Result = tuple[tuple[int, dict[str, int]], list[Found | Unread], State]


def find_by_spans(
    document: Document, *, size: int = _SPAN, with_text: bool = True
) -> Iterator[Found | Unread]:
    """See `find`.

    Args:
        document: of any length.
        size: of a span, bytes.
        with_text: as `find` has it.
    """
    global _document  # noqa: PLW0603 - workers are forked with it
    outputs()  # loaded once, before the processes divide
    _document = document
    workers = os.cpu_count() or 1
    state = State()
    with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
        every = _spans(document, size)
        waiting: deque[tuple[Span, Future[Result]]] = deque(
            (span, pool.submit(_search, span, with_text)) for span in islice(every, 2 * workers)
        )
        while waiting:
            span, future = waiting.popleft()
            waiting.extend((one, pool.submit(_search, one, with_text)) for one in islice(every, 1))
            arrived, found, end = future.result()
            if arrived == state.seen_from(span.line):
                heading = marked_between(document, state.offset, _before(document, span).start)
                found = [_under(one, heading or state.heading) for one in found]
                kept = heading or state.heading
                state = replace(end, heading=kept) if end.heading == _INHERITED else end
            else:
                search = Search(document, state, with_text=with_text)
                found = [one for hit in hits(document, span) for one in search.look(*hit)]
                state = search.state
            yield from found
            _forget(document, span)


def _spans(document: Document, size: int) -> Iterator[Span]:
    data, start, line = document.data, 0, 1
    while start < len(data):
        end = end_of_line(data, min(start + size, len(data)))
        yield Span(start, line, end)
        line += bytes(data[start:end]).count(b"\n")
        start = end


def _before(document: Document, span: Span) -> Span:
    """The lines before a span that its search begins with."""
    data = document.data
    start = max(span.start - _RUN_UP, 0)
    start = end_of_line(data, start) if start else 0
    return Span(start, span.line - bytes(data[start : span.start]).count(b"\n"), span.start)


def _search(span: Span, with_text: bool) -> Result:
    """In a worker: the state on arrival, what is found, and the state at the end."""
    if _document is None:
        raise RuntimeError("the worker has no document")
    before = _before(_document, span)
    begin = State(heading=_INHERITED, offset=before.start)
    search = Search(_document, begin, with_text=with_text)
    for hit in hits(_document, before):
        for _ in search.look(*hit):
            pass
    arrived = search.state.seen_from(span.line)
    found = [one for hit in hits(_document, span) for one in search.look(*hit)]
    _forget(_document, span)
    return arrived, found, search.state


def _under(one: Found | Unread, heading: str) -> Found | Unread:
    """The same, with the heading that held before the run-up where it has none of its own."""
    if one.place.heading != _INHERITED:
        return one
    place = one.place
    return replace(one, place=Place(place.file, place.first_line, place.last_line, heading))


def _forget(document: Document, span: Span) -> None:
    """Give back the memory of what will not be looked at again."""
    data = document.data
    if isinstance(data, mmap.mmap):
        page = mmap.PAGESIZE
        start = span.start // page * page
        data.madvise(mmap.MADV_DONTNEED, start, span.end // page * page - start)
