"""Which of several errors is said first."""

from __future__ import annotations

from iosonde.explain.judge import findings
from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence


def _log(kind: str, name: str, counter: str) -> CounterEvidence:
    return CounterEvidence("kernel log", kind, name, "n1", {counter: 1}, "page:1-9", "page")


def test_what_failed_is_said_before_what_came_of_it() -> None:
    counters = (
        _log("btrfs", "sdb1", "checksum_failures"),
        _log("ext4", "md0", "filesystem_errors"),
        _log("disk", "sdc", "io_errors"),
    )
    array = StateEvidence(
        kind="md", name="md0", host="n1", source="page", where="page:10-12",
        values={"level": "raid5", "raid_disks": 3, "degraded": 1},
    )  # fmt: skip
    said = findings(EvidenceSet(states=(array,), counters=counters))
    rules = [finding.rule for finding in said if finding.severity == "error"]
    assert rules == ["degraded", "io-errors", "filesystem-errors", "checksum-errors"]
