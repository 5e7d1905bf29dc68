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


FULL = (
    "# btrfs filesystem show\n{show}\n"
    "# btrfs filesystem df /srv\n"
    "Data, RAID1: total=300.00GiB, used=299.00GiB\n"
    "System, RAID1: total=32.00MiB, used=736.00KiB\n"
    "Metadata, RAID1: total=5.00GiB, used=3.88GiB\n"
    "GlobalReserve, single: total=512.00MiB, used=0.00B\n"
)
TWO = (
    "Label: 'srv'  uuid: 7a3e5d10-8f4c-4b7a-9d7e-6f2c1a9b0d33\n"
    "\tTotal devices 2 FS bytes used 303.00GiB\n"
    "\tdevid    1 size 931.51GiB used {used} path /dev/sdb\n"
    "\tdevid    2 size 305.03GiB used 305.03GiB path /dev/sdd\n"
)


def test_space_on_too_few_devices_is_none(tmp_path: Path) -> None:
    assert _said(FULL.format(show=TWO.format(used="305.03GiB")), tmp_path) == {"out-of-space"}
    roomy = TWO.format(used="305.03GiB").replace("size 305.03GiB", "size 931.51GiB")
    assert _said(FULL.format(show=roomy), tmp_path) == set()
    all_used = TWO.format(used="931.51GiB")  # nothing is left at all: that is df's to say
    assert _said(FULL.format(show=all_used), tmp_path) == set()
    metadata = FULL.replace("used=3.88GiB", "used=4.60GiB").format(show=all_used)
    assert _said(metadata, tmp_path) == {"out-of-space"}


def test_counters_of_a_log_end_where_the_tool_shows_them(tmp_path: Path) -> None:
    log = (
        "[  900.000000] BTRFS error (device sdb): bdev /dev/sdb errs: wr 15, rd 0, flush 2, "
        "corrupt 0, gen 0\n\n"
    )
    zeroed = "# btrfs device stats /srv\n" + STATS.replace("14", "0")
    assert _said(log, tmp_path) == {"io-errors"}
    assert _said(log + zeroed, tmp_path) == set()
    assert _said(f"{zeroed}\n# dmesg\n{log}", tmp_path) == {"io-errors"}


def test_what_was_counted_before_a_mount_is_no_new_error(tmp_path: Path) -> None:
    line = (
        "[  900.{number:06}] BTRFS {level} (device sdb): bdev /dev/sdb errs: wr 0, rd 5, flush 0, "
        "corrupt 0, gen 0\n"
    )
    page = tmp_path / "page.txt"
    page.write_text(line.format(number=1, level="info"))
    (old,) = explain(str(page)).findings
    assert (old.severity, "before it was mounted" in old.message) == ("warning", True)
    page.write_text(line.format(number=1, level="info") + line.format(number=2, level="error"))
    (new,) = explain(str(page)).findings
    assert (new.severity, "before it was mounted" in new.message) == ("error", False)


def test_of_one_device_a_log_says_the_largest_counts(tmp_path: Path) -> None:
    line = (
        "[ 90{number}.000000] BTRFS error (device sdb): bdev /dev/sdb errs: wr {wr}, rd 0, "
        "flush 0, corrupt 0, gen 0\n"
    )
    page = tmp_path / "page.txt"
    page.write_text(line.format(number=1, wr=1) + "\n\n" * 8 + line.format(number=2, wr=1038))
    (said,) = explain(str(page)).findings
    assert "1,038 writes" in said.message
