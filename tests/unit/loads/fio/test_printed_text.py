"""fio's normal output of seven versions, against what the same run says as JSON and as terse."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import PrintedTrial, Unread
from iosonde.records.stack import Json
from tests.growth import grows_faster
from tests.mangle import mangled, read, trials
from tests.unit.loads.fio import fio_runs
from tests.unit.loads.fio.fio_runs import OUTPUTS, RUNS, apart, text_of

OLD = [
    OUTPUTS / f"fio-{name}.out" for name in ("2.2.10/mixed", "2.2.10/jobs", "3.1/mixed", "3.1/jobs")
]
PAGE = OUTPUTS / "fio-3.19-page" / "eight-results.txt"
THREE = [OUTPUTS / f"fio-{version}" / "three-jobs.out" for version in ("2.21", "3.33", "3.42")]


def said(trial: PrintedTrial) -> object:
    """All that must not depend on how a text was wrapped."""
    loop = trial.loops[0]
    return (
        trial.label, trial.started, trial.elapsed, dict(trial.options), dict(trial.steps),
        loop.metrics, loop.issued, loop.device_io, loop.faults, dict(trial.details),
    )  # fmt: skip


# ── against other forms of the same run ───────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "file", [*RUNS, *THREE], ids=lambda file: f"{file.parent.name}/{file.stem}"
)
def test_text_says_what_json_says(file: Path) -> None:
    texts, documents = fio_runs.normal(file), fio_runs.from_json(file)
    assert len(texts) == len(documents) > 0
    for text, exact in zip(texts, documents, strict=True):
        mine, theirs = text.loops[0], exact.loops[0]
        assert text.label == exact.label
        # JSON's shares of the processor are taken of job_runtime, which differs by a millisecond.
        assert [name for name in apart(text, exact) if not name.startswith("cpu.")] == []
        for name in ("cpu.user", "cpu.system"):
            shift = 0.002 / theirs.metrics["elapsed"]
            assert mine.metrics[name] == pytest.approx(
                theirs.metrics[name], rel=shift, abs=text.steps[name]
            )
        # fio 3.33 prints the rates of all directions together as 0, where it prints both.
        missing = {"mixed.iops", "mixed.bandwidth"} if file.stem == "both" else set()
        assert theirs.metrics.keys() - mine.metrics.keys() == missing
        assert mine.metrics.keys() <= theirs.metrics.keys()
        assert theirs.issued == mine.issued
        assert mine.device_io.keys() == theirs.device_io.keys()
        for device, figures in theirs.device_io.items():
            assert mine.device_io[device] == pytest.approx(figures, abs=5.1e-5)


def leaves(value: Json, path: str = "") -> dict[str, Json]:
    """The figures in a nested value, by their paths."""
    if isinstance(value, dict):
        return {
            k: v for key, part in value.items() for k, v in leaves(part, f"{path}/{key}").items()
        }
    if isinstance(value, list):
        parts = enumerate(value)
        return {k: v for at, part in parts for k, v in leaves(part, f"{path}/{at}").items()}
    return {path: value}


# Of what a figure may differ: the text's last digit, in seconds, B/s, 1/s or shares.
ROUNDED = {
    "bw_samples": 2**20, "iops_samples": 0.5, "percentiles": 1e-6, "latency": 1e-6,
    "latency_distribution": 5.1e-5, "depths": 5.1e-4, "disk_stats": 5.1e-5,
}  # fmt: skip


@pytest.mark.parametrize("file", RUNS, ids=lambda file: file.stem)
def test_details_are_those_of_json(file: Path) -> None:
    for text, exact in zip(fio_runs.normal(file), fio_runs.from_json(file), strict=True):
        for name, step in ROUNDED.items():
            mine, theirs = leaves(text.details.get(name)), leaves(exact.details.get(name))
            assert mine.keys() == theirs.keys(), name
            for path, value in theirs.items():
                if isinstance(value, float | int):
                    assert mine[path] == pytest.approx(value, abs=step, rel=1e-9), name + path
                else:
                    assert mine[path] == value, name + path
        assert text.details["group"] == exact.details["group"]
        used = cast("dict[str, float]", text.details["cpu_printed"])
        for name, key in (("user", "usr_cpu"), ("system", "sys_cpu")):
            assert used[name] * 100 == pytest.approx(exact.details[key], abs=5.1e-3)
        moved = leaves(text.details["moved"])
        for path, amount in leaves(exact.details["io_bytes"]).items():
            if f"{path}/step" not in moved:
                continue  # the sum of both directions, which the text prints as 0
            step = cast("float", moved[f"{path}/step"])
            assert amount == pytest.approx(moved[f"{path}/bytes"], abs=step), path
            assert leaves(exact.details["run_seconds"])[path] == moved[f"{path}/seconds"]
        assert text.details.get("run_issued") == exact.details.get("run_issued")


@pytest.mark.parametrize("file", OLD, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_older_text_says_what_its_terse_lines_say(file: Path) -> None:
    texts, lines = fio_runs.normal(file), fio_runs.terse(file)
    assert len(texts) == len(lines) > 0
    for text, line in zip(texts, lines, strict=True):
        assert text.label == line.label
        assert apart(text, line) == {}
        assert text.loops[0].device_io == line.loops[0].device_io
        for name in ("latency_distribution", "depths", "cpu"):
            assert text.details[name] == line.details[name]


def test_the_step_covers_what_an_old_version_made_of_a_fraction() -> None:
    """1059968 KiB are 1035.125 MiB; fio 2.2.10 printed 1035.2MB."""
    jobs = OUTPUTS / "fio-2.2.10" / "jobs.out"
    writer, exact = fio_runs.normal(jobs)[1], fio_runs.terse(jobs)[1]
    moved, true = writer.details["moved"], exact.details["moved"]
    assert isinstance(moved, dict)
    assert isinstance(true, dict)
    assert moved["write"] == {"bytes": 1035.2 * 2**20, "step": 2**20, "seconds": 2.001}
    assert true["write"]["bytes"] == 1059968 * 1024  # type: ignore[index, call-overload]


# ── what it says ──────────────────────────────────────────────────────────────────────────────


def test_one_job_with_all_its_sections() -> None:
    (slow,) = trials(text_of(OUTPUTS / "fio-3.33-normal" / "slow.out"))
    assert slow.tool == "fio"
    assert slow.version == "3.33"
    assert slow.label == "slow"
    assert slow.options == {
        "rw": "randwrite", "bs": 1 << 20, "ioengine": "libaio", "iodepth": 32, "numjobs": 1,
    }  # fmt: skip
    assert slow.details["options"] == (
        "rw=randwrite,bs=(R)1024KiB-1024KiB,(W)1024KiB-1024KiB,(T)1024KiB-1024KiB,"
        "ioengine=libaio,iodepth=32"
    )
    metrics = slow.loops[0].metrics
    assert metrics["write.iops"] == 3350
    assert metrics["write.bandwidth"] == 3350 * 2**20
    assert metrics["write.latency.mean"] == 0.00954011
    assert metrics["write.latency.p99_99"] == 0.015401
    assert metrics["cpu.user"] == 0.1659
    assert cast("dict[str, float]", slow.details["cpu_printed"])["user"] == 0.1659
    assert slow.steps["write.iops"] == 1
    assert slow.steps["write.bandwidth"] == 2**19
    assert slow.steps["write.latency.mean"] == pytest.approx(5e-9)
    assert slow.steps["write.latency.p99"] == 1e-6
    assert slow.elapsed == (3.008,)
    assert slow.started == 1795225648 - 3.008
    latency = slow.details["latency"]
    assert latency == {
        "write": {
            "slat": {"mean": 6.721e-05, "min": 2.8e-05, "max": 0.000237, "stdev": 1.718e-05},
            "clat": {"mean": 0.00947289, "min": 0.003939, "max": 0.015458, "stdev": 0.00164349},
            "lat": {"mean": 0.00954011, "min": 0.004002, "max": 0.015521, "stdev": 0.00164409},
        }
    }
    assert slow.details["latency_distribution"] == [[0.004, 0.0002], [0.01, 0.5723], [0.02, 0.4275]]
    assert slow.details["bw_samples"] == {
        "write": {
            "min": 3184 * 2**20, "max": 3398 * 2**20, "mean": 3349 * 2**20, "stdev": 82.08 * 2**20,
            "per": 0.9996, "samples": 6,
        }
    }  # fmt: skip


def test_a_group_is_one_trial_and_its_processes_add_up() -> None:
    (workers,) = trials(text_of(OUTPUTS / "fio-3.33-normal" / "group.out"))
    assert workers.options["numjobs"] == 4
    assert workers.details["description"] == "four of them"
    assert workers.loops[0].metrics["cpu.user"] == pytest.approx(4 * 0.0245)
    assert workers.loops[0].issued == {"read": 25986, "write": 26341}


def test_several_jobs_know_what_all_of_them_issued() -> None:
    jobs = trials(text_of(OUTPUTS / "fio-3.33-normal" / "jobs.out"))
    assert [job.label for job in jobs] == ["reader", "reader", "writer"]
    issued = {"read": 0, "write": 0}
    for job in jobs:
        for name, count in job.loops[0].issued.items():
            issued[name] += count
    assert all(job.details["run_issued"] == issued for job in jobs)
    assert jobs[2].options["bs"] == 65536
    assert jobs[2].options["iodepth"] == 4


def test_groups_one_after_the_other_have_their_own_status() -> None:
    first, second = trials(text_of(OUTPUTS / "fio-3.33-normal" / "waves.out"))
    assert (first.details["group"], second.details["group"]) == (0, 1)
    assert list(first.details["run_status"]) == ["write"]  # type: ignore[arg-type]
    assert list(second.details["run_status"]) == ["read"]  # type: ignore[arg-type]


def test_eight_results_of_a_page_with_its_damage() -> None:
    printed_trials = [trial for trial in trials(PAGE.read_text()) if trial.tool == "fio"]
    rows = [
        (t.loops[0].metrics["write.iops"], t.loops[0].metrics["write.latency.mean"],
         t.loops[0].metrics["write.latency.p99"], t.loops[0].issued["write"], t.elapsed)
        for t in printed_trials
    ]  # fmt: skip
    assert rows == [
        (46500, 10.07e-6, 16.192e-6, 3145729, (67.589,)),
        (88600, 8.76e-6, 11.072e-6, 5333109, (60.194,)),
        (77800, 9.87e-6, 13.632e-6, 4762087, (61.171,)),
        (76200, 10.44e-6, 14.016e-6, 4674124, (61.302,)),
        (70800, 9.31e-6, 10.432e-6, 4526608, (63.904,)),
        (69700, 10.04e-6, 25e-6, 4215656, (60.525,)),
        (62500, 9.25e-6, 10.176e-6, 4111551, (65.801,)),
        (61800, 9.30e-6, 10.944e-6, 4084062, (66.078,)),
    ]
    devices = [
        {name: values["writes"] for name, values in t.loops[0].device_io.items()}
        for t in printed_trials
    ]
    assert devices == [
        {"dm-0": 127661, "sda": 161924},
        {"nvme0n1": 1405100},
        {"nvme0n1": 738871},
        {"dm-3": 891284, "md0": 904069, "nvme0n1": 903756, "nvme1n1": 903755},
        {"sdd": 620934},
        {"dm-3": 548969, "md0": 623957, "sdb": 623078, "sdc": 623019},
        {"sdb": 189398},
        {"dm-3": 103363, "sdb": 204245},
    ]
    assert all(t.steps["write.iops"] == 50 for t in printed_trials)
    assert all(t.options["size"] == 1 << 32 and t.options["iodepth"] == 1 for t in printed_trials)
    assert [t.version for t in printed_trials] == [""] * 6 + ["3.19"] * 2
    last = printed_trials[-1]
    assert last.command.startswith("fio --name=random-write --ioengine=posixaio --rw=randwrite")
    assert "--numjobs=1" in last.command
    assert last.options == {
        "rw": "randwrite", "bs": 4096, "size": 1 << 32, "iodepth": 1, "numjobs": 1, "runtime": 60,
        "ioengine": "posixaio", "time_based": True, "end_fsync": True,
    }  # fmt: skip


def test_aggregates_belong_to_the_device_above_its_members() -> None:
    printed_trials = [trial for trial in trials(PAGE.read_text()) if trial.tool == "fio"]
    stacked = printed_trials[3].details["disk_stats"]
    assert isinstance(stacked, list)
    means = {values["name"]: values.get("aggr") for values in stacked if isinstance(values, dict)}
    assert list(means) == ["dm-3", "md0", "nvme0n1", "nvme1n1"]
    assert means["md0"] == {
        "reads": 0, "writes": 903755, "read_merges": 0, "write_merges": 188, "read_time": 0.0,
        "write_time": 333.576, "queue_time": 333.577, "util": 0.2345,
    }  # fmt: skip
    assert means["nvme0n1"] is None
    assert printed_trials[3].details["aggr"] == {name: mean for name, mean in means.items() if mean}


# ── however it comes ──────────────────────────────────────────────────────────────────────────

WHOLE = [*RUNS, *OLD, OUTPUTS / "fio-2.1.3" / "random-write.out", *THREE]


@pytest.mark.parametrize("file", WHOLE, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_neither_wrapping_nor_quoting_changes_anything(file: Path) -> None:
    text = text_of(file)
    expected = [said(trial) for trial in trials(text)]
    assert expected
    for name, changed in mangled(text):
        outputs = read(changed)
        assert not [output for output in outputs if isinstance(output, Unread)], name
        assert [said(trial) for trial in trials(changed)] == expected, name


def test_the_command_above_fills_in_what_is_not_printed() -> None:
    text = text_of(OUTPUTS / "fio-3.33-normal" / "read.out")
    command = "fio --name=rand-read --filename=/dev/sdz --direct=1 --runtime=3 --rw=randread"
    (trial,) = trials(f"[root@node3 ~]# {command}\n{text}\n[root@node3 ~]# ")
    assert trial.command == command
    assert trial.host == "node3"
    assert trial.target == "/dev/sdz"
    assert trial.options["direct"] is True
    assert trial.options["runtime"] == 3
    assert trial.options["iodepth"] == 16


def test_a_block_without_its_header_is_read() -> None:
    text = text_of(OUTPUTS / "fio-3.33-normal" / "slow.out").split("\n")
    begin = next(at for at, line in enumerate(text) if "IOPS=" in line)
    (trial,) = trials("I got this:\n\n" + "\n".join(text[begin:-4]) + "\n\nIs that good?\n")
    assert trial.label == ""
    assert trial.loops[0].metrics["write.iops"] == 3350
    assert trial.loops[0].issued == {"write": 10078}


def test_a_client_names_the_host_that_measured() -> None:
    text = text_of(OUTPUTS / "fio-3.33-normal" / "slow.out")
    (trial,) = trials("\n".join(f"<node5> {line}" for line in text.split("\n")))
    assert (trial.host, trial.label) == ("node5", "slow")
    assert trial.options["bs"] == 1 << 20


def test_a_table_that_put_all_in_one_line() -> None:
    text = text_of(OUTPUTS / "fio-3.33-normal" / "slow.out")
    (trial,) = trials(" ".join(text.split()))
    assert trial.loops == trials(text)[0].loops


def test_two_outputs_that_touch_each_other() -> None:
    text = text_of(OUTPUTS / "fio-3.33-normal" / "slow.out")
    printed_trials = trials(f"{text}\n{text}")
    assert [trial.label for trial in printed_trials] == ["slow", "slow"]
    assert said(printed_trials[0]) == said(printed_trials[1])


def test_a_number_at_the_beginning_of_a_name_stays_there() -> None:
    text = text_of(OUTPUTS / "fio-3.33-normal" / "waves.out")
    text = text.replace("first:", "4k-first:").replace("second:", "64k second:")
    first, second = trials(text)
    assert (first.label, second.label) == ("4k-first", "64k second")
    assert first.options["iodepth"] == second.options["iodepth"] == 1
    assert second.options["bs"] == 65536


# Composed after stat.c of fio 3.33, with an error that was gone on after, and of 1.59.
BROKEN = """\
bad: (groupid=0, jobs=1): err= 5 (file:io_u.c:1889, func=io_u error, error=Input/output error): \
pid=77: Mon Jul  6 12:01:40 2021
  write: IOPS=100, BW=400KiB/s (410kB/s)(40.0KiB/100msec); 0 zone resets
    clat (msec): min=1, max=20, avg= 9.50, stdev= 4.00
  cpu          : usr=1.00%, sys=-nan%, ctx=10, majf=0, minf=11
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     issued rwts: total=0,10,0,0 short=0,1,0,0 dropped=0,0,0,0
     errors    : total=3, first_error=5/<Input/output error>
