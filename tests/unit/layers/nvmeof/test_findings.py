"""NVMe-oF writes against capsules."""

from __future__ import annotations

from iosonde.layers.nvmeof.findings import RULES
from tests.unit.layers._rules.requests import findings_of, state, trial


def test_a_write_that_does_not_fit_into_its_capsule() -> None:
    namespace = state("nvmeof", "nvme1n1", in_capsule_data_size=8192)
    (said,) = findings_of(RULES, namespace, trial("/dev/nvme1n1", 16384))
    assert said.message == (
        "A write of 16 KiB to nvme1n1 does not fit into its command (8 KiB of data in a capsule): "
        "the target fetches it, one more round trip in its latency."
    )
    assert findings_of(RULES, namespace, trial("/dev/nvme1n1", 4096)) == []
    assert findings_of(RULES, state("nvmeof", "nvme1n1"), trial("/dev/nvme1n1", 16384)) == []
