"""Loads that were held to a rate, told by how exactly they kept a round one."""

from __future__ import annotations

import pytest

from iosonde.loads._pacing import is_paced
from iosonde.loads._rules import arithmetic
from iosonde.records.evidence import EvidenceSet
from tests.unit.explain.cases import findings_named, trial


@pytest.mark.parametrize(("count", "seconds", "paced"), [
    (200_001, 40.001, True), (750_001, 30.001, True), (200_101, 40.001, False),
    (5_001, 10.0, False),
])  # fmt: skip
def test_a_round_rate_kept_to_the_io_was_asked_for(
    count: int, seconds: float, *, paced: bool
) -> None:
    figures = {
        "write.iops": [count / seconds], "write.latency.mean": [7.8e-6], "elapsed": [seconds],
    }  # fmt: skip
    evidence = trial(figures, options={"iodepth": 32, "numjobs": 1}, issued={"write": count})
    assert is_paced(evidence) == paced
    said = findings_named(arithmetic.RULES, EvidenceSet(trials=(evidence,)), "littles-law")
    assert bool(said) != paced


def test_a_load_that_waits_for_syncs_is_not_called_paced() -> None:
    figures = {"write.iops": [5000.0], "elapsed": [40.0]}
    assert is_paced(trial(figures, issued={"write": 200_000}))
    assert not is_paced(trial(figures, issued={"write": 200_000, "sync": 200_000}))
