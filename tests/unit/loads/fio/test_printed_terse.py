"""fio's terse lines, against the JSON of the same run."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedTrial, Unread
from tests.mangle import cut, mangled, read, trials, unread_in
from tests.unit.loads.fio import fio_runs
from tests.unit.loads.fio.fio_runs import OUTPUTS, RUNS, apart

TRIM = OUTPUTS / "fio-3.33-normal" / "trim.out"
WITH_LINES = [file for file in RUNS if file != TRIM]
# The runs of "mixed" and "jobs" again, in each version that fio 3.33 knows.
VERSIONS = sorted((OUTPUTS / "fio-3.33-terse").glob("*.out"))


def lines_of(file: Path) -> str:
    return "\n".join(
        line for line in file.read_text().split("\n") if line[1:6] == ";fio-" or line[:2] == "2;"
    )


def said(printed_trials: list[PrintedTrial]) -> object:
    return [
        (trial.label, trial.version, trial.loops, dict(trial.steps), dict(trial.details))
        for trial in printed_trials
    ]


@pytest.mark.parametrize("file", [*WITH_LINES, *VERSIONS], ids=lambda file: file.stem)
def test_terse_lines_say_what_json_says(file: Path) -> None:
    lines, documents = trials(lines_of(file)), fio_runs.from_json(file)
    assert len(lines) == len(documents) > 0
    for line, exact in zip(lines, documents, strict=True):
        mine, theirs = line.loops[0].metrics, exact.loops[0].metrics
        assert line.label == exact.label
        assert apart(line, exact) == {}
        # How many processes a line stands for and the latency of syncs are not printed, and times
        # are cut to whole µs.
        missing = {name for name in theirs.keys() - mine.keys() if theirs[name] > 1e-6}
        assert all(name.startswith(("cpu.", "sync.")) for name in missing)
        assert "cpu.user" not in mine
        if file.stem == "version-2":
            assert line.loops[0].device_io == {}
            continue
        assert line.loops[0].device_io.keys() == exact.loops[0].device_io.keys()
        for device, figures in exact.loops[0].device_io.items():
            assert line.loops[0].device_io[device] == pytest.approx(figures, abs=5.1e-5)


@pytest.mark.parametrize("file", [*WITH_LINES, *VERSIONS], ids=lambda file: file.stem)
def test_neither_quoting_nor_wrapping_changes_anything(file: Path) -> None:
    text = lines_of(file)
    expected = said(trials(text))
    for name, changed in mangled(text):
        assert not unread_in(changed), name
        assert said(trials(changed)) == expected, name
    for width in range(60, 90):
        assert said(trials(cut(text, width))) == expected, width


def test_the_command_tells_how_many_processes_there_were() -> None:
    text = lines_of(OUTPUTS / "fio-3.33-normal" / "group.out")
    command = "fio --minimal --name=workers --numjobs=4 --group_reporting --rw=randrw --bs=4k"
    (trial,) = trials(f"$ {command}\n{text}\n")
    assert trial.loops[0].metrics["cpu.user"] == pytest.approx(4 * 0.0245)
    assert trial.options["bs"] == 4096
    assert trial.command == command


def test_trims_are_not_in_version_3() -> None:
    (output,) = read(lines_of(TRIM))
    assert isinstance(output, Unread)
    assert output.reason == "it tells of no I/O, or its fields are not those of a terse line"


def test_what_is_cut_off_is_named() -> None:
    (output,) = read(lines_of(RUNS[0])[:300])
    assert isinstance(output, Unread)


@pytest.mark.parametrize(
    ("started", "jobs"),
    [("Starting 2 processes", 2), ("Starting 3 threads", 3), ("Starting 1 process", None),
     ("Starting 2 threads and 3 processes", 5)],
)  # fmt: skip
def test_a_group_in_one_line_is_of_the_jobs_that_were_started(
    started: str, jobs: int | None
) -> None:
    (line,) = lines_of(TRIM.parents[1] / "fio-3.33-terse" / "trim-4.out").split("\n")[:1]
    (trial,) = trials(f"fio-3.33\n{started}\n{line}\n")
    assert trial.options.get("numjobs") == jobs
    below = trials(f"fio-3.33\n{started}\n{line}\n{line}\n")  # not grouped: a line for each job
    assert {trial.options.get("numjobs") for trial in below} == {None}
