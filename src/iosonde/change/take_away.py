"""Takes away what iosonde built, from the hosts' own records alone, the last layer first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from iosonde.change.build import Report, State, Tell
from iosonde.change.guard import Permission
from iosonde.change.journal import Journal, Made
from iosonde.change.undo import undo
from iosonde.errors import ConnectionLost, HostFailed, IosondeError, Refused
from iosonde.hosts.host import Host
from iosonde.layers.step import shown


@dataclass(frozen=True, slots=True)
class _Entry:
    host: str
    made: Made


@dataclass(frozen=True, slots=True)
class _Removal:
    """What holds for all entries: see `undo`, and who is told of each."""

    own: frozenset[str]
    permissions: Sequence[Permission]
    tell: Tell


async def take_away(
    hosts: Mapping[str, Host],
    journals: Mapping[str, Journal],
    *,
    tell: Tell,
    wanted: Container[str] | None = None,
    permissions: Sequence[Permission] = (),
) -> None:
    """Undo every recorded step; a layer after all that stand on it.

    Args:
        hosts: that can be reached, by name in the stack.
        journals: of each of them.
        tell: told of each step.
        wanted: names of the layers to take away, None for all; what stands on one of them must
            be among them.
        permissions: of the user; of them `--in-container` alone counts.

    Raises:
        Refused: something stands there that is not what was built, or is in use.
        HostFailed: something could not be taken away.
        Everything that could be taken away is, in either case.
    """
    entries = [
        _Entry(name, made) for name, journal in journals.items() for made in journal.made.values()
        if wanted is None or made.layer in wanted
    ]  # fmt: skip
    layers: dict[str, list[_Entry]] = {}
    for entry in sorted(entries, key=lambda entry: -entry.made.number):
        layers.setdefault(entry.made.layer, []).append(entry)
    above = {
        name: {upper for upper, some in layers.items() for entry in some if name in entry.made.of}
        for name in layers
    }
    locks = {name: asyncio.Lock() for name in hosts}
    tasks: dict[str, asyncio.Task[None]] = {}
    ended: dict[str, asyncio.Event] = {name: asyncio.Event() for name in layers}
    own = frozenset[str]().union(*(journal.own for journal in journals.values()))
    failed: set[str] = set()
    problems: list[IosondeError] = []

    async def layer(name: str) -> None:
        for upper in above[name]:
            await ended[upper].wait()
        try:
            if failed & above[name]:
                failed.add(name)
                return
            for entry in layers[name]:
                async with locks[entry.host]:
                    context = _Removal(own, permissions, tell)
                    await _take_entry(hosts[entry.host], journals[entry.host], entry, context)
        except IosondeError as problem:
            failed.add(name)
            problems.append(problem)
        finally:
            ended[name].set()

    for name in layers:
        tasks[name] = asyncio.create_task(layer(name))
    await asyncio.gather(*tasks.values())
    if problems:
        left = ", ".join(sorted(failed))
        refused = [problem for problem in problems if isinstance(problem, Refused)]
        first = (refused or problems)[0]
        message = f"{first.message} (still there: {left})"
        if isinstance(first, Refused):
            more = "; ".join(f"{problem.where}: {problem.evidence}" for problem in refused[1:])
            evidence = f"{first.evidence}; {more}" if more else first.evidence
            raise Refused(message, where=first.where, hint=first.hint, evidence=evidence)
        kind = ConnectionLost if isinstance(first, ConnectionLost) else HostFailed
        raise kind(message, where=first.where, hint=first.hint)


def recorded(journals: Mapping[str, Journal]) -> list[Report]:
    """What `take_away` would undo, the last made first."""
    entries = [(name, made) for name, journal in journals.items() for made in journal.made.values()]
    return [
        Report(made.layer, name, f"undo: {made.does}", "; ".join(shown(made.undo)), "planned")
        for name, made in sorted(entries, key=lambda named: -named[1].number)
    ]


async def _take_entry(host: Host, journal: Journal, entry: _Entry, context: _Removal) -> None:
    made, began = entry.made, time.monotonic()
    kept = made.shared and any(
        other.there == made.there and other.number != made.number for other in journal.made.values()
    )
    state: State = "failed"
    left: list[str] = []
    try:
        if not kept:  # another layer of the stack needs it still
            left = await undo(
                host, made, journal, own=context.own, permissions=context.permissions,
                half=made.state == "begun",
            )  # fmt: skip
        await journal.removed([made.number])
        state = "kept" if kept else "removed"
    finally:
        text = "; ".join(shown(made.undo))
        seconds = round(time.monotonic() - began, 3)
        context.tell(
            Report(
                made.layer, entry.host, f"undo: {made.does}", text, state, seconds, "; ".join(left)
            )
        )
