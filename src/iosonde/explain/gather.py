"""Makes a case of what is to be explained: stored runs, texts, hosts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from iosonde import units
from iosonde.explain.host_names import with_one_name
from iosonde.explain.quotes import without_quotes
from iosonde.layers._staged import staged_in
from iosonde.records.evidence import (
    CommandEvidence,
    CounterEvidence,
    EvidenceSet,
    StateEvidence,
    TrialEvidence,
    place_of,
)
from iosonde.records.finding import Finding
from iosonde.records.load import Load
from iosonde.records.prediction import Ledger
from iosonde.records.printed import (
    AS_PRINTED,
    PrintedCounters,
    PrintedLoad,
    PrintedState,
    StoredExtra,
    TextLocation,
    Unread,
)
from iosonde.records.run import Trial
from iosonde.records.sheet import RunSheet, TrialSheet
from iosonde.records.stack import Capture, HostFacts, Scalar, StackLayer
from iosonde.statistics.contrast import Bar
from iosonde.text.changes import CHANGED, SAID, put_in_force
from iosonde.text.clean import quote_depth
from iosonde.text.document import Document
from iosonde.text.find import find
from iosonde.text.forms import each_run_once, printed_run
from iosonde.text.imported import kept_of, trial_of
from iosonde.text.search import FoundOutput

_SIZES = ("size", "width", "offset")
_NOT_A_SETTING = re.compile(r"(?i)note|remark|comment|output|speed|result|throughput|iops")
_SPEED = re.compile(r"[\d.,]+ ?[kKMGT]?i?[bB]/s(?:ec)?")
_WRITTEN = 4_000_000  # bytes; what is larger is a log or an archive
_NO_SETTINGS = frozenset({"active_operations"})


def together(cases: Iterable[EvidenceSet]) -> EvidenceSet:
    """Several cases as one."""
    every = list(cases)
    return EvidenceSet(
        trials=tuple(trial for case in every for trial in case.trials),
        states=tuple(state for case in every for state in case.states),
        counters=tuple(counter for case in every for counter in case.counters),
        hosts=tuple({host.name: host for case in every for host in case.hosts}.values()),
        commands=tuple(command for case in every for command in case.commands),
        noted=tuple(finding for case in every for finding in case.noted),
        staged=tuple(command for case in every for command in case.staged),
    )


def of_document(document: Document) -> tuple[EvidenceSet, tuple[Unread, ...]]:
    """A text: its outputs, and what could not be read in it."""
    sheets: list[TrialSheet] = []
    kept: list[StoredExtra] = []
    unread: list[Unread] = []
    for output in each_run_once(find(document), printed_run):
        if isinstance(output, FoundOutput):
            for printed in output.trials:
                sheets.append(_sheet_of(trial_of(output, printed, len(sheets) + 1)))
            kept += kept_of(output)
        else:
            unread.append(output)
    case = _case(document.name, sheets, kept)
    if len(document.data) > _WRITTEN:
        return case, tuple(unread)
    lines = document.data[0 : len(document.data)].decode(errors="replace").split("\n")
    quoted = _quoted(document, lines)
    trials = tuple(
        replace(trial, quoted=quoted.get(place_of(trial.where)[1], 0)) for trial in case.trials
    )
    return replace(case, trials=trials, staged=tuple(_staged(document, lines))), tuple(unread)


def _quoted(document: Document, lines: Sequence[str]) -> dict[int, int]:
    """Number of each line that a mail quotes → how often it has been quoted on."""
    depths = enumerate(map(quote_depth, lines), 1)
    return {document.number(number): depth for number, depth in depths if depth}


def _staged(document: Document, lines: Sequence[str]) -> Iterator[CommandEvidence]:
    """What brings a failure about on purpose, in a text that somebody wrote."""
    for index, said in staged_in(lines):
        line = document.number(index + 1)
        place = TextLocation(document.name, line, line)
        yield CommandEvidence("", said, "", str(place), document.name)


def _sheet_of(trial: Trial) -> TrialSheet:
    from iosonde.measure.sheet import trial_sheet  # takes 0.1 s, and few texts have trials

    return trial_sheet(trial)


def of_run(sheet: RunSheet, kept: Sequence[StoredExtra]) -> EvidenceSet:
    """A stored run, measured or imported, and what was found beside its trials."""
    return _case(sheet.run.id, sheet.trials, kept)


def of_capture(capture: Capture, source: str) -> EvidenceSet:
    """The state of hosts."""
    states = tuple(
        replace(state, source=state.host or source) for state in _states(capture, source)
    )
    return EvidenceSet(states=states, hosts=capture.hosts)


def counted(printed: PrintedCounters, place: TextLocation, source: str) -> CounterEvidence:
    """Counters with the place where they were read."""
    return CounterEvidence(
        tool=printed.tool,
        kind=printed.kind,
        name=printed.name,
        host=printed.host,
        values=printed.values,
        where=str(place),
        source=source,
    )


def _case(source: str, sheets: Sequence[TrialSheet], kept: Sequence[StoredExtra]) -> EvidenceSet:
    states: list[StateEvidence] = []
    counters: list[CounterEvidence] = []
    commands: list[CommandEvidence] = []
    for extra in kept:
        if isinstance(extra.what, PrintedState):
            states += _printed(extra.what, str(extra.place), source)
        elif isinstance(extra.what, PrintedCounters):
            if extra.what.kind != AS_PRINTED:
                counters.append(counted(extra.what, extra.place, source))
        elif isinstance(extra.what, PrintedLoad):
            load = extra.what
            commands.append(
                CommandEvidence(load.tool, load.command, load.host, str(extra.place), source)
            )
    hosts: dict[str, HostFacts] = {}
    for sheet in sheets:
        capture = sheet.trial.capture
        if capture is not None and sheet.trial.origin is None:
            states += [state for state in _states(capture, source) if state not in states]
            hosts |= {host.name: host for host in capture.hosts}
    trials = _in_rows(_as_changed(_measured(sheet, source) for sheet in sheets))
    noted = tuple(
        finding for sheet in sheets for finding in sheet.findings if not _imported(sheet, finding)
    )
    return with_one_name(
        EvidenceSet(
            _told_apart(without_quotes(trials)),
            tuple(states),
            tuple(counters),
            tuple(hosts.values()),
            tuple(commands),
            noted,
        )
    )


def _printed(state: PrintedState, where: str, source: str) -> list[StateEvidence]:
    return [
        StateEvidence(
            subject.kind,
            subject.name,
            subject.host or state.host,
            subject.values,
            where,
            source,
            tuple(str(subject.values.get("below") or "").split()),
        )
        for subject in state.subjects
    ]


def _states(capture: Capture, source: str) -> list[StateEvidence]:
    names = {layer.id: _name(layer) for layer in capture.layers}
    states = [
        StateEvidence(
            kind=layer.kind,
            name=names[layer.id],
            host=layer.host,
            values={"size": layer.size, "device": layer.device, **layer.facts, **layer.settings},
            where=layer.id,
            source=source,
            below=tuple(names[lower] for lower in layer.below if lower in names),
        )
        for layer in capture.layers
    ]
    for host in capture.hosts:
        start = f"{host.name}."
        values: dict[str, Scalar] = {
            name.removeprefix(start): value
            for name, value in capture.host_wide.items()
            if name.startswith(start)
        }
        values |= {"memory": host.memory, "cpus": host.cpus, "kernel": host.kernel}
        states.append(StateEvidence("host", "", host.name, values, host.name, source))
    return states


def _name(layer: StackLayer) -> str:
    return layer.mount or layer.device.removeprefix("/dev/")


def _measured(sheet: TrialSheet, source: str) -> TrialEvidence:
    trial, origin = sheet.trial, sheet.trial.origin
    first = trial.counted[0].result if trial.counted else None
    capture = {layer.id: layer for layer in trial.capture.layers} if trial.capture else {}
    under = [capture[name] for name in sheet.below if name in capture]
    row, columns = (origin.details.get(name) if origin else None for name in ("row", "columns"))
    timed = bool(trial.counted) and (origin is None or origin.timed)
    return TrialEvidence(
        label=origin.heading or trial.load.about or trial.load.name
        if origin
        else f"{trial.load.name} at {trial.probe}",
        where=str(TextLocation(origin.file, origin.first_line, origin.last_line))
        if origin
        else f"{source}/{trial.id}",
        source=source,
        tool=trial.load.engine,
        metrics={metric.name: metric for metric in sheet.metrics},
        headline=sheet.headline,
        version=first.tool_version if first else "",
        command=trial.command,
        host=trial.host,
        target=trial.target.path,
        started=trial.counted[0].started if timed else None,
        steps=origin.steps if origin else {},
        averages=origin.averages if origin else {},
        options=origin.options if origin else _options(trial.load),
        device_io=first.device_io if first else {},
        issued=first.issued if first else {},
        elapsed=tuple(loop.elapsed for loop in trial.counted) or None,
        details=origin.details if origin else {},
        series=tuple(loop.series for loop in trial.counted if loop.series),
        settings=sheet.settings,
        stands_on=tuple((layer.kind, layer.device) for layer in under),
        path=tuple(layer.id for layer in under),
        background=tuple(dict.fromkeys(text for loop in trial.counted for text in loop.background)),
        heading=origin.heading if origin else trial.load.name,
        printed=origin is not None,
        job=origin.label if origin else trial.load.name,
        row=tuple(map(str, row)) if isinstance(row, list) else (),
        columns=tuple(map(str, columns)) if isinstance(columns, list) else (),
        faults=trial.faults,
        left_out=len(trial.loops) - len(trial.counted),
        ledger=_ledger_of(trial),
    )


def _ledger_of(trial: Trial) -> Ledger | None:
    """The ledger of a trial that was counted; None of an imported trial, which has no stack."""
    if trial.capture is None:
        return None
    from iosonde.predict.account import ledger_of  # loads the planning of studies

    return ledger_of(trial)


def _options(load: Load) -> dict[str, Scalar]:
    """A load's options as far as they are plain."""
    if load.engine == "fio":
        from iosonde.loads.fio.compared_options import compared_options

        return compared_options(load)
    return {name: value for name, value in load.spec.items() if not isinstance(value, list | dict)}