"""
ANCIENT = """\
old: (g=0): rw=randread, bs=4K-4K/4K-4K, ioengine=libaio, iodepth=16
fio 1.59
Starting 1 process

old: (groupid=0, jobs=1): err= 0: pid=2054
  read : io=396MB, bw=6760KB/s, iops=1690, runt= 60001msec
    slat (usec): min=4, max=1054, avg=11.50, stdev= 8.10
    clat (usec): min=90, max=190K, avg=9450.30, stdev=8000.50
     lat (usec): min=100, max=190K, avg=9462.00, stdev=8001.00
    bw (KB/s) : min= 5000, max= 8000, per=100.05%, avg=6763.40, stdev=500.10
  cpu          : usr=0.90%, sys=2.60%, ctx=101400, majf=0, minf=38
  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=100.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.1%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued r/w/d: total=101400/0/0, short=0/0/0

     lat (usec): 100=0.05%, 250=0.60%
     lat (msec): 2=1.00%, 4=10.00%, 10=50.00%, 20=38.35%

Run status group 0 (all jobs):
   READ: io=396MB, aggrb=6759KB/s, minb=6922KB/s, maxb=6922KB/s, mint=60001msec, maxt=60001msec

Disk stats (read/write):
  sdb: ios=101300/4, merge=0/1, ticks=950000/10, in_queue=950100, util=99.90%
