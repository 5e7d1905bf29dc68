"""Stored runs for the verbs that show them, and files for what they make of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.errors import UsageError

if TYPE_CHECKING:
    from iosonde.sheets import RunSheet

_CAMPAIGN_TELLS = frozenset({"within-noise"})
"""Rules whose answer a campaign gives better: of its candidates, from loops in turns."""


def load_sheets(runs: Sequence[str], store: str | None) -> list[RunSheet]:
    """Stored runs with their statistics.

    Raises:
        UsageError: no such run.
    """
    from iosonde.measure.sheet import sheet
    from iosonde.store import open_store

    kept = open_store(store)
    try:
        return [sheet(kept.load(run)) for run in runs]
    finally:
        kept.close()


def explained(sheet: RunSheet, store: str | None) -> RunSheet:
    """The run with what the rules say of it and of what was imported beside its trials."""
    from dataclasses import replace

    from iosonde.explain.gather import of_run
    from iosonde.explain.judge import findings
    from iosonde.explain.waterfall import waterfalls
    from iosonde.records import Forecast
    from iosonde.store import open_store

    kept = open_store(store)
    try:
        beside = kept.evidence(sheet.run.id)
    finally:
        kept.close()
    case = of_run(sheet, beside)
    found = findings(case)
    newest = {one.what.trial: one.what for one in beside if isinstance(one.what, Forecast)}
    return replace(
        sheet, findings=found, waterfalls=waterfalls(case, found),
        forecasts=tuple(newest.values()),
    )  # fmt: skip


def campaigned(sheet: RunSheet, store: str | None) -> RunSheet:
    """The run with its campaign, where it is one of `iosonde tune`."""
    from dataclasses import replace

    from iosonde.store import open_store
    from iosonde.tune.sheet import tuned

    kept = open_store(store)
    try:
        campaign = kept.campaign(sheet.run.id)
    finally:
        kept.close()
    if campaign is None:
        return sheet
    kept_findings = tuple(one for one in sheet.findings if one.rule not in _CAMPAIGN_TELLS)
    return tuned(replace(sheet, findings=kept_findings), campaign)


def write_out(content: bytes, output: Path | None, *, binary: bool) -> None:
    """To a file, or to standard output where that is no terminal or the content is text.

    Raises:
        UsageError: the file cannot be written, or bytes would go to a terminal.
    """
    if output is not None:
        try:
            output.write_bytes(content)
        except OSError as problem:
            raise UsageError(f"cannot be written: {problem.strerror}", where=str(output)) from None
        return
    if binary and sys.stdout.isatty():
        raise UsageError("this format is no text", hint="give a file with -o")
    sys.stdout.buffer.write(content)
