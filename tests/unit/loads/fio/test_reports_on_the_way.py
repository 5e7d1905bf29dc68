"""Reports that fio prints while it runs, and the shapes in which others pass its output on."""

from __future__ import annotations

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
