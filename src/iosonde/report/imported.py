"""What a text says beside its results: settings, counters, and what is kept as it was printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from iosonde.printed_answer import OutputAnswer
from iosonde.printed_moment import of_counters, of_state
from iosonde.printed_summary import value_words
from iosonde.records.printed import AS_PRINTED, PrintedCounters, PrintedState, StoredExtra
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Json
from iosonde.report.blocks import MOST_SHOWN, Block, Cells, Title
from iosonde.report.findings import RANK

_LINES = 60  # of an output that is kept as printed, and messages of one
_MOST = 400  # rows of a table


def imported_answer(sheet: RunSheet) -> str:
    """The worst finding and the settings that tell most; empty where nothing was kept."""
    if not sheet.beside:
        return ""
    worst = min(sheet.findings, key=lambda finding: RANK[finding.severity], default=None)
    answer = OutputAnswer()
    for extra in sheet.beside:
        if isinstance(extra.what, PrintedState):
            answer.add([of_state(extra.what, extra.place.lines, extra.place.file)])
        elif isinstance(extra.what, PrintedCounters) and extra.what.kind != AS_PRINTED:
            answer.add([of_counters(extra.what, extra.place.lines, file=extra.place.file)])
    said = (worst.message.rstrip(".") if worst else "", answer.sentence())
    return ". ".join(filter(None, said)) + "." if any(said) else ""


def imported_blocks(sheet: RunSheet) -> Iterator[Block]:
    """Tables of the settings, of the counters, and of the lines that no reader took."""
    settings = tuple(_settings(sheet.beside))
    counters = tuple(_counted(sheet.beside))
    yield from _table("Settings", ("lines", "tool", "what", "setting", "value"), settings)
    yield from _table("Counters", ("lines", "tool", "what", "counter", "value"), counters)
    yield from _table("Kept as printed", ("lines", "text"), tuple(_as_printed(sheet.beside)))


def _table(title: str, head: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Iterator[Block]:
    """A table whose first rows are seen at once."""
    if not rows:
        return
    yield Title(title)
    yield Cells(head, rows[:MOST_SHOWN], text_columns=len(head))
    if rest := rows[MOST_SHOWN:_MOST]:
        left_out = f", and {len(rows) - _MOST} that are not on this page" if rows[_MOST:] else ""
        yield Cells(head, rest, text_columns=len(head), folded=f"{len(rest)} more{left_out}")


def _settings(extras: Sequence[StoredExtra]) -> Iterator[tuple[str, ...]]:
    for extra in extras:
        state = extra.what
        if not isinstance(state, PrintedState):
            continue
        for subject in state.subjects:
            what = subject.name or subject.kind
            for name, value in subject.values.items():
                yield extra.place.lines, state.tool, what, _name(name), value_words(name, value)


def _counters(
    extras: Sequence[StoredExtra], *, as_printed: bool = False
) -> Iterator[tuple[str, PrintedCounters]]:
    """Lines and counters that readers made, or what is kept as it was printed."""
    for extra in extras:
        what = extra.what
        if isinstance(what, PrintedCounters) and (what.kind == AS_PRINTED) is as_printed:
            yield extra.place.lines, what


def _counted(extras: Sequence[StoredExtra]) -> Iterator[tuple[str, ...]]:
    """Each counter; of messages and other lists each of the first."""
    for lines, counters in _counters(extras):
        for name, value in counters.values.items():
            for item in _items(value):
                said = value_words(name, item)
                yield lines, counters.tool, counters.name, _name(name), said


def _items(value: Json) -> list[Json]:
    """The messages or rows of a list; a list of figures is a single value."""
    if isinstance(value, list) and any(isinstance(item, str | dict) for item in value):
        return [_message(item) for item in value[:_LINES]]
    return [value]


def _message(item: Json) -> Json:
    return item["message"] if isinstance(item, dict) and "message" in item else item


def _as_printed(extras: Sequence[StoredExtra]) -> Iterator[tuple[str, str]]:
    """Each line, row or pair of an output that is kept as it was printed."""
    for lines, kept in _counters(extras, as_printed=True):
        for text in islice(_texts(kept), _LINES):
            yield lines, text


def _texts(printed: PrintedCounters) -> Iterator[str]:
    rows = printed.values.get("rows", printed.values.get("lines"))
    if isinstance(rows, list):
        yield from map(_text, rows)
    else:
        yield from (f"{name}: {_text(value)}" for name, value in printed.values.items())


def _text(row: Json) -> str:
    """A line, or the cells of a row."""
    return " ".join(map(str, row)) if isinstance(row, list) else str(row)


def _name(setting: str) -> str:
    return setting.replace("_", " ")
