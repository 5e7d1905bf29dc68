"""`time`, command lines of dd, and rbd bench, in every shape they come in."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import Unread
from iosonde.text.find import FoundOutput
from tests.mangle import mangled, read, trials

OUTPUTS = Path(__file__).parents[2] / "outputs" / "commands-composed"
TIME, DD, RBD = ((OUTPUTS / f"{name}.txt").read_text() for name in ("time", "dd", "rbd-bench"))


def commands(text: str) -> list[str]:
    """The commands that were found to be loads."""
    outputs = [output for output in read(text) if isinstance(output, FoundOutput)]
    return [load.command for output in outputs for load in output.loads]


def test_time_is_of_the_command_above_it() -> None:
    copied, written, removed, synced, unpacked = trials(TIME)
    assert [trial.command for trial in (copied, removed, synced, unpacked)] == [
        "cp -a /srv/mail /mnt/new/", "rm -rf /mnt/new/mail", "rsync -a /a/ /b/",
        "tar xf linux.tar",
    ]  # fmt: skip
    assert [trial.elapsed for trial in (copied, removed, synced, unpacked)] == [
        (182.25,), (12.5,), (50.0,), (62.5,),
    ]  # fmt: skip
    assert [trial.label for trial in (copied, removed, synced)] == ["cp", "rm", "rsync"]
    assert copied.loops[0].metrics["cpu.system"] == pytest.approx(0.1)
    assert (copied.host, copied.steps["elapsed"]) == ("box", 0.0005)
    assert written.tool == "dd"
    assert written.elapsed == (1.6,)
    assert written.details["real"] == 20.5
    assert list(written.loops[0].metrics) == ["write.bandwidth"]


def test_time_without_its_command_is_kept_as_counters() -> None:
    lines = "real\t0m1.500s\nuser\t0m0.100s\nsys\t0m0.200s\n"
    (entry,) = read(f"It took so long:\n\n{lines}")
    assert isinstance(entry, FoundOutput)
    assert not entry.trials
    assert entry.counters[0].values == {"real": 1.5, "user": 0.1, "sys": 0.2}
    assert trials(f"$ time make\n\n{lines}")[0].loops[0].metrics["elapsed"] == 1.5


def test_a_line_of_real_alone_is_of_the_command_right_above() -> None:
    real = "real\t9m16.500s\n"
    (trial,) = trials(f"time blkdiscard /dev/md7\n{real}")
    assert (trial.label, trial.elapsed) == ("blkdiscard", (556.5,))
    assert not list(read(f"The run took\n{real}"))
    assert not trials(f"time blkdiscard /dev/md7\n\nIn the end\nit took\n{real}")


@pytest.mark.parametrize("text", [
    "real\t0m1.500s and nothing else\n",
    "a real 12.5 percent of the time, user 3.2, sys 1.0\n",
    "real 12.5\nmoney 3.0\n",
    "elapsed 0:12.3 in the log, system 0: gone\n",
])  # fmt: skip
def test_prose_is_no_time(text: str) -> None:
    assert read(text) == []


def test_commands_of_dd_are_loads() -> None:
    assert commands(DD) == [
        "dd if=/dev/zero of=/dev/sdx bs=1M oflag=direct",
        "sudo dd if=/dev/sdx of=/dev/null bs=4M count=1000 iflag=direct",
        "time dd if=/dev/zero of=/srv/test bs=64k count=16k conv=fdatasync 2>&1 | tail -1",
        "dd bs=512 count=2000 if=/dev/zero of=/srv/small oflag=dsync; rm /srv/small",
    ]


@pytest.mark.parametrize("text", [
    "do a dd if=/dev/mdXX of=/dev/null bs=1M count=100 on one of the arrays\n",
    "dd if=a of=b\n",
    "dd if=/dev/zero of=/mnt/a bs=1M is how I wrote it\n",
    "mkdd if=/dev/zero of=/mnt/a bs=1M\n",
])  # fmt: skip
def test_sentences_and_copies_are_no_loads(text: str) -> None:
    assert read(text) == []


def test_the_command_of_a_result_is_no_load_of_its_own() -> None:
    from iosonde.text.document import of_bytes
    from iosonde.text.find import find_and_tell
    from iosonde.verbs.import_ import output_of, without_repeats

    text = (
        "$ dd if=/dev/zero of=/mnt/a bs=1M count=8\n8+0 records in\n8+0 records out\n"
        "8388608 bytes (8.4 MB, 8.0 MiB) copied, 0.5 s, 16.8 MB/s\n"
    )
    outputs = find_and_tell(
        of_bytes("text", text.encode()),
        lambda output: output_of(output, make=lambda made: made, keep=False),
    )
    assert [output.counts.trials for output in without_repeats(outputs)] == [1]


def test_rbd_bench_keeps_its_table() -> None:
    new, *_ = trials(RBD)
    assert new.details["intervals"] == [
        {"seconds": 1, "requests": 11264, "iops": 11280.02, "bandwidth": 44 * 2**20},
        {"seconds": 2, "requests": 22016, "iops": 11015.75, "bandwidth": 43 * 2**20},
    ]
    rows = RBD.replace("43 MiB/s", "43 MiB")  # cut off
    assert len(cast("list[object]", trials(rows)[0].details["intervals"])) == 1


def test_rbd_bench_says_what_its_sum_says() -> None:
    new, old = trials(RBD)
    assert new.loops[0].metrics == {
        "write.iops": 10922.67, "write.bandwidth": 43 * 2**20,
    }  # fmt: skip
    rate = new.loops[0].metrics["write.iops"] * 4096
    assert rate == pytest.approx(43 * 2**20, abs=new.steps["write.bandwidth"])
    assert (new.options["rw"], new.target, new.host) == ("randwrite", "volumes/test", "mon1")
    assert old.loops[0].metrics["write.bandwidth"] == 1024 * 4096 / 2
    assert (old.options["rw"], old.target) == ("write", "image1")


@pytest.mark.parametrize(("text", "reason"), [
    (RBD.partition("elapsed")[0], "its sum at the end is cut off"),
    ("elapsed:     2  ops:     1024  ops/sec:   512.00  bytes/sec: 2097152.00\n",
     "whether it read or wrote is cut off"),
    (RBD.partition("\n\n")[0].replace("type write", "type readwrite"),
     "its reads and writes are not told apart"),
])  # fmt: skip
def test_what_is_cut_off_is_told(text: str, reason: str) -> None:
    (entry,) = read(text)
    assert isinstance(entry, Unread)
    assert entry.reason == reason


@pytest.mark.parametrize("text", [
    TIME.split("\n\n", 1)[1].split("\n\nroot@box:~# time sh")[0], RBD.partition("\n\n")[0],
])  # fmt: skip
def test_every_shape(text: str) -> None:
    expected = [dict(trial.loops[0].metrics) for trial in trials(text)]
    assert expected
    for shape, changed in mangled(text, wraps=False):
        assert [dict(trial.loops[0].metrics) for trial in trials(changed)] == expected, shape


SUM = "elapsed:   470  ops:  4199153  ops/sec:  8925.40  bytes/sec: 36558420.10\n"


def test_rbd_bench_whose_sum_alone_was_kept_has_its_load_from_the_command() -> None:
    command = "rbd bench-write img1 --io-threads 30 --pool=p --io-pattern rand --io-total 17G\n"
    (trial,) = trials(command + SUM)
    assert trial.loops[0].metrics == {"write.iops": 8925.40, "write.bandwidth": 36558420.10}
    assert trial.options == {"rw": "randwrite", "iodepth": 30, "size": 17 << 30}
    assert (trial.target, trial.elapsed) == ("img1", (470.0,))
    (read_trial,) = trials("$ rbd bench --io-type read --io-size 4K p/img\n" + SUM)
    assert read_trial.options == {"rw": "read", "bs": 4096}


@pytest.mark.parametrize("command", [
    "", "$ rbd bench --io-size 4K p/img\n", "$ rbd bench --io-type rw p/img\n",
])  # fmt: skip
def test_rbd_bench_of_no_known_direction_is_unread(command: str) -> None:
    assert not trials(command + SUM)
    assert [entry for entry in read(command + SUM) if isinstance(entry, Unread)]
