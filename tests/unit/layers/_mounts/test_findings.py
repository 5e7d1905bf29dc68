"""Space in bad sectors. Oracle: the bytes that the volume has there."""

from __future__ import annotations

from iosonde.layers._mounts.findings import RULES
from iosonde.visible import with_name
from tests.contract.rules.case import case, state


def test_a_volume_without_a_name() -> None:
    findings = list(RULES[0].find(case(state("mount", "", {"bad_sectors_size": 4096}))))
    assert [finding.evidence[0].value for finding in findings] == [4096]
    assert "4 KiB of a volume" in findings[0].message


def test_a_volume_of_windows_has_its_colon_once() -> None:
    assert with_name("F:", "4 KiB") == "F: 4 KiB"
    assert with_name("sda", "4 KiB") == "sda: 4 KiB"
