"""`iosonde explain`: what trials, states and counters mean, live or imported."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.output import err, out, print_json
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from iosonde.case import Case
    from iosonde.printed import Kept, Unread
    from iosonde.records import Json
    from iosonde.sheets import RunSheet

_RUN = re.compile(r"last|[2-9a-hj-km-np-z]{4,8}")
_HOSTS = ("lab:", "recording:", "ssh:")


def explain(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN|HOST|FILE…",
            help="Runs of the store, hosts (local, a name ssh knows), texts with tool outputs.",
        ),
    ] = None,
    *,
    rules: Annotated[
        bool, typer.Option("--rules", help="List all rules with their sources.")
    ] = False,
    waterfall: Annotated[
        bool,
        typer.Option("--waterfall", help="What each layer costs, over trials of the same load."),
    ] = False,
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL",
            help="With --waterfall: words of the labels, from the bottom up; may be repeated.",
        ),
    ] = None,
    store: StorePlace = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema explain).")
    ] = False,
) -> None:
    """Say what is wrong, how one knows, and what mends it; the worst first.

    Everything given is explained together: a run and the text somebody else wrote, two hosts and
    the link between them. Without an argument: this host.
    """
    if rules:
        _list_rules(as_json=as_json)
        return
    from iosonde.explain.gather import together
    from iosonde.explain.judge import findings
    from iosonde.explain.waterfall import waterfalls

    cases, unread = _gather(what or ["local"], store)
    case = together(cases)
    found = findings(case)
    falls = waterfalls(case, found, order or ()) if waterfall or order else ()
    if as_json:
        from iosonde.cli.explained import finding_document, waterfall_document

        listed: list[Json] = [finding_document(one) for one in found]
        drawn: list[Json] = [waterfall_document(one) for one in falls]
        missed: list[Json] = [
            {"source": str(one.place), "reason": f"{one.tool}: {one.reason}"} for one in unread
        ]
        print_json({
            "schema": "iosonde.explain/1", "findings": listed, "waterfall": drawn, "unread": missed,
        })  # fmt: skip
        return
    from iosonde.cli.explained import print_findings, print_waterfalls

    print_waterfalls(falls)
    print_findings(found)
    _sum_up(case, len(found), unread)


def _list_rules(*, as_json: bool) -> None:
    from iosonde.cli.explained import print_rules, rule_document
    from iosonde.explain.judge import rules

    if as_json:
        print_json({"schema": "iosonde.rules/1", "rules": [rule_document(one) for one in rules()]})
    else:
        print_rules(rules())


def _gather(names: Sequence[str], store: str | None) -> tuple[list[Case], list[Unread]]:
    """The cases of what was named: files that are there, else runs, else hosts."""
    from iosonde.evidence.document import open_document
    from iosonde.explain.gather import of_document, of_run

    cases: list[Case] = []
    unread: list[Unread] = []
    hosts = []
    for name in names:
        if name == "-" or Path(name).exists():
            case, missed = of_document(open_document(name))
            cases.append(case)
            unread += missed
        elif _RUN.fullmatch(name):
            cases.append(of_run(*_stored(name, store)))
        elif name.startswith(_HOSTS):
            hosts.append(name)
        elif "/" in name or name.endswith((".txt", ".md", ".html", ".pdf", ".log")):
            raise UsageError("there is no such file", where=name)
        else:
            hosts.append(name)
    if hosts:
        from iosonde.explain.host import of_hosts

        cases.append(asyncio.run(of_hosts(hosts)))
    return cases, unread


def _stored(name: str, store: str | None) -> tuple[RunSheet, tuple[Kept, ...]]:
    from iosonde.measure.sheet import sheet
    from iosonde.store import open_store

    kept = open_store(store)
    try:
        run = kept.load(name)
        return sheet(run), kept.evidence(run.id)
    finally:
        kept.close()


def _sum_up(case: Case, found: int, unread: Sequence[Unread]) -> None:
    looked = ", ".join(
        f"{number} {what}{'s' * (number != 1)}"
        for number, what in (
            (len(case.trials), "trial"),
            (len(case.states), "state"),
            (len(case.counters), "counter set"),
        )
    )
    said = f"{found} finding{'s' * (found != 1)}" if found else "nothing to object to"
    out().print(f"{said} in {looked}")
    for one in unread:
        err().print(f"not read {one.place}: {one.tool}, {one.reason}", markup=False)
