"""No order is claimed among rates that somebody limited on purpose."""

from __future__ import annotations

import pytest

from iosonde.explain.limited import is_limited
from iosonde.explain.rules import noise
from iosonde.explain.series import series_of
from iosonde.text.rate_limits import says_limit
from tests.unit.explain.cases import case_of, findings_named, trial
from tests.unit.text.test_written_between import RUNS, between

IO_MAX = "/sys/fs/cgroup/t/io.max"
BLKIO = "/sys/fs/cgroup/blkio/t/blkio.throttle.write_bps_device"
BOTH = RUNS[:2]


def orders(said: list[str]) -> int:
    """How many orders are spoken of among runs below what is said of each."""
    case = case_of(between(said, BOTH, inside=True))
    assert [len(series.conditions) for series in series_of(case)] == [2]
    return len(findings_named(noise.RULES, case))


@pytest.mark.parametrize("said", [
    [f'# echo "8:16 wbps=209715200" > {IO_MAX}', f'# echo "8:16 wbps=104857600" > {IO_MAX}'],
    [f"$ cat {IO_MAX}\n8:16 rbps=max wbps=209715200",
     f"$ cat {IO_MAX}\n8:16 rbps=max wbps=104857600"],
    [f'# echo "8:16 209715200" > {BLKIO}', f'# echo "8:16 104857600" > {BLKIO}'],
    ["# tc qdisc add dev eth0 root tbf rate 1gbit burst 32kbit latency 400ms",
     "# tc qdisc change dev eth0 root tbf rate 2gbit burst 32kbit latency 400ms"],
    ["# tc qdisc add dev eth0 root tbf rate 1gbit burst 32kbit", "# tc qdisc del dev eth0 root"],
    ["$ aws ec2 modify-volume --volume-id vol-1 --throughput 200",
     "$ aws ec2 modify-volume --volume-id vol-1 --throughput 250"],
    ["# virsh blkdeviotune vm vda --total-bytes-sec 209715200",
     "# virsh blkdeviotune vm vda --total-bytes-sec 104857600"],
    ["Limited to 200 MB/s:", "Limited to 250 MB/s:"],
])  # fmt: skip
def test_rates_below_limits_are_in_no_order(said: list[str]) -> None:
    assert orders(said) == 0


@pytest.mark.parametrize("said", [
    [f'# echo "8:16 wbps=max" > {IO_MAX}', f'# echo "8:16 wbps=max riops=max" > {IO_MAX}'],
    [f'# echo "8:16 0" > {BLKIO}', "# echo bfq > /sys/block/sdb/queue/scheduler"],
    ["# tc qdisc del dev eth0 root", "# echo bfq > /sys/block/sdb/queue/scheduler"],
    ["ext4, which had 3000 IOPS before:", "xfs:"],
])  # fmt: skip
def test_rates_without_limits_or_with_lifted_ones_are(said: list[str]) -> None:
    assert orders(said) == 1


@pytest.mark.parametrize(("options", "limited"), [
    ("--rate=100m", True), ("--rate_iops=500", True), ("-rate_iops 500", True),
    ("--thinktime=100", False), ("--rate_cycle=100", False), ("--size=1g", False),
])  # fmt: skip
def test_rates_that_a_command_of_fio_asks_for(options: str, limited: bool) -> None:
    run = trial({"write.iops": [500.0]}, command=f"fio --name=a --rw=randwrite {options}")
    assert is_limited(run) is limited


def test_paced_loads_are_compared_by_their_latencies() -> None:
    paced = {"paced": True}
    assert is_limited(trial({"write.iops": [500.0]}, options=paced))
    assert not is_limited(trial({"write.latency.p99": [0.01]}, options=paced))


@pytest.mark.parametrize(("text", "limit"), [
    ("IOReadBandwidthMax=/dev/sdb 100M", True),
    ("docker run --device-write-bps /dev/sdb:1mb x", True),
    ("rbd_qos_iops_limit 500", True), ('"Iops": 3000,', True),
    ("gp3 with 3000 IOPS provisioned", True),
    ("throttled at 50 MB/s", True), ("<total_iops_sec>0", False), ("total_iops_sec: 0", False),
    ("wiops=max", False), ("it reached 3000 IOPS", False), ("the limit of the bus", False),
    ("   iops        : min= 7450, max= 8533, avg=8229.90", False),
    ("1048576000 bytes copied, 10.1 s, 104 MB/s max", False),
])  # fmt: skip
def test_what_says_that_a_rate_is_limited(text: str, limit: bool) -> None:
    assert says_limit(text) is limit
