"""unified_rw_reporting: all directions as one, or (both) beside each of them."""

from __future__ import annotations

from itertools import chain

import pytest

from tests.unit.loads.fio import fio_runs

PLACE = fio_runs.OUTPUTS / "fio-3.33-normal"
READS, WRITES = 3731, 3862
"""As "issued rwts" of the run has them."""


def test_both_leaves_reads_and_writes_their_own_and_counts_them_once() -> None:
    forms = [fio_runs.normal, fio_runs.from_json, fio_runs.terse]
    text, exact, line = (form(PLACE / "both.out")[0].loops[0] for form in forms)
    for loop in (text, exact, line):
        assert loop.metrics["write.latency.mean"] == pytest.approx(142.9856e-6, rel=1e-4)
        assert loop.metrics["read.latency.mean"] == pytest.approx(118.9427e-6, rel=1e-4)
        assert loop.metrics["mixed.latency.mean"] == pytest.approx(131.1716e-6, rel=1e-4)
        assert "trim.iops" not in loop.metrics
    assert text.issued == exact.issued == {"read": READS, "write": WRITES}
    assert exact.metrics["mixed.iops"] == pytest.approx((READS + WRITES) / 1.001)
    assert "mixed.iops" not in text.metrics, "printed as 0, which it was not"
    used = 0.159 * 1.001
    for loop in (text, exact):
        assert loop.metrics["cpu.per_io"] == pytest.approx(used / (READS + WRITES), rel=2e-3)


def test_mixed_alone_stays_what_the_load_did() -> None:
    """Near miss: unified_rw_reporting=1 prints nothing else."""
    file = PLACE / "unified.out"
    for trial in chain(fio_runs.normal(file), fio_runs.from_json(file)):
        assert list(trial.loops[0].issued) == ["mixed"]
        assert trial.loops[0].metrics["mixed.iops"] > 0
    (line,) = fio_runs.terse(file)
    assert line.loops[0].metrics["mixed.iops"] > 0
