"""Jobs that wait for others, logs without an interval and sizes in zones; fio itself runs them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from iosonde.errors import LoadFailed, UsageError
from iosonde.loads.fio import Fio
from iosonde.loads.fio.job import effective, job_of, phases
from iosonde.records.load import Load, RawOutput, Target, TargetKind

FIO = Fio()

CHAIN = """\
[global]
group_reporting
threads=1
size=1m
bs=64k
rate=1m

[writers]
rw=write
numjobs=2

[readers]
wait_for=writers
rw=read

[beside]
rw=read
"""


def declared(text: str) -> Load:
    return FIO.declare(text, name="job", where="here")


def names(load: Load) -> list[list[str]]:
    return [[section.name for section in phase] for phase in phases(effective(job_of(load)))]


def test_what_waits_for_a_job_runs_after_it_and_others_beside_it() -> None:
    assert names(declared(CHAIN)) == [["writers", "beside"], ["readers"]]
    behind = CHAIN.replace("[beside]\n", "[beside]\nstonewall\n")
    assert names(declared(behind)) == [["writers"], ["readers"], ["beside"]]


@pytest.mark.parametrize(
    "text",
    [
        "[a]\nrw=read\nwait_for=b\n[b]\nrw=read\n",  # it stands behind
        "[a]\nrw=read\nwait_for=a\n",
        "[a]\nrw=read\n[a]\nrw=read\n[b]\nrw=read\nwait_for=a\n",  # two of that name
    ],
)
def test_a_job_waits_for_one_before_it(text: str) -> None:
    with pytest.raises(UsageError, match="has to name one job that stands before it"):
        declared(text)


def test_groups_are_reported_apart_only_where_their_jobs_wait_for_each_other() -> None:
    load = declared(CHAIN)
    assert not any(section.has("group_reporting") for section in effective(job_of(load)))
    assert any("group_reporting is left out" in note for note in job_of(load).notes)
    with_groups = CHAIN.replace("wait_for=writers", "stonewall")
    assert all(
        section.has("group_reporting") for section in effective(job_of(declared(with_groups)))
    )


@pytest.mark.slow
def test_rates_are_over_the_time_of_both_phases_of_a_real_fio(tmp_path: Path) -> None:
    """Each job moves 1 MiB at 1 MiB/s; the readers begin when the writers are done."""
    file = tmp_path / "data"
    file.write_bytes(bytes(2 << 20))
    command = FIO.command(
        declared(CHAIN), Target("local", str(file), TargetKind.FILE),
        directory=str(tmp_path), seconds=None,
    )  # fmt: skip
    for path, content in command.files.items():
        Path(path).write_bytes(content)
    subprocess.run(command.argv, check=True, capture_output=True, timeout=60)
    raw = {Path(path).name: Path(path).read_bytes() for path in command.outputs}
    raw["job.fio"] = next(iter(command.files.values()))
    result = FIO.parse(RawOutput(0, b"", b"", raw))
    # The oracle is fio's own time of each job: "beside" reads beside the writers.
    jobs = {job["jobname"]: job for job in json.loads(raw["fio.json"])["jobs"]}
    first = max(jobs["writers"]["read"]["runtime"], jobs["beside"]["read"]["runtime"])
    seconds = (first + jobs["readers"]["read"]["runtime"]) / 1000
    assert seconds > 1.5
    assert result.metrics["read.bandwidth"] == pytest.approx((2 << 20) / seconds, rel=0.01)


def test_a_log_without_an_interval_is_averaged_and_says_so() -> None:
    load = declared("[a]\nrw=read\nwrite_bw_log\nlog_offset=1\n[b]\nrw=read\n")
    a, b = effective(job_of(load))
    assert (a.text("log_avg_msec"), b.text("log_avg_msec")) == ("1000", "")
    assert any("log_avg_msec=1000 is set" in note for note in job_of(load).notes)
    own = declared("[global]\nlog_avg_msec=100\n[a]\nrw=read\nwrite_bw_log=x\n")
    assert effective(job_of(own))[0].text("log_avg_msec") == "100"
    assert not job_of(own).notes


def test_a_size_in_zones_may_be_the_whole_target() -> None:
    assert FIO.demand(declared("[a]\nrw=write\nzonemode=zbd\noffset=524z\nsize=8z\n")).size is None
    for text in ("size=z", "size=1.5z"):
        with pytest.raises(UsageError):
            declared(f"[a]\nrw=write\n{text}\n")


def test_an_engine_that_is_refused_is_the_reason_and_not_its_options() -> None:
    with pytest.raises(UsageError, match="ioengine=libcufile"):
        declared("[a]\nioengine=libcufile\ngpu_dev_ids=${GPU}\nrw=read\n")


@pytest.mark.parametrize(("do_verify", "ends"), [("1", ""), ("0", "2")])
def test_what_another_section_reads_back_is_written_whole(do_verify: str, ends: str) -> None:
    """The near miss: nobody verifies, so that both sections end with the loop."""
    text = (
        "[global]\nsize=1m\nverify=md5\n[write]\nrw=write\ndo_verify=0\n"
        f"[check]\nstonewall\nrw=read\ndo_verify={do_verify}\n"
    )
    target = Target("local", "/data/scratch", TargetKind.FILE)
    command = FIO.command(declared(text), target, directory="/d", seconds=4)
    job = command.files["/d/job.fio"].decode()
    assert ("runtime=" in job) == bool(ends)
    assert job.count(f"runtime={ends}") == (2 if ends else 0)


def test_a_job_that_found_nothing_to_do_is_not_called_unreadable(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(bytes(1 << 20))
    command = FIO.command(
        declared("[a]\nrw=read\nsize=1m\ncreate_only=1\n"),
        Target("local", str(file), TargetKind.FILE), directory=str(tmp_path), seconds=None,
    )  # fmt: skip
    for path, content in command.files.items():
        Path(path).write_bytes(content)
    done = subprocess.run(command.argv, check=False, capture_output=True, timeout=60)
    raw = {Path(path).name: Path(path).read_bytes() for path in command.outputs}
    assert b'"jobs"' in raw["fio.json"]
    with pytest.raises(LoadFailed, match="did no I/O"):
        FIO.parse(RawOutput(done.returncode, done.stdout, done.stderr, raw))