def _imported(sheet: TrialSheet, finding: Finding) -> bool:
    """What is not said of imported trials one by one.

    First loops are judged together (rules/loops.py); many lines of one run show a trend that is
    sure and matters nothing.
    """
    small = finding.rule == "drift" and all(
        abs(evidence.value) < Bar().margin
        for evidence in finding.evidence[:1] if isinstance(evidence.value, float)
    )  # fmt: skip
    return sheet.trial.origin is not None and (finding.rule == "first-loop" or small)


def _as_changed(trials: Iterable[TrialEvidence]) -> list[TrialEvidence]:
    """The trials of a source in their order, with all that was set before each of them."""
    in_force: dict[str, str] = {}
    changed: list[TrialEvidence] = []
    for trial in trials:
        if changed and changed[-1].heading != trial.heading:
            in_force.pop(SAID, None)  # what was said of another section
        changes = trial.details.get(CHANGED)
        if isinstance(changes, list):
            put_in_force(map(str, changes), in_force)
        changed.append(replace(trial, changes=dict(in_force)))
    return changed


def _in_rows(trials: Sequence[TrialEvidence]) -> list[TrialEvidence]:
    """The trials, those that share a row of a table with the words of that row."""
    labelled: list[TrialEvidence] = []
    for trial in trials:
        before = labelled[-1] if labelled else None
        if trial.row or before is None or not _follows(before, trial):
            columns = trial.columns
            if before and not columns and len(before.columns) and before.heading == trial.heading:
                columns = before.columns
            labelled.append(replace(trial, columns=columns))
        else:
            labelled.append(replace(trial, row=before.row, columns=before.columns))
    return labelled


