"""Charts and tables of sets that mix loads, and of loops too short to have a course."""

from __future__ import annotations

from iosonde.cli.result import _is_shown
from iosonde.measure.sheet import sheet, trial_sheet
from iosonde.records.run import Series, Trial
from iosonde.report.charts import style
from iosonde.report.courses import courses
from iosonde.report.html import page_of
from iosonde.report.pivot import LabelledTrial, LoadGroup
from tests.campaigns import REQUESTS, SCHEDULER, campaign_sheet, simulated
from tests.sample import sample_comparison, sample_run
from tests.unit.measure import build


def test_every_load_has_a_chart_of_its_own() -> None:
    small = [build.trial(build.speeds([9.0, 8.0], "read.iops"), ident=f"s{n}", probe=f"p{n}")
             for n in range(2)]  # fmt: skip
    wide = build.trial(build.speeds([2e9, 3e9], "write.bandwidth"), ident="w", name="sequential")
    page = page_of([sheet(build.run([*small, wide]))])
    bars = [figure for figure in page.figures if figure.note == "more is better"]
    assert len(bars) == 2
    assert "sequential" in bars[1].title
    assert "p0" in bars[0].alt
    assert "p1" in bars[0].alt


def seconds(count: int) -> Series:
    times = tuple(1e9 + n for n in range(count))
    return Series("diskstats", "vda", "read.iops", "1/s", times, (5.0,) * count)


def _drawn(trial: Trial) -> list[str]:
    run = sheet(build.run([trial]))
    group = LoadGroup("x", (LabelledTrial("x", run, trial_sheet(trial)),))
    blocks = list(courses([group], []))
    return [figure.title for block in blocks for figure in getattr(block, "figures", ())]


def test_loops_of_one_second_have_no_course_to_draw() -> None:
    short = [build.loop(n, {"read.iops": 5.0}, series=(seconds(1),)) for n in range(3)]
    assert _drawn(build.trial(short)) == ["x: read IOPS by loop"]
    longer = [build.loop(n, {"read.iops": 5.0}, series=(seconds(2),)) for n in range(3)]
    assert _drawn(build.trial(longer)) == ["x: read IOPS by loop", "x: device IOPS"]


def test_every_chart_is_valid_vega_lite() -> None:
    runs = [sample_run(3), sample_run(2, "b")]
    drawn = list(page_of(runs, sample_comparison()).drawn())
    drawn += page_of([campaign_sheet(simulated("grid", (SCHEDULER, REQUESTS)))]).drawn()
    assert len(drawn) >= 10
    for figure in drawn:
        assert style(figure.chart).to_dict(validate=True)["$schema"], figure.title


def test_metrics_with_sizes_in_their_names_have_rows() -> None:
    assert _is_shown("write.64k.bandwidth")
    assert _is_shown("random_read.64k.t2.iops")
    assert _is_shown("read.latency.p99")
    assert not _is_shown("read.latency.p95")
    assert not _is_shown("write.64k.cpu")
