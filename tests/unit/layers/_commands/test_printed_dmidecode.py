"""`dmidecode -t memory`. Oracle: the sum of the modules, only where none is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "commands-composed"
TEXT = (PLACE / "dmidecode.txt").read_text()


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(TEXT, wraps=False)), ids=lambda each: each[:20]
)
def test_all_modules_together(shape: str, text: str) -> None:
    (host,) = subjects_in(text, "dmidecode")
    assert host.values == {
        "memory_modules": 2, "memory_slots": 3, "memory_installed": 48 << 30,
        "memory_type": "DDR4", "memory_speed": "2933", "memory_speed_max": "3200",
        "memory_error_correction": "Multi-bit ECC",
    }, shape  # fmt: skip


def test_where_modules_were_left_out_there_is_no_sum() -> None:
    cut = TEXT.partition("Handle 0x002B")[0]
    (host,) = subjects_in(cut, "dmidecode")
    assert "memory_installed" not in host.values
    assert host.values["memory_speed"] == "2933"
    bare = "# dmidecode -t 17 | grep -A9 Device\nMemory Device\n\tSize: 32 GB\n\tType: DDR4\n"
    (host,) = subjects_in(bare, "dmidecode")
    assert host.values == {"memory_type": "DDR4"}


def test_a_memory_device_of_nvme_is_none() -> None:
    assert not subjects_in("Memory Device\nSize: none\n", "dmidecode")
