"""What to do about a drive's own account of its health."""

from __future__ import annotations

import pytest

from iosonde.layers.disk.findings_health import RULES
from iosonde.records.evidence import EvidenceSet, StateEvidence
from tests.unit.explain.cases import case_of, findings_named


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


ALERT = "Device: /dev/sda [SAT], 8 Currently unreadable (pending) sectors\n"
TABLE = (
    "ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE\n"
    "197 Current_Pending_Sector  -O--C-   100   100   000    -    {}\n"
    "198 Offline_Uncorrectable   ----C-   100   100   000    -    0\n"
    "199 UDMA_CRC_Error_Count    -OSRCK   200   200   000    -    0\n"
)
NONE_LEFT = TABLE.format(0)


@pytest.mark.parametrize("text", [
    f"{ALERT}\nBut it says now:\n\n{NONE_LEFT}",
    f"{ALERT}\n$ smartctl -A /dev/sda\n{NONE_LEFT}",
    f"$ smartctl -A /dev/sda\n{TABLE.format(8)}\n$ smartctl -A /dev/sda\n{NONE_LEFT}",
])  # fmt: skip
def test_what_a_later_output_shows_no_more_is_no_error(text: str) -> None:
    assert findings_named(RULES, case_of(text), "media-errors") == []


@pytest.mark.parametrize("text", [
    ALERT,
    f"$ smartctl -A /dev/sda\n{NONE_LEFT}\n$ tail -1 /var/log/messages\n{ALERT}",  # later
    f"{ALERT}\n$ smartctl -A /dev/sdb\n{NONE_LEFT}",  # another drive
    f"{ALERT.replace('sda', 'da1')}\n$ smartctl -A /dev/da2\n{NONE_LEFT}",  # of FreeBSD
    f"{ALERT}{ALERT.replace('sda', 'sdb')}\nOne of them:\n\n{NONE_LEFT}",
    f"{ALERT}\nIt still says:\n\n{TABLE.format(8)}",
    f"{ALERT.replace('Currently unreadable (pending)', 'Offline uncorrectable')}"
    "\n$ smartctl -A /dev/sda\n"
    + "".join(line for line in NONE_LEFT.splitlines(keepends=True) if "198" not in line),
])  # fmt: skip
def test_what_no_later_output_takes_back_is_an_error(text: str) -> None:
    assert findings_named(RULES, case_of(text), "media-errors")