"""


def test_an_error_is_told_and_the_figures_are_kept() -> None:
    (bad,) = trials(BROKEN)
    assert bad.loops[0].faults == (
        "it ended with error 5: file:io_u.c:1889, func=io_u error, error=Input/output error",
        "3 I/O errors, the first: errno 5",
    )
    assert bad.loops[0].metrics["write.latency.mean"] == 0.0095
    assert bad.steps["write.latency.max"] == 1e-3
    assert "cpu.user" not in bad.loops[0].metrics
    assert bad.details["short"] == {"read": 0, "write": 1, "trim": 0}


def test_versions_before_2() -> None:
    (old,) = trials(ANCIENT)
    assert old.version == "1.59"
    assert old.started is None
    assert old.options == {
        "rw": "randread", "bs": 4096, "ioengine": "libaio", "iodepth": 16, "numjobs": 1,
    }  # fmt: skip
    metrics = old.loops[0].metrics
    assert metrics["read.iops"] == 1690
    assert metrics["read.bandwidth"] == 6760 * 1024
    assert metrics["read.latency.max"] == pytest.approx(0.19)
    assert old.steps["read.latency.max"] == pytest.approx(0.0005)
    assert old.loops[0].issued == {"read": 101400}
    assert old.loops[0].device_io["sdb"]["util"] == 0.999


def test_prose_about_fio_is_no_output() -> None:
    text = """\
