"""What is said of Windows' drives, pools and spaces in the samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.disk.findings_windows import RULES
from iosonde.verbs.explain import explain

OUTPUTS = Path(__file__).parents[3] / "outputs" / "windows-composed"


def said(path: Path) -> set[tuple[str, str, str]]:
    names = {rule.name for rule in RULES}
    return {
        (finding.rule, finding.severity, finding.subject)
        for finding in explain(str(path)).findings
        if finding.rule in names
    }


def test_drives() -> None:
    assert said(OUTPUTS / "physical-disks.txt") == {
        ("drive-failing", "error", "PhysicalDrive3"), ("lost-device", "error", "PhysicalDrive4"),
    }  # fmt: skip
    assert said(OUTPUTS / "disks.txt") == set()


def test_pools_and_spaces() -> None:
    assert said(OUTPUTS / "pools.txt") == {("degraded", "warning", "Pool One")}
    assert said(OUTPUTS / "spaces.txt") == {("degraded", "error", "Data")}


def test_reasons_tell_a_fault_from_a_wish() -> None:
    assert said(OUTPUTS / "reasons.txt") == {
        ("degraded", "error", "Media"), ("degraded", "error", "Data"),
        ("degraded", "error", "Pool One"),
    }  # fmt: skip


LIST = """FriendlyName          : Data
ResiliencySettingName : Mirror
OperationalStatus     : {state}
HealthStatus          : {health}
DetachedReason        : {reason}
"""


@pytest.mark.parametrize(
    ("state", "health", "reason", "severity"),
    [
        ("Detached", "Unknown", "By Policy", ""),
        ("Detached", "Unknown", "Majority Disks Unhealthy", "error"),
        ("{No Redundancy, InService}", "Unhealthy", "None", "error"),
        ("InService", "Warning", "None", "warning"),
        ("OK", "Healthy", "None", ""),
    ],
)
def test_states_of_a_space(
    tmp_path: Path, state: str, health: str, reason: str, severity: str
) -> None:
    page = tmp_path / "page.txt"
    page.write_text(LIST.format(state=state, health=health, reason=reason))
    assert said(page) == ({("degraded", severity, "Data")} if severity else set())
