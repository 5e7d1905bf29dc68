"""What was found in texts as the contract has it: `iosonde.import/1`, written as it comes."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, TYPE_CHECKING

from iosonde.records.printed import PrintedTrial, TextLocation, Unread
from iosonde.records.stack import Json
from iosonde.text.imported import label_of, settings_of

if TYPE_CHECKING:
    from iosonde.text.find import FoundOutput

_LISTS = ("trials", "captures", "counters", "loads", "unread")
_IN_MEMORY = 1 << 22
_ENCODER = json.JSONEncoder(allow_nan=False)  # ASCII: any stream takes it as it is


def source_document(place: TextLocation) -> dict[str, Json]:
    """A place as the contract has it."""
    return {
        "file": place.file,
        "first_line": place.first_line,
        "last_line": place.last_line,
        "heading": place.heading or None,
    }


def trial_document(found: FoundOutput, printed: PrintedTrial) -> dict[str, Json]:
    """One trial as the contract has it."""
    from iosonde.measure.sheet import metrics_of_results
    from iosonde.report.json import metric_document

    first = printed.loops[0]
    metrics: dict[str, Json] = {}
    for metric in metrics_of_results(printed.loops, rounded=printed.steps):
        precision = printed.steps.get(metric.name)
        metrics[metric.name] = {**metric_document(metric), "precision": precision}
    return {
        "tool": printed.tool,
        "version": printed.version or None,
        "source": source_document(found.place),
        "label": label_of(found.place, printed),
        "name": printed.label or None,
        "host": printed.host or None,
        "command": printed.command or None,
        "target": printed.target or None,
        "started": printed.started,
        "elapsed": list(printed.elapsed) if printed.elapsed else None,
        "options": dict(printed.options),
        "metrics": metrics,
        "averages": dict(printed.averages),
        "device_io": {device: dict(io) for device, io in first.device_io.items()},
        "issued": {
            "read": first.issued.get("read"),
            "write": first.issued.get("write"),
            **first.issued,
        },
        "faults": list(dict.fromkeys(fault for loop in printed.loops for fault in loop.faults)),
        "details": dict(printed.details),
    }


def texts_of(one: FoundOutput | Unread) -> Iterator[tuple[str, str]]:
    """One output as JSON objects, each with the list of the contract that it belongs to."""
    source: Json = source_document(one.place)
    if isinstance(one, Unread):
        yield "unread", _json({"source": source, "tool": one.tool, "reason": one.reason})
        return
    for printed in one.trials:
        yield "trials", _json(trial_document(one, printed))
    for state in one.states:
        subjects: list[Json] = [
            {"kind": subject.kind, "name": subject.name or None, "values": dict(subject.values)}
            for subject in state.subjects
        ]
        yield "captures", _json({
            "tool": state.tool, "source": source, "host": state.host or None,
            "settings": dict(settings_of(state)), "subjects": subjects,
        })  # fmt: skip
    for counters in one.counters:
        yield "counters", _json({
            "tool": counters.tool, "source": source, "host": counters.host or None,
            "kind": counters.kind, "name": counters.name or None, "values": dict(counters.values),
        })  # fmt: skip
    for load in one.loads:
        yield "loads", _json({
            "tool": load.tool, "source": source, "host": load.host or None,
            "command": load.command,
        })  # fmt: skip


class Writer:
    """Writes the object while outputs are still being found: memory stays as it is.

    Trials go straight to `out`; the other lists wait in a file that is a part of memory while it
    is small.
    """

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._waiting = {
            name: tempfile.SpooledTemporaryFile(  # noqa: SIM115 - closed in `end`
                _IN_MEMORY, mode="w+", encoding="utf-8"
            )
            for name in _LISTS[1:]
        }
        self._count = dict.fromkeys(_LISTS, 0)
        self._begun = False

    def add(self, texts: Iterable[tuple[str, str]]) -> None:
        """Objects of an output, each with the list it belongs to."""
        self._begin()
        for name, text in texts:
            out = self._out if name == "trials" else self._waiting[name]
            out.write((",\n" if self._count[name] else "\n") + text)
            self._count[name] += 1

    def end(self, more: Mapping[str, Json]) -> None:
        """The end of the object: the other lists, and further fields."""
        self._begin()
        for name, file in self._waiting.items():
            self._out.write(f'],\n"{name}": [')
            file.seek(0)
            shutil.copyfileobj(file, self._out)
            file.close()
        self._out.write("]")
        for key, value in more.items():
            self._out.write(f",\n{json.dumps(key)}: {_json(value)}")
        self._out.write("}\n")

    def _begin(self) -> None:
        """Nothing is written before something was found: an error is an object of its own."""
        if not self._begun:
            self._begun = True
            self._out.write('{"schema": "iosonde.import/1",\n"trials": [')


def _json(value: Json) -> str:
    return _ENCODER.encode(value)
