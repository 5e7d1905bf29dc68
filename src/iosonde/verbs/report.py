"""How does a run look on a page to share?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from iosonde.contract import ADDED, VerbResult
from iosonde.errors import UsageError
from iosonde.explain.gather import of_run
from iosonde.explain.judge import findings
from iosonde.explain.waterfall import waterfalls
from iosonde.measure.again import read_again
from iosonde.measure.comparison import compare, settings_differ
from iosonde.measure.in_turns import split
from iosonde.measure.sheet import sheet
from iosonde.outputs import require_output, write_output
from iosonde.records.comparison import PROVEN, ComparedSheets
from iosonde.records.prediction import Forecast
from iosonde.records.run import Run
from iosonde.records.sheet import RunSheet
from iosonde.report import FORMATS
from iosonde.report.html import answer_of
from iosonde.store import open_store
from iosonde.store.store import Store
from iosonde.tune.sheet import tuned
from iosonde.verbs.compare import compared_metric

_CAMPAIGN_TELLS = frozenset({"within-noise"})
"""Rules whose answer a campaign gives better: of its candidates, from loops in turns."""


@dataclass(frozen=True, slots=True)
class WrittenReport(VerbResult):
    """Where a report is."""

    SCHEMA = "iosonde.report/1"
    file: str
    format: str
    answer: str = field(metadata=ADDED)
    """The first sentence of the page."""


def report(
    *runs: str,
    output: str | Path | None = None,
    format: str = "html",  # noqa: A002 - as the option is called
    store: str | None = None,
) -> WrittenReport:
    """Write one self-contained page with stack, settings, loops, latencies and series.

    Args:
        runs: ids, or "last"; of several the first is the baseline that the others are compared
            with.
        output: the file to write; "-" is standard output, None: "report.html".
        format: html, markdown, svg or png.
        store: a file or a PostgreSQL URL; None: the usual one.

    Raises:
        UsageError: no such run or format.
        UsageError, Refused, OutputFailed: the file cannot be written.
    """
    chosen = FORMATS.load(format)()
    place = Path(output or f"report{chosen.suffix}")
    kept = open_store(store)
    try:
        sheets = [_explained(read_again(kept.load(run)), kept) for run in runs]
    finally:
        kept.close()
    sheets, compared = as_shown(sheets)
    require_output(place, "the report")
    write_output(place, chosen.serialize(sheets, compared), "the report")
    return WrittenReport(str(place.resolve()), format, answer_of(sheets, compared))


def _explained(run: Run, kept: Store) -> RunSheet:
    """A run with what the rules say of it and of what was imported beside its trials.

    A run of `iosonde tune` comes with its campaign.
    """
    whole, beside, campaign = sheet(run), kept.evidence(run.id), kept.campaign(run.id)
    case = of_run(whole, beside)
    noted = findings(case)
    newest = {extra.what.trial: extra.what for extra in beside if isinstance(extra.what, Forecast)}
    explained = replace(
        whole,
        findings=tuple(
            finding for finding in noted if not campaign or finding.rule not in _CAMPAIGN_TELLS
        ),
        waterfalls=waterfalls(case, noted),
        forecasts=tuple(newest.values()),
        beside=beside,
    )
    return tuned(explained, campaign) if campaign else explained


def as_shown(sheets: Sequence[RunSheet]) -> tuple[list[RunSheet], ComparedSheets]:
    """What a page shows side by side, and its verdicts: runs, or the arms of an interleaved run."""
    shown = (_arms(sheets[0]) if len(sheets) == 1 else []) or list(sheets)
    return shown, _compared(shown)


def _arms(whole: RunSheet) -> list[RunSheet]:
    """The two arms of an interleaved run, to be shown as two runs; what was noted is noted once."""
    arms = split(whole)
    if len(arms) != 2 or not all(trial.metrics for arm in arms for trial in arm.trials):
        return []
    return [
        arms[0],
        replace(arms[1], findings=(), waterfalls=(), forecasts=(), beside=(), joint=()),
    ]


def _compared(sheets: Sequence[RunSheet]) -> ComparedSheets:
    """The later runs held against the first: headlines, what else is proven, and settings."""
    if len(sheets) < 2:
        return ComparedSheets()
    try:
        comparison = compare(sheets)
    except UsageError:
        return ComparedSheets(settings=settings_differ(sheets))
    verdicts = tuple(map(compared_metric, comparison.answers))
    proven = {verdict.metric for verdict in verdicts if verdict.outcome in PROVEN}
    shown = (verdict for verdict in verdicts if verdict.headline or verdict.metric in proven)
    return ComparedSheets(tuple(shown), comparison.settings, comparison.bar.margin)
