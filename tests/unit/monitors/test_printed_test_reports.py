"""Reports of test runs. Oracle: totals are the sums of what they total, as the tools print both."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters
from tests.mangle import counters, folded, mangled

OUTPUTS = Path(__file__).parents[2] / "outputs" / "monitors-composed"
BLD, LTP, PYNFS = (
    (OUTPUTS / f"{name}.txt").read_text() for name in ("xfstests-bld", "ltp", "pynfs")
)
TOOLS = ("xfstests-bld", "ltp", "ltp totals", "pynfs")


def _read(text: str, tool: str) -> list[PrintedCounters]:
    return counters(text, tool)


def test_totals_are_the_sums_of_configurations() -> None:
    host, *configs = _read(BLD, "xfstests-bld")
    assert [row.name for row in configs] == ["ext4/4k", "ext4/1k", "xfs/quick"]
    for name in ("tests", "failures", "skipped", "errors", "seconds"):
        total = sum(int(str(row.values.get(name, 0))) for row in configs)
        assert total == host.values[name], name
    assert host.values["cpus"] == "2"
    assert host.values["fstestver"] == ["e2fsprogs v1.47.0", "fio fio-3.31"]


def test_which_tests_failed() -> None:
    _, first, second, quick = _read(BLD, "xfstests-bld")
    failed = first.values["failed_tests"]
    assert isinstance(failed, list)
    assert len(failed) == first.values["failures"] == 11
    assert failed[-1] == "generic/388"
    assert second.values["flaky"] == {"generic/475": [3, 5], "ext4/026": [1, 5]}
    assert quick.values["seconds_of"] == {"xfs/001": [2], "xfs/002": [0], "generic/475": [12]}
    assert quick.values["results"] == {
        "xfs/001": ["Pass"], "xfs/002": ["Skipped"], "generic/475": ["Failed"],
    }  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "ext4/4k: 524 tests, 2 failures, 120 skipped, 5321 seconds",
        "ext4/4k 524 tests, 120 skipped, 2 failures, 5321 seconds",
    ],
)
def test_a_configuration_alone(line: str) -> None:
    (row,) = _read(f"On our machines:\n\n{line}\n\nas before.\n", "xfstests-bld")
    assert (row.name, row.values) == (
        "ext4/4k", {"tests": 524, "failures": 2, "skipped": 120, "seconds": 5321},
    )  # fmt: skip


def test_the_summary_of_a_test_is_what_its_lines_say() -> None:
    first, second = _read(LTP, "ltp")
    assert first.name == "listmount04"
    for line, name in (("tpass", "passed"), ("tfail", "failed")):
        assert first.values[line] == first.values[name]
    assert first.values["tfail_texts"] == ["invalid spare expected EINVAL: EBADF (9)"]
    assert first.values["ltp_version"] == "20240524-208-g6c3293c6f"
    assert (first.values["timeout"], second.values["timeout"]) == (30, 300)
    assert (second.name, second.values["tfail"]) == ("df01", 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("passed   5\nfailed   0\nbroken   1\nskipped  2\nwarnings 0\n",
         {"passed": 5, "failed": 0, "broken": 1, "skipped": 2, "warnings": 0}),
        ("df01 4 TFAIL: 'df -k -P' failed, not expected.\n",
         {"tfail": 1, "tfail_texts": ["'df -k -P' failed, not expected."]}),
        ("keyctl05.c:114: TFAIL: unexpected error\n", {"tfail": 1}),
    ],
)  # fmt: skip
def test_a_part_of_ltp_alone(text: str, expected: dict[str, object]) -> None:
    (row,) = _read(f"It says\n\n{text}\nat last.\n", "ltp")
    assert {name: row.values.get(name) for name in expected} == expected


def test_totals_of_a_run_of_ltp() -> None:
    (row,) = _read(LTP, "ltp totals")
    assert row.values == {
        "total_tests": 12, "total_skipped_tests": 3, "total_failures": 1,
        "kernel_version": "6.9.0-ltp", "machine_architecture": "x86_64", "hostname": "peak",
    }  # fmt: skip


def test_what_pynfs_ran_is_what_it_sums_up() -> None:
    (row,) = _read(PYNFS, "pynfs")
    parts = sum(int(str(row.values[name])) for name in ("skipped", "failed", "warned", "passed"))
    assert parts == row.values["run"] == 262
    assert row.values["of"] == 300
    failures = row.values["failures"]
    assert isinstance(failures, dict)
    assert len(failures) == row.values["failed"]
    assert failures == {"COUR2": "st_courtesy.testLockSleepLock"}
    (alone,) = _read(PYNFS.rpartition("****\n")[2], "pynfs")
    assert alone.values["passed"] == row.values["passed"]


@pytest.mark.parametrize(
    "text",
    [
        "We have 524 tests, 2 failures, and no idea.\n",
        "Totals: 5 apples\n",
        "ran 5 tests, 3 seconds\n",
        "All tests passed   5 times, failed   0 times\n",
        "It is about TPASS: and TFAIL: in LTP.\n",
        "KERNEL:    6.1\nCMDLINE:   quiet\n",
        "Machine Architecture: x86_64\n",
        "Of those: 3 Skipped, others Passed\n",
        "passed   5\nand failed later\n",
    ],
)
def test_what_looks_alike_is_not_read(text: str) -> None:
    assert not counters(text, *TOOLS)


@pytest.mark.parametrize("text", [BLD, LTP, PYNFS])
def test_every_shape(text: str) -> None:
    expected = [(row.name, row.values) for row in counters(text, *TOOLS)]
    for shape, changed in mangled(text, wraps=False):
        got = [(row.name, row.values) for row in counters(changed, *TOOLS)]
        assert got == expected, shape


def test_a_report_that_a_mail_broke() -> None:
    expected = [row.values.get("failures") for row in _read(BLD, "xfstests-bld")]
    assert [
        row.values.get("failures") for row in _read(folded(BLD, 72), "xfstests-bld")
    ] == expected
