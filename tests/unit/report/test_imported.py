"""The page of an imported text without results. Oracle: the lines of the text itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.records.finding import Finding
from iosonde.records.printed import (
    AS_PRINTED,
    PRINTED,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    StoredExtra,
    TextLocation,
)
from iosonde.report.blocks import Cells, Title
from iosonde.report.html import answer_of, page_of
from iosonde.report.imported import imported_answer, imported_blocks
from iosonde.verbs.import_ import import_
from iosonde.verbs.report import report
from tests.sample import sample_run

PLACE = TextLocation("mail.txt", 3, 9, "")
POOL = PrintedState("zpool", (PrintedSubject("zpool", "tank", {"state": "ONLINE", "size": 2048}),))
LOG = PrintedCounters(
    "kernel log", "disk", "sda", {"errors": 2, "messages": [{"message": "a"}, "b"]}
)
KEPT = PrintedCounters(PRINTED, AS_PRINTED, "", {"lines": ["first", "second"]})
CHECKSUMS = """# zpool status
  pool: tank
 state: DEGRADED
config:

        NAME        STATE     READ WRITE CKSUM
        tank        DEGRADED     0     0     0
          mirror-0  DEGRADED     0     0     0
            sda     ONLINE       0     0     0
            sdb     FAULTED      3     0     0  too many errors

errors: No known data errors
"""


def imported(*extras: PrintedState | PrintedCounters) -> list[Title | Cells]:
    sheet = replace(sample_run(), beside=tuple(StoredExtra(PLACE, extra) for extra in extras))
    return [block for block in imported_blocks(sheet) if isinstance(block, Title | Cells)]


def test_settings_counters_and_lines_each_have_a_table() -> None:
    titles = [block.text for block in imported(POOL, LOG, KEPT) if isinstance(block, Title)]
    tables = [block.rows for block in imported(POOL, LOG, KEPT) if isinstance(block, Cells)]
    assert titles == ["Settings", "Counters", "Kept as printed"]
    assert tables[0] == (
        ("3–9", "zpool", "tank", "state", "ONLINE"), ("3–9", "zpool", "tank", "size", "2 KiB"),
    )  # fmt: skip
    assert [row[3:] for row in tables[1]] == [("errors", "2"), ("messages", "a"), ("messages", "b")]
    assert tables[2] == (("3–9", "first"), ("3–9", "second"))


def test_a_run_that_was_measured_has_none() -> None:
    assert not imported()
    assert "import" not in page_of([sample_run()]).about[0]


@pytest.mark.parametrize(("number", "folded"), [(20, ""), (21, "1 more"), (400, "380 more")])
def test_a_long_table_is_folded(number: int, folded: str) -> None:
    subject = PrintedSubject("disk", "sda", {f"x{at}": at for at in range(number)})
    cells = [block for block in imported(PrintedState("t", (subject,))) if isinstance(block, Cells)]
    assert [table.folded for table in cells] == (["", folded] if folded else [""])
    assert sum(len(table.rows) for table in cells) == number


def test_rows_that_are_left_out_are_counted() -> None:
    subject = PrintedSubject("disk", "sda", {f"x{at}": at for at in range(401)})
    *_, rest = imported(PrintedState("t", (subject,)))
    assert isinstance(rest, Cells)
    assert rest.folded == "380 more, and 1 that are not on this page"


def test_the_answer_is_the_worst_finding_and_what_tells_most() -> None:
    sheet = replace(sample_run(), trials=(), beside=(StoredExtra(PLACE, POOL),))
    assert answer_of([sheet]) == "zpool: tank: state ONLINE, size 2 KiB (lines 3–9)."
    note = Finding("ranking", "note", "page", "An order nobody can claim.")
    error = Finding("degraded", "error", "tank", "It lacks a disk.")
    assert imported_answer(replace(sheet, findings=(note, error))) == (
        "It lacks a disk. zpool: tank: state ONLINE, size 2 KiB (lines 3–9)."
    )
    log = replace(sheet, beside=(StoredExtra(PLACE, LOG),))
    assert answer_of([log]) == "kernel log: sda: 2 messages: a (lines 3–9)."
    assert "no figure" in answer_of([replace(sheet, beside=())])


def test_the_page_of_an_imported_text(tmp_path: Path) -> None:
    text, store = tmp_path / "ticket.txt", str(tmp_path / "store.sqlite")
    text.write_text(CHECKSUMS)
    (run,) = import_(str(text), store=store).runs
    written = report(run.run, output=tmp_path / "page.html", store=store)
    assert "degraded" in written.answer
    assert "zpool status: tank: state DEGRADED" in written.answer
    page = (tmp_path / "page.html").read_text()
    assert "too many errors" in page
    assert ">Settings</h2>" in page
    for shape, cell in (("markdown", "| tank | state | DEGRADED |"), ("html", "<td")):
        report(run.run, output=tmp_path / "out", format=shape, store=store)
        assert cell in (tmp_path / "out").read_text()
