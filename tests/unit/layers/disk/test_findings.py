"""Schedulers, queues, read-ahead and interrupts; and hosts that are left in peace."""

from __future__ import annotations

import pytest

from iosonde.explain.judge import findings
from iosonde.layers.disk import findings as queue
from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence
from iosonde.records.finding import Finding
from iosonde.records.stack import Json, Scalar
from tests.unit.explain.cases import findings_named, trial

KIB = 1024
RAID5: dict[str, Scalar] = {
    "level": "raid5", "raid_disks": 5, "chunk_size": 64 * KIB, "data_members": 4,
    "stripe_width": 256 * KIB, "sync_action": "idle", "degraded": 0,
}  # fmt: skip


def state(kind: str, name: str, values: dict[str, Scalar], *below: str) -> StateEvidence:
    return StateEvidence(kind, name, "n1", values, f"n1/{kind}:{name}", "page", below)


@pytest.mark.parametrize(
    ("name", "scheduler", "severity"),
    [("nvme0n1", "bfq", "warning"), ("sda", "bfq", None), ("cciss/c0d0", "noop", "note"),
     ("vda", "mq-deadline", None), ("nvme0n1", "none", None), ("sda", "deadline", "note"),
     ("md0", "cfq", "warning")],
)  # fmt: skip
def test_schedulers(name: str, scheduler: str, severity: str | None) -> None:
    case = EvidenceSet(states=(state("disk", name, {"scheduler": scheduler, "rotational": True}),))
    said = [finding.severity for finding in findings_named(queue.RULES, case, "scheduler")]
    assert said == ([severity] if severity else [])


def test_disks_under_one_ended_scheduler_are_named_once_and_partitions_not() -> None:
    values: dict[str, Scalar] = {"scheduler": "deadline", "rotational": True}
    disks = [state("disk", name, values) for name in ("sda", "sdb", "sdc", "sdd", "sde")]
    case = EvidenceSet(states=(*disks, state("partition", "sda1", values)))
    (finding,) = findings_named(queue.RULES, case, "scheduler")
    assert finding.subject == "sda, sdb, sdc, sdd …"
    assert "/sys/block/sda/queue/scheduler" in finding.remedy
    other = state("disk", "sdf", {"scheduler": "noop", "rotational": True})
    assert len(findings_named(queue.RULES, EvidenceSet(states=(*disks, other)), "scheduler")) == 2


@pytest.mark.parametrize(("requests", "alarms"), [(128, 1), (256, 0), (1024, 0)])
def test_a_queue_that_is_never_full(requests: int, alarms: int) -> None:
    values: dict[str, Scalar] = {"nr_requests": requests, "queue_depth": 256}
    case = EvidenceSet(states=(state("disk", "sda", values),))
    assert len(findings_named(queue.RULES, case, "queue-depth")) == alarms


@pytest.mark.parametrize(
    ("scheduler", "echo"),
    [
        ("none", "`echo 256 >"),
        ("[none] mq-deadline", "`echo 256 >"),
        ("mq-deadline", "`echo 512 >"),
        ("none [mq-deadline] bfq", "`echo 512 >"),
        (None, "which needs a scheduler at work"),
    ],
)
def test_more_requests_than_the_hardware_has_are_advised_only_with_a_scheduler(
    scheduler: str | None, echo: str
) -> None:
    values: dict[str, Scalar] = {"nr_requests": 128, "queue_depth": 256, "scheduler": scheduler}
    case = EvidenceSet(states=(state("disk", "sda", values),))
    (said,) = findings_named(queue.RULES, case, "queue-depth")
    assert echo in said.remedy
    assert ("Invalid argument" in said.remedy) is ("512" not in said.remedy)


@pytest.mark.parametrize(("ahead", "alarms"), [(128, 1), (512, 0)])
def test_read_ahead_shorter_than_a_stripe(ahead: int, alarms: int) -> None:
    case = EvidenceSet(states=(state("md", "md0", {**RAID5, "read_ahead_kb": ahead}),))
    assert len(findings_named(queue.RULES, case, "read-ahead")) == alarms


@pytest.mark.parametrize(("metric", "alarms"), [("write.iops", 1), ("read.iops", 0)])
def test_read_ahead_is_judged_by_reads(metric: str, alarms: int) -> None:
    trials = tuple(
        trial({metric: [100.0, 101.0]}, label=f"read ahead {ahead}",
              settings={"n1/hwraid:.read_ahead": ahead})
        for ahead in (True, False)
    )  # fmt: skip
    assert len(findings_named(queue.RULES, EvidenceSet(trials=trials), "read-ahead")) == alarms


@pytest.mark.parametrize(
    ("values", "kernel", "severity"),
    [
        ({"scheduler": "none [mq-deadline] bfq"}, "6.1.0", None),
        ({"scheduler": "noop deadline [cfq]", "model": "PERC H730"}, "3.10.0", "warning"),
        ({"scheduler": "noop [deadline] cfq"}, "3.10.0-1160.el7", None),
        ({"scheduler": "noop [deadline] cfq"}, "6.1.0", "note"),
        ({"scheduler": "bfq", "rotational": False}, "6.1.0", "warning"),
    ],
)
def test_schedulers_of_a_kernel_that_is_known(
    values: dict[str, Scalar], kernel: str, severity: str | None
) -> None:
    host = state("host", "", {"kernel": kernel})
    case = EvidenceSet(states=(state("disk", "sda", {"rotational": True, **values}), host))
    said = [finding.severity for finding in findings_named(queue.RULES, case, "scheduler")]
    assert said == ([severity] if severity else [])


