"""Errors of a disk that `zpool clear` took away, and those that stay errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.verbs.explain import explain
from tests.mangle import subjects_in

STATUS = (
    "# zpool status tank\n  pool: tank\n state: {pool}\n"
    "  scan: scrub repaired 0B in 02:10:11 with 0 errors on Sun Jan  8 02:34:12 2023\nconfig:\n\n"
    "\tNAME        STATE     READ WRITE CKSUM\n\ttank        {pool}     0     0     0\n"
    "\t  mirror-0  {pool}     0     0     0\n\t    sda       ONLINE     0     0     0\n"
    "\t    {disk}       {state}     {counts}\n\nerrors: No known data errors\n"
)


def _status(state: str, counts: str, *, pool: str = "ONLINE", disk: str = "sdb") -> str:
    return STATUS.format(pool=pool, state=state, counts=counts, disk=disk)


CLEAN = _status("ONLINE", "0     0     0")
BAD = _status("ONLINE", "3    12     7")
FAULTED = _status("FAULTED", "0    86     0  too many errors", pool="DEGRADED")


@pytest.mark.parametrize(("text", "said"), [
    (BAD + "# zpool clear tank sdb\n" + CLEAN,
     "it ONLINE with 3 failed reads, 12 failed writes, 7 wrong checksums, a later one ONLINE"),
    (FAULTED + "# zpool clear tank\n" + CLEAN,
     "it FAULTED, too many errors with 86 failed writes, a later one ONLINE without any"),
    (FAULTED + FAULTED + CLEAN, "with 86 failed writes"),
])  # fmt: skip
def test_errors_that_were_cleared_are_a_warning(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "text").write_text(text)
    (finding,) = explain(str(tmp_path / "text")).findings
    assert (finding.rule, finding.severity) == ("cleared-errors", "warning")
    assert finding.subject == "sdb"
    assert said in finding.message


@pytest.mark.parametrize(("text", "rules"), [
    (CLEAN + BAD, {"io-errors", "checksum-errors"}),  # they came later
    (CLEAN + CLEAN, set()),
    (BAD, {"io-errors", "checksum-errors"}),
    (BAD + _status("ONLINE", "0     0     0", disk="sdc"), {"io-errors", "checksum-errors"}),
    (_status("FAULTED", "0     0     0  external device fault", pool="DEGRADED") + CLEAN, set()),
    (_status("UNAVAIL", "0     0     0", pool="DEGRADED") + CLEAN, set()),
    (BAD + CLEAN.replace("Jan  8", "Jan  9"), set()),  # scrubbed since, and nothing was wrong
    (BAD + CLEAN.replace("Jan  8", "Jan  9").replace("0 errors", "2 errors"), {"cleared-errors"}),
    (BAD + CLEAN.replace("Jan  8", "Jan  9").replace("repaired 0B", "repaired 4M"),
     {"cleared-errors"}),
])  # fmt: skip
def test_errors_that_were_not_cleared(tmp_path: Path, text: str, rules: set[str]) -> None:
    (tmp_path / "text").write_text(text)
    assert {finding.rule for finding in explain(str(tmp_path / "text")).findings} == rules


def test_damaged_files_that_a_later_scrub_does_not_find_any_more(tmp_path: Path) -> None:
    damaged = CLEAN.replace("0 errors on", "1 errors on").replace(
        "No known data errors", "1 data errors, use '-v' for a list"
    )
    mended = CLEAN.replace("Jan  8", "Jan  9")
    for text, rules in (
        (damaged, {"damaged-files"}),
        (damaged + CLEAN.replace("with 0 errors", "with 1 errors"), {"damaged-files"}),
        (damaged + mended, set()),
        (mended + damaged, {"damaged-files"}),
    ):
        (tmp_path / "text").write_text(text)
        findings = explain(str(tmp_path / "text")).findings
        assert {finding.rule for finding in findings} == rules
        assert all("1 data error:" in finding.message for finding in findings)


def test_a_bare_prompt_below_the_list_of_damaged_files_is_none_of_them(tmp_path: Path) -> None:
    text = CLEAN.replace(
        "errors: No known data errors",
        "errors: Permanent errors have been detected in the following files:\n\n"
        "        /tank/oak\n$",
    )
    (pool, *_) = subjects_in(text)
    assert str(pool.values["errors"]).endswith("/tank/oak")
