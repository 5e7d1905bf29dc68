"""repquota, quota, edquota. Oracle: who is over a limit, as the tool's own marks say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers._mounts.printed_quota import QuotaOfOwner, QuotaReport
from tests.mangle import folded, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "quota-composed"
TEXT = (OUTPUTS / "quota.txt").read_text()
TOOLS = {QuotaReport.tool, QuotaOfOwner.tool}


def _quotas(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(subject.name, dict(subject.values)) for subject in subjects_in(text, *TOOLS)]


def test_reports() -> None:
    quotas = dict(_quotas(TEXT)[:7])
    assert quotas["vdq1 user"] == {"block_grace": "7days", "inode_grace": "7days"}
    assert quotas["vdq1 user root"]["used"] == 566488 * 1024
    assert quotas["vdq1 user teal"] == {
        "device": "/dev/vdq1", "used": 2 << 20, "soft_limit": 1000 << 10, "hard_limit": 2 << 20,
        "files": 1000, "files_soft_limit": 500, "files_hard_limit": 1000, "grace": "02:13",
        "files_grace": "none", "over_limit": True, "files_over_limit": True,
    }  # fmt: skip
    assert "grace" not in quotas["vdq1 user #10042"]
    assert len(quotas) == 7


def test_sizes_with_units() -> None:
    quotas = dict(_quotas(TEXT))
    divers = quotas["mapper/pond-srv group divers"]
    assert (divers["used"], divers["files"]) == (1440 << 20, 11000)
    assert quotas["mapper/pond-srv group"]["inode_grace"] == "2days"


def test_marks_agree_with_limits() -> None:
    for name, values in _quotas(TEXT):
        for over, used, soft in (("over_limit", "used", "soft_limit"),
                                 ("files_over_limit", "files", "files_soft_limit")):  # fmt: skip
            if over in values:
                limit = int(str(values[soft]))
                assert values[over] == (0 < limit < int(str(values[used]))), name


def test_of_an_owner() -> None:
    quotas = _quotas(TEXT)[8:]
    assert [name for name, _ in quotas] == [
        "vdq1 user heron", "mapper/pond-srv user heron", "user teal", "vdq1 user heron",
        "/lake user heron",
    ]  # fmt: skip
    quota, other, none, edited, lake = (values for _, values in quotas)
    assert (quota["over_limit"], quota["grace"], quota["used"]) == (True, "6days", 1440 << 10)
    assert other["used"] == 2000 << 10
    assert none == {"id": 1002, "limits": "none"}
    assert {key: quota[key] for key in edited} == edited
    assert (lake["used"], lake["grace"]) == (3000 << 20, "6d23h59m58s")
    assert "files_grace" not in lake


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _quotas(changed) == _quotas(TEXT), shape


def test_broken_by_a_mail() -> None:
    for width in (72, 60):
        assert _quotas(folded(TEXT, width)) == _quotas(TEXT), width


def test_its_end_is_cut_off() -> None:
    start = TEXT.split("\n")[1:8]
    assert [name for name, _ in _quotas("\n".join(start))][1:] == [
        "vdq1 user root", "vdq1 user heron",
    ]  # fmt: skip
    assert (
        _quotas("\n".join([*start[:6], "teal      ++    2048    1000    20"]))[1:]
        == _quotas("\n".join(start[:6]))[1:]
    )


@pytest.mark.parametrize(
    "text",
    [
        "The *** Report for user quotas on device /dev/vdq1 was empty.\n",
        "Disk quotas for user heron (uid 1001) are what I want to change.\n",
        "Disk quotas for user heron (uid 1001):\n\nheron 1440 1000 2000 11 0 0\n",
        "root      --  566488       0       0           5401     0     0\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _quotas(text) == []
