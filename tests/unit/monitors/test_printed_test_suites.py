"""blktests. Oracle: the rows of the sample, and of its own print formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled

OUTPUTS = Path(__file__).parents[2] / "outputs" / "monitors-composed"
BLOCK = (OUTPUTS / "blktests.txt").read_text()


def _values(text: str, tool: str = "blktests") -> list[dict[str, object]]:
    return [dict(row.values) for row in counters(text, tool)]


def test_tests_of_block_devices() -> None:
    (suite,) = _values(BLOCK)
    assert suite == {
        "passed": 1, "failed": 1, "not_run": 1, "failures": ["block/002 nvme7n1"],
        "seconds": {"block/001": 4.148, "block/002 nvme7n1": 0.036},
        "seconds_before": {"block/001": 4.156},
        "not_run_because": {
            "scsi/009 sdz": "xfs_io does not support the statx atomic write fields"
        },
    }  # fmt: skip


def test_what_a_test_measured() -> None:
    (suite,) = _values(
        "block/006 (frob the queue)                                   [passed]\n"
        "    read iops    1200      ...  1500\n    runtime      24.852s  ...  25.1s\n"
    )
    assert suite["measured"] == {"block/006": {"read iops": 1500, "read iops before": 1200}}
    assert (suite["seconds"], suite["seconds_before"]) == (
        {"block/006": 25.1}, {"block/006": 24.852},
    )  # fmt: skip


def test_a_test_that_a_mail_broke_and_what_programs_wrote_below_it() -> None:
    (suite,) = _values(
        "nvme/003 (tr=tcp) (frob the keep-alives of a controller that we\ncall so) [failed]\n"
        "    runtime  11.280s  ...  11.188s\n    --- tests/nvme/003.out 2024-09-18\n"
        "    +++ /results/nvme/003.out.bad\n2024-09-18 11:52:32\n    @@ -1,3 +1,3 @@\n"
        "     Running nvme/003\nnvme/004 (frob it again)\n"
        "nvme/004 (frob it again)                                     [passed]\n"
        "    runtime  1.0s  ...  2.0s\n"
        "nvmeof-mp/***                     [not run]\n    no such module\n"
    )
    assert [suite[name] for name in ("passed", "failed", "not_run")] == [1, 1, 1]
    assert suite["seconds"] == {"nvme/003": 11.188, "nvme/004": 2.0}
    assert suite["not_run_because"] == {"nvmeof-mp/***": "no such module"}


@pytest.mark.parametrize(
    "text",
    [
        "The server says [passed] (but why)\n",
        "nvme/029: frob the device [failed]\n",
        "block/002 is always\n[failed]\n",
    ],
)
def test_words_about_tests_are_no_results(text: str) -> None:
    assert not _values(text)


def test_every_shape() -> None:
    for shape, changed in mangled(BLOCK):
        assert _values(changed) == _values(BLOCK), shape
