"""Parts of fio's normal output: what they say for certain is read, what was cut off is not guessed.

The oracle is the whole output, read as a whole, of which each fragment is a part.
"""

from __future__ import annotations

import pytest

from iosonde.text.find import FoundOutput
from tests.mangle import read, trials

HEAD = """\
randrw: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioeng\
ine=psync, iodepth=1
fio-3.33
Starting 1 process

randrw: (groupid=0, jobs=1): err= 0: pid=811: Mon Mar  3 10:00:00 2025
"""
READ = """\
  read: IOPS=1200, BW=4801KiB/s (4916kB/s)(46.9MiB/10001msec)
    clat (usec): min=3, max=4107, avg=201.50, stdev=90.25
     lat (usec): min=3, max=4108, avg=201.75, stdev=90.25
    clat percentiles (usec):
     |  1.00th=[   57], 50.00th=[  190], 99.00th=[  611], 99.99th=[ 4047]
"""
RATES = "  write: IOPS=1199, BW=4797KiB/s (4912kB/s)(46.8MiB/10001msec); 0 zone resets\n"
LATENCY = """\
    clat (usec): min=10, max=9001, avg=620.10, stdev=101.00
     lat (usec): min=10, max=9002, avg=620.50, stdev=101.00
    clat percentiles (usec):
"""
LISTED = """\
     |  1.00th=[  404], 50.00th=[  611], 99.00th=[ 1123], 99.99th=[ 8979]
   bw (  KiB/s): min= 3912, max= 5100, per=100.00%, avg=4801.25, stdev=101.00, samples=19
   iops        : min=  978, max= 1275, avg=1200.25, stdev=25.25, samples=19
"""
SYNC = """\
  fsync/fdatasync/sync_file_range:
    sync (usec): min=301, max=12003, avg=811.25, stdev=240.50
    sync percentiles (usec):
     |  1.00th=[  351], 50.00th=[  775], 99.00th=[ 1811], 99.90th=[ 9372],
     | 99.99th=[11863]
"""
SHARED = """\
  lat (usec)   : 4=0.01%, 100=3.01%, 250=40.10%, 500=8.01%, 750=40.21%
  lat (usec)   : 1000=7.01%
  lat (msec)   : 2=1.61%, 4=0.03%, 10=0.01%
  cpu          : usr=1.10%, sys=3.30%, ctx=36011, majf=0, minf=11
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued rwts: total=12001,11992,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=1
"""
STATUS = """\

Run status group 0 (all jobs):
   READ: bw=4801KiB/s (4916kB/s), 4801KiB/s-4801KiB/s (4916kB/s-\
4916kB/s), io=46.9MiB (49.2MB), run=10001-10001msec
  WRITE: bw=4797KiB/s (4912kB/s), 4797KiB/s-4797KiB/s (4912kB/s-\
4912kB/s), io=46.8MiB (49.1MB), run=10001-10001msec

Disk stats (read/write):
  sdx: ios=11987/11960, merge=0/4, ticks=2390/7301, in_queue=9691, util=97.11%
"""
WHOLE = HEAD + READ + RATES + LATENCY + LISTED + SHARED + STATUS
WRITES = SHARED.replace("total=12001,", "total=0,").replace(
    "4=0.01%, 100=3.01%, 250=40.10%, 500=8.01%, 750=40.21%", "500=20.01%, 750=71.33%"
)


def metrics(text: str) -> dict[str, float]:
    (trial,) = trials(text)
    return dict(trial.loops[0].metrics)


@pytest.mark.parametrize(
    "around", ["", "The result:\n\n", "# fio --name=a --rw=randrw --bs=4k x\n"]
)
@pytest.mark.parametrize(
    ("part", "names"),
    [
        (STATUS, {"read.bandwidth", "write.bandwidth", "elapsed"}),
        (SHARED + STATUS, {"read.bandwidth", "write.bandwidth", "elapsed"}),
        (LATENCY + LISTED + SHARED + STATUS, {"write.latency.mean", "write.latency.p99"}),
        (LISTED + SHARED + STATUS, {"write.latency.p50", "write.latency.p99"}),
        (LATENCY + LISTED + WRITES, {"write.latency.mean", "write.latency.p99_99"}),
    ],
)
def test_a_part_says_what_the_whole_says(around: str, part: str, names: set[str]) -> None:
    whole, cut = metrics(WHOLE), metrics(around + part)
    assert names <= cut.keys()
    for name in names:
        assert cut[name] == pytest.approx(whole[name], rel=1e-9)
    assert all(cut[name] == pytest.approx(whole[name]) for name in cut)


