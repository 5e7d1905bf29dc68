"""The verbs: one file each, imported only when the verb is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from collections.abc import Callable

VERBS: Table[Callable[..., int | None]] = Table(
    "verb",
    {
        "run": "iosonde.cli.run:run",
        "list": "iosonde.cli.list:list_runs",
        "report": "iosonde.cli.report:report",
        "export": "iosonde.cli.export:export",
    },
)

SUMMARIES: dict[str, str] = {
    "run": "measure a study, or one load at one target",
    "list": "the runs in the store",
    "report": "a page to share",
    "export": "stored runs as csv, json, parquet or markdown",
}
