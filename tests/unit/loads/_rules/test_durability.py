"""Durability that was asked for, and latencies that do not hold it."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.loads._rules import arithmetic, durability
from iosonde.records.evidence import EvidenceSet
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import case_of, findings_named, trial

OUTPUTS = Path(__file__).parents[3] / "outputs" / "fio-3.33-normal"
COMMAND = "# fio --name=commit --rw=randwrite --bs=4k --size=16m --fdatasync=1 --runtime=1\n"


def part(name: str, kind: str) -> str:
    """One of the three forms of an output: its terse line, or its normal output."""
    text = (OUTPUTS / f"{name}.out").read_text()
    if kind == "terse":
        return next(line for line in text.split("\n") if line.startswith("3;fio-")) + "\n"
    return text[text.index("commit: (groupid=") :]


def test_terse_lines_of_a_syncing_load_hide_what_it_waits_for() -> None:
    (finding,) = findings_named(durability.RULES, case_of(COMMAND + part("commit", "terse")))
    assert finding.rule == "sync-latency"
    pace = {evidence.what: evidence.value for evidence in finding.evidence}
    # JSON of the same run: 206 writes in 1.001 s, each with a sync of 4.8 ms
    assert pace["seconds for one write and a sync"] == pytest.approx(1.001 / 206, rel=0.01)
    assert "fdatasync=1" in finding.message


def test_the_same_run_with_its_syncs_is_right() -> None:
    """Near miss: the normal output of that run holds the latency of its syncs."""
    assert findings_named(durability.RULES, case_of(COMMAND + part("commit", "normal"))) == []


FIGURES = {"write.iops": [200.0], "write.latency.mean": [1e-5]}


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"fsync": 1}, 1),
        ({"fdatasync": 32, "direct": True}, 1),
        ({"fsync": 0}, 0),
        ({}, 0),
        ({"end_fsync": True}, 0),
        ({"fsync": 1, "sync": True}, 0),
        ({"fsync": 1, "sync": "dsync"}, 0),
        ({"fsync": 1, "sync": "none"}, 1),
    ],
)
def test_only_where_the_wait_is_elsewhere(options: dict[str, Scalar], count: int) -> None:
    case = EvidenceSet(trials=(trial(FIGURES, options=options),))
    assert len(findings_named(durability.RULES, case)) == count


def test_reads_with_fsync_wait_for_nothing() -> None:
    case = EvidenceSet(trials=(trial({"read.iops": [10.0], "read.latency.mean": [1e-3]},
                              options={"fsync": 1}),))  # fmt: skip
    assert findings_named(durability.RULES, case) == []


def test_a_load_that_waits_for_syncs_is_neither_stalled_nor_idle() -> None:
    """IOPS × latency of the writes alone makes 0.003 in flight; with the syncs it is one."""
    said = findings_named(
        arithmetic.RULES, case_of(COMMAND + part("commit", "normal")), "littles-law"
    )
    assert said == []
