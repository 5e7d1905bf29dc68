"""`iosonde up` and `iosonde down`: build a declared stack, and take it away again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.options import InContainer, Trace, permitted
from iosonde.cli.output import write_message
from iosonde.cli.steps import StepsAnswer, print_steps
from iosonde.errors import UsageError

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
    from iosonde.stack.overrides import parse_overrides
    from iosonde.verbs import up as verb

    changed, hosts = parse_overrides(values or ()), _addresses(at or ())
    permitted(destroy, in_container=in_container)
    return print_steps(
        lambda progress: verb.up(
            stack, hosts=hosts, rehearse=rehearse, values=changed, destroy=destroy or (),
            in_container=in_container, repair=repair, dry_run=dry_run, progress=progress,
            tell=write_message,
        ),
        StepsAnswer(
            f"{stack} is built", f"{stack} stands as declared, nothing was changed",
            (_same("down", stack, at, rehearse=rehearse),),
        ),
        as_json=as_json,
    )  # fmt: skip


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
    from iosonde.verbs import up as verb

    hosts = _addresses(at or ())
    permitted((), in_container=in_container)
    return print_steps(
        lambda progress: verb.down(
            stack, hosts=hosts, rehearse=rehearse, in_container=in_container, dry_run=dry_run,
            progress=progress,
        ),
        StepsAnswer(
            f"what `up` built of {stack} is removed",
            f"nothing to remove: nothing that `up` built of {stack} is left on its hosts",
        ),
        as_json=as_json,
    )  # fmt: skip


def _same(verb: str, stack: Path, at: Sequence[str] | None, *, rehearse: bool) -> str:
    """The command for the same stack on the same hosts, to copy."""
    argv = ["iosonde", verb, str(stack), *(f"--host={pair}" for pair in at or ())]
    return shlex.join([*argv, *(["--rehearse"] if rehearse else [])])


def _addresses(options: Sequence[str]) -> dict[str, str]:
    """Host → address."""
    addresses = {}
    for option in options:
        name, equals, address = option.partition("=")
        if not (name and equals and address):
            raise UsageError(
                f"{option!r} names no host and where it is",
                where="--host",
                hint="write NAME=ADDRESS, for example s1=root@storage1",
            )
        addresses[name] = address
    return addresses
