"""Damaged pages of PostgreSQL. Oracle: the pages that the sample's lines name."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers._rules.database_pages import RULES
from tests.mangle import counters, mangled
from tests.unit.explain.cases import case_of, findings_named

TEXT = (Path(__file__).parents[3] / "outputs/postgresql-composed/damaged-pages.txt").read_text()
CLEAN = """\
$ pg_checksums --check -D /srv/pg15
Checksum operation completed
Files scanned:   1234
Blocks scanned:  56789
Bad checksums:  0
Data checksum version: 1
"""


def test_psql_a_log_and_a_check_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        psql, log, check = (row.values for row in counters(given, "PostgreSQL"))
        page = "base/16384/16385:7"
        assert psql == {"checksum_failures": 1, "damaged_pages": 1, "pages": [page]}, shape
        other = "pg_tblspc/16400/PG_15_202209061/16384/16450:9"
        assert log == {
            "checksum_failures": 2, "damaged_pages": 2, "pages": [page, other], "zeroed_pages": 1,
        }, shape  # fmt: skip
        assert check == {
            "files_scanned": 1234, "blocks_scanned": 56789, "bad_checksums": 1,
            "damaged_pages": 1, "pages": [f"/srv/pg15/{page}"],
        }, shape  # fmt: skip


def test_one_finding_of_all_and_none_of_a_clean_check() -> None:
    (finding,) = findings_named(RULES, case_of(TEXT), "checksum-errors")
    assert "2 pages of base/16384/16385, pg_tblspc/16400" in finding.message
    assert "filled some with zeros" in finding.message
    (row,) = counters(CLEAN, "PostgreSQL")
    assert row.values == {"files_scanned": 1234, "blocks_scanned": 56789, "bad_checksums": 0}
    assert row.command.startswith("pg_checksums")
    assert not findings_named(RULES, case_of(CLEAN), "checksum-errors")


@pytest.mark.parametrize("text", [
    "The server says page verification failed, calculated checksum 1 but expected 2, what now?\n",
    'ERROR:  could not read block 7 in file "base/16384/16385": read only 0 of 8192 bytes\n',
    "ereport(ERROR, errmsg(\"invalid page in block %u of relation %s\", blkno, relpath));\n",
    "ERROR:  invalid page in block 7 of relation my_table\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not counters(text, "PostgreSQL")
