"""What was found in a text as trials that stand beside measured ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from iosonde.records.load import Load, LoadResult, RawOutput, Target, TargetKind
from iosonde.records.printed import PrintedState, PrintedTrial, StoredExtra, TextLocation
from iosonde.records.run import Loop, Origin, Trial
from iosonde.records.stack import Capture, Scalar, StackLayer
from iosonde.text.search import FoundOutput

_SLUG = re.compile(r"[^a-z0-9]+")
_NOTHING = RawOutput(0, b"", b"")


def label_of(place: TextLocation, printed: PrintedTrial) -> str:
    """What a person calls the trial: the heading above it, else its own name."""
    return place.heading or printed.label or printed.target or printed.tool


def trial_of(output: FoundOutput, printed: PrintedTrial, number: int | None = None) -> Trial:
    """An imported trial as a record.

    Args:
        output: the output that it stands in.
        printed: one of its trials.
        number: of the trial in its document, from 1; makes the id unique, which is else
            without it.
    """
    label = label_of(output.place, printed)
    target = TargetKind.DEVICE if printed.target.startswith("/dev/") else TargetKind.FILE
    slug = _SLUG.sub("-", f"{label} {printed.label if printed.label != label else ''}".lower())
    place = output.place
    return Trial(
        id=("" if number is None else f"{number:03}-") + slug.strip("-")[:60].strip("-"),
        host=printed.host,
        probe=printed.target or label,
        target=Target(printed.host, printed.target, target),
        load=Load(printed.tool, printed.label or printed.tool, {"command": printed.command}, label),
        command=printed.command,
        loops=_loops(printed, output.text),
        capture=_capture(output.states, printed),
        faults=tuple(dict.fromkeys(fault for loop in printed.loops for fault in loop.faults)),
        origin=Origin(
            file=place.file,
            first_line=place.first_line,
            last_line=place.last_line,
            heading=place.heading,
            label=printed.label,
            timed=printed.started is not None,
            options=printed.options,
            steps=printed.steps,
            averages=printed.averages,
            details=printed.details,
        ),
    )


def _loops(printed: PrintedTrial, text: str) -> tuple[Loop, ...]:
    """Where no time is known, loops follow each other from the epoch on.

    The first holds the text of all.
    """
    begin, loops = printed.started or 0.0, []
    for index, result in enumerate(printed.loops):
        elapsed = _elapsed(printed, index, result)
        versioned = replace(result, tool_version=result.tool_version or printed.version)
        raw = RawOutput(0, text.encode(), b"") if index == 0 else _NOTHING
        loops.append(Loop(index, begin, elapsed, versioned, raw))
        begin += elapsed
    return tuple(loops)


def _elapsed(printed: PrintedTrial, index: int, result: LoadResult) -> float:
    if printed.elapsed and index < len(printed.elapsed):
        return printed.elapsed[index]
    return result.metrics.get("elapsed", 0.0)


def _capture(states: tuple[PrintedState, ...], printed: PrintedTrial) -> Capture | None:
    """What the same output says of the stack."""
    if not states:
        return None
    layers, host_wide = [], dict[str, Scalar]()
    for subject in (subject for state in states for subject in state.subjects):
        host = subject.host or printed.host
        if subject.kind == "host":
            host_wide |= {f"{host}.{name}": value for name, value in subject.values.items()}
            continue
        layers.append(
            StackLayer(
                id=f"{host}/{subject.kind}:{subject.name}",
                kind=subject.kind,
                host=host,
                device=subject.name,
                size=None,
                settings=subject.values,
            )
        )
    return Capture(printed.started or 0.0, (), tuple(layers), host_wide=host_wide)


def kept_of(output: FoundOutput) -> tuple[StoredExtra, ...]:
    """What an output says beside trials."""
    every: tuple[Any, ...] = (*output.states, *output.counters, *output.loads)
    return tuple(StoredExtra(output.place, what) for what in every)


def settings_of(state: PrintedState) -> dict[str, Scalar]:
    """A state as the contract has it: "layer.setting" → value; of the host, the name alone.

    Two subjects of one name (a DRBD volume with each of its peers, an export with each of its
    clients) keep their values apart: those of the second are named by what tells it from the first.
    """
    settings: dict[str, Scalar] = {}
    for place, subject in enumerate(state.subjects):
        own = _named(subject.name, subject.values)
        if any(settings.get(name, value) != value for name, value in own.items()):
            apart = next(
                (str(subject.values[name]) for name in _TELLING_APART if name in subject.values),
                str(place + 1),
            )
            own = _named(f"{subject.name}[{apart}]", subject.values)
        settings |= own
    return settings


_TELLING_APART = ("peer", "clients", "client", "volume", "address")


def _named(start: str, values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    return {f"{start}.{name}" if start else name: value for name, value in values.items()}
