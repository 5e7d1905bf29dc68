"""fio's JSON inside other texts, against the reader of a run's own results."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from iosonde.loads.fio.result import find_document
from iosonde.records.printed import PrintedTrial, Unread
from iosonde.text.find import FoundOutput
from tests.fio_result import read_document
from tests.growth import grows_faster
from tests.mangle import mangled, read, trials, unread_in
from tests.unit.loads.fio.fio_runs import OUTPUTS, RUNS

PLUS = [OUTPUTS / f"fio-{version}" / "three-jobs.out" for version in ("2.1.10", "2.21", "3.33")]


def document_of(file: Path) -> dict[str, object]:
    document = find_document(file.read_text())
    assert document is not None
    return dict(document)


def pretty(file: Path) -> str:
    """The JSON alone, as fio indents it."""
    return json.dumps(document_of(file), indent=2, separators=(",", " : "))


def said(printed_trials: list[PrintedTrial]) -> object:
    return [
        (
            trial.label,
            trial.version,
            trial.started,
            dict(trial.options),
            trial.loops,
            dict(trial.details),
        )
        for trial in printed_trials
    ]


@pytest.mark.parametrize("file", [*RUNS, *PLUS], ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_each_job_is_what_the_reader_of_own_runs_makes_of_it(file: Path) -> None:
    document = document_of(file)
    jobs = document["jobs"]
    assert isinstance(jobs, list)
    printed_trials = trials(pretty(file))
    assert len(printed_trials) == len(jobs)
    for trial, job in zip(printed_trials, jobs, strict=True):
        alone = read_document(json.dumps({**document, "jobs": [job]}))
        assert trial.loops == (alone,)
        assert trial.label == job["jobname"]
        assert trial.steps == {}
        assert trial.version == alone.tool_version


@pytest.mark.parametrize("file", RUNS, ids=lambda file: file.stem)
def test_neither_quoting_nor_wrapping_changes_anything(file: Path) -> None:
    text = pretty(file)
    expected = said(trials(text))
    for name, changed in mangled(text):
        assert not unread_in(changed), name
        assert said(trials(changed)) == expected, name


def test_json_in_one_line_however_it_is_cut() -> None:
    document = document_of(RUNS[0])
    expected = said(trials(pretty(RUNS[0])))
    line = json.dumps(document, separators=(",", ":"))
    for text in (line, "\n".join(line[at : at + 76] for at in range(0, len(line), 76))):
        assert said(trials(text)) == expected
        assert said(trials('{"host": "a", "result": ' + text + "}")) == expected


def test_options_are_in_bytes_seconds_and_flags() -> None:
    (trial,) = trials(pretty(OUTPUTS / "fio-3.33-normal" / "read.out"))
    assert trial.options == {
        "rw": "randread", "bs": 4096, "size": 64 << 20, "ioengine": "libaio", "iodepth": 16,
        "direct": True, "runtime": 3,
        "filename": "/var/tmp/iosonde-fio-scratch",
    }  # fmt: skip
    assert trial.target == "/var/tmp/iosonde-fio-scratch"
    assert trial.started == pytest.approx(1795225637, abs=30)


def test_the_command_above_tells_of_the_flags_that_json_leaves_out() -> None:
    text = pretty(OUTPUTS / "fio-3.33-normal" / "group.out")
    command = "fio --name=workers --group_reporting --numjobs=4 --output-format=json --rw=randrw"
    (trial,) = trials(f"root@node9:/tmp# {command}\n{text}\n")
    assert trial.host == "node9"
    assert trial.command == command
    assert trial.options["group_reporting"] is True
    assert trial.options["numjobs"] == 4


def test_complaints_before_and_between_the_lines() -> None:
    lines = pretty(RUNS[0]).split("\n")
    expected = said(trials("\n".join(lines)))
    lines[40:40] = ["fio: io_u error on file /dev/sdb: Input/output error", "note: it goes on"]
    text = "fio: this platform does not support nice\n" + "\n".join(lines)
    assert said(trials(text)) == expected


def test_an_error_is_told_and_the_figures_are_kept() -> None:
    document = document_of(RUNS[0])
    jobs = document["jobs"]
    assert isinstance(jobs, list)
    jobs[0]["error"] = 5
    (trial,) = trials(json.dumps(document, indent=2))
    assert trial.loops[0].faults == ("it ended with error 5",)
    assert trial.loops[0].metrics


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_what_is_cut_off_is_named(keep: float) -> None:
    text = pretty(RUNS[0])
    lines = text.split("\n")
    part = "\n".join(lines[: int(len(lines) * keep)])
    *_, unread = read(part)
    assert isinstance(unread, Unread)
    assert "cut off" in unread.reason
    whole = read("\n".join([*lines[:20], text]))
    assert [type(output) for output in whole] == [Unread, FoundOutput]


@pytest.mark.parametrize("source", RUNS[:3])
def test_what_stands_before_a_cut_is_what_the_whole_says(source: Path) -> None:
    text = pretty(source)
    whole = {trial.label: trial.loops[0].metrics for trial in trials(text)}
    lines = text.split("\n")
    for end in range(40, len(lines) - 1, 37):
        for trial in trials("\n".join(lines[:end])):
            assert trial.loops[0].metrics.items() <= whole[trial.label].items(), end


def test_other_json_is_left_alone() -> None:
    assert read('{\n  "jobname": "build",\n  "global options": 1\n}\n' * 50) == []


def big(jobs: int) -> str:
    """JSON+ of many jobs."""
    document = document_of(OUTPUTS / "fio-3.33" / "three-jobs.out")
    listed = document["jobs"]
    assert isinstance(listed, list)
    return json.dumps({**document, "jobs": listed[:1] * jobs}, indent=2)


def test_time_and_memory_grow_with_the_text_alone() -> None:
    texts = {"s": big(8), "s" * 8: big(64)}
    assert not grows_faster(lambda size: trials(texts[size]), "s", 1)
    tracemalloc.start()
    assert len(trials(texts["s" * 8])) == 64
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert memory < 40 * len(texts["s" * 8])


@pytest.mark.parametrize("line", ['{\n  "fio version" : 1,\n', '"jobname" : 1,\n', '{"a":\n'])
def test_broken_json_takes_no_more_than_linear_time(line: str) -> None:
    begin = '{\n"fio version" : "fio-3.33",\n'
    assert not [output for output in read(begin + line * 4000) if isinstance(output, FoundOutput)]
    assert not grows_faster(lambda lines: read(begin + lines), line, 200)
