"""What to do about a drive's own account of its health."""

from __future__ import annotations

import pytest

from iosonde.layers.disk.findings_health import RULES
from iosonde.records.evidence import EvidenceSet, StateEvidence
from tests.unit.explain.cases import findings_named


@pytest.mark.parametrize(("name", "device"), [("sdq", "/dev/sdq"), ("", "DEVICE")])
def test_the_device_to_ask_is_named_where_the_text_names_it(name: str, device: str) -> None:
    state = StateEvidence("disk", name, "", {"media_wear": 0.97}, "line 1", "page")
    (finding,) = findings_named(RULES, EvidenceSet(states=(state,)), "media-wear")
    assert finding.confirm.startswith(f"smartctl -a {device}: ")
