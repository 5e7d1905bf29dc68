"""Comparisons of the test robot. Oracle: the change that stands between two means of a row."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import AS_PRINTED
from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[2] / "outputs" / "monitors-composed" / "lkp.txt").read_text()
Row = dict[str, object]


def _metrics(text: str) -> list[list[Row]]:
    read_tables = counters(text, "lkp")
    return [cast("list[Row]", record.values["metrics"]) for record in read_tables]


def test_the_means_of_each_commit_differ_by_the_change_between_them() -> None:
    metrics = {str(row["metric"]): cast("list[float]", row["means"]) for row in _metrics(TEXT)[0]}
    for name, change in (
        ("fio.write_bw_MBps", -12.5), ("fio.write_iops", -12.5),
        ("fio.write_clat_mean_ns", 14.3), ("cpuidle..time", -20.0),
    ):  # fmt: skip
        before, after = metrics[name]
        assert 100 * (after / before - 1) == pytest.approx(change, abs=0.05)
    before, after = metrics["mpstat.cpu.all.iowait%"]
    assert after - before == 0.5
    assert metrics["perf-profile.children.cycles-pp.blk_mq_submit_bio"] == [0, 12]


def test_deviations_are_shares_and_missing_where_none_is_printed() -> None:
    first, second = _metrics(TEXT)
    rows = {row["metric"]: row.get("deviations") for row in first}
    assert rows["fio.write_bw_MBps"] == [None, 0.02]
    assert rows["cpuidle..time"] == [0.03, None]
    assert rows["perf-profile.children.cycles-pp.blk_mq_submit_bio"] is None
    assert second == [
        {"metric": "fio.read_bw_MBps", "means": [200, 198, 120], "deviations": [0.05, 0.07, 0.17]}
    ]


def test_what_was_compared() -> None:
    table, alone = counters(TEXT, "lkp")
    parameters = cast("dict[str, str]", table.values["parameters"])
    assert parameters["disk"] == "1SSD"
    assert parameters["testcase"] == "fio-basic"
    assert table.values["commits"] == [
        "0a1b2c3d4e block: before the change",
        "f0e1d2c3b4 block: change how requests are merged",
    ]
    assert "commits" not in alone.values


def test_parameters_of_which_a_value_has_a_slash_are_left_out() -> None:
    (table, _) = (record for record in counters(TEXT.replace("/1SSD/", "/dev/sda/"))
                  if record.tool == "lkp")  # fmt: skip
    assert "parameters" not in table.values


@pytest.mark.parametrize("sign", ["±", "\ufffd", ""])
def test_the_sign_before_a_deviation_may_be_lost(sign: str) -> None:
    assert _metrics(TEXT.replace("±", sign)) == _metrics(TEXT)


@pytest.mark.parametrize(
    "table",
    [
        "  %stddev     %change\n    1.0   +5.0%   2.0   a.b\n",  # one column is missing
        " before     %change         after\n    400.00   -12.5%     350.00   fio.write_bw_MBps\n",
        "         %stddev     %change         %stddev\n   400.00    350.00   fio.write_bw_MBps\n",
    ],
)
def test_other_tables_are_none_of_the_robot(table: str) -> None:
    assert all(record.kind == AS_PRINTED for record in counters(table))


FIRST = TEXT.partition("\n\n         %stddev")[0]


@pytest.mark.parametrize(("shape", "text"), list(mangled(FIRST, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _metrics(text) == _metrics(FIRST), shape
