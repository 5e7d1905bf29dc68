"""Ports of Fibre Channel without a link or a fabric."""

from __future__ import annotations

import pytest

from iosonde.layers.disk.findings_ports import RULES
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.stack import Scalar

FABRIC = "NPort (fabric via point-to-point)"


@pytest.mark.parametrize(("values", "said"), [
    ({"port_state": "Linkdown"}, "is Linkdown"),
    ({"port_state": "Linkdown", "symbolic_name": "QLE2460 FW:v5 DVR:v8"}, "host7 (QLE2460) is"),
    ({"port_state": "Online", "port_type": "Unknown"}, "no fabric"),
    ({"port_state": "Online", "port_type": FABRIC, "fabric_name": "0xffffffffffffffff"},
     "no fabric"),
    ({"port_state": "Online", "port_type": FABRIC, "fabric_name": "0x0"}, ""),
    ({"port_state": "Online", "port_type": FABRIC, "fabric_name": "0x1000000533000001"}, ""),
    ({"port_state": "Online", "port_type": "LPort (private loop)",
      "fabric_name": "0xffffffffffffffff"}, ""),
    ({"port_state": "Online", "port_type": "Point-To-Point (direct nport connection)",
      "fabric_name": "0xffffffffffffffff"}, ""),
    ({"port_state": "Online"}, ""),
    ({"port_name": "0x2100001122334455"}, ""),
])  # fmt: skip
def test_a_port_is_down_or_alone(values: dict[str, Scalar], said: str) -> None:
    port = StateEvidence("fc_host", "host7", "", values, "page:1", "page")
    findings = [each for rule in RULES for each in rule.find(EvidenceSet(states=(port,)))]
    assert len(findings) == bool(said)
    assert not said or said in findings[0].message
