"""Zones and registers. Oracle: as many zones as the head says; fields decode registers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mangle import counters, folded, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "zones-composed"
ZONES, REGISTERS = ((OUTPUTS / f"{name}.txt").read_text() for name in ("zones", "registers"))


def _zones(text: str) -> dict[str, dict[str, Any]]:
    return {row.name: dict(row.values) for row in counters(text, "zones")}


def _states(text: str, tool: str) -> list[tuple[str, dict[str, Any]]]:
    return [(subject.name, dict(subject.values)) for subject in subjects_in(text, tool)]


def test_zones_of_nvme_are_as_many_as_it_says() -> None:
    zones = _zones(ZONES)["nvme0n1"]
    assert zones["zones"] == zones["zones_said"] == len(zones["list"])
    assert zones["by_condition"] == {"IMP_OPENED": 1, "EMPTY": 1, "FULL": 1}
    ((_, limits),) = _states(ZONES, "nvme zns id-ns")
    starts = [zone["start_block"] for zone in zones["list"]]
    assert starts == [number * limits["zone_size_blocks"] for number in range(3)]
    assert (limits["mar"], limits["lbafe_1_zsze"]) == (13, 0x80000)


def test_zones_of_blkzone_are_bytes() -> None:
    zones = _zones(ZONES)["sdb"]
    first, second, third = zones["list"]
    assert first["start"] + first["length"] == second["start"] == 256 << 20
    assert (second["pointer"], second["condition"]) == (0x38 * 512, "cl")
    assert "capacity" not in third  # util-linux before 2.37
    assert zones["by_type"] == {"CONVENTIONAL": 1, "SEQ_WRITE_REQUIRED": 2}


def test_registers_are_what_their_fields_say() -> None:
    (name, fields), (_, raw) = _states(REGISTERS, "nvme show-regs")
    assert name == "nvme0"
    assert raw["cap"] == fields["cap"] == 0x2000203C033FFF
    assert (raw["cap"] & 0xFFFF) + 1 == fields["cap_mqes"]
    assert f"{(raw['cap'] >> 24 & 0xFF) * 500} ms" == fields["cap_to"]
    assert (raw["version"] >> 16, raw["version"] >> 8 & 0xFF) == (1, 3)
    assert (raw["cc"] & 1, fields["cc_en"], fields["csts_rdy"]) == (1, "Yes", "Yes")


@pytest.mark.parametrize(
    "text",
    [
        "start: 0x10, len 0x20, wptr 0x30\n",
        "SLBA: 0x0 is the first\n",
        "cap     : 10\nnothing else\n",
        "version : 12\n",
        "ZNS Command Set Identify Namespace\n",
        "intms   : 0\nintmc   : 0\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _zones(text)
    assert not _states(text, "nvme show-regs")
    assert not _states(text, "nvme zns id-ns")


def test_every_shape() -> None:
    expected = _zones(ZONES), _states(ZONES, "nvme zns id-ns")
    for shape, changed in mangled(ZONES, wraps=False):
        assert (_zones(changed), _states(changed, "nvme zns id-ns")) == expected, shape
    assert _zones(folded(ZONES, 72)) == expected[0]
    registers = _states(REGISTERS, "nvme show-regs")
    for shape, changed in mangled(REGISTERS, wraps=False):
        assert _states(changed, "nvme show-regs") == registers, shape
