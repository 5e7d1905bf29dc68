"""IO500. Oracle: its score is the geometric mean of its phases, as calc_score() takes it."""

from __future__ import annotations

from math import prod
from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read, trials

TEXT = (Path(__file__).parents[2] / "outputs/ior-composed/io500.txt").read_text()


def test_scores_are_means_of_the_phases_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        rates = {
            trial.label: next(iter(trial.loops[0].metrics.values()))
            for trial in trials(given) if "rnd4K" not in trial.label
        }  # fmt: skip
        (row,) = counters(given, "IO500")
        assert len(rates) == 4, shape
        mean = prod(rates.values()) ** (1 / 4)
        assert row.values["score.bandwidth"] == pytest.approx(mean, rel=1e-6), shape
        names = ("mdtest-easy-write", "find", "mdtest-hard-stat")
        each = [float(str(row.values[f"{name}.per_second"])) for name in names]
        assert row.values["score.per_second"] == pytest.approx(prod(each) ** (1 / 3), rel=1e-6)
        assert row.values["score"] == pytest.approx((2 * 79.370053) ** 0.5, rel=1e-6)


def test_what_a_phase_is_and_that_it_is_invalid() -> None:
    each = {trial.label: trial for trial in trials(TEXT)}
    easy, random = each["ior-easy-write"], each["ior-rnd4K-read"]
    assert easy.loops[0].metrics == {"write.bandwidth": 4 * 2**30}
    assert (easy.elapsed, easy.version) == ((300.0,), "io500-isc23_v3")
    assert easy.command == "mpiexec -np 40 ./io500 config.ini"
    assert (random.options, each["ior-hard-read"].options) == ({"rw": "randread"}, {"rw": "read"})
    assert (each["ior-hard-write"].details, easy.details) == ({"valid": False}, {})
    (row,) = counters(TEXT, "IO500")
    assert row.values["score.valid"] is False
    assert "scorex.valid" not in row.values
    assert row.values["find.seconds"] == 4
    assert not any(name.startswith("timestamp") for name in row.values)


def test_two_runs_and_a_score_alone() -> None:
    again = TEXT.partition("\n")[2]
    assert len(trials(TEXT + again)) == 12
    (row,) = counters(TEXT.splitlines()[-2] + "\n", "IO500")
    assert row.values["score"] == 12.599211


@pytest.mark.parametrize("text", [
    "[RESULT] ior-easy-write 12 of 12 tests passed\n",
    "[RESULT] BW   phase 1      ior_easy_write         8.581 GB/s : time  58.27 seconds\n",
    "[RESULT] ok\n",
])  # fmt: skip
def test_other_results(text: str) -> None:
    assert not [entry for entry in read(text) if not isinstance(entry, Unread)]
