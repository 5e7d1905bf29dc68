"""What is said of file systems of btrfs that lack devices or counted errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.verbs.explain import explain
from tests.mangle import mangled, states

SHOW = (
    "Label: 'bulk'  uuid: 7a3e5d10-8f4c-4b7a-9d7e-6f2c1a9b0d33\n"
    "\tTotal devices 3 FS bytes used 812.00GiB\n"
    "\tdevid    1 size 931.51GiB used 610.03GiB path /dev/sdb\n"
    "\tdevid    3 size 931.51GiB used 610.03GiB path /dev/sdd\n"
)
STATS = "[/dev/sdb].write_io_errs    0\n[/dev/sdb].read_io_errs     14\n"


def _said(text: str, place: Path) -> set[str]:
    page = place / "page.txt"
    page.write_text(text)
    return {finding.rule for finding in explain(str(page)).findings}


@pytest.mark.parametrize(
    "line",
    [
        "\t*** Some devices missing\n",
        "\tdevid    2 size 0 used 0 path <missing disk> MISSING\n",
        "\tdevid    2 size 931.51GiB used 610.03GiB path /dev/sdc MISSING\n",
        "\tdevid    2 size 0 used 0 path /dev/sdc ***MISSING***\n",
    ],
)
def test_devices_that_are_missing(line: str, tmp_path: Path) -> None:
    for shape, given in mangled(SHOW + line, wraps=False):
        (state,) = states(given)
        assert state.subjects[0].values["devices_missing"] is True, shape
    assert _said(SHOW + line, tmp_path) == {"degraded"}
    assert _said(f"{SHOW}\nMy cat is MISSING, some devices missing too.\n", tmp_path) == set()


def test_counters_that_are_not_zero(tmp_path: Path) -> None:
    assert _said(STATS, tmp_path) == {"io-errors"}
    assert _said(f"{STATS}[/dev/sdb].corruption_errs  3\n", tmp_path) == {
        "io-errors", "checksum-errors",
    }  # fmt: skip
    assert _said(STATS.replace("14", "0"), tmp_path) == set()
