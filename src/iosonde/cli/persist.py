"""`iosonde persist`: keep changed settings over a reboot, and take that back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import OneHost, Trace
from iosonde.cli.output import err, out, print_json

if TYPE_CHECKING:
    from iosonde.verbs.persist import KeptSettings


def persist(
    host: OneHost = "local",
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what would change in which file; change nothing.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Remove all that iosonde keeps on that host.")
    ] = False,
    study: Annotated[str, typer.Option(help="Reason, written into each file as a comment.")] = "",
    trace: Trace = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema persist).")
    ] = False,
) -> None:
    """Keep every setting that `iosonde set` changed, in the host's own configuration.

    Files of iosonde's own in udev's rules, sysctl.d, modprobe.d and nfs.conf.d; options of lines of
    fstab. `rollback` does not put back what is kept; after --undo it does.
    """
    from iosonde.hosts.command import set_trace
    from iosonde.verbs.persist import persist as verb

    set_trace(trace)
    kept = verb(host, diff=diff, undo=undo, study=study)
    if as_json:
        print_json(kept.to_json())
    else:
        _print(kept, undo=undo)


def _print(kept: KeptSettings, *, undo: bool) -> None:
    for file in kept.files:
        if kept.done:
            out().print(f"{file.path}: {'taken away' if file.action == 'remove' else 'written'}")
        else:
            out().print(file.diff, end="")
    for setting in kept.settings:
        if setting.note:
            err().print(f"{setting.name}: {setting.note}")
    if not kept.files:
        out().print("nothing is kept by iosonde" if undo else "nothing to keep")
    elif undo and kept.done:
        out().print("the values of now stay until the next boot, or `iosonde rollback`")
