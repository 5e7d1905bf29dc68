"""`iosonde up` and `iosonde down`: build a declared stack, and take it away again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iosonde.cli.options import Trace
from iosonde.cli.output import err, out, print_json
from iosonde.errors import HostFailed, IosondeError, UsageError

if TYPE_CHECKING:
    from iosonde.change.build import Report
    from iosonde.records import Json
    from iosonde.stack.file import DeclaredStack

_FILE = typer.Argument(metavar="STACK", help="The stack file (iosonde schema stack).")
_AT = typer.Option(
    "--host", metavar="NAME=ADDRESS", help="Where a host of the stack is, instead of what it says."
)
_SET = typer.Option(
    "--set", metavar="LAYER.KEY=VALUE", help="Build a layer otherwise than the file says."
)
_REHEARSE = typer.Option("--rehearse", help="All hosts stand in the lab: `iosonde lab up STACK`.")


def up(
    stack: Annotated[Path, _FILE],
    at: Annotated[list[str] | None, _AT] = None,
    rehearse: Annotated[bool, _REHEARSE] = False,
    values: Annotated[list[str] | None, _SET] = None,
    destroy: Annotated[
        list[str] | None,
        typer.Option(metavar="DEVICE[=SIGNATURE,…]", help="A real disk whose content may be lost."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan; connect to no host, change nothing.")
    ] = False,
    trace: Trace = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the steps as JSON.")] = False,
) -> int:
    """Build a declared stack on its hosts. What is there already and as declared is left alone."""
    from iosonde.change.guard import parse_destroy
    from iosonde.hosts.command import set_trace

    set_trace(trace)
    declared = _read(stack, at, rehearse=rehearse, values=values or [])
    permissions = parse_destroy(destroy or [])
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

            await Builder(declared, hosts, journals, permissions, told).all()

    return _run(build(), told)


def down(
    stack: Annotated[Path, _FILE],
    at: Annotated[list[str] | None, _AT] = None,
    rehearse: Annotated[bool, _REHEARSE] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be taken away; change nothing.")
    ] = False,
    trace: Trace = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the steps as JSON.")] = False,
) -> int:
    """Take away exactly what `iosonde up` built of a stack, the last layer first."""
    from iosonde.hosts.command import set_trace

    set_trace(trace)
    declared = _read(stack, at, rehearse=rehearse)
    told = _Told(as_json=as_json)
    return _run(_take_away(declared, told, dry_run=dry_run), told)


async def _take_away(declared: DeclaredStack, told: _Told, *, dry_run: bool) -> None:
    from iosonde.change.open import opened
    from iosonde.change.take_away import recorded, take_away

    async with opened(declared, some=True) as (hosts, journals):
        missing = [name for name in declared.opens if name not in hosts]
        if dry_run:
            for report in recorded(journals):
                told(report)
        else:
            await take_away(hosts, journals, tell=told)
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
        asyncio.run(doing)
    except IosondeError:
        if not told.as_json:
            told.end()
        raise
    except KeyboardInterrupt:
        err().print("interrupted; `iosonde down` takes away what stands, `up` goes on.")
        return 130
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
            out().print(
                f"{report.layer} on {report.host}: {report.action}", markup=False, style="bold"
            )
            for line in report.command.split("; "):
                out().print(f"  {line}", markup=False)
            return
        time = f" ({report.seconds:.1f} s)" if report.state not in {"unchanged", "found"} else ""
        word = {"found": "was there, not made by iosonde"}.get(report.state, report.state)
        err().print(f"{report.host}: {report.layer}: {report.action}: {word}{time}", markup=False)

    def end(self) -> int:
        """Print the object of the contract, or how many steps of which state there were."""
        if self.as_json:
            steps: list[Json] = [
                {
                    "layer": one.layer, "host": one.host, "action": one.action,
                    "command": one.command, "state": one.state, "seconds": round(one.seconds, 3),
                }
                for one in self._reports
            ]  # fmt: skip
            print_json({"schema": "iosonde.up/1", "steps": steps})
            return 0
        states = [one.state for one in self._reports]
        counts = ", ".join(f"{states.count(one)} {one}" for one in dict.fromkeys(states))
        out().print(f"{len(states)} steps{': ' if counts else ''}{counts}", markup=False)
        return 0
