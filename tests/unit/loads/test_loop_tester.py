"""Logs of hap-fio-tester: every pass, against a plain search for the numbers in the text."""

from __future__ import annotations

import re
from calendar import timegm
from pathlib import Path
from statistics import fmean

import pytest

from iosonde.records.printed import PrintedState, PrintedSubject, PrintedTrial, Unread
from iosonde.text.find import FoundOutput
from tests.mangle import mangled, read, states, trials

PLACE = Path(__file__).parents[2] / "outputs" / "hap-fio-tester"
SIZES = (PLACE / "strip-sizes.txt").read_text()
OPTIONS = (PLACE / "options.txt").read_text()
BOTH = SIZES + "\n" + OPTIONS
MIB = 1 << 20
_BULLETS = re.compile(r"^- (.+?):[ .]*\[(.*)\]$", re.MULTILINE)


def of_text(text: str) -> tuple[list[list[float]], list[float]]:
    """The second view: the lines of passes and averages, split at brackets. MiB/s."""
    passes: list[list[float]] = []
    averages: list[float] = []
    for line in text.split("\n"):
        arguments = re.split(r"[\[\]]", line)
        if line.startswith("Pass:"):
            if arguments[1] == "1":
                passes.append([])
            passes[-1].append(float(arguments[3].split()[0]))
        if line.startswith("Average"):
            averages.append(float(arguments[1].split()[0]))
    return passes, averages


def speeds(trial: PrintedTrial) -> list[float]:
    return [loop.metrics["write.bandwidth"] / MIB for loop in trial.loops]


def of_kind(state: PrintedState, kind: str) -> PrintedSubject:
    return next(subject for subject in state.subjects if subject.kind == kind)


def test_all_90_passes_and_18_averages_are_read() -> None:
    printed_trials = trials(BOTH)
    passes, averages = of_text(BOTH)
    assert len(printed_trials) == 18
    assert sum(len(trial.loops) for trial in printed_trials) == 90
    assert [speeds(trial) for trial in printed_trials] == [pytest.approx(pass_) for pass_ in passes]
    printed = [trial.averages["write.bandwidth"] / MIB for trial in printed_trials]
    assert printed == pytest.approx(averages)
    for trial, average in zip(printed_trials, averages, strict=True):
        assert fmean(speeds(trial)) == pytest.approx(average, abs=0.0051)


def test_a_log_says_where_when_and_how_long() -> None:
    printed_trials = trials(BOTH)
    assert [trial.host for trial in printed_trials] == ["node1", "node2"] * 9
    for trial in printed_trials:
        assert trial.tool == "hap-fio-tester"
        assert trial.target == "/dev/sda5"
        assert trial.command == (
            "/sbin/dashboard/hap-fio-tester --location /dev/sda5 --loops 5 --runtime 60"
        )
        assert trial.elapsed == (60.0,) * 5
        assert trial.options == {"runtime": 60.0}
        assert trial.steps == {"write.bandwidth": pytest.approx(0.005 * MIB)}
        assert trial.details["loops"] == 5
    assert printed_trials[0].started == timegm((2015, 12, 8, 15, 58, 42))
    assert printed_trials[13].started == timegm((2015, 12, 8, 23, 57, 0))


def test_every_line_of_the_head_is_kept_by_its_name() -> None:
    logs = re.split(r"Testing: ", BOTH)[1:]
    for trial, log in zip(trials(BOTH), logs, strict=True):
        lines = dict(_BULLETS.findall(log))
        assert {name: trial.details[name] for name in lines} == lines
    assert trials(OPTIONS)[4].details["Read-Ahead Caching"] == "No Read-Ahead"


def test_the_head_is_a_state_of_the_virtual_drive_and_its_disk() -> None:
    printed_states = states(BOTH)
    assert len(printed_states) == 18
    strips = [of_kind(state, "hwraid").values["strip_size"] for state in printed_states]
    assert (
        strips
        == [size * 1024 for size in (64, 128, 256, 512, 1024) for _ in "ab"] + [256 * 1024] * 8
    )
    first, later = printed_states[0], printed_states[14]
    assert first.subjects == (
        PrintedSubject(
            "hwraid",
            "sda",
            {
                "strip_size": 65536,
                "write_policy": "write_back",
                "disk_cache": "disabled",
                "encryption": "FDE",
                "active_operations": "None",
            },
            "node1",
        ),
    )
    drive, disk = of_kind(later, "hwraid"), of_kind(later, "disk")
    assert drive.values["read_ahead"] is False
    assert drive.values["emulation"] == "default"
    assert of_kind(printed_states[12], "hwraid").values["emulation"] == "512E-force"
    assert of_kind(printed_states[12], "hwraid").values["read_ahead"] is True
    assert disk.name == "sda"
    assert disk.values == {
        "scheduler": "deadline",
        "nr_requests": 128,
        "queue_depth": 256,
        "rq_affinity": 1,
    }


