"""Rules about dirty limits and misspelt names: each fires once and is silent once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers._rules import dirty_limits, misspelt
from iosonde.records.evidence import EvidenceSet, StateEvidence, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.records.run import Metric
from iosonde.records.stack import HostFacts, Scalar
from iosonde.text.document import of_bytes

OUTPUTS = Path(__file__).parents[3] / "outputs"
OLD = OUTPUTS / "linux-2.6.18-nfs"
GIB = 1 << 30


def of_text(text: str) -> EvidenceSet:
    return of_document(of_bytes("page", text.encode()))[0]


def host(values: Mapping[str, Scalar], name: str = "n") -> StateEvidence:
    return StateEvidence("host", "", name, values, "page:1", "page")


def trial(rate: float, **options: Scalar) -> TrialEvidence:
    metric = Metric("write.bandwidth", "B/s", (rate,), rate, rate, None, None, None)
    return TrialEvidence("writes", "page:9", "page", "fio", {"write.bandwidth": metric}, host="n",
                    options=options)  # fmt: skip


def test_limits_the_kernel_does_not_take_as_written() -> None:
    case = EvidenceSet(states=(host({"vm.dirty_background_ratio": 20, "vm.dirty_ratio": 20}),))
    (finding,) = dirty_limits.contradicting(case)
    assert finding.rule == "dirty-limits"
    assert "takes half of the latter" in finding.message
    both = EvidenceSet(states=(host({"vm.dirty_bytes": GIB, "vm.dirty_ratio": 20}),))
    (finding,) = dirty_limits.contradicting(both)
    assert "are both set" in finding.message


def test_limits_in_order() -> None:
    values = {"vm.dirty_background_ratio": 10, "vm.dirty_ratio": 20, "vm.dirty_bytes": 0,
              "vm.dirty_background_bytes": 0, "vm.dirty_writeback_centisecs": 500}  # fmt: skip
    case = EvidenceSet(states=(host(values),))
    assert list(dirty_limits.contradicting(case)) == []
    assert list(dirty_limits.never_written(case)) == []


def test_writing_that_begins_never_or_at_once() -> None:
    (finding,) = dirty_limits.never_written(of_text("vm.dirty_writeback_centisecs = 0\n"))
    assert "nothing is written because of its age" in finding.message
    (finding,) = dirty_limits.never_written(of_text((OLD / "sysclt.txt").read_text()))
    assert finding.severity == "note"
    assert "begins when 1 % of the available memory is dirty" in finding.message
    small = EvidenceSet(
        states=(host({"vm.dirty_background_ratio": 1}),), hosts=(HostFacts("n", "", 4, 4 * GIB),)
    )
    (finding,) = dirty_limits.never_written(small)
    assert "1 % of the available memory, 41.0 MiB at the most, is dirty" in finding.message


def test_what_takes_long_to_drain() -> None:
    limits = host({"vm.dirty_ratio": 20, "vm.dirty_background_ratio": 10, "memory": 64 * GIB})
    case = EvidenceSet(trials=(trial(100e6, direct=True),), states=(limits,))
    (finding,) = dirty_limits.slow_to_drain(case)
    assert finding.message == (
        "Up to 12.8 GiB may wait in memory to be written, which takes 2 min at the 95.4 MiB/s "
        "measured: a sync may take that long, and reads wait behind it."
    )
    seconds = next(evidence for evidence in finding.evidence if evidence.what == "time to write it")
    assert seconds.value == pytest.approx(0.2 * 64 * GIB / 100e6)
    assert "vm.dirty_bytes=1000000000" in finding.remedy


@pytest.mark.parametrize("trials", [
    (), (trial(100e6),), (trial(3e9, direct=True),),
], ids=["nothing measured", "through the page cache", "fast"])  # fmt: skip
def test_silent_where_the_device_is_fast_or_unknown(trials: tuple[TrialEvidence, ...]) -> None:
    limits = host({"vm.dirty_ratio": 20, "memory": 64 * GIB})
    assert list(dirty_limits.slow_to_drain(EvidenceSet(trials=trials, states=(limits,)))) == []


def of(findings: list[Finding]) -> list[str]:
    assert {finding.rule for finding in findings} <= {"misspelt"}
    return [finding.message for finding in findings]


def test_a_file_that_nothing_reads() -> None:
    case = of_text((OLD / "sysclt.txt").read_text())
    assert of(list(misspelt.files(case))) == [
        "/etc/sysclt.conf is probably meant to be /etc/sysctl.conf: sysctl reads no file of the "
        "first name, and its 5 settings are lost at the next boot."
    ]
    right = of_text((OLD / "sysclt.txt").read_text().replace("sysclt", "sysctl"))
    assert list(misspelt.files(right)) == []
    assert list(misspelt.files(of_text("/etc/sysctl.d/90-disk.conf\nvm.dirty_ratio = 5\n"))) == []


def test_a_variable_that_nothing_knows() -> None:
    text = (OLD / "sysconfig.txt").read_text()
    assert of(list(misspelt.variables(of_text(text)))) == [
        "RPCNFSCOUNTD is probably meant to be RPCNFSDCOUNT: no script of the NFS server knows this "
        "variable, and 128 has no effect."
    ]
    for name in ("RPCNFSDCOUNT", "MOUNTD_PORT", "NFS_SOMETHING_NEW"):
        assert list(misspelt.variables(of_text(f"/etc/sysconfig/nfs\n{name}=128\n"))) == []


def test_a_setting_that_the_kernel_does_not_have() -> None:
    (message,) = of(list(misspelt.settings(of_text("vm.dirty_raito = 10\nvm.swappiness = 1\n"))))
    assert message.startswith("vm.dirty_raito is probably meant to be vm.dirty_ratio")
    whole = (OUTPUTS / "procps-4.0.2" / "sysctl-a.txt").read_text()
    assert list(misspelt.settings(of_text(whole))) == []
    assert list(misspelt.settings(of_text((OLD / "sysctl.txt").read_text()))) == []


@pytest.mark.parametrize(("name", "other", "expected"), [
    ("sysclt", "sysctl", 1), ("RPCNFSCOUNTD", "RPCNFSDCOUNT", 2), ("", "abc", 3),
    ("same", "same", 0), ("rmem", "wmem", 1),
])  # fmt: skip
def test_the_distance_of_names(name: str, other: str, expected: int) -> None:
    assert misspelt.distance(name, other) == misspelt.distance(other, name) == expected
