"""Results held against each other, against what is written beside them, and against a model."""

from __future__ import annotations

from collections.abc import Sequence

from iosonde.records.evidence import EvidenceSet, TrialEvidence
from iosonde.records.prediction import Account, Ledger, LedgerRow
from tests.contract.rules.case import RuleCase, case, trial

MB = 1e6
STEADY = (1000.0, 1002.0, 998.0, 1001.0, 999.0, 1000.0)
WAVES = (100.0, 110.0, 90.0, 105.0, 95.0, 120.0, 80.0, 108.0, 92.0, 101.0)


def loops(label: str, figures: Sequence[float], **more: object) -> TrialEvidence:
    return trial({"write.iops": figures}, label=label, **more)  # type: ignore[arg-type]


def at(host: str, figures: Sequence[float], quoted: str = "") -> TrialEvidence:
    """At the same time on every host."""
    return trial({"write.bandwidth": figures}, label="both", host=host, started=1e9,
                 elapsed=(60.0,) * len(figures),
                 row=(quoted,) if quoted else ())  # fmt: skip


def first(*figures: float) -> EvidenceSet:
    """Three conditions, of which the last begins with a figure of its own."""
    return case(
        loops("a", (1000.0, 1004.0, 998.0, 1002.0, 996.0, 1001.0)),
        loops("b", (1010.0, 1006.0, 1012.0, 1008.0, 1011.0, 1009.0)),
        loops("c", (*figures, 1021.0, 1018.0, 1022.0, 1019.0, 1020.0)),
    )


def remarked(figures: Sequence[float], remark: str) -> EvidenceSet:
    """A row without and one with a remark."""
    names = ("Setting", "Remark")
    return case(loops("off", STEADY, row=("off", ""), columns=names),
                loops("on", figures, row=("on", remark), columns=names))  # fmt: skip


def counted(reads: float) -> EvidenceSet:
    """A device that was to read 100,000 times 4 KiB."""
    said = Account(100_000, 100_000 * 4096.0, 0, 0)
    seen = Account(reads, reads * 4096.0, 0, 0)
    row = LedgerRow(
        layer="disk", kind="disk", device="sda", predicted=said, counted=seen,
        idle=Account(0, 0, 0, 0), last=True, writes_band=(0, 0),
    )  # fmt: skip
    return case(loops("load", STEADY, ledger=Ledger(rows=(row,), depth=1, recorded=True)))


CASES = (
    RuleCase(
        "within-noise.unsupported",
        "two settings measured once each, 1 % apart",
        case(trial({"read.iops": [1000.0]}, label="a"), trial({"read.iops": [1010.0]}, label="b")),
        "two settings measured once each, 99 % apart",
        case(trial({"read.iops": [1000.0]}, label="a"), trial({"read.iops": [10.0]}, label="b")),
    ),
    RuleCase(
        "within-noise.repeats",
        "a repeat that moved by 5 %",
        remarked([1.05 * value for value in STEADY], "Repeat of off"),
        "another setting that moved by as much",
        remarked([1.05 * value for value in STEADY], "other strip"),
    ),
    RuleCase(
        "overlooked-difference.denied",
        "“no difference” beside loops that lie 5 % higher",
        remarked([1.05 * value for value in STEADY], "no difference"),
        "“no difference” beside loops that are the same",
        remarked(STEADY, "no difference"),
    ),
    RuleCase(
        "ranking.supported",
        "one setting twice as fast as the other in all loops",
        case(loops("a", STEADY), loops("b", [2 * value for value in STEADY])),
        "two settings whose loops are the same",
        case(loops("a", STEADY), loops("b", STEADY)),
    ),
    RuleCase(
        "first-loop.first_loops",
        "a first loop 20 % below the later ones",
        first(815.0),
        "a first loop as the later ones",
        first(1019.0),
    ),
    RuleCase(
        "common-cause.common_causes",
        "two hosts whose loops rise and fall together",
        case(at("n1", WAVES), at("n2", [1.1 * wave for wave in WAVES])),
        "two hosts whose loops rise and fall apart",
        case(at("n1", WAVES), at("n2", WAVES[3:] + WAVES[:3])),
    ),
    RuleCase(
        "cache-drain.falls",
        "writes that fall by half after the first loop and stay down",
        case(trial({"write.bandwidth": [800 * MB, 400 * MB, 402 * MB, 399 * MB, 401 * MB,
                                        400 * MB]})),
        "reads that do the same",
        case(trial({"read.bandwidth": [800 * MB, 400 * MB, 402 * MB, 399 * MB, 401 * MB,
                                       400 * MB]})),
    ),
    RuleCase(
        "average-mismatch.own_averages",
        "an average of 25 beside loops of 10, 20 and 30",
        case(trial({"write.bandwidth": [10.0, 20.0, 30.0]}, averages={"write.bandwidth": 25.0})),
        "an average of 20 beside them",
        case(trial({"write.bandwidth": [10.0, 20.0, 30.0]}, averages={"write.bandwidth": 20.0})),
    ),
    RuleCase(
        "average-mismatch.quoted_rows",
        "1.4 GB/s quoted beside a log of 1.3 GB/s",
        case(at("n1", [1299 * MB, 1301 * MB], "1.4 GB/s")),
        "1.3 GB/s quoted beside it",
        case(at("n1", [1299 * MB, 1301 * MB], "1.3 GB/s")),
    ),
    RuleCase(
        "ledger-difference.differences",
        "a disk that read twice as often as the model says",
        counted(200_000),
        "a disk that read a few times more, as udev does",
        counted(100_150),
    ),
)  # fmt: skip
