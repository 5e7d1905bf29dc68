"""iSCSI writes that wait for their target."""

from __future__ import annotations

from pathlib import Path

from iosonde.layers.iscsi.findings import RULES
from iosonde.verbs.explain import explain
from tests.unit.layers._rules.requests import findings_of, state, trial


def test_iscsi_writes_in_bursts() -> None:
    session = state("iscsi_initiator", "sdc", MaxBurstLength="262144", FirstBurstLength="65536")
    (said,) = findings_of(RULES, session, trial("/dev/sdc", 1 << 20))
    assert said.message == (
        "Each write of 1 MiB over sdc takes 4 bursts of at most 256 KiB (MaxBurstLength), for each "
        "of which the target must ask."
    )
    (said,) = findings_of(RULES, session, trial("/dev/sdc", 128 << 10))
    assert "waits for the target's R2T after its first 64 KiB" in said.message
    assert findings_of(RULES, session, trial("/dev/sdc", 4096)) == []
    assert findings_of(RULES, session, trial("/dev/sdc", 1 << 20, "read.iops")) == []


def test_files_of_lio_that_its_memory_holds() -> None:
    texts = Path(__file__).parents[3] / "outputs" / "targetcli-composed"
    for name, subject in (("ls-files.txt", "fileio/img"), ("saveconfig.json", "fileio/heron")):
        findings = [f for f in explain(str(texts / name)).findings if f.rule == "unsafe-cache"]
        assert [finding.subject.rpartition(": ")[2] for finding in findings] == [subject]


def test_iscsi_without_immediate_data() -> None:
    session = state("iscsi", "sdc", immediate_data="No", initial_r2t=True, max_burst_length=1 << 24)
    (said,) = findings_of(RULES, session, trial("/dev/sdc", 4096))
    assert "waits for the target's R2T before any of its data go" in said.message
