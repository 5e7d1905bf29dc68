"""What do these texts hold?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from iosonde.errors import UsageError
from iosonde.measure.metrics import metrics_of_results
from iosonde.records.printed import (
    PRINTED,
    PrintedState,
    PrintedTrial,
    StoredExtra,
    TextLocation,
    Unread,
)
from iosonde.records.run import Trial
from iosonde.store import open_store
from iosonde.text.archive import Passed, collection_digest, open_documents
from iosonde.text.document import Document
from iosonde.text.find import find_and_tell
from iosonde.text.forms import Printed, each_run_once, printed_run
from iosonde.text.imported import kept_of, label_of, settings_of, trial_of
from iosonde.text.search import FoundOutput, kinds_hint
from iosonde.verbs.imported_records import (
    ImportCounts,
    ImportedCounters,
    ImportedLoad,
    ImportedOutput,
    ImportedRun,
    ImportedState,
    ImportedTexts,
    ImportedTrial,
    UnreadFile,
)
from iosonde.verbs.text_keeper import TextKeeper

if TYPE_CHECKING:
    from iosonde.store.packed import Packed
    from iosonde.store.store import Store

_SHOWN = 200  # outputs that could not be read, of which anyone wants to know


class Receiver(Protocol):
    """What takes outputs as they are found, so that memory does not grow with the text."""

    @property
    def make(self) -> Callable[[FoundOutput | Unread], Any]:
        """Called in the process that found an output; it and what it returns can be pickled."""
        ...

    def add(self, made: Any) -> None:
        """Takes what was made of the next output."""
        ...


class _Gathered:
    """Keeps everything."""

    def __init__(self) -> None:
        self.every: list[ImportedOutput] = []
        self.make = imported

    def add(self, made: tuple[ImportedOutput, ...]) -> None:
        self.every += made


def _ignore(what: object) -> None:
    del what


def import_(
    *files: str,
    dry_run: bool = False,
    again: bool = False,
    store: str | None = None,
    tell: Callable[[str], None] = _ignore,
    warn: Callable[[UsageError], None] = _ignore,
) -> ImportedTexts:
    """Find the outputs of fio, hdparm, iozone and many other tools in texts, and keep them.

    Each file becomes a run in the store, its trials labelled by the heading above them.

    Args:
        files: text, Markdown, HTML, mail, PDF; "-" is standard input.
        dry_run: keep nothing in the store.
        again: import a text again that is in the store already.
        store: a file or a PostgreSQL URL; None: the usual one.
        tell: hears at once, as a sentence, where the store had to be taken to another file.
        warn: hears of each file that could not be read, where others could.

    Raises:
        UsageError: none of the files could be read, or no output of a known tool was found.
    """
    gathered = _Gathered()
    end = import_into(
        gathered, *files, dry_run=dry_run, again=again, store=store, tell=tell, warn=warn
    )
    return ImportedTexts(
        tuple(part for part in gathered.every if isinstance(part, ImportedTrial)),
        tuple(part for part in gathered.every if isinstance(part, ImportedState)),
        tuple(part for part in gathered.every if isinstance(part, ImportedCounters)),
        tuple(part for part in gathered.every if isinstance(part, ImportedLoad)),
        tuple(part for part in gathered.every if isinstance(part, Unread)),
        end.runs, end.failed, end.counts, end.rescued,
    )  # fmt: skip


def import_into(
    receiver: Receiver,
    *files: str,
    dry_run: bool = False,
    again: bool = False,
    store: str | None = None,
    tell: Callable[[str], None] = _ignore,
    warn: Callable[[UsageError], None] = _ignore,
) -> ImportedTexts:
    """As `import_`, for long texts: a receiver gets what is found, and the record lists none of it.

    Of what could not be read the record has the first 200.
    """
    counts, unread = ImportCounts(), list[Unread]()
    runs, failed = list[ImportedRun](), list[UsageError]()
    kept = None if dry_run else open_store(store, tell=tell)
    try:
        for name in dict.fromkeys(files):
            passed = Passed()
            try:
                keeper = None
                for document, keeper in _documents(name, kept, passed, again=again):
                    for output in _outputs(document, receiver.make, keeper):
                        counts += output.counts
                        unread += [output.unread] if output.unread and len(unread) < _SHOWN else []
                        receiver.add(output.made)
                if keeper and (run := keeper.end()):
                    runs.append(ImportedRun(name, run, bool(keeper.there)))
            except UsageError as problem:  # one bad file does not lose the others
                failed.append(problem)
            failed += passed.failed
    finally:
        if kept is not None:
            kept.close()
    nothing = counts == ImportCounts()
    for unreadable in failed[1:] if nothing else failed:
        warn(unreadable)
    if nothing and failed:
        raise failed[0]
    if nothing:
        raise UsageError(
            "nothing was recognised: no output of a known tool was found",
            where=", ".join(files),
            hint=kinds_hint(),
        )
    return ImportedTexts(
        (),
        (),
        (),
        (),
        tuple(unread),
        tuple(runs),
        tuple(UnreadFile(problem.where, problem.message, problem.hint) for problem in failed)
        or None,
        counts,
        kept.rescued if kept else None,
    )


def imported(output: FoundOutput | Unread) -> tuple[ImportedOutput, ...]:
    """The records of an output."""
    if isinstance(output, Unread):
        return (output,)
    place = output.place
    return (
        *(_imported_trial(place, printed) for printed in output.trials),
        *(_imported_state(place, state) for state in output.states),
        *(ImportedCounters(each.tool, place, each.host, each.kind, each.name, each.values)
          for each in output.counters),
        *(ImportedLoad(load.tool, place, load.host, load.command) for load in output.loads),
    )  # fmt: skip


def _imported_state(place: TextLocation, state: PrintedState) -> ImportedState:
    settings, messages = settings_of(state), state.messages or None
    return ImportedState(state.tool, place, state.host, settings, state.subjects, messages)


def _imported_trial(place: TextLocation, printed: PrintedTrial) -> ImportedTrial:
    first = printed.loops[0]
    metrics = metrics_of_results(printed.loops, steps=printed.steps)
    faults = dict.fromkeys(fault for loop in printed.loops for fault in loop.faults)
    return ImportedTrial(
        printed.tool, printed.version, place, label_of(place, printed), printed.label, printed.host,
        printed.command, printed.target, printed.started, printed.elapsed or None, printed.options,
        {metric.name: metric for metric in metrics}, printed.averages, first.device_io,
        {"read": None, "write": None, **first.issued}, tuple(faults), printed.details,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReadOutput:
    """An output as it comes from the process that found it.

    Args:
        made: for the receiver.
        counts: what there is in it.
        unread: why it could not be read.
        packed: ready for a store, where it is to be kept.
        lone: the command, where a command is all there is.
        commands: that its trials were made with.
        run: of fio, which may have printed it in several forms.
    """

    made: Any
    counts: ImportCounts
    unread: Unread | None
    packed: Packed | None
    lone: str | None = None
    commands: frozenset[str] = frozenset()
    run: Printed | None = None


def output_of(
    output: FoundOutput | Unread, *, make: Callable[[FoundOutput | Unread], Any], keep: bool
) -> ReadOutput:
    """What is made of an output; with `keep` also what a store takes."""
    if isinstance(output, Unread):
        packed = _packed((), (StoredExtra(output.place, output),)) if keep else None
        return ReadOutput(make(output), ImportCounts(unread=1), output, packed)
    if output.tool == PRINTED:
        kept = _packed((), kept_of(output)) if keep else None
        return ReadOutput(make(output), ImportCounts(printed=1), None, kept)
    trials = (trial_of(output, printed) for printed in output.trials)
    beside = output.trials or output.states or output.counters
    return ReadOutput(
        make(output),
        ImportCounts(
            1, len(output.trials), len(output.states), len(output.counters), len(output.loads)
        ),
        None,
        _packed(trials, kept_of(output)) if keep else None,
        lone=output.loads[0].command if output.loads and not beside else None,
        commands=frozenset(trial.command for trial in output.trials),
        run=printed_run(output),
    )


def _packed(trials: Iterable[Trial], kept: Iterable[StoredExtra]) -> Packed:
    from iosonde.store.packed import pack  # loads pydantic, which --dry-run does not pay

    return pack(trials, kept)


def _documents(
    name: str, kept: Store | None, passed: Passed, *, again: bool
) -> Iterator[tuple[Document, TextKeeper | None]]:
    """The texts under a name, and what keeps their outputs: one run for all of them."""
    digest, keeper = collection_digest(name) if kept else None, None
    try:
        for document in open_documents(name, passed):
            if kept and keeper is None:
                keeper = TextKeeper(name, digest or document.digest(), kept, again=again)
            yield document, keeper
    except UsageError:  # an archive that is damaged further behind
        if keeper:
            keeper.give_up()
        raise


def _outputs(
    document: Document, make: Callable[[FoundOutput | Unread], Any], keeper: TextKeeper | None
) -> Iterator[ReadOutput]:
    """The outputs of a document, kept as they come."""
    keep = keeper is not None and not keeper.there
    output = partial(output_of, make=make, keep=keep)
    try:
        for read in without_repeats(find_and_tell(document, output, with_text=keep, rest=True)):
            if keeper and read.packed is not None:
                keeper.add(read.packed)
            yield read
    except UsageError:
        if keeper:
            keeper.give_up()
        raise


def _is_named(command: str, commands: frozenset[str]) -> bool:
    """Whether a command is among others, which may have its folder or `sudo` before it."""
    return any(other == command or other.endswith((f"/{command}", f" {command}"))
               for other in commands)  # fmt: skip


def without_repeats(outputs: Iterator[ReadOutput]) -> Iterator[ReadOutput]:
    """A command alone is left out where the output below it names it too.

    So is a run of fio that stands beside the same run in a form that says more.
    """
    waiting: list[ReadOutput] = []
    for output in each_run_once(outputs, lambda output: output.run):
        if output.lone is not None:
            waiting.append(output)
            continue
        if output.unread is None:
            yield from (lone for lone in waiting if not _is_named(lone.lone or "", output.commands))
            waiting.clear()
        yield output
    yield from waiting
