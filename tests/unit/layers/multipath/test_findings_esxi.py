"""What is said of the paths, devices and datastores that ESXi lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.multipath.findings_esxi import RULES
from iosonde.verbs.explain import explain

OUTPUTS = Path(__file__).parents[3] / "outputs" / "esxi-composed"
DEVICES, PATHS, TABLES = (
    (OUTPUTS / f"{name}.txt").read_text() for name in ("devices", "paths", "tables")
)


def said(tmp_path: Path, text: str) -> list[tuple[str, str, str]]:
    page = tmp_path / "page.txt"
    page.write_text(text)
    names = {rule.name for rule in RULES}
    return [
        (finding.rule, finding.severity, finding.subject)
        for finding in explain(str(page)).findings
        if finding.rule in names
    ]


def test_a_dead_path_is_said_once(tmp_path: Path) -> None:
    lun = "esx7: naa.60060160aaaabbbbccccddddeeee0001"
    assert said(tmp_path, PATHS) == [("failed-paths", "warning", lun)]


def test_a_dead_path_that_was_asked_for_alone(tmp_path: Path) -> None:
    asked = PATHS.partition("fc.2000000000000002:")
    text = f"[root@esx7:~] esxcli storage core path list -p vmhba3:C0:T1:L1\n{asked[1]}{asked[2]}"
    assert said(tmp_path, text) == [("failed-paths", "warning", "esx7: vmhba3:C0:T1:L1")]


def test_a_controller_that_is_offline(tmp_path: Path) -> None:
    name = "esx7: nqn.2014-08.org.example:nvme:arr#vmhba65#10.0.0.1:4420"
    assert said(tmp_path, TABLES) == [("failed-paths", "warning", name)]


@pytest.mark.parametrize("status", ["dead", "dead timeout", "not connected"])
def test_a_device_that_is_lost(tmp_path: Path, status: str) -> None:
    text = DEVICES.replace("Status: degraded", f"Status: {status}")
    lun = "esx7: naa.60060160aaaabbbbccccddddeeee0001"
    assert said(tmp_path, text) == [("lost-device", "error", lun)]
    assert said(tmp_path, DEVICES) == []


def test_a_datastore_without_room(tmp_path: Path) -> None:
    full = TABLES.replace("  123000000000", "      80000000")
    assert ("out-of-space", "error", "esx7: fast one") in said(tmp_path, full)
