"""Reports that fio prints while it runs, and the shapes in which others pass its output on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput, find_and_tell
from iosonde.verbs.import_ import output_of, without_repeats
from tests.mangle import read, trials

STATUS = Path(__file__).parents[3] / "outputs" / "fio-3.33-status"


def counted(text: str) -> int:
    """How many trials an import would keep."""
    outputs = find_and_tell(
        of_bytes("text", text.encode()),
        lambda output: output_of(output, make=lambda made: made, keep=False),
    )
    return sum(output.counts.trials for output in without_repeats(outputs))


@pytest.mark.parametrize("name", ["text.out", "json.out"])
def test_only_the_last_report_of_a_run_counts(name: str) -> None:
    text = (STATUS / name).read_text()
    assert len(trials(text)) == 3
    assert counted(text) == 1
    kept = max(trials(text), key=lambda trial: sum(trial.elapsed or ()))
    assert kept.elapsed
    assert kept.elapsed[0] > 2


@pytest.mark.parametrize("changed", [
    lambda text: text.replace("pid=22781", "pid=22782", 1),  # another process beside it
    lambda text: text.replace("2026", "2025", 1),  # another day
])  # fmt: skip
def test_another_process_or_day_is_another_run(changed: object) -> None:
    assert callable(changed)
    text = (STATUS / "text.out").read_text()
    assert changed(text) != text
    assert counted(changed(text)) == 2


def _reports() -> tuple[str, str]:
    """The first report on the way, and the one after it."""
    first, second, _ = re.split(
        r"(?=^a: \(groupid)", (STATUS / "text.out").read_text(), flags=re.MULTILINE
    )[1:]
    return first, second


@pytest.mark.parametrize(("was", "becomes", "runs"), [
    (" lat (nsec): min=1802, max=271233k", " lat (nsec): min=1700, max=504653k", 1),
    (" lat (nsec): min=1802, max=271233k", " lat (nsec): min=1802, max=204653k", 2),
    (" lat (nsec): min=1802, max=271233k", " lat (nsec): min=1990, max=271233k", 2),
    (" lat (usec): min=2, max=311", " lat (usec): min=1, max=305", 2),
    (" lat (usec): min=2, max=311", " lat (usec): min=2, max=312", 1),
])  # fmt: skip
def test_two_containers_that_number_processes_alike(was: str, becomes: str, runs: int) -> None:
    """In the same second, of one command, with the same pid; only the latencies differ."""
    first, second = _reports()
    assert second.count(was) == 1
    assert counted(first + second.replace(was, becomes)) == runs


def test_an_extreme_in_a_coarser_unit_is_the_same() -> None:
    """fio cuts off what is below a unit: 1802 ns are 1 us in a report whose mean is in us."""
    first, second = _reports()
    for coarse in (
        second,
        second.replace("lat (nsec): min=1802, max=271233k", "lat (usec): min=1, max=271233"),
    ):
        assert counted(first + coarse) == 1
    first = first.replace("lat (nsec): min=1802, max=271233k", "lat (usec): min=1, max=271233")
    assert counted(first + second) == 1


def test_json_of_two_runs_apart_counts_twice() -> None:
    text = (STATUS / "json.out").read_text()
    first, second, _ = text.split("}\n{\n")
    apart = first + "}\n\nThe same on the other disk, at the same time:\n\n{\n" + second + "}\n"
    assert counted(apart) == 2


def test_what_a_harness_logs_is_read_as_it_was_printed() -> None:
    text = (STATUS / "text.out").read_text()
    logged = "".join(f"20:22:23 DEBUG| [stdout] {line}\n" for line in text.split("\n"))
    assert [trial.loops for trial in trials(logged)] == [trial.loops for trial in trials(text)]


@pytest.mark.parametrize(("line", "command"), [
    (r'2. powershell: fio.exe -bs=64k -ioengine=windowsaio -rw=read -name=a -filename="t\:\x"',
     r'fio.exe -bs=64k -ioengine=windowsaio -rw=read -name=a -filename="t\:\x"'),
    (r"C:\tools> fio.exe --name=a --rw=randread --bs=4k --size=1g",
     "fio.exe --name=a --rw=randread --bs=4k --size=1g"),
    ("fio.exe --name=a --rw=write --ioengine=windowsaio --thread",
     "fio.exe --name=a --rw=write --ioengine=windowsaio --thread"),
])  # fmt: skip
def test_commands_of_windows(line: str, command: str) -> None:
    (output,) = read(line + "\n")
    assert isinstance(output, FoundOutput)
    assert [load.command for load in output.loads] == [command]


def test_fio_exe_in_a_sentence_is_no_command() -> None:
    assert read("Put fio.exe -- the program -- into C:\\tools, then rw=read is possible.\n") == []
