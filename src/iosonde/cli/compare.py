"""`iosonde compare`: other runs held against a baseline, metric by metric."""

from __future__ import annotations

from typing import Annotated

import typer

from iosonde import units
from iosonde.cli.options import StorePlace
from iosonde.cli.output import print_json
from iosonde.errors import UsageError


def compare(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[A [B…]]",
            help="Runs; A is the baseline. RUN/TRIAL: one trial of it. A alone: the arms of a run "
            "with --interleave.",
        ),
    ] = None,
    *,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Compare all runs (default: last) with this `iosonde baseline`.",
        ),
    ] = None,
    trial: Annotated[
        list[str] | None,
        typer.Option(help="Only trials of this load, probe, host or id; may be repeated."),
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric; may be repeated.")
    ] = None,
    margin: Annotated[str, typer.Option(help="A change within it does not matter.")] = "2%",
    gate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC:PERCENT",
            help="Exit 1 where the verdict is worse, by more than this; undecided only warns.",
        ),
    ] = None,
    simultaneous: Annotated[
        bool, typer.Option(help="The runs' loops were measured two by two at the same time.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also metrics without a proven change.")
    ] = False,
    store: StorePlace = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
) -> int:
    """Compare runs with a baseline: better, worse, no difference within the margin, or undecided.

    At most 5 % of comparisons of equal runs claim a difference, over all metrics together.
    """
    from iosonde.cli.compared import print_comparison, print_warnings
    from iosonde.verbs import compare as verb

    named = tuple(runs or ())
    if not named and not baseline:
        raise UsageError("say which runs", hint="iosonde compare A B, or --baseline NAME")
    compared = verb.compare(
        *named, trials=trial or (), metrics=metric or (), margin=_margin(margin), gates=gate or (),
        simultaneous=simultaneous, baseline=baseline or "", store=store,
    )  # fmt: skip
    if as_json:
        print_json(compared.to_json())
    else:
        first = [compared.verdicts[0].baseline] if baseline else []
        print_comparison(compared, [*first, *(named or ["last"])], everything=everything)
    print_warnings(compared)
    return int(not compared.passed)


def _margin(text: str) -> float:
    margin = units.parse_fraction(text, where="--margin")
    if not 0 < margin < 1:
        raise UsageError(
            f"a margin lies between 0 and 100 %, not at {text}", where="--margin", hint="2%"
        )
    return margin
