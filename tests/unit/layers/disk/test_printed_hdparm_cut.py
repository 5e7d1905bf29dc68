"""What grep chose of hdparm -I. Oracle: the reader of the whole output says the same of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "hdparm-composed"
TEXT, WHOLE = ((PLACE / name).read_text() for name in ("chosen.txt", "identity.txt"))
TOOL = "hdparm -I chosen"


def _drives(text: str, tool: str = TOOL) -> dict[str, dict[str, object]]:
    return {thing.name: dict(thing.values) for thing in subjects_in(text, tool)}


def test_labels_features_and_security() -> None:
    assert _drives(TEXT) == {
        "sdq": {
            "model": "POND SSD 9000", "size": 1953525168 * 512, "logical_block_size": 512,
            "physical_block_size": 4096, "write_cache": "write back",
            "interface_speed_max": 6_000_000_000,
            "features_enabled": "Write cache; Gen1 signaling speed (1.5Gb/s);"
            " Gen3 signaling speed (6.0Gb/s);"
            " Data Set Management TRIM supported (limit 8 blocks)",
        },
        "sdr": {
            "security_supported": True, "security_enabled": False, "security_locked": False,
            "security_frozen": True, "security_expired": False, "security_enhanced_erase": True,
            "security_erase_time": 120, "security_enhanced_erase_time": 480,
        },
        "sds": {
            "write_cache": "write through", "features_enabled": "Look-ahead",
            "features_not_enabled": "Write cache",
        },
    }  # fmt: skip


def test_each_line_says_what_it_says_in_the_whole() -> None:
    (whole,) = _drives(WHOLE, "hdparm settings").values()
    chosen = 0
    for line in WHOLE.split("\n"):
        text = f"# hdparm -I /dev/sdq | grep x\n{line}\n"
        for values in _drives(text).values():
            chosen += 1
            for name, value in values.items():
                if name in {"features_enabled", "features_not_enabled"}:
                    assert set(str(value).split("; ")) <= set(str(whole[name]).split("; ")), line
                elif name != "size":  # of which LBA alone says another
                    assert whole[name] == value, line
    assert chosen > 10


def test_without_its_command_it_is_any_tools() -> None:
    assert not _drives("Model Number:       POND SSD 9000\nSerial Number: 1\n")
    assert not _drives("# smartctl -i /dev/sdq | grep Model\nModel Number:   POND SSD 9000\n")


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(TEXT, wraps=False)), ids=lambda each: each[:20]
)
def test_mangled(shape: str, text: str) -> None:
    assert _drives(text) == _drives(TEXT), shape
