"""A declared stack is built on its hosts, and taken away again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from iosonde.change.build import Builder, Report, planned
from iosonde.change.guard import Permission, parse_destroy
from iosonde.change.open import opened
from iosonde.change.repair import repair as repair_layer
from iosonde.change.repair import troubles
from iosonde.change.take_away import recorded, take_away
from iosonde.contract import VerbResult
from iosonde.errors import HostFailed
from iosonde.records.stack import Json
from iosonde.stack.file import DeclaredStack, read_stack
from iosonde.verbs.signals import run_async

Progress = Callable[[Report], None]
"""Hears of each step as it is done."""
_ADVICE = "`iosonde down` takes away what stands, `up` goes on."


@dataclass(frozen=True, slots=True)
class StackSteps(VerbResult):
    """What `up`, `down` and `lab` did, step by step. Times in seconds."""

    SCHEMA = "iosonde.up/1"
    steps: tuple[Report, ...]


class _Steps:
    """The steps so far."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._steps: list[Report] = []

    def __call__(self, step: Report) -> None:
        self._steps.append(step)
        self._progress(step)

    def record(self) -> StackSteps:
        """All of them."""
        return StackSteps(tuple(self._steps))


def up(
    stack: str | Path,
    *,
    hosts: Mapping[str, str] | None = None,
    rehearse: bool = False,
    values: Mapping[str, Json] | None = None,
    destroy: Sequence[str] = (),
    in_container: bool = False,
    repair: bool = False,
    dry_run: bool = False,
    progress: Progress = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> StackSteps:
    """Build a declared stack on its hosts. Layers that exist as declared are left alone.

    Args:
        stack: its file.
        hosts: addresses of hosts, in place of those in the file.
        rehearse: all hosts are nodes of the lab.
        values: "LAYER.KEY" to value, in place of those in the file.
        destroy: devices whose content may be lost, "/dev/sdx" or "/dev/sdx=ext4".
        in_container: write to devices in a container too.
        repair: give degraded arrays their missing members back, and wait.
        dry_run: connect to no host; the record holds the plan.
        progress: hears of each step as it is done.
        tell: hears how far a repair is.

    Raises:
        UsageError: the stack cannot be built as declared.
        Refused: the guard forbids a device, or something else stands in a layer's place.
        HostFailed: a step failed, or what was built earlier is degraded.
    """
    declared = read_stack(Path(stack), rehearse=rehearse, at=hosts, values=values)
    permissions = parse_destroy(destroy, in_container=in_container)
    steps = _Steps(progress)
    if dry_run:
        for step in planned(declared):
            steps(step)
        return steps.record()

    async def build() -> None:
        async with opened(declared) as (reached, journals):
            builder = Builder(declared, reached, journals, permissions, steps)
            await builder.all()
            await _require_whole(builder, tell, repair=repair)

    run_async(build(), _ADVICE)
    return steps.record()


async def _require_whole(builder: Builder, tell: Callable[[str], None], *, repair: bool) -> None:
    """What was there already must be whole; degraded arrays are repaired where that was asked for.

    Raises:
        HostFailed: a layer is not whole.
    """
    stood = [site for site in builder.built.values() if site.name in builder.stood]
    wrong = await troubles(stood, builder.hosts)
    if repair:
        for trouble in wrong:
            host, journal = builder.hosts[trouble.site.host], builder.journals[trouble.site.host]
            await repair_layer(trouble, host, journal, tell)
        wrong = await troubles([trouble.site for trouble in wrong], builder.hosts)
    if wrong:
        raise HostFailed(
            f"the stack is built, but degraded: {'; '.join(map(str, wrong))}",
            where=wrong[0].site.host,
            hint=f"`iosonde up {builder.stack.file} --repair` re-adds missing members of md arrays",
        )


def down(
    stack: str | Path,
    *,
    hosts: Mapping[str, str] | None = None,
    rehearse: bool = False,
    in_container: bool = False,
    dry_run: bool = False,
    progress: Progress = lambda _: None,
) -> StackSteps:
    """Remove exactly what `up` built of a stack, the last layer first.

    Args:
        stack: its file.
        hosts: addresses of hosts, in place of those in the file.
        rehearse: all hosts are nodes of the lab.
        in_container: write to devices in a container too.
        dry_run: remove nothing; the record holds what would be removed.
        progress: hears of each step as it is done.

    Raises:
        Refused: something stands there that is not what was built, or is in use.
        HostFailed: something could not be taken away, or a host could not be reached; all that
            could be taken away is.
    """
    declared = read_stack(Path(stack), rehearse=rehearse, at=hosts)
    permissions = parse_destroy((), in_container=in_container)
    steps = _Steps(progress)
    run_async(_take_away(declared, steps, permissions, dry_run=dry_run), _ADVICE)
    return steps.record()


async def _take_away(
    declared: DeclaredStack, steps: _Steps, permissions: Sequence[Permission], *, dry_run: bool
) -> None:
    async with opened(declared, some=True) as (hosts, journals):
        missing = [name for name in declared.opens if name not in hosts]
        if dry_run:
            for step in recorded(journals):
                steps(step)
        else:
            await take_away(hosts, journals, tell=steps, permissions=permissions)
    if missing:
        raise HostFailed(
            f"cannot be reached, so what was built there still stands: {', '.join(missing)}",
            where=declared.file,
            hint="run `iosonde down` again when they are back",
        )