def test_a_controller_volume_is_an_array() -> None:
    disk = state("disk", "sda", {"scheduler": "bfq", "rotational": True})
    volume = state("hwraid", "sda", {"raid_level": "raid6"})
    assert len(findings_named(queue.RULES, EvidenceSet(states=(disk, volume)), "scheduler")) == 1


def in_flight(options: dict[str, Scalar], **more: object) -> list[Finding]:
    evidence = trial({"read.iops": [100.0]}, host="n1", options={"bs": 4 * KIB, **options}, **more)  # type: ignore[arg-type]
    states = tuple(
        StateEvidence("disk", name, "n1", {"queue_depth": 32}, name, "page")
        for name in ("sda", "sdb")
    )
    return findings_named(
        queue.RULES, EvidenceSet(trials=(evidence,), states=states), "queue-depth"
    )


@pytest.mark.parametrize(
    ("options", "alarms"),
    [
        ({"iodepth": 64, "direct": True, "ioengine": "libaio"}, 1),
        ({"iodepth": 8, "numjobs": 8, "direct": True, "ioengine": "io_uring"}, 1),
        ({"iodepth": 32, "direct": True, "ioengine": "libaio"}, 0),
        ({"iodepth": 64, "direct": True, "ioengine": "psync"}, 0),
        ({"iodepth": 64, "direct": False, "ioengine": "libaio"}, 0),
        ({"direct": True, "ioengine": "libaio"}, 0),
    ],
)
def test_more_in_flight_than_a_disk_takes(options: dict[str, Scalar], alarms: int) -> None:
    assert len(in_flight(options, target="/dev/sda")) == alarms


def test_the_disks_of_an_array_take_together() -> None:
    options: dict[str, Scalar] = {"iodepth": 64, "direct": True, "ioengine": "libaio"}
    both = (("md", "/dev/md0"), ("disk", "/dev/sda"), ("disk", "/dev/sdb"))
    assert in_flight(options, stands_on=both) == []
    (said,) = in_flight({**options, "iodepth": 100}, stands_on=both)
    assert "sda, sdb take 64 at once: 36 wait" in said.message
    assert in_flight({**options, "iodepth": 100}, stands_on=(*both, ("disk", "/dev/sdx"))) == []


@pytest.mark.parametrize(
    ("options", "alarms"),
    [({"rw": "read", "direct": False}, 1), ({"rw": "read", "direct": True}, 0),
     ({"rw": "randread", "direct": False}, 0)],
)  # fmt: skip
def test_read_ahead_of_the_volume_that_is_read(options: dict[str, Scalar], alarms: int) -> None:
    evidence = trial(
        {"read.iops": [100.0]}, host="n1", options={"bs": 4 * KIB, **options},
        stands_on=(("lvm", "/dev/mapper/vg-lv"), ("md", "/dev/md0")),
    )  # fmt: skip
    volume = state("lvm", "mapper/vg-lv", {"read_ahead_kb": 128})
    array = state("md", "md0", {**RAID5, "read_ahead_kb": 1024})
    said = findings_named(
        queue.RULES, EvidenceSet(trials=(evidence,), states=(volume, array)), "read-ahead"
    )
    assert len(said) == alarms
    assert all("the stripe of md0 of 256 KiB" in finding.message for finding in said)


def interrupt(number: str, counts: list[int], *devices: str) -> CounterEvidence:
    values: dict[str, Json] = {"counts": list(counts), "devices": list(devices)}
    return CounterEvidence("interrupts", "interrupt", number, "n1", values, "n1", "n1")


def test_interrupts_that_are_shared_or_lopsided() -> None:
    shared = EvidenceSet(counters=(interrupt("16", [10, 10], "eth0", "megasas"),))
    assert len(findings_named(queue.RULES, shared)) == 1
    lopsided = EvidenceSet(
        counters=(
            interrupt("30", [2_000_000, 10], "eth0"), interrupt("31", [900_000, 3], "nvme0q1"),
        )
    )  # fmt: skip
    assert "CPU 0 served over 99.999 %" in findings_named(queue.RULES, lopsided)[0].message
    spread = EvidenceSet(
        counters=(
            interrupt("30", [2_000_000, 10], "eth0"), interrupt("31", [3, 1_900_000], "nvme0q1"),
        )
    )  # fmt: skip
    assert findings_named(queue.RULES, spread) == []


def test_one_busy_line_can_only_go_to_one_cpu() -> None:
    single = EvidenceSet(
        counters=(
            interrupt("36", [0, 8_817_949], "virtio1-req.0"),
            interrupt("38", [0, 48_388], "virtio2-input.0"),
        )
    )
    assert findings_named(queue.RULES, single) == []


def test_the_same_of_several_places_is_said_once() -> None:
    values: dict[str, Scalar] = {"nr_requests": 128, "queue_depth": 256}
    states = tuple(
        StateEvidence("disk", "sda", "n1", values, f"page:{line}", "page") for line in (3, 30, 300)
    )
    said = findings(EvidenceSet(states=states))
    assert len(said) == 1
    assert said[0].evidence[0].where == "page:3 and 2 more places"
