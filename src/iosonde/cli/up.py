"""`iosonde up` and `iosonde down`: build a declared stack, and take it away again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iosonde.cli.options import InContainer, Trace, permitted
from iosonde.cli.output import err, out, print_json
from iosonde.errors import HostFailed, IosondeError, UsageError
from iosonde.verbs.signals import run_async

if TYPE_CHECKING:
    from iosonde.change.build import Builder, Report
    from iosonde.change.guard import Permission
    from iosonde.records import Json
    from iosonde.stack.file import DeclaredStack

_FILE = typer.Argument(metavar="STACK", help="The stack file (iosonde schema stack).")
_AT = typer.Option(
    "--host",
    metavar="NAME=ADDRESS",
    help="Address of a host, in place of the one in the stack file.",
)
_SET = typer.Option(
    "--set",
    metavar="LAYER.KEY=VALUE",
    help="Value of a key, in place of the one in the stack file.",
)
_REHEARSE = typer.Option(
    "--rehearse", help="All hosts are nodes of the lab: `iosonde lab up STACK`."
)


def up(
    stack: Annotated[Path, _FILE],
    at: Annotated[list[str] | None, _AT] = None,
    rehearse: Annotated[bool, _REHEARSE] = False,
    values: Annotated[list[str] | None, _SET] = None,
    destroy: Annotated[
        list[str] | None,
        typer.Option(metavar="DEVICE[=SIGNATURE,…]", help="A real disk whose content may be lost."),
    ] = None,
    in_container: InContainer = False,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Re-add the missing members of degraded md arrays, and wait."
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan; connect to no host, change nothing.")
    ] = False,
    trace: Trace = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the steps as JSON.")] = False,
) -> int:
    """Build a declared stack on its hosts. Layers that exist as declared are left alone."""
    from iosonde.hosts.command import set_trace

    set_trace(trace)
    declared = _read(stack, at, rehearse=rehearse, values=values or [])
    permissions = permitted(destroy, in_container=in_container)
    told = _Told(as_json=as_json)
    if dry_run:
        from iosonde.change.build import planned

        for report in planned(declared):
            told(report)
        return told.end()
    from iosonde.change.open import opened

    async def build() -> None:
        async with opened(declared) as (hosts, journals):
            from iosonde.change.build import Builder

            builder = Builder(declared, hosts, journals, permissions, told)
            await builder.all()
            await _require_whole(builder, repair=repair)

    return _run(build(), told)


async def _require_whole(builder: Builder, *, repair: bool) -> None:
    """What was there already must be whole; degraded arrays are repaired where that was asked for.

    Raises:
        HostFailed: a layer is not whole.
    """
    from iosonde.change import repair as mending

    stood = [site for site in builder.built.values() if site.name in builder.stood]
    wrong = await mending.troubles(stood, builder.hosts)
    if repair:
        for one in wrong:
            host, journal = builder.hosts[one.site.host], builder.journals[one.site.host]
            await mending.repair(one, host, journal, lambda text: err().print(text))
        wrong = await mending.troubles([one.site for one in wrong], builder.hosts)
    if wrong:
        raise HostFailed(
            f"the stack is built, but degraded: {'; '.join(map(str, wrong))}",
            where=wrong[0].site.host,
            hint=f"`iosonde up {builder.stack.file} --repair` re-adds missing members of md arrays",
        )


def down(
    stack: Annotated[Path, _FILE],
    at: Annotated[list[str] | None, _AT] = None,
    rehearse: Annotated[bool, _REHEARSE] = False,
    in_container: InContainer = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be removed; change nothing.")
    ] = False,
    trace: Trace = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the steps as JSON.")] = False,
) -> int:
    """Remove exactly what `iosonde up` built of a stack, the last layer first."""
    from iosonde.hosts.command import set_trace

    set_trace(trace)
    declared = _read(stack, at, rehearse=rehearse)
    permissions = permitted((), in_container=in_container)
    told = _Told(as_json=as_json)
    return _run(_take_away(declared, told, permissions, dry_run=dry_run), told)


async def _take_away(
    declared: DeclaredStack, told: _Told, permissions: Sequence[Permission], *, dry_run: bool
) -> None:
    from iosonde.change.open import opened
    from iosonde.change.take_away import recorded, take_away

    async with opened(declared, some=True) as (hosts, journals):
        missing = [name for name in declared.opens if name not in hosts]
        if dry_run:
            for report in recorded(journals):
                told(report)
        else:
            await take_away(hosts, journals, tell=told, permissions=permissions)
    if missing:
        raise HostFailed(
            f"cannot be reached, so what was built there still stands: {', '.join(missing)}",
            where=declared.file,
            hint="run `iosonde down` again when they are back",
        )


def _read(
    file: Path, at: Sequence[str] | None, *, rehearse: bool, values: Sequence[str] = ()
) -> DeclaredStack:
    from iosonde.stack.file import read_stack
    from iosonde.stack.overrides import parse_overrides

    changes = parse_overrides(values)
    return read_stack(file, rehearse=rehearse, at=_addresses(at or []), values=changes)


def _addresses(options: Sequence[str]) -> Mapping[str, str]:
    found = {}
    for option in options:
        name, equals, address = option.partition("=")
        if not (name and equals and address):
            raise UsageError(
                f"{option!r} names no host and where it is",
                where="--host",
                hint="write NAME=ADDRESS, for example s1=root@storage1",
            )
        found[name] = address
    return found


def _run(doing: Any, told: _Told) -> int:
    """The exit code; a failure is told after the steps that led to it."""
    try:
        run_async(doing, "`iosonde down` takes away what stands, `up` goes on.")
    except IosondeError:
        if not told.as_json:
            told.end()
        raise
    return told.end()


class _Told:
    """Steps as they are done: a line each on standard error, or one object at the end."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._reports: list[Report] = []

    def __call__(self, report: Report) -> None:
        self._reports.append(report)
        if self.as_json:
            return
        if report.state == "planned":
            out().print(f"{report.layer} on {report.host}: {report.action}", style="bold")
            for line in report.command.split("; "):
                out().print(f"  {line}")
            return
        time = f" ({report.seconds:.1f} s)" if report.state not in {"unchanged", "found"} else ""
        word = {"found": "was there, not made by iosonde"}.get(report.state, report.state)
        err().print(f"{report.host}: {report.layer}: {report.action}: {word}{time}")
        if report.note:
            err().print(f"{report.host}: {report.layer}: {report.note}", style="bold")

    def end(self) -> int:
        """Print the object of the contract, or how many steps of which state there were."""
        if self.as_json:
            steps: list[Json] = [
                {
                    "layer": one.layer, "host": one.host, "action": one.action,
                    "command": one.command, "state": one.state, "seconds": round(one.seconds, 3),
                    "note": one.note,
                }
                for one in self._reports
            ]  # fmt: skip
            print_json({"schema": "iosonde.up/1", "steps": steps})
            return 0
        states = [one.state for one in self._reports]
        counts = ", ".join(f"{states.count(one)} {one}" for one in dict.fromkeys(states))
        out().print(f"{len(states)} steps{': ' if counts else ''}{counts}")
        return 0
