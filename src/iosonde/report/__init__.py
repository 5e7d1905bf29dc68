"""Tables, charts and pages made from stored records, one file per format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.report.format import Format

FORMATS: Table[type[Format]] = Table(
    "format",
    {
        "json": "iosonde.report.json:JsonFormat",
    },
)