def test_the_devices_of_a_cut_output_are_kept() -> None:
    (trial,) = trials(STATUS)
    assert trial.loops[0].device_io["sdx"]["writes"] == 11960
    assert trial.loops[0].device_io["sdx"]["util"] == pytest.approx(0.9711)


def test_latencies_of_fsync_alone() -> None:
    (trial,) = trials(f"Look at the 99th percentile:\n\n```\n{SYNC}```\n\nIt is below 10 ms.\n")
    assert trial.loops[0].metrics == pytest.approx({
        "sync.latency.mean": 811.25e-6, "sync.latency.min": 301e-6, "sync.latency.max": 12003e-6,
        "sync.latency.stdev": 240.5e-6, "sync.latency.p50": 775e-6,
        "sync.latency.p99": 1811e-6, "sync.latency.p99_9": 9372e-6, "sync.latency.p99_99": 11863e-6,
    })  # fmt: skip
    without_title = SYNC.partition("\n")[2]
    assert metrics(without_title) == metrics(SYNC)


def test_percentiles_that_somebody_left_out() -> None:
    text = SYNC.replace("|  1.00th=[  351], 50.00th=[  775], 99.00th", "|...,\n     | 99.00th")
    assert metrics(text)["sync.latency.p99"] == pytest.approx(1811e-6)
    assert "sync.latency.p50" not in metrics(text)


@pytest.mark.parametrize("part", [LATENCY + LISTED, LATENCY + LISTED + SHARED, LATENCY])
def test_latencies_are_of_no_direction_that_was_cut_off(part: str) -> None:
    """Reads and writes may also have been reported as one."""
    (entry,) = read(part)
    assert isinstance(entry, FoundOutput)
    assert not entry.trials
    (counters,) = entry.counters
    assert counters.kind == "latency of reads or writes"
    assert counters.values["clat.mean"] == pytest.approx(620.1e-6)
    assert counters.values.get("p99", 1123e-6) == pytest.approx(1123e-6)


@pytest.mark.parametrize(("rw", "way"), [("randread", "read"), ("write", "write"), ("randrw", "")])
def test_the_only_job_of_the_command_says_what_latencies_are_of(rw: str, way: str) -> None:
    printed = trials(f"# fio --name=a --rw={rw} --bs=4k --filename=x\n{LATENCY}{LISTED}")
    assert [trial.loops[0].metrics[f"{way}.latency.p99"] for trial in printed] == (
        [pytest.approx(1123e-6)] if way else []
    )


def test_percentiles_without_their_title_need_a_distribution_for_their_unit() -> None:
    wide = WRITES.replace("lat (usec)   : 500=20", "lat (nsec)   : 500=20")
    for shared in (wide, WRITES[WRITES.index("  cpu") :]):
        assert not trials(LISTED + shared)
    assert metrics(LISTED + WRITES)["write.latency.p99"] == pytest.approx(1123e-6)


def test_a_tail_that_is_one_of_several_jobs_is_a_result_of_its_own() -> None:
    status = STATUS.replace("4797KiB/s (4912kB/s), 4797", "9594KiB/s (9824kB/s), 4797")
    job, group = trials(LATENCY + LISTED + WRITES + status)
    assert "write.bandwidth" not in job.loops[0].metrics
    assert group.loops[0].metrics["write.bandwidth"] == 9594 * 1024
    assert "write.latency.mean" not in group.loops[0].metrics


def test_lines_of_rates_that_were_cut_behind_the_speed() -> None:
    text = "before\nread: IOPS=549k, BW=2146MiB/s\nread: IOPS=544k, BW=2125MiB/s\n"
    assert [trial.loops[0].metrics for trial in trials(text)] == [
        {"read.iops": 549e3, "read.bandwidth": 2146 * 2**20},
        {"read.iops": 544e3, "read.bandwidth": 2125 * 2**20},
    ]
    assert len(trials("read: IOPS=5, BW=20KiB/s\nwrite: IOPS=5, BW=20KiB/s\n")) == 1


