"""ESXi's policies of paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in, unread_in

TEXT = (Path(__file__).parents[3] / "outputs" / "esxi-composed" / "policies.txt").read_text()
DEVICE = "naa.600000000000000000000000000000a7"


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(TEXT, wraps=False)), ids=lambda each: each[:20]
)
def test_policies_and_limits(shape: str, text: str) -> None:
    (policies,) = subjects_in(text, "esxcli policies")
    assert policies.values == {"path_policies": "VMW_PSP_MRU VMW_PSP_RR VMW_PSP_FIXED"}, shape
    (device,) = subjects_in(text, "esxcli round robin")
    assert (device.kind, device.name, device.host) == ("multipath", DEVICE, "esx7")
    assert device.values == {
        "round_robin_bytes": 10485760, "round_robin_iops": 1000, "round_robin_limit": "default",
        "latency_evaluation_interval": 0.0, "sampled_ios": 0, "use_unoptimized_paths": False,
    }, shape  # fmt: skip


def test_labels_of_older_versions() -> None:
    text = (
        f"   Byte Limit: 10485760\n   Device: {DEVICE}\n   I/O Operation Limit: 1\n"
        "   Limit Type: Iops\n"
    )
    (device,) = subjects_in(text, "esxcli round robin")
    assert (device.values["round_robin_iops"], device.values["round_robin_limit"]) == (1, "iops")


def test_without_its_device_nothing_is_said() -> None:
    text = "   Byte Limit: 10485760\n   IOOperation Limit: 1000\n"
    assert not subjects_in(text, "esxcli round robin")
    assert unread_in(text)
