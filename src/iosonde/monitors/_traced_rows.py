"""Rows below a head as tracers print them, one an event or an interval, and the slowest of them."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from iosonde.kerneltext import fields
from iosonde.records.stack import Json
from iosonde.text.cursor import TextCursor, lines, prompt_in

COMM = r"\S.{0,22}?"
"""Name of a task: up to 15 bytes, also with blanks. Source: Linux, TASK_COMM_LEN."""
CLOCK = r"\d\d:\d\d:\d\d(?:\.\d{1,9})?"
SECONDS = r"\d{1,12}(?:\.\d{1,9})?"
WHOLE = r"\d{1,20}"
SIGNED = r"-?\d{1,20}"
WORD = r"\S{1,64}"
TEXT = r"\S.{0,4095}"
KEPT = 100
"""Events of one device or file system that are kept as they stand, the slowest."""

_BESIDE = re.compile(r"\s*(?:\^C|\[\.{3}\]|\.{3}|(?:Possibly )?[Ll]ost \d{1,12} .{1,60})\s*")
_MOST = 5000
_GAP = 1


def rows_below(
    cursor: TextCursor,
    first: int,
    head: Sequence[str],
    cells: Mapping[str, str],
    *,
    most: int = _MOST,
    strict: bool = False,
) -> Iterator[tuple[int, dict[str, str]]]:
    """Indices and cells of the rows below a head.

    One line that is no row, but stands between rows, is left out; so is a head that is repeated.

    Args:
        cursor: to look at.
        first: index of the line of the head.
        head: names of its columns.
        cells: what the cells of each column look like, by its name.
        most: lines to look at.
        strict: a line that is no row ends them, also a head that is repeated.
    """
    row = re.compile(
        r"\s*+(?:\^C\s{0,8})?" + r"\s+".join(f"({cells[name]})" for name in head) + r"\s*"
    )
    near, broken = first, 0
    for index, line in lines(cursor, first + 1, most):
        if match := row.fullmatch(line):
            near, broken = index, 0
            yield index, dict(zip(head, match.groups(), strict=True))
        elif not line or prompt_in(line):
            if line or index > near + _GAP:
                return
        elif _BESIDE.fullmatch(line) or (fields(line) == [*head] and not strict):
            near = index
        elif broken or strict:
            return
        else:
            near, broken = index, 1


def scaled(figure: str, exponent: int) -> float:
    """A printed figure times a power of ten, without the error of a division."""
    return float(f"{figure}e{exponent}")


def way_of(letters: str) -> str:
    """What letters of a request mean; empty where they mean none of these.

    An F before another operation asks to flush first. Source: Linux, kernel/trace/blktrace.c,
    blk_fill_rwbs().
    """
    ways = {"R": "read", "W": "write", "D": "discard", "F": "flush"}
    operation = letters[1:2] if letters[:1] == "F" and letters[1:2] in ways else letters[:1]
    return ways.get(operation, "")


def slowest(events: Sequence[dict[str, Json]]) -> list[Json]:
    """The events that took longest, at most `KEPT`, in the order in which they stand.

    Args:
        events: with their `latency` in seconds.
    """
    if len(events) <= KEPT:
        return [*events]
    longest = heapq.nlargest(KEPT, enumerate(events), key=lambda each: _seconds(each[1]))
    return [event for _, event in sorted(longest, key=itemgetter(0))]


def _seconds(event: Mapping[str, Json]) -> float:
    latency = event["latency"]
    return latency if isinstance(latency, float) else 0.0
