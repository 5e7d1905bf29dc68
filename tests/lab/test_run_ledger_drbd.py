"""`iosonde run --ledger` on DRBD in the lab: both sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.conftest import running
from tests.lab.ledgers import ledger, study_of

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long]

NAME = "test-run-ledger-drbd"
STACK = """
stack: test-run-ledger-drbd
hosts: {n1: {}, n2: {}}
layers:
  d1: {kind: disk, host: n1, size: 96 MiB}
  d2: {kind: disk, host: n2, size: 96 MiB}
  r: {kind: drbd, of: [d1, d2], primary: n1, assume_clean: true}
"""
LOAD = "fio --name=w --rw=randrw --bs=4k --direct=1 --size=64m --number_ios=600"
EXTENTS = 24  # of 4 MiB: 96 MiB


def test_both_sides_of_a_volume(tmp_path: Path) -> None:
    """Its own has all reads and writes, and the activity log once for each extent at most.

    The peer has the writes, and a flush behind each of them.
    """
    study = study_of(tmp_path, STACK, "r", LOAD)
    with running(NAME, tmp_path / "stack.yaml"):
        document = ledger(study)
    assert document["not_covered"] == []
    assert [finding["message"] for finding in document["findings"]] == []
    own, far = (
        next(
            row for row in document["layers"] if row["device"] == "vdb" and f"/{host}/" in row["id"]
        )
        for host in ("n1", "n2")
    )
    low, high = own["between"]
    assert low["writes"] > 250
    assert high["writes"] - low["writes"] == EXTENTS
    assert low["writes"] < own["counted"]["writes"] <= high["writes"]
    assert low["write_bytes"] < own["counted"]["write_bytes"] <= high["write_bytes"]
    assert far["counted"]["write_bytes"] == far["predicted"]["write_bytes"]
    assert far["counted"]["read_bytes"] == 0
    assert far["between"][0]["writes"] <= far["counted"]["writes"] <= far["between"][1]["writes"]
