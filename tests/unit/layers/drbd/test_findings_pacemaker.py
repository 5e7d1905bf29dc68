"""Resources that failed, from the text of a file to what is said of them."""

from __future__ import annotations

from pathlib import Path

from iosonde.layers.drbd.findings_pacemaker import RULES
from tests.unit.explain.cases import case_of, findings_named

PLACE = Path(__file__).parents[3] / "outputs" / "pacemaker-composed"


def _said(text: str) -> list[str]:
    return [finding.message for finding in findings_named(RULES, case_of(text))]


def test_why_each_of_them_failed() -> None:
    (mounted,) = _said((PLACE / "pcs-status.txt").read_text())
    assert "file system fs_srv as FAILED" in mounted
    assert "Couldn't mount device [/dev/pond/srv] as /srv" in mounted
    stopped, replicated = _said((PLACE / "crm-mon-old.txt").read_text())
    assert "fs_srv as stopped after a failure (start on oak: unknown error)" in stopped
    assert "DRBD resource drbd_r0 as FAILED (demote on elm: not installed)" in replicated


def test_a_failure_that_was_overcome_says_nothing() -> None:
    text = (PLACE / "pcs-status.txt").read_text().replace("FAILED elm (blocked)", "Started elm")
    assert not _said(text)
