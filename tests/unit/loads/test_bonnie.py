"""bonnie++: fast drives, tests of files, CSV and pages. Oracle: lines of CSV made up for them.

The line of each machine says 1228.8 MiB/s (1258291 KiB/s) written and 1433.6 MiB/s read, in KiB/s.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedTrial, Unread
from tests.mangle import cut, read, trials

OUTPUTS = Path(__file__).parents[2] / "outputs" / "bonnie-2.00"
PAGE, TABLE, CSV = (
    (OUTPUTS / name).read_text() for name in ("page.html", "table-fast.txt", "csv.txt")
)
FAST = (
    "1.98,2.00a,nas3,2,1795250011,16G,,8192,5,512,98,1258291,45,614400,38,880,96,1468006,40,9216,"
    "210,16,,,,,12000,55,+++++,+++,15500,60,13100,58,+++++,+++,9900,41,21000us,250ms,310ms,9000us,"
    "45ms,3100us,510us,290us,720us,480us,40us,1300us\n"
)
OLD = (
    "nas5,16G,61212,97,180345,45,81043,21,70311,96,210333,20,512.3,1,16,12000,55,+++++,+++,15500,"
    "60,13100,58,+++++,+++,9900,41\n"
)


def _figures(trial: PrintedTrial) -> dict[str, float]:
    return dict(trial.loops[0].metrics)


def test_a_figure_that_a_terminal_cut_is_no_other() -> None:
    expected = {trial.host: _figures(trial) for trial in trials(TABLE)}
    for width in range(60, 80):
        for trial in trials(cut(TABLE, width)):
            figures = _figures(trial)
            assert {name: expected[trial.host][name] for name in figures} == figures, width


def test_a_table_in_gib_and_mib() -> None:
    fast, slow = trials(TABLE)
    assert (fast.host, slow.host) == ("nas3", "nas4")
    assert _figures(fast)["write.bandwidth"] == 1.2 * 2**30
    assert _figures(fast)["rewrite.bandwidth"] == 600 * 2**20
    assert _figures(fast)["write_char.bandwidth"] == 512 * 2**10
    assert _figures(slow)["random_seek.iops"] == 310.5
    of_fast, of_slow = fast.details["files"], slow.details["files"]
    assert isinstance(of_fast, dict)
    assert isinstance(of_slow, dict)
    assert (of_fast["random create"], of_slow["random create"]) == (13100, 9100)
    assert (of_fast["sequential create latency"], of_slow["random delete latency"]) == (
        0.00051, 0.0019,
    )  # fmt: skip


@pytest.mark.parametrize("text", [FAST, f"Result:\n{FAST}\nthat is all\n"])
def test_a_line_of_csv_says_its_files_too(text: str) -> None:
    (trial,) = trials(text)
    assert _figures(trial)["write.bandwidth"] == 1258291 * 1024
    assert _figures(trial)["random_seek.latency.max"] == 3100e-6
    assert trial.details["processes"] == 2
    assert trial.details["seed"] == 1795250011
    files = trial.details["files"]
    assert isinstance(files, dict)
    assert files["count"] == 16
    assert files["sequential create"] == 12000
    assert files["sequential create cpu"] == 0.55
    assert files["random delete latency"] == 0.0013
    assert "sequential read" not in files  # too short to be measured


def test_the_old_line_of_csv_says_its_files() -> None:
    (trial,) = trials(OLD)
    files = trial.details["files"]
    assert isinstance(files, dict)
    assert (files["count"], files["random create"], files["random delete cpu"]) == (16, 13100, 0.41)


def test_a_page_says_blocks_in_mib_and_characters_in_kib() -> None:
    fast, slow = trials(PAGE)
    assert (fast.host, fast.version, fast.options["size"]) == ("nas3", "2.00a", 16 * 2**30)
    figures = _figures(fast)
    assert figures["write.bandwidth"] == round(1258291 / 1024) * 2**20
    assert figures["write_char.bandwidth"] == 512 * 2**10
    assert figures["read.latency.max"] == 0.045
    assert _figures(slow)["rewrite.bandwidth"] == 50 * 2**20
    files = slow.details["files"]
    assert isinstance(files, dict)
    assert (files["sequential delete"], files["sequential delete latency"]) == (9500, 0.00082)


def test_a_row_of_a_page_that_lacks_a_cell_is_said() -> None:
    torn = PAGE.replace(">600</td>", "></td><td></td>", 1)
    assert torn != PAGE
    (entry,) = [entry for entry in read(torn) if isinstance(entry, Unread)]
    assert entry.reason.startswith("1 of its rows")
    assert [trial.host for trial in trials(torn)] == ["nas4"]


def test_a_table_of_others_with_such_a_head_is_none() -> None:
    text = "| Version 9 | Sequential Output | Sequential Input |\n|---|---|---|\n| a | 1 | 2 |\n"
    assert trials(text) == []


def test_prose_below_the_table_is_none_of_it() -> None:
    table = TABLE.rstrip("\n").split("\n")
    end = max(at for at, line in enumerate(table, 1) if "Latency" in line or "/sec" in line)
    alone = "\n".join(table[:end])
    outputs = read(f"{alone}\n\nThen the partition was aligned:\n\ngpart show ada3\n")
    assert outputs[0].place.last_line == end