The clat percentiles (usec) tell how long a request took. Look at the line issued rwts, and at
Disk stats (read/write), IO depths    : 1=100 and so on. We saw read: IOPS= go up.
Run status group 0 (all jobs) says little. With ioengine=libaio, iodepth=32 it was better.
"""
    assert [
        output for output in read(text) if not isinstance(output, Unread) and output.trials
    ] == []


def test_progress_without_a_result_is_named() -> None:
    text = "a: (g=0): rw=read, bs=(R) 4096B-4096B, ioengine=sync, iodepth=1\nfio-3.33\n^C\n"
    (output,) = read(text)
    assert isinstance(output, Unread)
    assert output.reason == "no result follows"


# ── bounds ────────────────────────────────────────────────────────────────────────────────────

HOSTILE = {
    "headers": "a: (groupid=0, jobs=1): err= 0: pid=1\n",
    "options": "a: (g=0): rw=read, bs=4K-4K/4K-4K/4K-4K, ioengine=sync, iodepth=1\n",
    "results": "  read: IOPS=1, BW=1\n",
    "statistics": "    clat (usec): min=1, max=2, avg=1.5, stdev=1\n",
    "whole results": "  read: IOPS=1, BW=1B/s (1B/s)(1B/1msec)\n",
    "dashes": "1-" * 500 + ", iodepth=\n",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_time_grows_with_the_text_alone(kind: str) -> None:
    assert not grows_faster(read, HOSTILE[kind], 100)


def test_a_command_that_a_mail_wrapped_before_an_option_is_whole() -> None:
    """Oracle: fio's rate_iops holds it back, and the load says so where the command does."""
    (trial,) = trials(
        "root@ib2:~# fio --rw=write --ioengine=libaio --iodepth=32\n--size=1000MB --rate_iops=5000"
        " --numjobs=1\n--name=w --filename=/dev/md0\n"
        "w: (g=0): rw=write, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=32\nfio-2.2.10\n"
        "w: (groupid=0, jobs=1): err= 0: pid=3351: Fri Aug  2 15:31:26 2019\n"
        "  write: io=400004KB, bw=19999KB/s, iops=4999, runt= 20001msec\n"
    )
    assert trial.command.endswith("--name=w --filename=/dev/md0")
    assert trial.options["paced"] is True


