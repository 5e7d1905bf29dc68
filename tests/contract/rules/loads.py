"""Loads: what reached the disks, what their figures say of each other, what was asked for."""

from __future__ import annotations

from iosonde.records.evidence import TrialEvidence
from iosonde.records.stack import HostFacts
from tests.contract.rules.case import RuleCase, asked, case, state, trial

GIB = 1 << 30
N1 = HostFacts("n1", "6.1", 4, 8 * GIB)
SHARED = "fio --name=a --filename=/data/x --numjobs=4 --size=2g --direct=1 --rw="


def went_on(sectors: float) -> TrialEvidence:
    """240,000 buffered reads of 4 KiB one after the other, in 7,680 requests."""
    return trial(
        {"read.iops": [4000.0], "read.latency.p50": [3e-6]},
        options={"rw": "read", "bs": 4096}, issued={"read": 240_000},
        device_io={"sda": {"reads": 7680.0, "read_sectors": sectors}},
    )  # fmt: skip


def flushed(seconds: float) -> TrialEvidence:
    return trial(
        {"write.iops": [1000.0], "elapsed": [seconds]}, options={"runtime": 60, "end_fsync": True}
    )


def moved(size: float) -> TrialEvidence:
    """60,000 writes of 4 KiB in a minute."""
    return trial(
        {"write.iops": [1000.0], "write.bandwidth": [4096000.0]}, options={"bs": 4096},
        issued={"write": 60000},
        details={"moved": {"write": {"bytes": size, "step": 1e6, "seconds": 60.0}}},
    )  # fmt: skip


def sampled(mean: float) -> TrialEvidence:
    return trial({"write.bandwidth": [100e6]}, details={"bw_samples": {"write": {"mean": mean}}})


def verified(option: str) -> TrialEvidence:
    """32 writes and 32 reads in flight, in one figure each."""
    return trial(
        {"write.iops": [1000.0], "write.latency.mean": [0.032],
         "read.iops": [1000.0], "read.latency.mean": [0.032]},
        options={"iodepth": 32, "numjobs": 1, "rw": "write", "verify": option},
    )  # fmt: skip


def shallow(depth: int, label: str) -> TrialEvidence:
    return trial({"read.iops": [1000.0]}, label=label, options={"iodepth": depth})


def children(parent: float) -> TrialEvidence:
    """Four writers of 100 MB/s on average."""
    return trial(
        {"write.bandwidth": [400e6]}, tool="iozone", options={"numjobs": 4},
        details={"processes": {"write": {"min": 9e7, "max": 11e7, "avg": 1e8, "parent": parent}}},
    )  # fmt: skip


def called(heading: str) -> TrialEvidence:
    """Random writes of 4 KiB."""
    return trial({"write.iops": [1000.0]}, heading=heading, printed=True, options={"bs": 4096})


def outlasting(latency: float) -> TrialEvidence:
    """Half a minute of 100 reads a second, of which each took so long on average."""
    return trial({"read.iops": [100.0], "read.latency.mean": [latency], "elapsed": [30.0]},
                 options={"iodepth": 1024, "numjobs": 4})  # fmt: skip


def zeros(target: str) -> TrialEvidence:
    """A file of zeros."""
    return trial({"write.bandwidth": [3.5e9]}, tool="dd", target=target,
                 command=f"dd if=/dev/zero of={target} bs=1M count=10240")  # fmt: skip


