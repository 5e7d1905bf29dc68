"""`nvme error-log`, `fw-log` and `get-feature`. Oracle: a slot's number is its text in ASCII."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.layers.disk.printed_nvme_log import NvmeErrorLog, NvmeFeatures, NvmeFirmwareLog
from tests.mangle import counters, mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "nvme-cli" / "error-log.txt").read_text()


def _log(text: str) -> list[dict[str, object]]:
    return [dict(row.values) for row in counters(text, NvmeErrorLog.tool)]


def _set(text: str) -> list[tuple[str, dict[str, object]]]:
    return [
        (subject.name, dict(subject.values))
        for subject in subjects_in(text, NvmeFeatures.tool, NvmeFirmwareLog.tool)
    ]


def test_entries_in_use() -> None:
    (values,) = _log(TEXT)
    errors = values.pop("errors")
    assert values == {
        "entries": 3, "entries_shown": 3, "entries_used": 2, "error_count": 917,
    }  # fmt: skip
    assert isinstance(errors, list)
    assert errors[1] == {
        "entry": 1, "error_count": 916, "sqid": 0, "cmdid": 7, "status_field": 0x4004,
        "status_field_text": "INVALID_FIELD", "lba": 4096,
    }  # fmt: skip
    assert errors[0]["status_field_text"] == "Invalid Field in Command: A reserved coded value"


def test_slots_and_features() -> None:
    ((name, slots), (_, features)) = _set(TEXT)
    assert (name, slots["active_slot"]) == ("nvme5", 2)
    for number, hexes, text in re.findall(r"frs(\d) : 0x(\w+) \((.+)\)", TEXT):
        assert bytes.fromhex(hexes)[::-1].decode() == text
        assert slots[f"firmware_slot_{number}"] == text
    assert features == {"volatile_write_cache_enable": 1, "power_management": 3}


@pytest.mark.parametrize(
    "text",
    [
        "Error Log Entries for device: all of them\n",
        "get-feature:0x06 shows the cache\n",
        "Firmware Log for device:nvme5\n",
        "error_count     : 917\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _log(text) == []
    assert _set(text) == []


def test_a_log_that_is_cut_counts_what_is_there() -> None:
    (values,) = _log(TEXT.partition(" Entry[ 1]")[0])
    assert (values["entries"], values["entries_shown"], values["error_count"]) == (3, 1, 917)


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _log(changed) == _log(TEXT), shape
        assert _set(changed) == _set(TEXT), shape
