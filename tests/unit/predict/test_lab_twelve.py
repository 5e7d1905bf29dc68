"""One RAID 10 of twelve held disks against three of four in the lab, beside what the model says.

Twelve virtual disks of 192 MiB, each held to 40 I/Os and 16 MiB a second; md with chunks of 64 KiB
on Debian's Linux 6.1 (one emulated CPU); fio 3.33, 15 s behind one that is left out; three arrays
each with a third of the depth, at the same time. Measured 2026-11-22; more in
docs/validation/predicted-times.md.
"""

from __future__ import annotations

import pytest
from scipy.stats import kendalltau

from iosonde.predict.time import Time
from tests.unit.predict.stacks import certain, disks, time_of

MEASURED = {  # I/Os a second: of one array, of three together
    ("randwrite", "4k", 12): (214, 219), ("randwrite", "64k", 6): (208, 219),
    ("randwrite", "256k", 3): (54, 107), ("randread", "4k", 12): (416, 424),
    ("randread", "64k", 6): (390, 400), ("randread", "256k", 3): (106, 115),
    ("randrw", "4k", 12): (267, 286), ("write", "1m", 3): (39, 93),
}  # fmt: skip


def predicted(members: int, way: str, size: str, depth: int) -> Time:
    array = "r: {kind: md, level: 10, chunk_size: 64k, of: [{of}], assume_clean: true}"
    declared = disks(members, array, keys="size: 192 MiB, iops: 40, bandwidth: 16 MiB", at="")
    load = f"--rw={way} --bs={size} --iodepth={depth} --ioengine=libaio --norandommap=1"
    return certain(time_of(declared, load))


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_one_array_or_three_is_told_as_it_was_measured() -> None:
    times = {load: predicted(12, *load) for load in MEASURED}
    of_four = {load: predicted(4, *load[:2], load[2] // 3) for load in MEASURED}
    apart = [
        load for load in MEASURED
        if 3 * of_four[load].band[0] > times[load].band[1]
    ]  # fmt: skip
    assert apart == [("randwrite", "256k", 3), ("write", "1m", 3)]
    for load, (single, three) in MEASURED.items():
        assert times[load].band[0] <= single <= times[load].band[1]
        assert 3 * of_four[load].band[0] <= three <= 3 * of_four[load].band[1]
        assert (three > 1.1 * single) is (load in apart)
    said = [rate for load in MEASURED for rate in (times[load].iops, 3 * of_four[load].iops)]
    seen = [rate for pair in MEASURED.values() for rate in pair]
    assert kendalltau(said, seen).statistic > 0.85
    assert max(abs(a / b - 1) for a, b in zip(said, seen, strict=True)) < 0.15