_JOB = """\
w: (groupid=0, jobs=1): err= 0: pid=4711: Mon Aug  2 10:36:52 2021
  read: IOPS=8231, BW=32.2MiB/s (33.7MB/s)(322MiB/10003msec)
    clat (usec): min=60, max=17200, avg=1375.79, stdev=1388.15
    clat percentiles (usec):
     |  1.00th=[  221],  5.00th=[  322], 99.99th=[17171]
   iops        : min= 7450, max= 8533, avg=8229.90, stdev=112.61, samples=20
  write: IOPS=8220, BW=32.1MiB/s (33.7MB/s)(321MiB/10003msec); 0 zone resets
    clat (usec): min=61, max=18200, avg=2475.79, stdev=1488.15
  cpu          : usr=3.35%, sys=10.79%, ctx=135473, majf=0, minf=14
     issued rwts: total=82338,82227,0,0 short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
   READ: bw=32.2MiB/s (33.7MB/s), 32.2MiB/s-32.2MiB/s, io=322MiB (337MB), run=10003-10003msec
  WRITE: bw=32.1MiB/s (33.7MB/s), 32.1MiB/s-32.1MiB/s, io=321MiB (337MB), run=10003-10003msec
"""


@pytest.mark.parametrize("between", [
    "# a note of mine\n", "// slow\n", "[...]\n", "...\n", "(cut here)\n", "\n\n",
    "\nAs you can see, this is what the disk does.\n\n",
])  # fmt: skip
def test_what_a_page_says_between_the_lines_of_an_output_does_not_end_it(between: str) -> None:
    (whole,) = trials(_JOB)
    for every in (1, 3, 5):
        rows = _JOB.splitlines(keepends=True)
        text = "".join(
            row + between * (place % every == 0 and place + 1 < len(rows))
            for place, row in enumerate(rows)
        )
        (trial,) = trials(text)
        assert trial.loops == whole.loops
        assert trial.details == whole.details


