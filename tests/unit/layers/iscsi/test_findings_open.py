"""Targets that are open to all. Oracle: what LIO's and tgtd's attributes let in."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.iscsi.findings_open import RULES
from iosonde.records.finding import Finding
from tests.unit.explain.cases import case_of, findings_named

OUTPUTS = Path(__file__).parents[3] / "outputs"
TREE = """# targetcli ls
o- iscsi .......................................................... [Targets: 1]
  o- iqn.2026-01.org.example:pond ................................... [TPGs: 1]
    o- tpg1 ............................................. [{status}]
      o- acls .......................................................... [ACLs: 0]
      o- luns .......................................................... [LUNs: {luns}]
      | o- lun0 .......................... [block/pond (/dev/vg3/pond)]
      o- portals .................................................... [Portals: 1]
        o- {portal}:3260 .................................................. [OK]
"""


def opened(text: str) -> list[Finding]:
    return findings_named(RULES, case_of(text), "export-unsafe")


@pytest.mark.parametrize(
    ("status", "luns", "portal", "alarms"),
    [
        ("gen-acls, no-auth", 1, "0.0.0.0", 1),
        ("no-gen-acls, no-auth", 1, "0.0.0.0", 0),
        ("gen-acls, tpg-auth", 1, "0.0.0.0", 0),
        ("gen-acls, no-auth", 1, "127.0.0.1", 0),
        ("gen-acls, no-auth", 0, "0.0.0.0", 0),
    ],
)
def test_trees_of_targetcli(status: str, luns: int, portal: str, alarms: int) -> None:
    findings = opened(TREE.format(status=status, luns=luns, portal=portal))
    assert [finding.severity for finding in findings] == ["note"] * alarms


@pytest.mark.parametrize(
    ("attributes", "severities"),
    [
        ('"generate_node_acls": 1, "demo_mode_write_protect": 0', ["warning"]),
        ('"generate_node_acls": 1, "demo_mode_write_protect": 1', ["note"]),
        ('"generate_node_acls": 0, "demo_mode_write_protect": 0', []),
    ],
)
def test_saved_configurations(attributes: str, severities: list[str]) -> None:
    text = (OUTPUTS / "targetcli-composed" / "saveconfig.json").read_text()
    findings = opened(text.replace('"generate_node_acls": 0', attributes))
    assert [finding.severity for finding in findings] == severities
    asked = text.replace('"generate_node_acls": 0', attributes)
    assert opened(asked.replace('"authentication": 0', '"authentication": 1')) == []


TARGET = """# tgtadm --lld iscsi --op show --mode target
Target 1: iqn.2026-01.org.example:pond
    System information:
        Driver: iscsi
        State: ready
    I_T nexus information:
    LUN information:
        LUN: 0
            Type: controller
            Backing store type: null
            Backing store path: None
        LUN: 1
            Type: disk
            Readonly: {readonly}
            Backing store type: rdwr
            Backing store path: {path}
    Account information:
{accounts}    ACL information:
        {allowed}
"""


@pytest.mark.parametrize(
    ("readonly", "path", "accounts", "allowed", "alarms"),
    [
        ("No", "/dev/vg3/pond", "", "ALL", 1),
        ("No", "/dev/vg3/pond", "        reed\n", "ALL", 0),
        ("No", "/dev/vg3/pond", "        reed (outgoing)\n", "ALL", 0),
        ("No", "/dev/vg3/pond", "", "192.0.2.0/24", 0),
        ("Yes", "/srv/boot.img", "", "ALL", 0),
        ("No", "None", "", "ALL", 0),
    ],
)
def test_targets_of_tgtd(
    readonly: str, path: str, accounts: str, allowed: str, alarms: int
) -> None:
    text = TARGET.format(readonly=readonly, path=path, accounts=accounts, allowed=allowed)
    assert [finding.severity for finding in opened(text)] == ["warning"] * alarms


def test_a_target_that_is_cut_before_its_accounts() -> None:
    text = TARGET.format(readonly="No", path="/dev/a", accounts="", allowed="ALL")
    assert opened(text[: text.index("    Account")]) == []
