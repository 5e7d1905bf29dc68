"""NFS calls against pages and requests."""

from __future__ import annotations

from dataclasses import replace

from iosonde.layers.nfs.findings_calls import RULES
from iosonde.records.evidence import TrialEvidence
from tests.unit.layers._rules.requests import findings_of, state, trial


def test_nfs_calls_that_are_no_whole_pages() -> None:
    (said,) = findings_of(RULES, state("nfs", "/srv", read_size=1 << 20, write_size=5120))
    assert said.message == (
        "/srv moves at most 5,120 bytes in a call (wsize), which is no multiple of 4 KiB: every "
        "page at a border is moved in two calls."
    )
    assert "or wsize=4096" in said.remedy
    assert findings_of(RULES, state("nfs", "/srv", rsize="1048576", wsize="32768")) == []


def test_requests_that_take_several_calls() -> None:
    mount = state("nfs", "/srv", read_size=131072, write_size=131072)
    (said,) = findings_of(RULES, mount, _direct(trial("/srv/f", 1 << 20)))
    assert said.message == (
        "Each request of 1 MiB to /srv goes as 8 calls of at most 128 KiB (wsize): its latency is "
        "that of the slowest of them."
    )
    for other in (trial("/srv/f", 131072), trial("/home/f", 1 << 20), trial("/srv/f", None)):
        assert findings_of(RULES, mount, _direct(other)) == []
    assert findings_of(RULES, mount, trial("/srv/f", 1 << 20)) == [], "the page cache takes it"


def _direct(load: TrialEvidence) -> TrialEvidence:
    return replace(load, options={**load.options, "direct": True})