@pytest.mark.parametrize("between", ["# fio other.fio\n", "$ fio other.fio\n", "# dd if=a of=b\n"])
def test_a_command_ends_an_output(between: str) -> None:
    head, title, end = _JOB.partition("\nRun status")
    (trial,) = (trial for trial in trials(head + between + title + end) if trial.label == "w")
    assert "run_status" not in trial.details


READS = "read: IOPS=126k, BW=1969MiB/s (2064MB/s)(577GiB/300001msec)\n"
WRITES = "write: IOPS=600, BW=2400MiB/s (2517MB/s)(1406GiB/600002msec); 0 zone resets\n"
SECOND = "mkfs.xfs /dev/vdq\nfio --rw=write --bs=4M --size=1500G --name=/data/b\n"


def test_results_below_commands_without_prompts_are_two() -> None:
    first, second = trials(
        f"fio --rw=randread --bs=16k --name=/dev/vdq\n```\n```\n{READS}```\n\nIt is fast.\n\n```\n"
        f"{SECOND}```\n```\n{WRITES}```\n"
    )
    assert set(first.loops[0].metrics) == {"read.iops", "read.bandwidth", "elapsed"}
    assert "write.iops" in second.loops[0].metrics
    assert (first.options["bs"], second.options["bs"]) == (16 << 10, 4 << 20)


def test_a_remark_that_names_fio_parts_no_result() -> None:
    (one_run,) = trials(
        f"fio --rw=randrw --bs=16k --name=c\n{READS}# as fio --rw=randrw prints it\n{WRITES}"
    )
    assert {"read.iops", "write.iops"} <= set(one_run.loops[0].metrics)


def test_percentiles_of_another_run_below_are_not_this_one_s() -> None:
    """A page that explains an output shows the same part of another device for comparison."""
    listed = "        clat percentiles (usec):\n         | 99.00th=[{}], 99.99th=[{}]\n"
    text = (
        "job: (groupid=0, jobs=1): err= 0: pid=7: Tue Jul  1 10:00:00 2025\n"
        "  read: IOPS=15.8k, BW=61.8MiB/s (64.8MB/s)(1024MiB/16571msec)\n"
        "    clat (usec): min=42, max=18600, avg=61.33, stdev=17.91\n"
        + listed.format(78, 112) + "\nFor comparison, the same of a slower drive:\n\n"
        + listed.format(12096, 30080)
    )  # fmt: skip
    loop = trials(text)[0].loops[0]
    assert loop.metrics["read.latency.p99"] == pytest.approx(78e-6)
