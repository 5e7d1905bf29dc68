"""What was found in texts, printed as it comes: one JSON object, or a table for people."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from shlex import join
from typing import TYPE_CHECKING, NamedTuple

from iosonde import units
from iosonde.cli.import_answer import (
    ResultRanges,
    TrialFigure,
    counters_said,
    counts_sentence,
    figure_of,
    findings_sentence,
    mean_of,
    short_metric,
)
from iosonde.cli.output import err, is_quiet, out, styled
from iosonde.cli.table import TableColumn, fitted
from iosonde.contract import json_text
from iosonde.printed_answer import OutputAnswer
from iosonde.printed_moment import SaidOutput, of_counters, of_state
from iosonde.printed_summary import (
    all_said,
    counters_in_short,
    messages_said,
    settings_said,
)
from iosonde.records.printed import AS_PRINTED, PRINTED, PrintedTrial, Unread
from iosonde.records.stack import Json
from iosonde.text.imported import settings_of
from iosonde.text.search import FoundOutput
from iosonde.verbs.import_ import imported
from iosonde.verbs.imported_records import ImportedTexts
from iosonde.visible import with_name

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from iosonde.verbs.explain import Explanation

_IN_MEMORY = 1 << 22
_SHOWN = 200  # rows of a table that anyone reads
_FEW = 4  # rows of one output with counters or settings, before it is said how many more
_SAID = 60  # characters of what is kept as printed
_MANY_STATES = 4  # to a result: the text is about states
_LISTED = 10  # outputs that could not be read, without -v
_COMMAND = "command"
_COLUMNS = (
    TableColumn("lines", rank=2), TableColumn("tool"), TableColumn("host", rank=1),
    TableColumn("what", name=True), TableColumn("says", name=True),
    TableColumn("loops", right=True, rank=3),
)  # fmt: skip
_LISTS = {
    "ImportedTrial": "trials", "ImportedState": "captures", "ImportedCounters": "counters",
    "ImportedLoad": "loads", "Unread": "unread",
}  # fmt: skip


def json_texts(output: FoundOutput | Unread) -> tuple[tuple[str, str], ...]:
    """The records of an output as JSON, each with the list that it belongs to."""
    return tuple((_LISTS[type(record).__name__], json_text(record)) for record in imported(output))


class JsonWriter:
    """Writes the object while outputs are still being found: memory stays as it is.

    Trials go straight to standard output; the other lists wait in a file that is a part of memory
    while it is small.
    """

    make = staticmethod(json_texts)

    def __init__(self) -> None:
        self._waiting = {
            name: tempfile.SpooledTemporaryFile(  # noqa: SIM115 - closed in `end`
                _IN_MEMORY, mode="w+", encoding="utf-8"
            )
            for name in _LISTS.values()
            if name != "trials"
        }
        self._count = dict.fromkeys(_LISTS.values(), 0)

    def add(self, made: tuple[tuple[str, str], ...]) -> None:
        """Writes an output. Nothing is written before the first: an error is an object itself."""
        if not any(self._count.values()):
            sys.stdout.write(f'{{"schema": "{ImportedTexts.SCHEMA}",\n"trials": [')
        for name, text in made:
            file = sys.stdout if name == "trials" else self._waiting[name]
            file.write((",\n" if self._count[name] else "\n") + text)
            self._count[name] += 1

    def end(self, imported: ImportedTexts) -> None:
        """The end of the object: the other lists, and what is known when all was read."""
        for name, file in self._waiting.items():
            sys.stdout.write(f'],\n"{name}": [')
            file.seek(0)
            shutil.copyfileobj(file, sys.stdout)
            file.close()
        sys.stdout.write("]")
        for name, value in imported.to_json().items():
            if name not in {"schema", *self._count}:
                sys.stdout.write(f",\n{json.dumps(name)}: {json_text(value)}")
        sys.stdout.write("}\n")


class ImportRow(NamedTuple):
    """A row of the table."""

    file: str
    heading: str
    lines: str
    tool: str
    host: str
    what: str
    says: str
    loops: str
    figures: bool = False
    """Whether it says figures of a benchmark that are kept as counters."""
    answer: SaidOutput | None = None
    """Of settings and counters: what the first line may say of them."""
    details: tuple[str, ...] = ()
    """Of settings and counters: all values, a line for each device; shown with -v."""


def rows_of(output: FoundOutput | Unread, *, detailed: bool = False) -> tuple[ImportRow, ...]:
    """The rows of an output.

    Args:
        output: what was found.
        detailed: with every setting and counter.
    """
    return () if isinstance(output, Unread) else tuple(_rows(output, detailed=detailed))


def _first_rows(rows: tuple[ImportRow, ...]) -> tuple[ImportRow, ...]:
    """Of many counters or settings the first, and how many more."""
    spare = [row for row in rows if not row.loops and row.what != _COMMAND][_FEW:]
    if len(spare) < 2:  # a row that says "1 more" is no shorter
        return rows
    more = spare[0]._replace(
        lines="", tool="", host="", what=f"… {len(spare)} more", says="", answer=None
    )
    return (*(row for row in rows if row not in spare), more)


class ImportRows(NamedTuple):
    """What the table and the answer need of an output."""

    rows: tuple[ImportRow, ...]
    figures: tuple[TrialFigure, ...]
    counters: tuple[SaidOutput, ...]
    others: tuple[SaidOutput, ...]


def rows_and_figures(output: FoundOutput | Unread, *, detailed: bool = False) -> ImportRows:
    """The rows of an output, the figures of its trials, and what the answer may say of it."""
    trials = () if isinstance(output, Unread) else output.trials
    figures = (figure_of(output.place, trial) for trial in trials)
    rows = rows_of(output, detailed=detailed)
    return ImportRows(
        _first_rows(rows), tuple(figure for figure in figures if figure),
        tuple(row.answer for row in rows if row.answer and row.figures),
        tuple(row.answer for row in rows if row.answer and not row.figures),
    )  # fmt: skip


class TableWriter:
    """Keeps the first rows and prints them."""

    def __init__(self, *, verbose: bool = False) -> None:
        self.make = partial(rows_and_figures, detailed=verbose)
        self._rows: list[ImportRow] = []
        self._printed: list[ImportRow] = []
        self._results = ResultRanges()
        self._counters = OutputAnswer()
        self._settings = OutputAnswer()
        self._verbose = verbose

    def add(self, made: ImportRows) -> None:
        """Takes what an output has for the table and the answer."""
        self._results.add(made.figures)
        self._counters.add(made.counters)
        self._settings.add(made.others)
        rows = self._printed if _is_printed(made.rows) and not self._verbose else self._rows
        if len(rows) < _SHOWN:
            rows += made.rows

    def end(self, imported: ImportedTexts, explained: Explanation | None = None) -> None:
        """Prints the answer, the rows, what could not be read, and the runs in the store.

        Args:
            imported: what was found in the texts.
            explained: what `explain` says of them; None where it was not asked.
        """
        console, counts = out(), imported.counts
        if all(row.what == _COMMAND for row in self._rows):
            # Where nothing else is there, they are what the text has to say.
            self._rows, self._printed = [*self._printed, *self._rows], []
        rows = self._rows[:_SHOWN]
        self._print_answer(imported, explained)
        for file in dict.fromkeys(row.file for row in rows):
            console.print(styled("\n[bold]{}[/bold]", file))
            of_file = [row for row in rows if row.file == file]
            if any(row.what != _COMMAND for row in of_file):
                console.print(_table([row for row in of_file if row.what != _COMMAND]))
            self._print_details(of_file)
            for row in of_file:
                if row.what == _COMMAND:
                    line = row.lines.partition("–")[0]
                    console.print(styled("command in line {}: {}", line, row.says))
        if counts.outputs > _SHOWN:
            console.print(f"… {counts.outputs} outputs in all")
        self._print_rest(imported)
        for run in imported.runs:
            said = "is already in the store as run" if run.already else "is run"
            err().print(f"{run.file} {said} {run.run}")
        if imported.runs and not is_quiet():
            ids = join(run.run for run in imported.runs)
            err().print(f"next: iosonde explain {ids} · iosonde report {ids}")
        if counts.loads and not counts.trials:
            err().print("to run a command: iosonde run --load 'COMMAND' --target DIRECTORY")

    def _print_answer(self, imported: ImportedTexts, explained: Explanation | None) -> None:
        """What the results say, the worst finding, states where they are most of it, the counts.

        A text with many states and a few results is about the states.
        """
        files, counts = list(dict.fromkeys(run.file for run in imported.runs)), imported.counts
        results = self._results.sentence() or self._counters.sentence()
        worst = explained.findings if explained else ()
        finding = findings_sentence(worst) if worst else ""
        number = counts.trials or self._counters.count
        if number * _MANY_STATES > counts.states:
            is_note = all(each.severity == "note" for each in worst)
            settings = self._settings.sentence() if counts.states > 1 else ""
            lines = [results, *((settings, finding) if is_note else (finding, settings))]
        else:
            lines = [finding, self._settings.sentence(), results]
        lines.append(counts_sentence(counts, files))
        first, *others = (line for line in lines if line)
        out().print(styled("[bold]{}[/bold]", first))
        for line in others:
            out().print(styled("{}", line))

    def _print_details(self, rows: Sequence[ImportRow]) -> None:
        """With -v, every setting and counter, below the table that has a few of each."""
        for row in rows:
            if row.details:
                out().print(styled("\n[cyan]{}[/cyan], lines {}", row.tool, row.lines))
            for line in row.details:
                out().print(styled("{}", line))

    def _print_rest(self, imported: ImportedTexts) -> None:
        """What is kept as printed, and what could not be read: how many, without -v."""
        console, counts = out(), imported.counts
        if self._printed:
            others = units.counted(counts.printed, "output")
            console.print(f"{others} of other tools kept as printed, not interpreted: see -v")
        listed = imported.unread if self._verbose else imported.unread[:_LISTED]
        for part in listed:
            console.print(
                styled("[yellow]not read[/yellow] {}: {}, {}", part.place, part.tool, part.reason)
            )
        if len(listed) < len(imported.unread):
            console.print(f"… {counts.unread - len(listed)} more could not be read: see -v")


def _is_printed(rows: Sequence[ImportRow]) -> bool:
    """Whether rows are of an output that is kept as it is printed."""
    return bool(rows) and rows[0].tool == PRINTED


def _table(rows: Sequence[ImportRow]) -> Table:
    """The outputs of one file, each group under its heading."""
    cells: list[list[str | Text]] = []
    heading = ""
    for row in rows:
        if row.heading != heading:
            heading = row.heading
            cells.append(["", "", "", styled("[cyan]{}[/cyan]", heading), "", ""])
        cells.append([row.lines, row.tool, row.host, row.what, row.says, row.loops])
    return fitted(_COLUMNS, cells)


def _rows(output: FoundOutput, *, detailed: bool) -> Iterator[ImportRow]:
    start = (output.place.file, output.place.heading, output.place.lines)
    for trial in output.trials:
        beside = sum(len(settings_of(state)) for state in output.states)
        said = _figure(trial) + (f", {units.counted(beside, 'setting')}" if beside else "")
        what = trial.label if trial.label not in {"", output.place.heading} else trial.target
        yield ImportRow(*start, trial.tool, trial.host, what, said, str(len(trial.loops)))
    for state in () if output.trials else output.states:
        what = ", ".join(dict.fromkeys(subject.name or subject.kind for subject in state.subjects))
        said = settings_said(state)
        row = ImportRow(*start, state.tool, state.host, what, said, "")
        details = (with_name(each.name or each.kind, all_said(each.values))
                   for each in (state.subjects if detailed else ()))  # fmt: skip
        yield row._replace(answer=of_state(state, row.lines, row.file), details=tuple(details))
    for counters in output.counters:
        name, values = counters.name, counters.values
        figures = "" if name else counters_said(values)  # of a host, not a layer
        row = ImportRow(*start, counters.tool, counters.host, name, "", "", bool(figures))
        if counters.kind == AS_PRINTED:
            yield row._replace(says=_as_printed(values))
            continue
        said = figures or messages_said(values)
        yield row._replace(
            says=said or counters_in_short(values),
            answer=of_counters(counters, row.lines, said, row.file),
            details=(all_said(values),) if detailed else (),
        )  # fmt: skip
    for load in output.loads:
        yield ImportRow(*start, load.tool, load.host, _COMMAND, load.command, "")


def _as_printed(values: Mapping[str, Json]) -> str:
    """The first figures of what is kept as printed, as they stand there, and how many there are."""
    rows, lines = values.get("rows"), values.get("lines")
    if isinstance(lines, list) and len(values) == 1:
        first, said = " · ".join(map(str, lines)), units.counted(len(lines), "line")
    elif isinstance(rows, list):
        cells = rows[0] if rows and isinstance(rows[0], list) else []
        first = " ".join(str(cell) for cell in cells if cell)
        said = units.counted(len(rows), "row")
    else:
        first = ", ".join(f"{name}: {value}" for name, value in values.items() if name)
        said = units.counted(len(values), "value")
    return f"{said}: {_shortened(first)}" if first else said


def _shortened(text: str) -> str:
    return text if len(text) <= _SAID else f"{text[: _SAID - 1].rstrip()}…"


def _figure(trial: PrintedTrial) -> str:
    """The mean of the metric that stands for a trial, and of its syncs."""
    from iosonde.records.sheet import SYNC_LATENCY
    from iosonde.statistics.direction import headline_among

    first = trial.loops[0]
    names = [headline_among(first.metrics)]
    names += [SYNC_LATENCY] if SYNC_LATENCY in first.metrics else []
    said = []
    for name in names:
        mean = mean_of(trial, name)
        if mean is not None:
            said.append(f"{short_metric(name)} {units.show(mean, first.units.get(name, ''))}")
    return ", ".join(said) or "no figures"
