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
