"""What is said of the file systems and gateways in the samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.ceph.findings_fs import RULES
from iosonde.verbs.explain import explain

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
FS_14, SYNC = ((OUTPUTS / f"{name}.txt").read_text() for name in ("fs-status-old", "rgw-sync"))


def said(path: Path) -> set[tuple[str, str, str]]:
    names = {rule.name for rule in RULES}
    return {
        (finding.rule, finding.severity, finding.subject)
        for finding in explain(str(path)).findings
        if finding.rule in names
    }


def test_ranks_that_are_not_up() -> None:
    findings = said(OUTPUTS / "fs-status.txt")
    assert {(rule, severity) for rule, severity, _ in findings} == {("degraded", "error")}
    assert said(OUTPUTS / "fs-status-old.txt") == set()


def test_what_the_health_says_of_file_systems() -> None:
    findings = {(rule, severity) for rule, severity, _ in said(OUTPUTS / "health-fs.txt")}
    assert findings == {
        ("degraded", "error"), ("no-standby", "warning"), ("damaged-files", "error"),
        ("slow-requests", "warning"), ("out-of-space", "error"),
    }  # fmt: skip


def test_an_mds_without_beacons(tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text(FS_14.replace("active |", "active(laggy) |"))
    assert said(page) == {("mds-laggy", "warning", "mds.node5")}


def test_an_index_with_large_shards() -> None:
    findings = {(rule, severity) for rule, severity, _ in said(OUTPUTS / "rgw-stats.txt")}
    assert findings == {("large-index", "warning")}


def test_a_zone_whose_state_cannot_be_read() -> None:
    assert said(OUTPUTS / "rgw-sync.txt") == {("sync-failed", "warning", "south")}


@pytest.mark.parametrize(
    "text",
    [
        FS_14.replace("| active |", "|stopping|"),
        SYNC.partition("                source: dddd")[0],
        "$ ceph health\nHEALTH_WARN noout flag(s) set\n",
    ],
)
def test_what_is_no_fault(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.txt"
    page.write_text(text)
    assert said(page) == set()
