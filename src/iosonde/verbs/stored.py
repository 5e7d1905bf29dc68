"""Runs of the store with what is computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iosonde.measure.again import read_again
from iosonde.measure.sheet import sheet
from iosonde.records.prediction import Forecast
from iosonde.records.sheet import RunSheet
from iosonde.store import open_store

_CAMPAIGN_TELLS = frozenset({"within-noise"})
"""Rules whose answer a campaign gives better: of its candidates, from loops in turns."""


def load_sheets(runs: Sequence[str], store: str | None) -> list[RunSheet]:
    """Stored runs with their statistics.

    Raises:
        UsageError: no such run.
    """
    kept = open_store(store)
    try:
        return [sheet(read_again(kept.load(run))) for run in runs]
    finally:
        kept.close()


def explained(whole: RunSheet, store: str | None) -> RunSheet:
    """The run with what the rules say of it and of what was imported beside its trials."""
    from iosonde.explain.gather import of_run
    from iosonde.explain.judge import findings
    from iosonde.explain.waterfall import waterfalls

    kept = open_store(store)
    try:
        beside = kept.evidence(whole.run.id)
    finally:
        kept.close()
    case = of_run(whole, beside)
    found = findings(case)
    newest = {one.what.trial: one.what for one in beside if isinstance(one.what, Forecast)}
    return replace(
        whole, findings=found, waterfalls=waterfalls(case, found),
        forecasts=tuple(newest.values()),
    )  # fmt: skip


def campaigned(whole: RunSheet, store: str | None) -> RunSheet:
    """The run with its campaign, where it is one of `iosonde tune`."""
    from iosonde.tune.sheet import tuned

    kept = open_store(store)
    try:
        campaign = kept.campaign(whole.run.id)
    finally:
        kept.close()
    if campaign is None:
        return whole
    kept_findings = tuple(one for one in whole.findings if one.rule not in _CAMPAIGN_TELLS)
    return tuned(replace(whole, findings=kept_findings), campaign)
