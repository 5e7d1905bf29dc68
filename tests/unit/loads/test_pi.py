"""The two storage tests of Raspberry Pis. Oracle: requests times their size, and each script."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedTrial
from tests.mangle import mangled, trials, unread_in

SAMPLES = Path(__file__).parents[2] / "outputs" / "benchmarks-composed"
CARD, PI = ((SAMPLES / name).read_text() for name in ("sd-card-test.txt", "pi-benchmarks.txt"))


def figures(given: list[PrintedTrial]) -> dict[str, float]:
    return {
        f"{trial.label} {name}": value
        for trial in given
        for name, value in trial.loops[0].metrics.items()
    }


def test_the_card_test_in_every_shape() -> None:
    for shape, given in mangled(CARD):
        all_figures = figures(trials(given))
        for run, job, way in (
            (1, "seq-write", "write"), (1, "rand-4k-write", "write"), (2, "rand-4k-read", "read")
        ):  # fmt: skip
            assert f"run {run} {job} {way}.iops" in all_figures, shape
        assert all_figures["run 1 rand-4k-read read.iops"] == 2304, shape
        assert all_figures["run 2 seq-write write.bandwidth"] == 41 * 512 * 1024, shape


def test_the_card_tests_rates_are_its_requests_times_their_size() -> None:
    for trial in trials(CARD):
        way = str(trial.options["rw"]).removeprefix("rand")
        metrics = trial.loops[0].metrics
        size = trial.options.get("bs", 512 << 10)
        assert isinstance(size, int)
        assert metrics[f"{way}.bandwidth"] == metrics[f"{way}.iops"] * size


def test_what_the_card_test_says_beside_its_trials() -> None:
    first = trials(CARD)[0]
    assert first.details == {
        "prepare-file": "21504;42",
        "targets": {"sequential write": "PASS", "random write": "FAIL", "random read": "PASS"},
    }


def test_the_table_in_every_shape() -> None:
    for shape, given in mangled(PI, wraps=False):
        all_figures = figures(trials(given))
        assert all_figures["HDParm Disk Read read.bandwidth"] == 88.25 * 2**20, shape
        assert all_figures["DD Disk Write write.bandwidth"] == pytest.approx(31.4e6), shape
        assert all_figures["FIO 4k random read read.bandwidth"] == 2816 * 4096, shape
        assert all_figures["IOZone 4k random write write.bandwidth"] == 2688 * 1024, shape
        assert not any("Cached" in name for name in all_figures), shape


def test_a_unit_that_dd_may_not_have_meant() -> None:
    """The script writes MB/s behind dd's 1.4 of `1.4 GB/s`."""
    given = trials(PI.replace("31.4 MB/s", "1.4 MB/s"))
    assert not any(trial.label.startswith("DD") for trial in given)
    assert given[0].details["DD Disk Write"] == "1.4 MB/s"
    assert given[0].details["score"] == 1187


@pytest.mark.parametrize(
    "text",
    [
        "seq-write;0;0;fast;18\n",
        "prepare-file;0;0;21504;42\n",  # what makes the file, alone
        "FIO 4k random read and write were not measured\n",
        "HDParm                    Disk Read                 n/a MB/s\n",
        "The Cached Disk Read is of memory\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not trials(text)
    assert not unread_in(text)
