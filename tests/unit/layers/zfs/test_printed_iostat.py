"""zpool iostat -l, -q, -r and -w, in every shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read

PLACE = Path(__file__).parents[3] / "outputs" / "zfs-composed"
WAITS, QUEUES, LATENCIES, SIZES = (
    (PLACE / f"iostat-{letter}.txt").read_text() for letter in "lqwr"
)


def test_waits_of_pools_and_devices() -> None:
    for shape, given in mangled(WAITS):
        printed = counters(given)
        names = [(each.kind, each.name) for each in printed]
        assert names == [
            ("zpool", "vault"), ("zpool_device", "mirror-0"), ("zpool_device", "sdc"),
            ("zpool_device", "sdd"), ("zpool_device", "nvme0n1p2"), ("zpool", "vault"),
        ], shape  # fmt: skip
        first = printed[0].values
        assert (first["total_wait.read"], first["disk_wait.write"]) == (0.008, 0.004)
        assert (first["syncq_wait.read"], first["asyncq_wait.read"]) == (2e-06, 0.000812)
        assert first["scrub_wait"] == 0.133
        assert "trim_wait" not in first
        assert (first["report"], first["since_boot"]) == (1, True)
        assert (printed[5].values["report"], printed[5].values["since_boot"]) == (2, False)
        assert printed[4].values["syncq_wait.write"] == 988e-9
        assert "total_wait.read" not in printed[4].values


def test_queues() -> None:
    for shape, given in mangled(QUEUES):
        (tank,) = counters(given)
        assert (tank.values["asyncq_write.pend"], tank.values["asyncq_write.activ"]) == (
            1.02 * 1024, 30
        ), shape  # fmt: skip
        assert tank.values["trimq_write.pend"] == 0
        assert tank.values["read.iops"] == 14


def test_histograms() -> None:
    for shape, given in mangled(LATENCIES):
        (tank,) = counters(given)
        assert tank.name == "tank", shape
        assert tank.values["latency"] == [511e-9, 1e-06, 262e-6, 0.008, 137.0]
        assert tank.values["total_wait.write"] == [0, 0, 1.5 * 1024, 611, 0]
        assert tank.values["scrub"] == [0, 0, 0, 7, 0]
    (tank,) = counters(SIZES)
    assert tank.values["request_size"] == [4096, 131072, 1048576]
    assert tank.values["async_write.agg"] == [0, 7.25 * 1024, 913]


@pytest.mark.parametrize("text", [LATENCIES, WAITS])
def test_a_head_alone(text: str) -> None:
    upto = text.index("-----  -----")
    (entry,) = read(text[:upto].rsplit("\n", 1)[0] + "\n\nIt is slow.\n")
    assert isinstance(entry, Unread)
    assert entry.reason == "no pool follows its head"


def test_prose() -> None:
    assert read("The total_wait of disk_wait is what it is.\n") == []
