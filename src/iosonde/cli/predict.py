"""`iosonde predict`: what each layer of a declared stack will do with a load."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from iosonde.cli.output import print_json
from iosonde.cli.stored import store_to_write
from iosonde.errors import UsageError
from iosonde.outputs import write_output


def predict(
    stack: Annotated[Path, typer.Option(metavar="FILE", help="The stack file, or recording:DIR.")],
    load: Annotated[
        str,
        typer.Option(metavar="LOAD", help="A load's name, a .fio file, a command line, a trace."),
    ] = "",
    at: Annotated[
        str, typer.Option(metavar="LAYER", help="Layer that the load is applied to (the top).")
    ] = "",
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="LAYER.SETTING=VALUE[,…]",
            help="Value in place of the declared one; may be repeated.",
        ),
    ] = None,
    requests: Annotated[
        int, typer.Option(min=1, help="Number of requests, if neither load nor trace gives it.")
    ] = 1000,
    device: Annotated[
        list[str] | None,
        typer.Option(metavar="LAYER=MODEL", help="Speed of a layer, or of all layers of a kind."),
    ] = None,
    store: Annotated[
        str | None, typer.Option(help="Store with calibrations: a file or a PostgreSQL URL.")
    ] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Rank all combinations of the values of --set.")
    ] = False,
    dask: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="With --search: on the workers of a Dask cluster; local: its threads here.",
        ),
    ] = "",
    prior: Annotated[
        Path | None, typer.Option(help="With --search: write the ranking here, for `tune`.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="RUN", help="Compare with what a run measured; may be repeated."),
    ] = None,
    fit: Annotated[
        str,
        typer.Option(metavar="LAYER=FIGURE,…", help="Fit a controller's model to measured rates."),
    ] = "",
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with charts.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the charts alone.")
    ] = None,
    ledger: Annotated[
        bool, typer.Option("--ledger", help="Show all layers with the sizes of their I/Os.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> int:
    """Count beforehand what each layer of a stack reads and writes for a load, and how fast it is.

    For the counts requests come one after the other; the stack was idle, its arrays are clean.
    """
    from iosonde.cli import predicted as show
    from iosonde.verbs import predict as verb
    from iosonde.verbs.report import report

    options: dict[str, Any] = {
        "at": at, "requests": requests, "devices": device or [], "store": store,
    }  # fmt: skip
    if against:
        with store_to_write(store) as kept:
            compared = verb.compare_with_runs(stack, *against, kept=kept, **options)
        for place, fmt in ((html, "html"), (svg, "svg")):
            if place:
                report(*against, output=str(place), format=fmt, store=store)
        print_json(compared.to_json()) if as_json else show.print_forecasts(compared)
        return int(not compared.inside)
    _check(load, prior, dask, search=search, drawn=bool(html or svg), fit=bool(fit))
    options["settings"] = change or []
    if search:
        ranked = verb.rank(stack, load, dask=dask, **options)
        show.print_ranking(ranked, prior, as_json=as_json)
        return 0 if ranked.ranking else 1
    if fit:
        fitted = verb.fit(stack, load, fit, **options)
        print_json(fitted.to_json()) if as_json else show.print_fitted(fitted)
        return 0
    predicted = verb.predict(stack, load, **options)
    if html:
        write_output(html, predicted.page(load), "the page")
    if svg:
        write_output(svg, predicted.svg(), "the charts")
    print_json(predicted.to_json()) if as_json else show.print_prediction(predicted, ledger=ledger)
    return 0


def _check(
    load: str, prior: Path | None, dask: str, *, search: bool, drawn: bool, fit: bool
) -> None:
    """Refuse options that do not belong together."""
    if not load:
        raise UsageError("say which load: --load LOAD", hint="`iosonde loads` lists them")
    if prior is not None and not search:
        raise UsageError("only a search has a ranking to write", where="--prior", hint="--search")
    if drawn and (search or fit):
        raise UsageError("a search or a fit is not drawn", where="--html", hint="leave it out")
    if dask and not search:
        raise UsageError("only a search is done by Dask", where="--dask", hint="--search")
