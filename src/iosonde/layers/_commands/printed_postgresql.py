"""Pages of PostgreSQL that are not as it wrote them: by its log, in psql, and by pg_checksums.

A page is named by its file and its block, and counted once, however often it was read. A message
about a checksum names no page; the one below it does, unless the checksum is ignored.

Source: PostgreSQL 9.3 to 18, src/backend/storage/page/bufpage.c, PageIsVerified() ("page
verification failed, calculated checksum %u but expected %u"); storage/buffer/bufmgr.c and
catalog/storage.c ("invalid page in block %u of relation %s", "; zeroing out page"; before 9.3
"invalid page header in"); src/bin/pg_checksums/pg_checksums.c (11: pg_verify_checksums.c).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_LEVEL = r"\b(?:WARNING|ERROR|LOG|FATAL|PANIC): {1,3}(?:XX001: )?"
_SUM = re.compile(
    rf"{_LEVEL}page verification failed, calculated checksum \d{{1,5}} but expected \d{{1,5}}"
    r"(?:, buffer will be zeroed)?\s*$"
)
_PAGE = re.compile(
    rf"{_LEVEL}invalid page (?:header )?in block (?P<block>\d{{1,10}}) of relation "
    r"\"?(?P<file>(?:base|global|pg_tblspc)/[\w./]{1,120})\"?(?P<zeroed>; zeroing out page)?\s*$"
)
_FILE = re.compile(
    r"\bchecksum verification failed in file \"(?P<file>[^\"]{1,300})\", "
    r"block (?P<block>\d{1,10}): calculated checksum [\dA-F]{1,4} "
    r"but (?:expected|block contains) [\dA-F]{1,4}\s*$"
)
_TOTAL = re.compile(
    r"\s*(?P<name>Bad checksums|Files scanned|Blocks scanned): {1,6}(?P<count>\d+)$"
)
_OWN = re.compile(
    r"\b(?:STATEMENT|CONTEXT|DETAIL|HINT|QUERY|LOCATION): "
    r"|\s*(?:Checksum (?:scan|operation) completed|Data checksum version: \d|pg_checksums: )"
)
_MAPS = ("_fsm", "_vm")
"""Files that hold no rows, and are made anew."""
_SHOWN = 20  # pages


class PostgresqlPages(StateOutput):
    tool = "PostgreSQL"
    anchors = (
        "page verification failed, calculated", "invalid page in block ",
        "invalid page header in block ", "checksum verification failed in file", "Bad checksums:",
    )  # fmt: skip
    commands = ("pg_checksums", "pg_verify_checksums", "psql", "postgres", "journalctl")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(pattern.search(line) for pattern in (_SUM, _PAGE, _FILE, _TOTAL)):
            return None
        first = cursor.at
        while first and _TOTAL.match(cursor.line(first)) and _TOTAL.match(cursor.line(first - 1)):
            first -= 1
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        pages, zeroed, counts = dict[str, None](), dict[str, None](), dict[str, Json]()
        failures, last = 0, first
        for index, line in close_lines(cursor, first, 4000):
            page, total = _PAGE.search(line) or _FILE.search(line), _TOTAL.match(line)
            if page:
                named = f"{page['file']}:{page['block']}"
                pages[named] = None
                if page.groupdict().get("zeroed") and not page["file"].endswith(_MAPS):
                    zeroed[named] = None
            elif _SUM.search(line):
                failures += 1
            elif total:
                counts[total["name"].lower().replace(" ", "_")] = int(total["count"])
            elif not _OWN.search(line):
                break
            last = index
        values: dict[str, Json] = dict(counts)
        values |= {"checksum_failures": failures} if failures else {}
        if pages:
            values |= {"damaged_pages": len(pages), "pages": [*list(pages)[:_SHOWN]]}
        values |= {"zeroed_pages": len(zeroed)} if zeroed else {}
        return last, [self._counted(values, prompt)]

    def _counted(self, values: dict[str, Json], prompt: Prompt) -> PrintedCounters:
        return self.counted("database", "", values, prompt)
