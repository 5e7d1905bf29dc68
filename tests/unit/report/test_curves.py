"""Curves on a page: the answer, latency over rate, a heat map of depth by size."""

from __future__ import annotations

from dataclasses import replace

from iosonde.records.curve import Curve, CurvePoint, Knee
from iosonde.records.prediction import Forecast
from iosonde.report.charts import svg
from iosonde.report.curves import curve_figures, overlaid_figures
from iosonde.report.html import HtmlFormat, page_of
from tests.sample import sample_run

DEPTHS = (1, 2, 4, 8, 16)


def curve(size: int, knee: bool = True) -> Curve:
    points = tuple(
        CurvePoint(f"{size}/{depth}", {"bs": size, "iodepth": depth}, depth, 1000.0 * min(depth, 4),
                   None, 1000.0 * min(depth, 4) * size, 1e-3 * max(1, depth / 4), 2e-3)
        for depth in DEPTHS
    )  # fmt: skip
    bend = Knee(4.0, (3.6, 5.1), 4000.0, 1e-3, f"{size}/4") if knee else None
    why = "" if knee else "iodepth 1 was not measured"
    return Curve("random", "local", "/srv", {"bs": size}, "iodepth", points, bend, why)


def test_the_answer_is_where_the_knees_are() -> None:
    page = page_of([replace(sample_run(), curves=(curve(4096), curve(65536, knee=False)))])
    assert page.answer == (
        "random, bs 4 KiB: knee at 4 I/Os in flight (3.6 … 5.1); iodepth 4 gives 4,000 IOPS, 1 ms; "
        "random, bs 64 KiB: no knee found; the highest rate is 4,000 IOPS, 1 ms at iodepth 4 "
        "(iodepth 1 was not measured)."
    )
    assert [figure.title for figure in page.figures[:2]] == [
        "random: latency over rate", "random: iodepth by size, MiB/s"
    ]  # fmt: skip
    assert b"Response curves" in HtmlFormat().serialize(
        [replace(sample_run(), curves=(curve(4096),))]
    )


def test_every_point_can_be_read_in_the_charts() -> None:
    stick, heat = (svg(figure.chart) for figure in curve_figures([curve(4096), curve(65536)]))
    for size in ("4 KiB", "64 KiB"):
        for depth in DEPTHS:
            assert f"random, bs {size}, iodepth {depth}: " in stick
            assert f"{size}, iodepth {depth}: " in heat


def test_one_size_has_no_heat_map_and_a_run_without_a_matrix_no_curve() -> None:
    assert len(curve_figures([curve(4096)])) == 1
    assert curve_figures([]) == []


def test_what_was_predicted_is_drawn_beside_what_was_measured() -> None:
    said = {
        f"4096/{depth}": Forecast(
            f"4096/{depth}", "disk", "s", 0.0, {"iops": 1100.0 * depth, "latency_mean": 9e-4},
            {"iops": 1000.0 * depth}, (900.0, 1200.0), {},
        )
        for depth in DEPTHS
    }  # fmt: skip
    (figure, *_) = curve_figures([curve(4096)], said)
    assert "predicted" in figure.note
    assert "iodepth 16, predicted: 17,600 IOPS, 900 µs" in svg(figure.chart)
    run = replace(sample_run(), curves=(curve(4096),), forecasts=tuple(said.values()))
    page = HtmlFormat().serialize([run]).decode()
    assert "predicted IOPS" in page
    assert "predicted" not in svg(curve_figures([curve(4096)])[0].chart)


def test_curves_of_two_runs_are_lines_of_one_chart() -> None:
    moved = replace(curve(4096), knee=Knee(8.0, (7.0, 9.0), 4000.0, 1e-3, "4096/8"), probe="/other")
    far = replace(curve(65536), probe="/other")
    (figure,) = overlaid_figures([("none", [curve(4096)]), ("bfq", [moved, far])])
    assert figure.title == "random, bs 4 KiB: latency over rate"
    assert "none: knee at 4 I/Os in flight (3.6 … 5.1)" in figure.alt
    assert "bfq: knee at 8 I/Os in flight (7 … 9)" in figure.alt
    assert overlaid_figures([("none", [curve(4096)]), ("bfq", [curve(65536)])]) == []