CASES = (
    RuleCase(
        "page-cache.cached",
        "buffered reads of which a tenth of the bytes came from the disk",
        case(went_on(192_000.0)),
        "buffered reads one after the other whose bytes all came, in larger requests",
        case(went_on(1_920_000.0)),
    ),
    RuleCase(
        "page-cache.fits_memory",
        "a buffered file of 2 GiB on a host of 8 GiB",
        case(trial({"read.iops": [1e5]}, host="n1", options={"direct": False, "size": 2 * GIB}),
             N1),
        "a buffered file of 64 GiB on it",
        case(trial({"read.iops": [1e5]}, host="n1", options={"direct": False, "size": 64 * GIB}),
             N1),
    ),
    RuleCase(
        "page-cache.hidden_flush",
        "a minute that is reported over 66 seconds",
        case(flushed(66.0)),
        "a minute with the same final flush, which took no time",
        case(flushed(60.2)),
    ),
    RuleCase(
        "page-cache.buffered",
        "a buffered command with a file of twice the memory",
        case(asked("fio --name=a --rw=read --size=64g"), state("host", "", {"memory": 32 * GIB},
                                                              host="")),
        "the same where it is eight times the memory",
        case(asked("fio --name=a --rw=read --size=64g"), state("host", "", {"memory": 8 * GIB},
                                                              host="")),
    ),
    RuleCase(
        "shared-file.shared_file",
        "four jobs that write one file",
        case(asked(f"{SHARED}randwrite")),
        "four jobs that read one file",
        case(asked(f"{SHARED}randread")),
    ),
    RuleCase(
        "refused-load.refused",
        "an option that iozone has not",
        case(asked("iozone -a -s 1g -%")),
        "a stray word, which iozone passes over",
        case(asked("iozone -a -s 1g /data/x")),
    ),
    RuleCase(
        "contradiction.contradictions",
        "twice as many bytes as I/Os × block size",
        case(moved(491_520_000.0)),
        "as many, rounded to megabytes",
        case(moved(246_000_000.0)),
    ),
    RuleCase(
        "contradiction.bursts",
        "samples of 150 MB/s in a load of 100 MB/s",
        case(sampled(150e6)),
        "samples of 105 MB/s",
        case(sampled(105e6)),
    ),
    RuleCase(
        "contradiction.longer",
        "a mean latency of nine days in a run of half a minute",
        case(outlasting(756_537.5)),
        "one of 20 s in it",
        case(outlasting(20.0)),
    ),
    RuleCase(
        "littles-law.little",
        "64 I/Os in flight where 32 were asked for",
        case(verified("none")),
        "32 written and afterwards 32 read to verify them",
        case(verified("crc32c")),
    ),
    RuleCase(
        "littles-law.single_depth",
        "two trials with one I/O in flight",
        case(shallow(1, "a"), shallow(1, "b")),
        "one with one and one with 32",
        case(shallow(1, "a"), shallow(32, "b")),
    ),
    RuleCase(
        "load-generator-limit.generator",
        "a job that uses all of its core",
        case(trial({"read.iops": [1e6], "cpu.user": [0.8], "cpu.system": [0.19]})),
        "four jobs that use as much together",
        case(trial({"read.iops": [1e6], "cpu.user": [0.8], "cpu.system": [0.19]},
                   options={"numjobs": 4})),
    ),
    RuleCase(
        "sync-latency.unseen",
        "an fsync after each write, and the latency of writes alone",
        case(trial({"write.iops": [200.0], "write.latency.mean": [1e-5]}, options={"fsync": 1})),
        "the same with the latency of the syncs",
        case(trial({"write.iops": [200.0], "write.latency.mean": [1e-5],
                    "sync.latency.mean": [5e-3]}, options={"fsync": 1})),
    ),
    RuleCase(
        "fault.failed",
        "a trial during which a connection was lost",
        case(trial({"write.iops": [100.0, 90.0]}, faults=("host b: the connection is lost",))),
        "a trial with the same figures and no fault",
        case(trial({"write.iops": [100.0, 90.0]})),
    ),
    RuleCase(
        "stragglers.stragglers",
        "four children of 100 MB/s, of which the parent saw 250 MB/s",
        case(children(250e6)),
        "the same with 390 MB/s",
        case(children(390e6)),
    ),
    RuleCase(
        "heading-mismatch.named_otherwise",
        "blocks of 4 KiB under “64k random write”",
        case(called("64k random write")),
        "blocks of 4 KiB under “Random write, strip 64k”",
        case(called("Random write, strip 64k")),
    ),
    RuleCase(
        "compressed-zeros.zeros",
        "zeros that dd wrote to a data set with lz4",
        case(zeros("/tank/data/x"), state("dataset", "tank/data", {"compression": "lz4"}, host="")),
        "the same to a data set without compression, below one that has it",
        case(zeros("/tank/data/x"), state("dataset", "tank", {"compression": "lz4"}, host=""),
             state("dataset", "tank/data", {"compression": False, "dedup": False}, host="")),
    ),
)  # fmt: skip
