"""t/io_uring's rates. Oracle: its own IOPS, each of 512 bytes."""

from __future__ import annotations

import pytest

from tests.mangle import trials


@pytest.mark.parametrize("rate", ["2.79GiB/s", "1.91GiB/s", "953MiB/s"])
def test_a_rate_is_that_of_its_requests(rate: str) -> None:
    iops = {"2.79GiB/s": "5.71M", "1.91GiB/s": "3.91M", "953MiB/s": "1952K"}[rate]
    line = f"IOPS={iops}, BW={rate}, IOS/call=32/31\n"
    (trial,) = trials("# t/io_uring -d128 -b512 -s32 -c32 -p1 /dev/nvme0n1\n" + line * 3)
    metrics = trial.loops[0].metrics
    share = metrics["read.bandwidth"] / (metrics["read.iops"] * 512)
    assert share == pytest.approx(1, abs=4e-3)


@pytest.mark.parametrize("before", [
    "", "sudo ", "taskset -c 10 ", "sudo taskset -c 10,12 ", "numactl -N 0 --membind=0 ",
    "sudo nice -n -5 ionice -c 1 -n 0 ", "env LANG=C ",
])  # fmt: skip
def test_the_command_may_be_run_by_another(before: str) -> None:
    line = "IOPS=1952K, BW=953MiB/s, IOS/call=32/31\n"
    (trial,) = trials(f"{before}t/io_uring -d128 -b512 -n1 /dev/dm-0\n" + line * 3)
    assert trial.command == f"{before}t/io_uring -d128 -b512 -n1 /dev/dm-0"
    assert trial.target == "/dev/dm-0"
    assert {"bs": 512, "iodepth": 128}.items() <= trial.options.items()


@pytest.mark.parametrize("before", ["I ran ", "taskset of ", "nice to have: "])
def test_a_sentence_with_the_command_is_none(before: str) -> None:
    line = "IOPS=1952K, BW=953MiB/s, IOS/call=32/31\n"
    (trial,) = trials(f"{before}t/io_uring -d128 -b512\n" + line * 3)
    assert not trial.command
