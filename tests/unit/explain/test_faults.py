"""A trial that met a fault says so, with what is left of it."""

from __future__ import annotations

from dataclasses import replace

from iosonde.explain.rules import faults
from iosonde.records.evidence import EvidenceSet
from tests.unit.explain.cases import findings_named, trial


def test_the_fault_and_what_is_left_are_told() -> None:
    whole = trial({"write.iops": [100.0, 90.0]})
    assert not findings_named(faults.RULES, EvidenceSet(trials=(whole,)), "fault")
    broken = replace(
        whole, faults=("host b: the connection is lost", "host b: the connection is lost")
    )
    (finding,) = findings_named(faults.RULES, EvidenceSet(trials=(broken,)), "fault")
    assert finding.severity == "error"
    assert "the connection is lost" in finding.message
    assert "2 loops" in finding.message
    assert len(finding.evidence) == 1


def test_a_file_system_that_was_full_ended_the_load() -> None:
    whole = trial({"write.bandwidth": [275e6]})
    full = replace(whole, faults=("dd: error writing '/mnt/x': No space left on device",))
    (finding,) = findings_named(faults.RULES, EvidenceSet(trials=(full,)), "fault")
    assert finding.severity == "note"
    assert "It ended early" in finding.message
    both = replace(full, faults=(*full.faults, "dd: error reading '/a': Input/output error"))
    (finding,) = findings_named(faults.RULES, EvidenceSet(trials=(both,)), "fault")
    assert finding.severity == "error"


def test_nothing_finished_is_said() -> None:
    whole = trial({"write.iops": [100.0]})
    none = replace(whole, metrics={}, faults=("the disk gave an I/O error",))
    (finding,) = findings_named(faults.RULES, EvidenceSet(trials=(none,)), "fault")
    assert "No loop was finished" in finding.message
