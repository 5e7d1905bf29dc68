"""Records to and from rows. JSON by pydantic, which knows our dataclasses; large parts deflated."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass as checked
from pydantic_core import PydanticSerializationError

from iosonde.exact import restored, storable
from iosonde.records.load import Load, LoadResult, RawOutput, Target
from iosonde.records.prediction import Forecast
from iosonde.records.printed import (
    PrintedCounters,
    PrintedLoad,
    PrintedState,
    PrintedSubject,
    StoredExtra,
    TextLocation,
    Unread,
)
from iosonde.records.run import Loop, Origin, Series, Trial
from iosonde.records.stack import Capture
from iosonde.store.deflated import deflated, inflated

if TYPE_CHECKING:
    from sqlalchemy import Row

T = TypeVar("T")
_REPLACED = "\N{REPLACEMENT CHARACTER}".encode()


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@checked(config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64"))
class _Raw:
    """RawOutput in a JSON that can carry any bytes."""

    status: int
    stdout: bytes
    stderr: bytes
    files: dict[str, bytes]


def pack(kind: Any, record: object) -> bytes:
    """A record as JSON, deflated where it is long."""
    return deflated(_dumped(kind, record))


def unpack(kind: Any, blob: bytes) -> Any:
    """The record that `pack` packed."""
    return _read(kind, inflated(blob))


def _dumped(kind: Any, record: object) -> bytes:
    """JSON of a record; text with bytes that are no UTF-8 goes round pydantic, which refuses it."""
    with contextlib.suppress(PydanticSerializationError):
        text = _adapter(kind).dump_json(record)
        if _REPLACED not in text:  # pydantic does not refuse keys, but falsifies them
            return text
    return _ENCODER.encode(record).encode()


def _read(kind: Any, text: bytes) -> Any:
    """The record that `_dumped` dumped. Only what went round pydantic has escapes of surrogates."""
    if b"\\ud" in text:
        return _adapter(kind).validate_python(json.loads(text))
    return _adapter(kind).validate_json(text)


def _texts(blob: str) -> tuple[str, ...]:
    return tuple(json.loads(blob))


def loop_row(run: str, trial: str, loop: Loop, parser_version: int) -> dict[str, object]:
    """A loop as a row of `loops`; one that no parser could read is of parser version 0."""
    files = {storable(name): content for name, content in loop.raw.files.items()}
    raw = _Raw(loop.raw.status, loop.raw.stdout, loop.raw.stderr, files)
    return {
        "run": run,
        "trial": trial,
        "index": loop.index,
        "started": loop.started,
        "elapsed": loop.elapsed,
        "result": pack(LoadResult, loop.result),
        "raw": pack(_Raw, raw),
        "parser_version": 0 if loop.result.unread else parser_version,
        "series": pack(tuple[Series, ...], loop.series),
        "background": json.dumps(loop.background),
    }


def loop_of(row: Row[Any]) -> Loop:
    """A row of `loops` as a loop."""
    raw = unpack(_Raw, row.raw)
    files = {restored(name): content for name, content in raw.files.items()}
    return Loop(
        index=row._mapping["index"],
        started=row.started,
        elapsed=row.elapsed,
        result=unpack(LoadResult, row.result),
        raw=RawOutput(raw.status, raw.stdout, raw.stderr, files),
        series=unpack(tuple[Series, ...], row.series),
        background=_texts(row.background),
    )


def trial_row(run: str, position: int, trial: Trial) -> dict[str, object]:
    """A trial, without its loops, as a row of `trials`."""
    return {
        "run": run,
        "id": trial.id,
        "position": position,
        "host": trial.host,
        "probe": trial.probe,
        "target": _dumped(Target, trial.target).decode(),
        "load": json.dumps(
            {
                "engine": trial.load.engine,
                "name": trial.load.name,
                "spec": dict(trial.load.spec),
                "about": trial.load.about,
                **(
                    {"matrix": dict(trial.load.matrix), "varied_from": trial.load.varied_from}
                    if trial.load.matrix
                    else {}
                ),
            }
        ),
        "command": trial.command,
        "capture": None if trial.capture is None else pack(Capture, trial.capture),
        "flags": json.dumps(trial.flags),
        "faults": json.dumps(trial.faults),
        "origin": None if trial.origin is None else _packed(trial.origin),
    }


def trial_of(row: Row[Any], loops: Sequence[Loop]) -> Trial:
    """A row of `trials` and its loops as a trial."""
    return Trial(
        id=row.id,
        host=row.host,
        probe=row.probe,
        target=_read(Target, row.target.encode()),
        load=Load(**json.loads(row.load)),
        command=row.command,
        loops=tuple(loop for loop in loops if not loop.result.unread),
        unread=tuple(loop for loop in loops if loop.result.unread),
        capture=None if row.capture is None else unpack(Capture, row.capture),
        flags=_texts(row.flags),
        faults=_texts(row.faults),
        origin=None if row.origin is None else Origin(**_unpacked(row.origin)),
    )


def kept_row(run: str, position: int, kept: StoredExtra) -> dict[str, object]:
    """What was found beside trials as a row of `evidence`."""
    kind = next(name for name, kind in _KINDS.items() if isinstance(kept.what, kind))
    return {"run": run, "position": position, "kind": kind, "content": _packed(kept)}


def kept_of(row: Row[Any]) -> StoredExtra:
    """A row of `evidence` as it was found."""
    content = _unpacked(row.content)
    what = content["what"]
    if "subjects" in what:
        what["subjects"] = tuple(PrintedSubject(**subject) for subject in what["subjects"])
    for name in ("band", "latency_band", "messages"):
        if what.get(name):
            what[name] = tuple(what[name])
    if "place" in what:
        what["place"] = TextLocation(**what["place"])
    return StoredExtra(TextLocation(**content["place"]), _KINDS[row.kind](**what))


FORECAST = "forecast"
"""The kind of evidence that is a forecast of a trial."""
_KINDS: dict[str, Any] = {
    "state": PrintedState, "counters": PrintedCounters, "load": PrintedLoad, "unread": Unread,
    FORECAST: Forecast,
}  # fmt: skip


def _members(record: Any) -> dict[str, Any]:
    """What JSON takes for a record or a mapping: one level of it, which `asdict` copies whole."""
    if isinstance(record, Mapping):
        return dict(record)
    return {name: getattr(record, name) for name in _names(record.__class__)}


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


_ENCODER = json.JSONEncoder(separators=(",", ":"), default=_members)


def _packed(record: Any) -> bytes:
    """A record whose fields JSON can carry as they are; quicker than `pack`."""
    return deflated(_ENCODER.encode(record).encode())


def _unpacked(blob: bytes) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(inflated(blob))
    return document
