"""`iosonde explain`: what trials, states and counters mean, live or imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.output import err, failures, out, print_json, styled

if TYPE_CHECKING:
    from iosonde.verbs.explain import Explanation


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
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Each place with its figures.")
    ] = False,
    store: StorePlace = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema explain).")
    ] = False,
) -> None:
    """Say what is wrong, how one knows, and what mends it; the worst first.

    Everything given is explained together: a run and the text somebody else wrote, two hosts and
    the link between them. Without an argument: this host. Where nothing was recognised in what was
    given, nothing can be said of it: the exit code is then 1.
    """
    from iosonde.cli.explained import print_answer, print_findings, print_rules, print_waterfalls
    from iosonde.verbs import explain as verb

    if rules:
        listed = verb.list_rules()
        print_json(listed.to_json()) if as_json else print_rules(listed.rules)
        return
    explained = verb.explain(*what or (), waterfall=waterfall, order=order or (), store=store)
    if as_json:
        print_json(explained.to_json())
    else:
        print_waterfalls(explained.waterfall)
        print_answer(explained)
        print_findings(explained.findings, verbose=verbose)
        for part in explained.skipped:
            err().print(f"not read {part.place}: {part.tool}, {part.reason}")
        _name_the_silent(explained)
    if explained.failed:
        failures(explained.failed)
        raise typer.Exit(2)
    if not explained.recognised:
        raise typer.Exit(1)


def _name_the_silent(explained: Explanation) -> None:
    """What of that which was named told nothing: the answer where it is all, else beside it."""
    console = err() if explained.recognised else out()
    for name in explained.silent:
        console.print(styled("nothing was recognised in {}: it was not judged", name))
    if not explained.recognised:
        from iosonde.text.search import kinds_hint

        err().print(f"  to do: {kinds_hint()}", soft_wrap=True)
