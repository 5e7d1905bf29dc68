"""A long document, cut into spans that several processes go through at the same time.

What a search finds depends on what it found before. Each process therefore begins some way before
its span, and its results count only if it arrives at the span in the state in which the search of
the span before leaves it; else the span is gone through again, from the right state.
"""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Generic, TypeVar

from iosonde.records.printed import TextLocation, Unread
from iosonde.text.document import Document
from iosonde.text.find_state import FindState, StateSeen
from iosonde.text.headings import marked_between
from iosonde.text.search import WATCH, FoundOutput, Search, Span, end_of_line, hits
from iosonde.workers import worker_pool

Item = TypeVar("Item")
LONG = 1 << 24
"""Bytes from which more processes than one are worth their start."""

_SPAN = 1 << 22
_RUN_UP = 1 << 16
_INHERITED = "\0"  # no heading contains it: the one that holds where the run-up began
_document: Document | None = None  # of a worker, and of the process that it is forked from


@dataclass(frozen=True, slots=True)
class _Result(Generic[Item]):
    """What a worker says of a span.

    Args:
        arrived: what mattered of the state on arrival.
        heading: the last one seen on arrival, and the offset up to which headings were looked for;
            an output that the run-up cut in two may have given a wrong one.
        under: the outputs whose heading stands before the run-up, if any; they come first.
        items: what was made of the others.
        end: the state at the end.
    """

    arrived: StateSeen
    heading: tuple[str, int]
    under: list[FoundOutput | Unread]
    items: list[Item]
    end: FindState


def find_by_spans(
    document: Document,
    tell: Callable[[FoundOutput | Unread], Item],
    *,
    size: int = _SPAN,
    with_text: bool = True,
) -> Iterator[Item]:
    """See `find_and_tell`.

    Args:
        document: of any length.
        tell: as `find_and_tell` has it.
        size: of a span, bytes.
        with_text: as `find` has it.
    """
    global _document  # noqa: PLW0603 - workers are forked with it
    _load_readers(document, Span(0, 1, end_of_line(document, min(size, len(document.data)))))
    _document = document
    count = os.cpu_count() or 1
    state = FindState()
    task = partial(_search, tell=tell, with_text=with_text)
    with worker_pool(count) as pool:
        every = _spans(document, size)
        waiting: deque[tuple[Span, Future[_Result[Item]]]] = deque(
            (span, pool.submit(task, span)) for span in islice(every, 2 * count)
        )
        while waiting:
            span, future = waiting.popleft()
            waiting.extend((span, pool.submit(task, span)) for span in islice(every, 1))
            result = future.result()
            inherited = result.heading[0] == _INHERITED
            same_heading = inherited or result.heading == (state.heading, state.offset)
            if same_heading and result.arrived == state.seen_from(span.line):
                before = _before(document, span)
                place = before.line, before.start
                between = marked_between(
                    document, state.offset, place, range(state.free, before.line)
                )
                heading = between or state.heading
                yield from (tell(_under(output, heading)) for output in result.under)
                yield from result.items
                end = result.end
                state = replace(end, heading=heading) if end.heading == _INHERITED else end
            else:
                search = Search(document, state, with_text=with_text)
                with WATCH:
                    yield from map(tell, search.through(span))
                state = search.state


def _load_readers(document: Document, span: Span) -> None:
    """Loads once, before the processes divide, the readers that a text's first span asks for.

    They are most of those that the text needs; of all readers a text mostly needs few. The
    collector does not look for garbage among what is loaded, then or in any of the processes.
    Source: Python's documentation of gc.freeze().
    """
    gc.disable()
    try:
        for _ in hits(document, span):
            pass
    finally:
        gc.freeze()
        gc.enable()


def _spans(document: Document, size: int) -> Iterator[Span]:
    data, start, line = document.data, 0, 1
    while start < len(data):
        end = end_of_line(document, min(start + size, len(data)))
        yield Span(start, line, end)
        line += data[start:end].count(b"\n")
        start = end


def _before(document: Document, span: Span) -> Span:
    """The lines before a span that its search begins with."""
    data = document.data
    start = max(span.start - _RUN_UP, 0)
    start = end_of_line(document, start) if start else 0
    return Span(start, span.line - data[start : span.start].count(b"\n"), span.start)


def _search(
    span: Span, *, tell: Callable[[FoundOutput | Unread], Item], with_text: bool
) -> _Result[Item]:
    """In a worker: goes through a span."""
    if _document is None:
        raise RuntimeError("the worker has no document")
    before = _before(_document, span)
    begin = FindState(heading=_INHERITED, offset=before.start)
    search = Search(_document, begin, with_text=with_text)
    with WATCH:
        for _ in search.through(before):
            pass
        arrived = search.state.seen_from(span.line)
        heading = search.state.heading, search.state.offset
        under, results = list[FoundOutput | Unread](), list[Item]()
        for output in search.through(span):
            if output.place.heading == _INHERITED:
                under.append(output)
            else:
                results.append(tell(output))
    return _Result(arrived, heading, under, results, search.state)


def _under(output: FoundOutput | Unread, heading: str) -> FoundOutput | Unread:
    """The same, with the heading that held before the run-up."""
    place = output.place
    return replace(
        output, place=TextLocation(place.file, place.first_line, place.last_line, heading)
    )