def test_rates_of_a_line_that_a_mail_broke_are_read_once() -> None:
    (trial,) = trials("  read: IOPS=1200, BW=4801KiB/s\n(4916kB/s)(46.9MiB/10001msec)\n")
    assert trial.elapsed == (10.001,)


def test_rates_in_bold() -> None:
    assert metrics(WHOLE.replace("IOPS=1200", "**IOPS=1200**")) == metrics(WHOLE)


def test_a_run_whose_jobs_were_left_out() -> None:
    assert metrics(HEAD.partition("randrw: (groupid")[0] + "...\n" + STATUS) == metrics(STATUS)


@pytest.mark.parametrize(
    "text",
    [
        'log_buf(out, "  fsync/fdatasync/sync_file_range:\\n");\n',
        "We look at the block fsync/fdatasync/sync_file_range and its sync percentiles (usec).\n",
        "Run status group 0 (all jobs): says how fast all jobs were together.\n",
        '  p.log_buf("Run status group %d (all jobs):\\n", i);\n   READ: bw=N/A\n',
        "With clat percentiles (usec): 99.00th=[611] it was fast enough.\n",
        "The issued rwts: total=0,5,0,0 line counts I/Os.\n",
    ],
)
def test_what_only_speaks_of_them_is_no_result(text: str) -> None:
    assert not trials(text)


def test_lines_of_a_speed_alone_are_results() -> None:
    text = "read: bw=4121KiB/s\nrandread: bw=3011KiB/s\nwrite: bw=1.5MiB/s\n"
    sequential, random, write = trials(text)
    assert dict(sequential.loops[0].metrics) == {"read.bandwidth": 4121 * 1024}
    assert (dict(random.loops[0].metrics), random.options["rw"]) == (
        {"read.bandwidth": 3011 * 1024},
        "randread",
    )
    assert dict(write.loops[0].metrics) == {"write.bandwidth": 1.5 * 2**20}
    (old,) = trials("  read : io=1024.0MB, bw=61460KB/s, iops=15365\n")
    assert dict(old.loops[0].metrics) == {"read.iops": 15365, "read.bandwidth": 61460 * 1024}
    assert not trials("read: bw=4121 is what it says\nthe read: bw=12KiB/s\n")


def test_rates_that_grep_named_by_their_files() -> None:
    trial, other = trials(
        "off-1.fio:  read:  IOPS=792k,  BW=3095MiB/s\non-1.fio:   read:  IOPS=864k,  BW=3374MiB/s\n"
    )
    assert (trial.label, other.label) == ("off-1.fio", "on-1.fio")
    assert trial.loops[0].metrics["read.iops"] == 792e3
    assert other.loops[0].metrics["read.bandwidth"] == 3374 * 2**20
    assert not trials("it says read: IOPS=5, BW=20KiB/s\n")


def test_a_status_that_a_mail_broke_is_read_to_its_end() -> None:
    text = (
        "Run status group 0 (all jobs):\n   WRITE: bw=46.9MiB/s (49.2MB/s), 46.9MiB/s-46.9MiB/s \n"
        "(49.2MB/s-49.2MB/s), io=469MiB (492MB), run=10005-10005msec\n\nProse.\n"
    )
    (output,) = read(text)
    assert isinstance(output, FoundOutput)
    assert output.place.last_line == 3
    (trial,) = output.trials
    assert trial.loops[0].metrics["write.bandwidth"] == pytest.approx(46.9 * 2**20)


@pytest.mark.parametrize(("text", "labels"), [
    ("v6.2:\t\twrite: IOPS=4328, BW=8724KiB/s\nv6.2 (patched):\twrite: IOPS=801k, BW=1565MiB/s\n",
     ["v6.2", "v6.2 (patched)"]),
    ("(block) read: IOPS=15.3k, BW=59.8MiB/s (62.7MB/s)\n", ["block"]),
    ("before : read: IOPS=15.3k, BW=59.8MiB/s\n", ["before"]),
    ("before that it could read: IOPS=15.3k, BW=59.8MiB/s\n", []),
])  # fmt: skip
def test_the_author_s_name_before_the_rates_is_the_label(text: str, labels: list[str]) -> None:
    assert [trial.label for trial in trials(text)] == labels
