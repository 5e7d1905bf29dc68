"""Goes through a document once and reads every output in it, whatever stands around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from iosonde.records.printed import TextLocation, Unread
from iosonde.text.document import Document
from iosonde.text.search import WATCH, FoundOutput, Search, Span
from iosonde.text.sound import BREAKS_LOST

__all__ = ["FoundOutput", "find", "find_and_tell"]

Item = TypeVar("Item")


def find(document: Document, *, with_text: bool = True) -> Iterator[FoundOutput | Unread]:
    """Every output in a document, in its order; a long one by several processes.

    Args:
        document: to go through.
        with_text: also keep the lines that trials were read from.
    """
    return find_and_tell(document, _itself, with_text=with_text)


def find_and_tell(
    document: Document,
    tell: Callable[[FoundOutput | Unread], Item],
    *,
    with_text: bool = True,
    rest: bool = False,
) -> Iterator[Item]:
    """What a function makes of every output, in the process that found it.

    Args:
        document: to go through.
        tell: one that can be pickled; so can what it returns.
        with_text: as `find` has it.
        rest: also, behind them, what `iosonde.text.remainder` makes of the lines that no output
            has; not of a long text.
    """
    from iosonde.text.parallel import LONG, find_by_spans

    if len(document.data) >= LONG:
        yield from find_by_spans(document, tell, with_text=with_text)
        return
    search = Search(document, with_text=with_text)
    with WATCH:
        yield from map(tell, search.through(Span(0, 1, len(document.data))))
    for line, tool in document.lost:
        yield tell(Unread(TextLocation(document.name, line, line, ""), tool, BREAKS_LOST))
    if rest:
        from iosonde.text.remainder import remainder

        yield from map(tell, remainder(document, search.taken))


def _itself(output: FoundOutput | Unread) -> FoundOutput | Unread:
    return output
