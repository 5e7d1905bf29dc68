"""Speeds as scripts of one's own print them, and the same lines in data sheets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import trials

OUTPUT = Path(__file__).parents[2] / "outputs/benchmarks-composed/speed-report.txt"
BEGIN = "Running the benchmark on /mnt/data\n"


def reports(text: str) -> list[tuple[str, str, float]]:
    """Name, metric and rate of each."""
    return [
        (trial.label, *figure) for trial in trials(text) if trial.tool == "speed report"
        for figure in trial.loops[0].metrics.items()
    ]  # fmt: skip


def test_each_line_is_a_result_with_its_name_and_unit() -> None:
    assert reports(OUTPUT.read_text()) == [
        ("Write Speed", "write.bandwidth", 512e6), ("Read Speed", "read.bandwidth", 1.2e9),
        ("Sequential read", "read.bandwidth", 550e6),
        ("Sequential write", "write.bandwidth", 498.5 * 2**20),
        ("Random read", "read.bandwidth", 41e6),
    ]  # fmt: skip
    *_, read = trials(OUTPUT.read_text())
    assert (read.options, read.steps) == ({"rw": "randread"}, {"read.bandwidth": 0.5e6})


def test_a_torn_report_has_what_is_whole_of_it() -> None:
    text = OUTPUT.read_text()
    assert reports(text[: text.index("2 GB/s")]) == [("Write Speed", "write.bandwidth", 512e6)]


@pytest.mark.parametrize("line", [
    "Write Speed: 512", "Write Speed: fast", "Write Speed: 512 MB", "Write Speed: 512 Mbit/s",
    "Write Speed: 512 MB/s, which is slow", "Write Speed: up to 512 MB/s",
    "The Write Speed: 5 MB/s",
    "Write Speed: -5 MB/s", "Writes: 512 MB/s",
])  # fmt: skip
def test_what_has_no_unit_or_says_more_is_no_result(line: str) -> None:
    assert reports(f"{BEGIN}{line}\n") == []
    assert len(reports(f"{BEGIN}Write Speed: 512 MB/s\n")) == 1


@pytest.mark.parametrize("near", [
    "", "Capacity: 1 TB\nInterface: SATA\n", "Rated by its maker (our test comes later)\n",
    "The drive as it is sold:\n",
])  # fmt: skip
def test_a_data_sheet_is_no_result(near: str) -> None:
    assert reports(f"{near}Sequential read: 550 MB/s\nSequential write: 520 MB/s\n") == []
