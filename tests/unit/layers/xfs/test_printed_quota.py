"""xfs_quota. Oracle: the same user in repquota's report of the same figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.xfs.printed_quota import XfsQuotaReport, XfsQuotaState
from tests.mangle import mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "quota-composed"
TEXT, OTHER = ((OUTPUTS / name).read_text() for name in ("xfs-quota.txt", "quota.txt"))
TOOLS = {XfsQuotaReport.tool, XfsQuotaState.tool}


def _quotas(text: str, tools: set[str] = TOOLS) -> dict[str, dict[str, object]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text, *tools)}


def test_a_report_says_what_repquota_says() -> None:
    heron, other = _quotas(TEXT)["/srv user heron"], _quotas(OTHER, {"repquota"})["vdq1 user heron"]
    shared = {"used", "soft_limit", "hard_limit", "files", "files_soft_limit", "files_hard_limit"}
    assert {key: heron[key] for key in shared} == {key: other[key] for key in shared}
    assert (heron["grace"], heron["warnings"], heron["device"]) == ("6 days", 0, "/dev/vdq2")
    assert "files_grace" not in heron


def test_a_report_for_people() -> None:
    quotas = _quotas(TEXT)
    assert quotas["/srv project nests"] == {
        "device": "/dev/vdq2", "mount": "/srv", "used": round(1.4 * 2**30), "soft_limit": 2 << 30,
        "hard_limit": 3 << 30, "warnings": 0,
    }  # fmt: skip
    assert quotas["/srv project #0"]["used"] == 0


def test_bytes_and_a_time_below_a_day() -> None:
    text = "\n".join(TEXT.split("\n")[9:15])
    changed = text + "\nwren          512      0      0  00 02:03:04\n"
    wren = _quotas(changed)["/srv project wren"]
    assert (wren["used"], wren["grace"]) == (512, "02:03:04")


def test_thousands_of_files() -> None:
    text = "Group quota on /srv (/dev/vdq2)\n              Inodes\ndivers 1.5k 2b 3m  00 [-none-]\n"
    divers = _quotas(text)["/srv group divers"]
    assert (divers["files"], divers["files_soft_limit"]) == (1500, 2 * 10**9)
    assert (divers["files_hard_limit"], divers["files_grace"]) == (3 * 10**6, "none")


def test_state() -> None:
    quotas = _quotas(TEXT)
    assert quotas["/srv user state"] == {
        "device": "/dev/vdq2", "mount": "/srv", "accounting": True, "enforcement": False,
        "quota_inode": 131, "quota_blocks": 2, "quota_extents": 2,
    }  # fmt: skip
    assert quotas["/srv project state"]["blocks_grace_time"] == "7 days"


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _quotas(changed) == _quotas(TEXT), shape


def test_a_head_without_its_forms() -> None:
    rows = [line for line in TEXT.split("\n") if "Blocks   " not in line]
    assert "/srv user heron" not in _quotas("\n".join(rows))


@pytest.mark.parametrize(
    "text",
    [
        "User quota on /srv (/dev/vdq2) is on.\n",
        "The User quota state on /srv (/dev/vdq2)\n",
        "heron            1440       1000       2000     00  [6 days]\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _quotas(text) == {}
