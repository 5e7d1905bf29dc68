"""Arrays of held disks in the lab, measured, beside what the model says of them.

Four virtual disks of 192 MiB, each held to 50 I/Os a second by QEMU's throttle; md with chunks of
64 KiB on Debian's Linux 6.1 (one emulated CPU); fio 3.33, five seconds of which the first is left
out, one or two loops. Measured 2026-11-21; how: docs/validation/predicted-times.md.
"""

from __future__ import annotations

from itertools import combinations

import pytest
from scipy.stats import kendalltau

from iosonde.predict.time import Time
from tests.unit.predict.stacks import certain, disks, time_of

LOADS = {
    "write 4k": "--rw=randwrite --bs=4k --iodepth=8",
    "read 4k": "--rw=randread --bs=4k --iodepth=8",
    "write 64k": "--rw=randwrite --bs=64k --iodepth=4",
    "write 4k alone": "--rw=randwrite --bs=4k --iodepth=1",
    "mixed 4k": "--rw=randrw --bs=4k --iodepth=8",
    "read 64k": "--rw=randread --bs=64k --iodepth=4",
}
LEVELS = (0, 5, 6, 10)
MEASURED = {  # I/Os a second, by level
    "write 4k": (174, 48, 48, 90.5),
    "read 4k": (171, 186, 183, 179),
    "write 64k": (172, 47, 49, 92.5),
    "write 4k alone": (149, 47, 49, 88),
    "mixed 4k": (175, 76, 82, 123),
    "read 64k": (163, 179.5, 177, 128),
}


def predicted(level: int, load: str) -> Time:
    array = f"r: {{kind: md, level: {level}, chunk_size: 64k, of: [{{of}}], assume_clean: true}}"
    keys = "size: 192 MiB, iops: 50, bandwidth: 16 MiB"
    declared = disks(4, array, keys=keys, at="")
    return certain(time_of(declared, f"{LOADS[load]} --ioengine=libaio --norandommap=1"))


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_what_the_model_tells_apart_was_measured_so() -> None:
    groups = {load: [predicted(level, load) for level in LEVELS] for load in LOADS}
    pairs = apart = 0
    for load, times in groups.items():
        for combination, other in combinations(range(len(LEVELS)), 2):
            pairs += 1
            a, b = times[combination], times[other]
            if a.band[0] > b.band[1] or b.band[0] > a.band[1]:
                apart += 1
                assert (a.iops > b.iops) == (MEASURED[load][combination] > MEASURED[load][other])
    assert apart >= pairs // 2
    flat = [(time, MEASURED[load][at]) for load in LOADS for at, time in enumerate(groups[load])]
    inside = [time.band[0] <= seen <= time.band[1] for time, seen in flat]
    assert sum(inside) >= 23
    tau = kendalltau([time.iops for time, _ in flat], [seen for _, seen in flat]).statistic
    assert tau > 0.7
