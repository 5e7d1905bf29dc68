"""Results of fio that stand close to each other: figures and devices of each stay its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.text.document import of_bytes
from tests.mangle import read, trials
from tests.unit.loads.fio.fio_runs import RUNS, normal, text_of

HERE = Path(__file__).parents[3] / "outputs" / "fio-3.33-normal"
READ = "read: IOPS=6164, BW=24.1MiB/s (25.3MB/s)(241MiB/10001msec)"
AGAIN = "read: IOPS=3000, BW=11.7MiB/s (12.3MB/s)(58.5MiB/5001msec)"
WRITE = "write: IOPS=3000, BW=11.7MiB/s (12.3MB/s)(58.5MiB/5001msec); 0 zone resets"
OLD = ("read : io=241MB, bw=24.1MB/s, iops=6164, runt= 10001msec",
       "read : io=58.5MB, bw=11.7MB/s, iops=3000, runt= 5001msec")  # fmt: skip


@pytest.mark.parametrize("between", ["\n", "\n\n", "\nand with a cache:\n", "\n\n# Cached\n\n"])
@pytest.mark.parametrize("indent", ["", "  "])
@pytest.mark.parametrize("pair", [(READ, AGAIN), OLD])
def test_two_lines_of_one_direction_are_two_results(
    pair: tuple[str, str], indent: str, between: str
) -> None:
    given = f"{indent}{pair[0]}{between}{indent}{pair[1]}\n"
    assert [(trial.loops[0].metrics["read.iops"], trial.elapsed) for trial in trials(given)] == [
        (6164.0, (10.001,)),
        (3000.0, (5.001,)),
    ]


def test_reads_and_writes_of_one_job_stay_together() -> None:
    (trial,) = trials(f"{READ}\n{WRITE}\n")
    assert {"read.iops", "write.iops"} <= set(trial.loops[0].metrics)
    assert len(trials(f"{WRITE}\n{READ}\n")) == 2  # fio prints reads first


def test_a_result_without_its_header_keeps_its_devices() -> None:
    first, second = text_of(HERE / "read.out"), text_of(HERE / "write.out")
    (whole_first,), (whole_second,) = trials(first), trials(second)
    cut = second[second.index("  write:") :]
    for given in (first + cut, f"{first}\nThen writes:\n\n{cut}", f"{first}# fio b | tail\n{cut}"):
        trial, other = trials(given)
        assert trial.loops[0] == whole_first.loops[0]
        assert other.loops[0].metrics["write.iops"] == whole_second.loops[0].metrics["write.iops"]
        assert other.loops[0].device_io == whole_second.loops[0].device_io
        assert trial.label == whole_first.label
        assert other.label == ""


def test_a_result_without_header_below_one_without_devices_is_its_own() -> None:
    first, second = text_of(HERE / "read.out"), text_of(HERE / "write.out")
    given = first[: first.index("\nRun status")] + second[second.index("  write:") :]
    trial, other = trials(given)
    assert "write.iops" not in trial.loops[0].metrics
    assert trial.loops[0].device_io == {}
    assert other.loops[0].device_io == trials(second)[0].loops[0].device_io


def test_several_jobs_of_one_run_share_its_devices() -> None:
    jobs = trials(text_of(HERE / "jobs.out"))
    assert len(jobs) > 1
    assert len({str(job.loops[0].device_io) for job in jobs}) == 1
    assert len(read(text_of(HERE / "jobs.out"))) == 1


@pytest.mark.parametrize("file", RUNS, ids=lambda file: file.stem)
def test_a_run_in_several_forms_counts_once(file: Path) -> None:
    whole = file.read_text()
    case, _ = of_document(of_bytes("all", whole.encode()))
    assert len(case.trials) == len(normal(file))
    assert all(not trial.steps for trial in case.trials)  # of the JSON, which is exact
    lines = whole.split("\n")
    begin = next(number for number, line in enumerate(lines) if "(groupid=" in line)
    without_json = "\n".join([whole[: whole.index("\n{")], "", *lines[begin:]])
    case, _ = of_document(of_bytes("two", without_json.encode()))
    assert len(case.trials) == len(normal(file))


def test_two_runs_of_one_load_count_twice() -> None:
    name = text_of(HERE / "read.out")
    again = name.replace("IOPS=92", "IOPS=91").replace("lat (usec)", "lat (msec)")
    case, _ = of_document(of_bytes("two", f"{name}\n{again}".encode()))
    assert len(case.trials) == 2
    case, _ = of_document(of_bytes("copy", f"{name}\n{name}".encode()))
    assert len(case.trials) == 1  # no two runs agree to the last digit
    terse = next(line for line in (HERE / "read.out").read_text().split("\n")
                 if line.startswith("3;"))  # fmt: skip
    other = name.replace("IOPS=92", "IOPS=82")
    case, _ = of_document(of_bytes("two", f"{terse}\n{other}".encode()))
    assert len(case.trials) == 2


def test_all_clients_of_a_server_without_units() -> None:
    """fio 3.7 prints the rate of all clients as a plain number of bytes with its prefix."""
    head = "All clients: (groupid=0, jobs=3): err= 0: pid=0: Tue Jul 12 18:52:21 2022\n"
    (trial,) = trials(f"{head}  read: IOPS=6164, BW=24.1Mi (25.3M)(241MiB/10001msec)\n")
    metrics = trial.loops[0].metrics
    assert metrics["read.bandwidth"] == pytest.approx(25.3e6, abs=0.05e6)
    assert metrics["read.iops"] == pytest.approx(6164, rel=1e-3)
    assert not trials(f"{head}  read: IOPS=6164, BW=24.1Mi of some unit\n")
