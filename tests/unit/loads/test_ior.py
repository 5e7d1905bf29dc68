"""IOR, mdtest and fs_mark. Oracle: bandwidth is bytes through seconds, as the tools print both."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read, trials

OUTPUTS = Path(__file__).parents[2] / "outputs"
IOR, OLD, MDTEST = (
    (OUTPUTS / "ior-composed" / f"{name}.txt").read_text() for name in ("ior", "ior-old", "mdtest")
)
FS_MARK = (OUTPUTS / "fs-mark-composed" / "fs_mark.txt").read_text()


@pytest.mark.parametrize(("text", "size"), [(IOR, 4 * 2**30), (OLD, 8 * 2**30)])
def test_bandwidth_is_size_through_seconds(text: str, size: int) -> None:
    write, read_ = trials(text)
    for trial, way in ((write, "write"), (read_, "read")):
        assert trial.label == way
        assert trial.elapsed is not None
        for loop, seconds in zip(trial.loops, trial.elapsed, strict=True):
            assert loop.metrics[f"{way}.bandwidth"] == pytest.approx(size / seconds, rel=3e-3)


def test_what_was_asked_for() -> None:
    write, _ = trials(IOR)
    assert (write.options["rw"], write.options["bs"], write.options["numjobs"]) == (
        "write",
        2**20,
        4,
    )
    assert (write.version, write.loops[0].metrics["write.iops"]) == ("3.3.0", 1235)
    old, _ = trials(OLD)
    assert (old.options["rw"], old.options["bs"], len(old.loops)) == ("randwrite", 256 * 1024, 2)
    assert old.options["numjobs"] == 8


def test_every_column_the_highest_rate_and_the_summary() -> None:
    write, read_ = trials(IOR)
    (row,) = cast("list[dict[str, float]]", write.details["rows"])
    assert (row["open(s)"], row["close(s)"], row["wr/rd(s)"]) == (0.001234, 0.000123, 3.32)
    assert row["bw(MiB/s)"] * 2**20 == write.details["max_bandwidth"]
    summary = cast("dict[str, float]", read_.details["summary"])
    assert (summary["Mean(s)"], summary["Mean(OPs)"]) == (1.7462, 2345.67)
    assert summary["StdDev(OPs)"] == 0
    assert write.details["xfersize"] == "1 MiB"
    head = IOR.index("access    bw")
    (bare, _) = trials(f"Verdict : slow\n{IOR[head : IOR.index('Max Write')]}")
    assert bare.details.keys() == {"rows"}  # a line above need not be IOR's


def test_cut_off_before_its_rows() -> None:
    (unread,) = read(IOR.partition("write     1234.56")[0])
    assert isinstance(unread, Unread)
    assert unread.reason == "no whole row of results follows"


@pytest.mark.parametrize("text", [IOR, OLD])
def test_every_shape(text: str) -> None:
    expected = [dict(trial.loops[0].metrics) for trial in trials(text)]
    for shape, changed in mangled(text, wraps=False):
        assert [dict(trial.loops[0].metrics) for trial in trials(changed)] == expected, shape


def test_files_a_second() -> None:
    (row,) = counters(FS_MARK)
    rates = cast("list[float]", row.values["files_per_second"])
    assert rates == [98765.4, 87654.3]
    assert row.values["overhead"] == [7.654321, 7.654322]
    (summary,) = counters(MDTEST)
    low, mean, high = (
        cast("float", summary.values[f"file_stat.{name}"]) for name in ("min", "mean", "max")
    )
    assert low < mean < high
    (unread,) = read("FSUse%        Count         Size    Files/sec     App Overhead\n")
    assert isinstance(unread, Unread)
    assert unread.reason == "no row follows"
