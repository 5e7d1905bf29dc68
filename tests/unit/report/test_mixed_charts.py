"""Charts of sets that mix loads, and of loops too short to have a course."""

from __future__ import annotations

from iosonde.cli.result import _is_shown
from iosonde.measure.sheet import sheet, trial_sheet
from iosonde.records import Series
from iosonde.report.charts import headline_figures, observed_figures
from tests.unit.measure import build


def test_every_unit_has_a_chart_of_its_own() -> None:
    small = [build.trial(build.speeds([9.0, 8.0], "read.iops"), ident=f"s{n}") for n in range(2)]
    wide = build.trial(build.speeds([2e9, 3e9], "write.bandwidth"), ident="w", name="sequential")
    figures = list(headline_figures([sheet(build.run([*small, wide]))]))
    assert len(figures) == 2
    assert figures[1].alt == "the headline of w"
    assert list(headline_figures([sheet(build.run([wide]))])) == []


def seconds(count: int) -> Series:
    times = tuple(1e9 + n for n in range(count))
    return Series("diskstats", "vda", "read.iops", "1/s", times, (5.0,) * count)


def test_loops_of_one_second_have_no_course_to_draw() -> None:
    short = [build.loop(n, {"read.iops": 5.0}, series=(seconds(1),)) for n in range(3)]
    assert list(observed_figures(trial_sheet(build.trial(short)))) == []
    longer = [build.loop(n, {"read.iops": 5.0}, series=(seconds(2),)) for n in range(3)]
    assert len(list(observed_figures(trial_sheet(build.trial(longer))))) == 1


def test_metrics_with_sizes_in_their_names_have_rows() -> None:
    assert _is_shown("write.64k.bandwidth")
    assert _is_shown("random_read.64k.t2.iops")
    assert _is_shown("read.latency.p99")
    assert not _is_shown("read.latency.p95")
    assert not _is_shown("write.64k.cpu")
