"""dd without a sum, with what `time` printed below it. Oracle: records × block size over `real`."""

from __future__ import annotations

import pytest

from tests.mangle import mangled, trials, unread_in

RECORDS = "1024+0 records in\n1024+0 records out\n"
DD = "dd if=/dev/zero of=/srv/x bs=64k count=1024"
BYTES = 1024 * 65536
VERBOSE = """\
\tCommand being timed: "{}"
\tUser time (seconds): 0.02
\tSystem time (seconds): 0.43
\tPercent of CPU this job got: 13%
\tElapsed (wall clock) time (h:mm:ss or m:ss): {}
\tAverage shared text size (kbytes): 0
\tAverage unshared data size (kbytes): 0
\tAverage stack size (kbytes): 0
\tAverage total size (kbytes): 0
\tMaximum resident set size (kbytes): 2080
\tAverage resident set size (kbytes): 0
\tMajor (requiring I/O) page faults: 1
\tMinor (reclaiming a frame) page faults: 81
\tVoluntary context switches: 12
\tInvoluntary context switches: 3
\tSwaps: 0
\tFile system inputs: 8
\tFile system outputs: 131072
\tSocket messages sent: 0
\tSocket messages received: 0
\tSignals delivered: 0
\tPage size (bytes): 4096
\tExit status: 0
"""
FORMS = {
    "bash": (f"$ time {DD}", "\nreal\t0m3.210s\nuser\t0m0.020s\nsys\t0m0.430s\n", 0.0005),
    "comma": (f"$ time {DD}", "\nreal\t0m3,210s\nuser\t0m0,020s\nsys\t0m0,430s\n", 0.0005),
    "posix": (f"$ time -p {DD}", "real 3.21\nuser 0.02\nsys 0.43\n", 0.005),
    "busybox": (f"~ # time {DD}", "real\t0m 3.21s\nuser\t0m 0.02s\nsys\t0m 0.43s\n", 0.005),
    "esxi": (f"[root@esx1:/vmfs/volumes/ds1] time {DD}",
             "real\t0m 3.21s\nuser\t0m 0.02s\nsys\t0m 0.43s\n", 0.005),
    "zsh": ("", f"{DD}  0.02s user 0.43s system 14% cpu 3.210 total\n", 0.0005),
    "gnu": (f"$ /usr/bin/time {DD}",
            "0.02user 0.43system 0:03.21elapsed 14%CPU (0avgtext+0avgdata 2080maxresident)k\n"
            "0inputs+131072outputs (0major+81minor)pagefaults 0swaps\n", 0.005),
    "verbose": (f"$ /usr/bin/time -v {DD}", VERBOSE.format(DD, "0:03.21"), 0.005),
    "busybox -v": ("", VERBOSE.format(DD, "0m 3.21s"), 0.005),
    "bsd": (f"$ time {DD}", "        3.21 real         0.02 user         0.43 sys\n", 0.005),
    "tcsh": (f"> time {DD}", "0.02u 0.43s 0:03.21 14.0%\t0+0k 0+131072io 0pf+0w\n", 0.005),
    "sync": (f'# time sh -c "{DD} && sync"', "\nreal 3.21\nuser 0.02\nsys 0.43\n", 0.005),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_the_rate_is_of_the_records_and_of_real(form: str) -> None:
    prompt, times, step = FORMS[form]
    (trial,) = trials(f"{prompt}\n{RECORDS}{times}")
    assert trial.tool == "dd"
    assert dict(trial.loops[0].metrics) == pytest.approx({"write.bandwidth": BYTES / 3.21})
    assert trial.steps["write.bandwidth"] == pytest.approx(BYTES / 3.21 * step / 3.21)
    assert (trial.target, trial.elapsed, trial.options["bs"]) == ("/srv/x", (3.21,), 65536)
    assert trial.details["derived"] == "records × block size over real"
    assert {name: trial.details[name] for name in ("bytes", "real", "user", "system")} == {
        "bytes": BYTES, "real": 3.21, "user": 0.02, "system": 0.43,
    }  # fmt: skip


@pytest.mark.parametrize(("shape", "text"), list(mangled(
    f"$ time {DD}\n{RECORDS}\nreal\t0m3.210s\nuser\t0m0.020s\nsys\t0m0.430s\n"
)))  # fmt: skip
def test_torn_copies_have_that_rate_or_none(shape: str, text: str) -> None:
    rates = [each.loops[0].metrics.get("write.bandwidth") for each in trials(text)]
    assert all(rate is None or rate == pytest.approx(BYTES / 3.21) for rate in rates), shape


@pytest.mark.parametrize(("prompt", "records"), [
    ("", RECORDS),  # no command, no block size
    (f"$ time {DD}", "1023+1 records in\n1023+1 records out\n"),  # a part of a block
    (f"$ time {DD}", RECORDS + RECORDS),  # the time of both
    (f'$ time sh -c "mkfs.ext2 /dev/sdb1; {DD}"', RECORDS),  # of more than dd
    (f"$ time cat /srv/x | {DD.replace('if=/dev/zero ', '')}", RECORDS),
    ("$ time dd if=/dev/zero of=/srv/x bs=$SIZE count=1024", RECORDS),
])  # fmt: skip
def test_no_rate_is_made_up(prompt: str, records: str) -> None:
    text = f"{prompt}\n{records}\nreal\t0m3.210s\nuser\t0m0.020s\nsys\t0m0.430s\n"
    assert [trial.tool for trial in trials(text)] in ([], ["time"])
    assert {unread.reason for unread in unread_in(text)} == {"no speed follows"}


def test_records_below_others_have_a_command_only_in_a_loop() -> None:
    times = "real 3.21\nuser 0.02\nsys 0.43\n"
    both = f"{RECORDS}{times}{RECORDS}{times.replace('3.21', '6.42')}"
    loop = trials(f"$ for i in 1 2; do time -p {DD}; done\n{both}")
    assert [trial.elapsed for trial in loop] == [(3.21,), (6.42,)]
    (alone,) = trials(f"$ time -p {DD}\n{both}")
    assert alone.elapsed == (3.21,)


def test_the_times_of_a_result_with_a_sum_are_with_it() -> None:
    summed = f"{RECORDS}{BYTES} bytes transferred in 3.200000 secs (20971520 bytes/sec)\n"
    for _, times, _ in FORMS.values():
        (trial,) = trials(f"$ time {DD}\n{summed}{times}")
        assert trial.loops[0].metrics["write.bandwidth"] == BYTES / 3.2
        assert trial.details["real"] == 3.21
        assert "derived" not in trial.details


def test_what_gnu_time_counts_is_kept_of_other_commands() -> None:
    text = VERBOSE.format("tar xf linux.tar", "1:02:03")
    (trial,) = trials(text)
    assert (trial.tool, trial.command, trial.elapsed) == ("time", "tar xf linux.tar", (3723.0,))
    assert trial.details == {
        "user": 0.02, "system": 0.43, "max_resident_kib": 2080, "major_faults": 1,
        "voluntary_switches": 12, "involuntary_switches": 3, "inputs": 8, "outputs": 131072,
        "exit_status": 0,
    }  # fmt: skip
    assert not trials(text[: text.index("\tElapsed")])
