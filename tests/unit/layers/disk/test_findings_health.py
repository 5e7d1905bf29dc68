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


@pytest.mark.parametrize(
    ("name", "values", "called"),
    [
        ("", {"model": "ADATA LEGEND 710", "serial_number": "2M1234"}, "ADATA LEGEND 710 2M1234"),
        ("", {"model": "ADATA LEGEND 710"}, "ADATA LEGEND 710"),
        ("", {"serial_number": "2M1234"}, "unnamed disk"),
        ("sdq", {"model": "ADATA LEGEND 710", "serial": "2M1234"}, "sdq"),
    ],
)
def test_a_drive_without_a_name_is_called_by_its_model(
    name: str, values: dict[str, str], called: str
) -> None:
    state = StateEvidence("disk", name, "", {"media_wear": 0.97, **values}, "line 1", "page")
    (finding,) = findings_named(RULES, EvidenceSet(states=(state,)), "media-wear")
    assert finding.subject == called
    assert finding.message.startswith(f"{called} has used")
