"""Outputs as they come in tickets, mails and wikis; and what evidence finds in a text."""

from __future__ import annotations

import quopri
from collections.abc import Iterator
from functools import cache

import pytest

from iosonde.records.printed import (
    AS_PRINTED,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    PrintedTrial,
    Unread,
)
from iosonde.scripts import source
from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput, find, find_and_tell
from iosonde.text.output_kinds import INDEX, index


@cache
def _require_fresh_index() -> None:
    """Fails where readers changed and what a search knows of them did not."""
    if source("iosonde.text", INDEX) != index():
        pytest.fail(f"src/iosonde/text/{INDEX} is not fresh: run `make reference`", pytrace=False)


def read(text: str) -> list[FoundOutput | Unread]:
    """Everything that is found in a text."""
    _require_fresh_index()
    return list(find(of_bytes("text", text.encode())))


def trials(text: str) -> list[PrintedTrial]:
    """The trials in a text, in their order."""
    return [
        trial for output in read(text) if isinstance(output, FoundOutput) for trial in output.trials
    ]


def states(text: str) -> list[PrintedState]:
    """The states in a text, in their order."""
    return [
        state for output in read(text) if isinstance(output, FoundOutput) for state in output.states
    ]


def subjects_in(text: str, *tools: str) -> list[PrintedSubject]:
    """The things of the states in a text, in their order: of all tools, or of those named."""
    return [
        subject
        for state in states(text) if not tools or state.tool in tools
        for subject in state.subjects
    ]  # fmt: skip


def counters(text: str, *tools: str) -> list[PrintedCounters]:
    """The counters in a text, in their order: of all tools, or of those named."""
    return [
        counter
        for output in read(text)
        if isinstance(output, FoundOutput)
        for counter in output.counters
        if not tools or counter.tool in tools
    ]


def unread_in(text: str) -> list[Unread]:
    """The outputs in a text that could not be read, in their order."""
    return [entry for entry in read(text) if isinstance(entry, Unread)]


def kept_as_printed(text: str) -> list[PrintedCounters]:
    """What is kept as printed of a text that no reader takes, in its order."""
    outputs = find_and_tell(of_bytes("text", text.encode()), lambda output: output, rest=True)
    return [
        counter
        for output in outputs
        if isinstance(output, FoundOutput)
        for counter in output.counters
        if counter.kind == AS_PRINTED
    ]


def folded(text: str, width: int) -> str:
    """Broken at blanks, as mail programs do; what follows goes on in the next line."""
    done = []
    for line in text.split("\n"):
        rest = line
        while len(rest) > width and (cut := rest.rfind(" ", 1, width + 1)) > 0:
            done.append(rest[:cut])
            rest = rest[cut + 1 :]
        done.append(rest)
    return "\n".join(done)


def cut(text: str, width: int) -> str:
    """Broken at a column whatever stands there, as terminals do."""
    return "\n".join(
        line[start : start + width]
        for line in text.split("\n")
        for start in range(0, max(len(line), 1), width)
    )


def mangled(text: str, *, wraps: bool = True) -> Iterator[tuple[str, str]]:
    """A text in the shapes it may come in, with their names.

    Args:
        text: one output as its tool printed it.
        wraps: also with broken lines.
    """
    lines = text.split("\n")
    yield "as it is", text
    yield "in a fence", f"See:\n\n```\n{text}\n```\n\nThat was it.\n"
    yield "indented", "\n".join(f"    {line}" for line in lines)
    yield "quoted", "\n".join(f"> {line}" for line in lines)
    yield "quoted twice", "\n".join(f">> {line}" for line in lines)
    yield "with blank lines", "\n\n".join(lines)
    yield "with carriage returns", "\r\n".join(lines)
    yield "escaped", text.replace("_", r"\_")
    yield "behind a host", "\n".join(f"node7: {line}" for line in lines)
    yield "behind times", "\n".join(f"2024-05-06 07:08:09 {line}" for line in lines)
    yield "quoted-printable", quopri.encodestring(text.encode()).decode()
    if wraps:
        yield "folded at 72", folded(text, 72)
        yield "folded and quoted", "\n".join(f"> {x}" for x in folded(text, 70).split("\n"))
        yield "cut at 80", cut(text, 80)
        yield "cut at 72", cut(text, 72)
