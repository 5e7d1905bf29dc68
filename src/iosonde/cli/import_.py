"""`iosonde import`: every tool output in any text becomes a trial, a state or counters."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.output import err, failures, out, styled, write_message
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from iosonde.cli.imported import Writer
    from iosonde.cli.told import PrintableOutput
    from iosonde.records.printed import Unread
    from iosonde.records.run import Run
    from iosonde.records.stack import Json
    from iosonde.store.packed import Packed
    from iosonde.store.store import Store
    from iosonde.text.document import Document

_BATCH = 200  # trials, and what is beside them, that one transaction holds
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
        bool, typer.Option("--again", help="Import a text again that is in the store already.")
    ] = False,
    store: StorePlace = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema import).")
    ] = False,
) -> None:
    """Find the outputs of fio, hdparm, iozone and many other tools in texts, and keep them.

    Each file becomes a run in the store, its trials labelled by the heading above them. What was
    recognised but could not be read is listed with its lines; so is a file that could not be read
    at all, and the exit code is then 2.
    """
    from iosonde.text.document import open_document

    tally = _Tally(_writer() if as_json else None)
    kept = None if dry_run else _open(store)
    try:
        for name in dict.fromkeys(files):
            try:
                with open_document(name) as document:
                    _import(document, tally, kept, again=again)
            except UsageError as problem:  # one bad file does not lose the others
                tally.failed.append(problem)
    finally:
        if kept is not None:
            kept.close()
    _end(tally, files)
    if kept is not None and kept.rescued is not None:
        raise kept.rescued
    if tally.failed:
        raise typer.Exit(2)
    if strict and tally.unread:
        _refuse(tally, as_json=as_json)


def _refuse(tally: _Tally, *, as_json: bool) -> None:
    """Exit 2; with --json the object is out already and lists what could not be read."""
    first = tally.unreadable[0]
    said = f"an output of {first.tool} could not be read: {first.reason}"
    if tally.unread > 1:
        said = f"{tally.unread} outputs could not be read; the first: {first.tool}, {first.reason}"
    if as_json:
        err().print(f"iosonde: {first.place}: {said}")
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
    failed: list[UsageError] = field(default_factory=list)

    def add(self, told: PrintableOutput) -> None:
        """An output, or what was recognised and not read."""
        self.outputs += told.unread is None
        self.trials += told.trials
        self.states += told.states
        self.counters += told.counters
        self.loads += told.loads
        if self.writer:
            self.writer.add(told.texts)
        elif len(self.rows) < _SHOWN:
            self.rows += told.rows
        if told.unread is not None:
            self.unread += 1
            if len(self.unreadable) < _SHOWN:
                self.unreadable.append(told.unread)


def _writer() -> Writer:
    from iosonde.cli.imported import Writer

    return Writer(sys.stdout)


def _open(store: str | None) -> Store:
    from iosonde.store import open_store

    return open_store(store, tell=write_message)


def _import(document: Document, tally: _Tally, store: Store | None, *, again: bool) -> None:
    from iosonde.cli.told import How, tell, without_repeats
    from iosonde.text.find import find_and_tell

    keeper = _Keeper(document, store, again=again) if store else None
    keep = keeper is not None and not keeper.there
    said = partial(tell, how=How.JSON if tally.writer else How.TABLE, keep=keep)
    try:
        for told in without_repeats(find_and_tell(document, said, with_text=keep)):
            tally.add(told)
            if keeper and told.packed is not None:
                keeper.add(told.packed)
    except UsageError:
        if keeper:
            keeper.give_up()
        raise
    if keeper and (run := keeper.end()):
        tally.runs.append((document.name, run, bool(keeper.there)))


class _Keeper:
    """Puts what is found into the store in batches; a text that is there already is not doubled."""

    def __init__(self, document: Document, store: Store, *, again: bool) -> None:
        self._store, self._document = store, document
        self._digest = document.digest()
        self.there = None if again else store.imported(self._digest)
        self._run: Run | None = None
        self._packed: list[Packed] = []

    def add(self, packed: Packed) -> None:
        """An output, or what could not be read."""
        self._packed.append(packed)
        if sum(map(len, self._packed)) >= _BATCH:
            self._flush()

    def end(self) -> str | None:
        """The run in the store; None where nothing was found."""
        from iosonde.records.run import RunState

        if self.there:
            return self.there
        if self._packed:
            self._flush()
        if self._run is not None:
            self._store.finish(self._run.id, RunState.FINISHED)
        return self._run.id if self._run else None

    def give_up(self) -> None:
        """The text could not be read to its end: what was found until then is kept as a failure."""
        from iosonde.records.run import RunState

        if self._run is not None:
            self._store.finish(self._run.id, RunState.FAILED)

    def _flush(self) -> None:
        from iosonde.store.owner import this_process

        if self._run is None:
            name = self._document.name
            plan: dict[str, Json] = {"import": name, "sha256": self._digest}
            study = "standard input" if name == "-" else name.rstrip("/").rsplit("/", 1)[-1]
            self._run = self._store.begin(study, plan, created=time.time(), owner=this_process())
        self._store.add_imported(self._run.id, self._packed)
        self._packed = []


def _end(tally: _Tally, files: list[str]) -> None:
    from iosonde.text.find import known

    if not tally.outputs and not tally.unread and tally.failed:
        failures(tally.failed[1:])
        raise tally.failed[0]
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
        failed = failures(tally.failed)
        tally.writer.end({"runs": runs, "failed": failed} if failed else {"runs": runs})
    else:
        _print(tally)
        failures(tally.failed)


def _print(tally: _Tally) -> None:
    from iosonde.cli.told import counted

    console = out()
    rows = tally.rows[:_SHOWN]
    for file in dict.fromkeys(row[0] for row in rows):
        console.print(styled("[bold]{}[/bold]", file))
        console.print(_table([row[1:] for row in rows if row[0] == file]))
    if tally.outputs > _SHOWN:
        console.print(f"… {tally.outputs} outputs in all")
    console.print(
        f"\n{counted(tally.trials, 'trial')}, {counted(tally.states, 'state')}, "
        f"{counted(tally.counters, 'set')} of counters, {counted(tally.loads, 'load')}"
    )
    for one in tally.unreadable:
        console.print(
            styled("[yellow]not read[/yellow] {}: {}, {}", one.place, one.tool, one.reason)
        )
    for file, run, there in tally.runs:
        said = "is already in the store as run" if there else "is run"
        err().print(f"{file} {said} {run}; `iosonde explain {run}` says what it means")


def _table(rows: Sequence[tuple[str, ...]]) -> Table:
    """The outputs of one file, each group under its heading."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("lines", "tool", "host", "what", "says"):
        table.add_column(heading, overflow="fold")
    table.add_column("loops", justify="right")
    shown = ""
    for heading, *cells in rows:
        if heading != shown:
            shown = heading
            table.add_row("", "", "", styled("[cyan]{}[/cyan]", heading))
        table.add_row(*cells)
    return table
