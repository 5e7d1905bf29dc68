"""fstests and blktests. Oracle: the sums that fstests prints itself, and the samples' rows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mangle import counters, mangled

OUTPUTS = Path(__file__).parents[2] / "outputs" / "monitors-composed"
FS, BLOCK = ((OUTPUTS / f"{name}.txt").read_text() for name in ("fstests", "blktests"))


def _values(text: str, tool: str) -> list[dict[str, object]]:
    return [dict(row.values) for row in counters(text) if row.tool == tool]


def test_the_counts_are_those_of_the_summary() -> None:
    (suite,) = _values(FS, "fstests")
    failed, ran = map(int, re.findall(r"Failed (\d+) of (\d+) tests", FS)[0])
    assert suite["failed"] == failed
    assert sum(int(str(suite[name])) for name in ("passed", "failed", "not_run")) == ran
    assert suite["failures"] == ["xfs/051"]
    assert suite["seconds"] == {"generic/042": 3, "generic/043": 13}


def test_what_was_tested() -> None:
    (suite,) = _values(FS, "fstests")
    assert suite["fstyp"] == "xfs (debug)"
    assert suite["mkfs_options"] == "-f -bsize=4096 /dev/sdz4"
    (alone,) = _values(FS.partition("\n\n")[0], "fstests")
    assert "passed" not in alone


def test_options_that_a_mail_broke_are_whole() -> None:
    broken = FS.replace(
        "-- /dev/sdz4 /mnt", "-- -o\ncontext=system_u:object_r:root_t:s0 -o\nrw /mnt"
    )
    (suite,) = _values(broken, "fstests")
    assert suite["mount_options"] == "-o context=system_u:object_r:root_t:s0 -o rw /mnt/scratch"
    assert suite["passed"] == 2


def test_tests_of_block_devices() -> None:
    (suite,) = _values(BLOCK, "blktests")
    assert suite == {
        "passed": 1, "failed": 1, "not_run": 1, "failures": ["block/002 nvme7n1"],
        "seconds": {"block/001": 4.148, "block/002 nvme7n1": 0.036},
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "generic/042 fails on most of our machines\n",
        "We know FSTYP and PLATFORM -- both are set\n",
        "The server says [passed] (but why)\n",
        "nvme/029: frob the device [failed]\n",
    ],
)
def test_words_about_tests_are_no_results(text: str) -> None:
    assert not _values(text, "fstests")
    assert not _values(text, "blktests")


@pytest.mark.parametrize(("tool", "text"), [("fstests", FS), ("blktests", BLOCK)])
def test_every_shape(tool: str, text: str) -> None:
    for shape, changed in mangled(text, wraps=False):
        assert _values(changed, tool) == _values(text, tool), shape
