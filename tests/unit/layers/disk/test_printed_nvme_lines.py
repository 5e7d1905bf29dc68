"""Lines of nvme smart-log, id-ctrl and id-ns without their heads."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states

PLACE = Path(__file__).parents[3] / "outputs" / "nvme-cli"
HEALTH = (PLACE / "lines.txt").read_text()
CONTROLLER = (PLACE / "lines-id.txt").read_text()
FORMATS = (PLACE / "lines-formats.txt").read_text()


def values_of(text: str) -> dict[str, Scalar]:
    (state,) = states(text)
    return dict(state.subjects[0].values)


def test_health_in_every_shape() -> None:
    for shape, given in mangled(HEALTH, wraps=False):
        assert values_of(given) == {
            "media_wear": 0.03, "written": 9876543 * 512000, "power_on_time": 4321 * 3600,
            "unsafe_shutdowns": 17, "media_errors": 0,
        }, shape  # fmt: skip


def test_a_controller_in_every_shape() -> None:
    for shape, given in mangled(CONTROLLER, wraps=False):
        assert values_of(given) == {
            "model": "EXAMPLE NVME 500GB", "serial": "S000XMPL", "firmware": "EX2B", "mdts": 9,
            "namespaces": 1, "volatile_write_cache": True, "transport": "nvme",
        }, shape  # fmt: skip


def test_a_namespace_in_every_shape() -> None:
    for shape, given in mangled(FORMATS, wraps=False):
        values = values_of(given)
        assert values["logical_block_size"] == 512, shape
        assert values["size"] == 0x3A386030 * 512 == 500107862016, shape


@pytest.mark.parametrize(("text", "head"), [
    (HEALTH, "Smart Log for NVME device:nvme0n1 namespace-id:ffffffff\n"),
    (CONTROLLER, "NVME Identify Controller:\n"), (FORMATS, "NVME Identify Namespace 1:\n"),
])  # fmt: skip
def test_lines_say_what_they_say_below_their_head(text: str, head: str) -> None:
    """The heads are other readers' or another beginning."""
    assert values_of(head + text) == values_of(text)


@pytest.mark.parametrize("text", [
    "percentage_used is what counts; media_errors : none\n",
    "mn: a short name\nnn: another\n",
    "LBA Format 0 is the one in use\n",
    "temperature                         : 38 C\n",
])  # fmt: skip
def test_prose_and_lines_of_others_are_none(text: str) -> None:
    assert not states(text)