def _follows(before: TrialEvidence, trial: TrialEvidence) -> bool:
    """Whether a trial begins in the line after another, of the same tool on another host."""
    lines = [neighbour.where.rpartition(":")[2].split("-") for neighbour in (before, trial)]
    next_line = lines[0][-1].isdecimal() and lines[1][0] == str(int(lines[0][-1]) + 1)
    return next_line and before.tool == trial.tool and before.host != trial.host


def _told_apart(trials: Sequence[TrialEvidence]) -> tuple[TrialEvidence, ...]:
    """The trials, those of one label with what is different between them.

    Settings of layers count by their names, whatever host and device they were read from.
    """
    values: dict[tuple[str, str], dict[str, set[Scalar]]] = {}
    for trial in trials:
        group = values.setdefault((trial.label, trial.tool), {})
        for name, value in _plain(trial).items():
            group.setdefault(name, set()).add(value)
    named = _columns_that_tell(trials)
    told_apart = []
    for trial in trials:
        group = values[trial.label, trial.tool]
        differing = [
            f"{name.replace('_', ' ')} {_shown(name, value)}"
            for name, value in _plain(trial).items()
            if len(group[name]) > 1
        ]
        differing += [f"{name.lower()} {cell}" for name, cell in cells_of(trial).items()
                      if name in named.get((trial.label, trial.tool), ())]  # fmt: skip
        label = f"{trial.label}: {', '.join(differing)}" if differing else trial.label
        told_apart.append(replace(trial, label=label))
    return tuple(told_apart)


def cells_of(trial: TrialEvidence) -> dict[str, str]:
    """Of the words in a trial's row those that are settings: neither figures nor remarks."""
    return {
        column: cell
        for column, cell in zip(trial.columns, trial.row, strict=False)
        if not _NOT_A_SETTING.search(column) and cell and not _SPEED.fullmatch(cell)
    }


def _columns_that_tell(trials: Sequence[TrialEvidence]) -> dict[tuple[str, str], set[str]]:
    """By heading and tool: columns whose words differ, and which no printed setting stands for."""
    values: dict[tuple[str, str], dict[str, set[str]]] = {}
    printed: dict[tuple[str, str], set[str]] = {}
    for trial in trials:
        key = trial.label, trial.tool
        for column, cell in cells_of(trial).items():
            values.setdefault(key, {}).setdefault(column, set()).add(cell)
        printed.setdefault(key, set()).update(name.replace("_", " ") for name in _plain(trial))
    return {
        key: {column for column, cells in columns.items()
              if len(cells) > 1 and not _stands_for(column, printed[key])}
        for key, columns in values.items()
    }  # fmt: skip


def _stands_for(column: str, printed: set[str]) -> bool:
    plain = column.lower().replace("-", " ")
    return any(name in plain or plain in name for name in printed)


def _plain(trial: TrialEvidence) -> dict[str, Scalar]:
    plain = {name.rpartition(".")[2]: value for name, value in trial.settings.items()}
    return {name: value for name, value in plain.items() if name not in _NO_SETTINGS}


def _shown(name: str, value: Scalar) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "on", False: "off", None: "unknown"}[value]
    if name.endswith(_SIZES) and isinstance(value, int):
        return units.show_bytes(value)
    return str(value)
