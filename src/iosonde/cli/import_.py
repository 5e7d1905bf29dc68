"""`iosonde import`: every tool output in any text becomes a trial, a state or counters."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.output import err, out
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from iosonde.cli.imported import Writer
    from iosonde.evidence.document import Document
    from iosonde.evidence.find import Found
    from iosonde.printed import Kept, PrintedTrial, Unread
    from iosonde.records import Json, Run, Trial
    from iosonde.store.store import Store

_BATCH = 200  # trials that one transaction holds
_SHOWN = 200  # rows of a table that anyone reads


def import_files(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE…", help="Text, Markdown, HTML, mail, PDF; - reads a pipe."),
    ],
    *,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 2 where something could not be read.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what is found; keep nothing in the store.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Import a text that is in the store already once more.")
    ] = False,
    store: Annotated[str | None, typer.Option(help="Store: a file or a PostgreSQL URL.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema import).")
    ] = False,
) -> None:
    """Find the outputs of fio, hdparm, iozone and many other tools in texts, and keep them.

    Each file becomes a run in the store, its trials labelled by the heading above them. What was
    recognised but could not be read is listed with its lines.
    """
    from iosonde.evidence.document import open_document

    documents = [open_document(name) for name in files]  # a bad name costs nothing
    tally = _Tally(_writer() if as_json else None)
    kept = None if dry_run else _open(store)
    try:
        for document in documents:
            _import(document, tally, kept, again=again)
    finally:
        if kept is not None:
            kept.close()
    _end(tally, files)
    if strict and tally.unread:
        _refuse(tally, as_json=as_json)


def _refuse(tally: _Tally, *, as_json: bool) -> None:
    """Exit 2; with --json the object is out already and lists what could not be read."""
    first = tally.unreadable[0]
    said = f"an output of {first.tool} could not be read: {first.reason}"
    if tally.unread > 1:
        said = f"{tally.unread} outputs could not be read; the first: {first.tool}, {first.reason}"
    if as_json:
        err().print(f"iosonde: {first.place}: {said}", markup=False)
        raise typer.Exit(2)
    hint = "leave out --strict to take what can be read"
    raise UsageError(said, where=str(first.place), hint=hint)


@dataclass
class _Tally:
    """What was found so far, and where it is told."""

    writer: Writer | None
    outputs: int = 0
    trials: int = 0
    states: int = 0
    counters: int = 0
    loads: int = 0
    unread: int = 0
    unreadable: list[Unread] = field(default_factory=list)
    rows: list[tuple[str, ...]] = field(default_factory=list)
    runs: list[tuple[str, str, bool]] = field(default_factory=list)

    def found(self, found: Found) -> None:
        """An output that was read."""
        self.outputs += 1
        self.trials += len(found.trials)
        self.states += len(found.states)
        self.counters += len(found.counters)
        self.loads += len(found.loads)
        if self.writer:
            self.writer.found(found)
        elif len(self.rows) < _SHOWN:
            self.rows += _rows(found, found.place.file)

    def miss(self, unread: Unread) -> None:
        """An output that was recognised and not read."""
        self.unread += 1
        if len(self.unreadable) < _SHOWN:
            self.unreadable.append(unread)
        if self.writer:
            self.writer.unread(unread)


def _writer() -> Writer:
    from iosonde.cli.imported import Writer

    return Writer(sys.stdout)


def _open(store: str | None) -> Store:
    from iosonde.store import open_store

    return open_store(store)


def _import(document: Document, tally: _Tally, store: Store | None, *, again: bool) -> None:
    from iosonde.evidence.find import find
    from iosonde.printed import Unread

    keeper = _Keeper(document, store, again=again) if store else None
    for one in _without_repeats(find(document, with_text=keeper is not None)):
        if isinstance(one, Unread):
            tally.miss(one)
        else:
            tally.found(one)
        if keeper:
            keeper.add(one)
    if keeper and (run := keeper.end()):
        tally.runs.append((document.name, run, keeper.was_there))


def _without_repeats(found: Iterator[Found | Unread]) -> Iterator[Found | Unread]:
    """A command alone is left out where the output below it names it too."""
    from iosonde.printed import Unread

    waiting: list[Found] = []
    for one in found:
        if isinstance(one, Unread):
            yield one
            continue
        if one.loads and not (one.trials or one.states or one.counters):
            waiting.append(one)
            continue
        commands = {trial.command for trial in one.trials}
        yield from (lone for lone in waiting if lone.loads[0].command not in commands)
        waiting.clear()
        yield one
    yield from waiting


class _Keeper:
    """Puts what is found into the store in batches; a text that is there already is not doubled."""

    def __init__(self, document: Document, store: Store, *, again: bool) -> None:
        self._store, self._document = store, document
        self._digest = hashlib.sha256(document.data).hexdigest()
        self.was_there = False
        self._there = None if again else store.imported(self._digest)
        self._run: Run | None = None
        self._trials: list[Trial] = []
        self._kept: list[Kept] = []
        self._number = 0

    def add(self, one: Found | Unread) -> None:
        """An output, or what could not be read."""
        from iosonde.evidence.keep import kept_of, trial_of
        from iosonde.printed import Kept, Unread

        if self._there:
            return
        if isinstance(one, Unread):
            self._kept.append(Kept(one.place, one))
        else:
            for printed in one.trials:
                self._number += 1
                self._trials.append(trial_of(one, printed, self._number))
            self._kept += kept_of(one)
        if len(self._trials) + len(self._kept) >= _BATCH:
            self._flush()

    def end(self) -> str | None:
        """The run in the store; None where nothing was found."""
        from iosonde.records import RunState

        if self._there:
            self.was_there = True
            return self._there
        if self._trials or self._kept:
            self._flush()
        if self._run is not None:
            self._store.finish(self._run.id, RunState.FINISHED)
        return self._run.id if self._run else None

    def _flush(self) -> None:
        from iosonde.store.owner import this_process

        if self._run is None:
            name = self._document.name
            plan: dict[str, Json] = {"import": name, "sha256": self._digest}
            study = "standard input" if name == "-" else name.rstrip("/").rsplit("/", 1)[-1]
            self._run = self._store.begin(study, plan, created=time.time(), owner=this_process())
        self._store.add_imported(self._run.id, self._trials, self._kept)
        self._trials, self._kept = [], []


def _end(tally: _Tally, files: list[str]) -> None:
    from iosonde.evidence.find import known

    if not tally.outputs and not tally.unread:
        raise UsageError(
            "no output of a known tool was found",
            where=", ".join(files),
            hint=f"known: {', '.join(known())}",
        )
    if tally.writer:
        runs: list[Json] = [
            {"file": file, "run": run, "already": there} for file, run, there in tally.runs
        ]
        tally.writer.end({"runs": runs})
    else:
        _print(tally)


def _rows(found: Found, file: str) -> Iterator[tuple[str, ...]]:
    """Lines of the table: file, heading, lines, tool, host, what, says, loops."""
    from iosonde.evidence.keep import settings_of

    lines = f"{found.place.first_line}–{found.place.last_line}"
    start = (file, found.place.heading, lines)
    for trial in found.trials:
        beside = sum(len(settings_of(state)) for state in found.states)
        said = _figure(trial) + (f", {_counted(beside, 'setting')}" if beside else "")
        what = trial.label if trial.label not in {"", found.place.heading} else trial.target
        yield *start, trial.tool, trial.host, what, said, str(len(trial.loops))
    for state in () if found.trials else found.states:
        what = ", ".join(dict.fromkeys(one.name or one.kind for one in state.subjects))
        said = _counted(len(settings_of(state)), "setting")
        yield *start, state.tool, state.host, what, said, ""
    for one in found.counters:
        yield *start, one.tool, one.host, one.name, _counted(len(one.values), "counter"), ""
    for load in found.loads:
        yield *start, load.tool, load.host, "a load", load.command, ""


def _figure(trial: PrintedTrial) -> str:
    """The mean of the metric that stands for a trial."""
    from iosonde import units
    from iosonde.measure.direction import headline_among

    headline = headline_among(trial.loops[0].metrics)
    values = [loop.metrics[headline] for loop in trial.loops if headline in loop.metrics]
    if not values:
        return "no figures"
    unit = trial.loops[0].units.get(headline, "")
    return f"{headline} {units.show(sum(values) / len(values), unit)}"


def _print(tally: _Tally) -> None:
    from rich.markup import escape

    console = out()
    rows = tally.rows[:_SHOWN]
    for file in dict.fromkeys(row[0] for row in rows):
        console.print(f"[bold]{escape(file)}[/bold]")
        console.print(_table([row[1:] for row in rows if row[0] == file]))
    if tally.outputs > _SHOWN:
        console.print(f"… {tally.outputs} outputs in all")
    console.print(
        f"\n{_counted(tally.trials, 'trial')}, {_counted(tally.states, 'state')}, "
        f"{_counted(tally.counters, 'set')} of counters, {_counted(tally.loads, 'load')}"
    )
    for one in tally.unreadable:
        console.print(
            f"[yellow]not read[/yellow] {escape(str(one.place))}: {escape(one.tool)}, "
            f"{escape(one.reason)}"
        )
    for file, run, there in tally.runs:
        said = "is already in the store as run" if there else "is run"
        err().print(
            f"{file} {said} {run}; `iosonde explain {run}` says what it means", markup=False
        )


def _table(rows: Sequence[tuple[str, ...]]) -> Table:
    """The outputs of one file, each group under its heading."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("lines", "tool", "host", "what", "says"):
        table.add_column(heading, overflow="fold")
    table.add_column("loops", justify="right")
    shown = ""
    for heading, *cells in rows:
        if heading != shown:
            shown = heading
            table.add_row("", "", "", f"[cyan]{escape(heading)}[/cyan]")
        table.add_row(*map(escape, cells))
    return table


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
