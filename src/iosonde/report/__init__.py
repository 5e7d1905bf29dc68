"""Tables, charts and pages made from stored records, one file per format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.report.format import Format

FORMATS: Table[type[Format]] = Table(
    "format",
    {
        "html": "iosonde.report.html:HtmlFormat",
        "svg": "iosonde.report.image:SvgFormat",
        "png": "iosonde.report.image:PngFormat",
        "csv": "iosonde.report.csv:CsvFormat",
        "markdown": "iosonde.report.markdown:MarkdownFormat",
        "parquet": "iosonde.report.parquet:ParquetFormat",
        "json": "iosonde.report.json:JsonFormat",
    },
    group="iosonde.formats",
)