def test_cells_of_a_table_belong_to_the_log_that_follows_in_their_row() -> None:
    printed_trials = trials(BOTH)
    rows = [trial.details.get("row") for trial in printed_trials]
    assert rows[::2] == [
        [cell.strip() for cell in line.split("[root@")[0].strip().strip("|").split("|")]
        for line in BOTH.split("\n")
        if "| [root@" in line
    ]
    assert rows[1::2] == [None] * 9
    assert rows[0] == ["1136.36 MiB/s", "64 KiB", ""]
    assert printed_trials[0].details["columns"] == ["Write Speed", "Strip Size", "Note"]
    assert printed_trials[10].details["columns"] == [
        "Write Speed", "Emulation Type", "IO Policy", "Read-Ahead", "Note",
    ]  # fmt: skip


def test_places_go_from_the_prompt_to_the_average() -> None:
    outputs = [output for output in read(SIZES) if isinstance(output, FoundOutput)]
    lines = SIZES.split("\n")
    for found_output in outputs:
        assert "hap-fio-tester" in lines[found_output.place.first_line - 1]
        assert lines[found_output.place.last_line - 1].startswith("Average write speed")


@pytest.mark.parametrize(
    ("name", "text"), list(mangled(OPTIONS)), ids=lambda record: str(record)[:24]
)
def test_logs_survive_what_happens_to_pasted_text(name: str, text: str) -> None:
    printed_trials = trials(text)
    expected = trials(OPTIONS)
    assert [speeds(trial) for trial in printed_trials] == [speeds(trial) for trial in expected], (
        name
    )
    assert [trial.averages for trial in printed_trials] == [trial.averages for trial in expected]
    assert [trial.target for trial in printed_trials] == ["/dev/sda5"] * 8
    assert [trial.elapsed for trial in printed_trials] == [(60.0,) * 5] * 8
    assert [state.subjects[0].values for state in states(text)] == [
        state.subjects[0].values for state in states(OPTIONS)
    ]
    if name != "behind a host":
        assert [trial.host for trial in printed_trials] == ["node1", "node2"] * 4
        assert [trial.command for trial in printed_trials] == [trial.command for trial in expected]
        assert [trial.details.get("row") for trial in printed_trials] == [
            trial.details.get("row") for trial in expected
        ]


def one_log() -> str:
    text = SIZES[SIZES.index("[root@node1") : SIZES.index("[root@node2")]
    return text.replace("[1149.50", "[1149.5")


def test_an_interrupted_log_gives_the_passes_it_has() -> None:
    cut_off = one_log().partition("Pass: [4]")[0]
    (trial,) = trials(f"It stopped here:\n\n{cut_off}^C\n\nSo much for today.\n")
    assert speeds(trial) == pytest.approx([1149.5, 1133.9, 1158.8])
    assert trial.averages == {}
    assert trial.elapsed == (60.0,) * 3
    assert trial.details["loops"] == 5


def test_a_log_of_reads_has_read_speeds() -> None:
    (trial,) = trials(one_log().replace("Average write", "Average read"))
    assert len(trial.loops) == 5
    assert {name for loop in trial.loops for name in loop.metrics} == {"read.bandwidth"}
    assert trial.averages["read.bandwidth"] == pytest.approx(1147.42 * MIB)


def test_a_pass_that_cannot_be_read_is_named() -> None:
    outputs = read(one_log().replace("Pass: [3], speed: [1158.80", "Pass: [3], speed: [#"))
    assert (
        len(next(output for output in outputs if isinstance(output, FoundOutput)).trials[0].loops)
        == 4
    )
    (unread,) = [output for output in outputs if isinstance(output, Unread)]
    assert unread.reason == "no speed of pass 3"


def test_passes_without_their_head_are_read() -> None:
    passes = one_log().partition("has started...\n")[2]
    (trial,) = trials(passes)
    assert len(trial.loops) == 5
    assert (trial.elapsed, trial.target, trial.started) == (None, "", None)


def test_the_name_of_the_tool_in_a_sentence_is_no_log() -> None:
    assert read("Call: /sbin/dashboard/hap-fio-tester --location /dev/sda5 --loops 5") == []
    assert trials("The virtual disk properties: [see below]. Average write speed: [none]") == []
