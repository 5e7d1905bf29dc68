from __future__ import annotations

from dataclasses import replace

import pytest

from iosonde.measure.sheet import sheet, slowest, trial_sheet
from iosonde.records.load import Histogram
from iosonde.records.run import Trial
from tests.unit.measure import build


def test_every_metric_is_summarised_over_the_loops() -> None:
    loops = [
        build.loop(i, {"write.iops": 300.0 + i, "write.bandwidth": (300.0 + i) * 4096})
        for i in range(3)
    ]
    (form,) = sheet(build.run([build.trial(loops)])).trials
    assert [metric.name for metric in form.metrics] == ["write.iops", "write.bandwidth"]
    assert form.metrics[0].loops == (300.0, 301.0, 302.0)
    assert form.metrics[1].unit == "B/s"


def test_percentiles_are_merged_and_not_averaged() -> None:
    calm = {"write": Histogram((1e-4, 1e-3), (990, 10))}
    stalled = {"write": Histogram((1e-4, 1e-1), (90, 10))}
    loops = [
        build.loop(0, {"write.latency.p99": 1e-3}, histograms=calm),
        build.loop(1, {"write.latency.p99": 1e-1}, histograms=stalled),
    ]
    (metric,) = trial_sheet(build.trial(loops)).metrics
    assert metric.loops == (1e-3, 1e-1)
    assert metric.merged == 1e-3


def test_without_every_histogram_there_is_no_merged_percentile() -> None:
    calm = {"write": Histogram((1e-4, 1e-3), (990, 10))}
    loops = [
        build.loop(0, {"write.latency.p99_9": 1e-3}, histograms=calm),
        build.loop(1, {"write.latency.p99_9": 1e-1}),
    ]
    assert trial_sheet(build.trial(loops)).metrics[0].merged is None


def test_cpu_per_io() -> None:
    figures = {"read.iops": 70e3, "write.iops": 30e3, "cpu.user": 0.2, "cpu.system": 0.8}
    metrics = {m.name: m for m in trial_sheet(build.trial([build.loop(0, figures)])).metrics}
    assert metrics["cpu.per_io"].mean == pytest.approx(1e-5)
    assert metrics["cpu.per_io"].unit == "s"


def test_cpu_per_io_of_the_tools_reader_stays() -> None:
    """A verify load: the rates of writes and of reads are of two phases, one after the other."""
    figures = {"read.iops": 5333.0, "write.iops": 3084.0, "cpu.user": 0.2, "cpu.system": 0.1,
               "elapsed": 0.131, "cpu.per_io": 0.3 * 0.131 / 512}  # fmt: skip
    metrics = {m.name: m for m in trial_sheet(build.trial([build.loop(0, figures)])).metrics}
    assert metrics["cpu.per_io"].mean == pytest.approx(0.3 * 0.131 / 512)


@pytest.mark.parametrize(
    ("figures", "headline"),
    [
        ({"write.iops": 300.0, "write.bandwidth": 300 * 4e6}, "write.bandwidth"),
        ({"read.iops": 9e4, "read.bandwidth": 9e4 * 4096}, "read.iops"),
        ({"read.iops": 700.0, "write.iops": 300.0, "read.latency.mean": 1e-3}, "read.iops"),
        ({"cached_read.bandwidth": 9e9, "buffered_read.bandwidth": 2e8}, "buffered_read.bandwidth"),
        ({"write.bandwidth": 1e8, "reread.bandwidth": 5e9}, "write.bandwidth"),
        ({"elapsed": 12.0}, "elapsed"),
        ({"read.iops": 300.0, "write.iops": 700.0, "mixed.iops": 1000.0}, "write.iops"),
        ({"mixed.iops": 1000.0, "mixed.latency.mean": 1e-3}, "mixed.iops"),
        ({}, ""),
    ],
)
def test_the_headline_is_the_rate_of_the_dominant_direction(
    figures: dict[str, float], headline: str
) -> None:
    assert trial_sheet(build.trial([build.loop(0, figures)])).headline == headline


def test_one_metric_stands_for_all_trials_of_a_load_that_have_it() -> None:
    def trial(read: float, write: float, number: int, load: str = "mix") -> Trial:
        figures = {"read.iops": read, "write.iops": write}
        named = {name: rate for name, rate in figures.items() if rate}
        made = build.trial([build.loop(0, named)])
        return replace(made, id=f"t{number}", load=replace(made.load, name=load))

    even = [(501.0, 499.0), (402.0, 398.0), (99.0, 101.0), (0.0, 50.0)]
    trials = [trial(*pair, number) for number, pair in enumerate(even)]
    trials += [trial(1.0, 2.0, 9, "other")]
    names = [form.headline for form in sheet(build.run(trials)).trials]
    assert names == ["read.iops", "read.iops", "read.iops", "write.iops", "write.iops"]
    assert [form.headline for form in map(trial_sheet, trials)][2] == "write.iops"
    two = [form.headline for form in sheet(build.run([trials[2], trials[0]])).trials]
    assert two == ["write.iops", "write.iops"]


def test_a_trial_without_loops_has_no_metrics() -> None:
    empty = trial_sheet(build.trial([]))
    assert (empty.metrics, empty.headline) == ((), "")


def test_the_slowest_host_stands_for_several() -> None:
    fast = trial_sheet(build.trial(build.speeds([1276.0, 1281.0]), host="node1"))
    slow = trial_sheet(build.trial(build.speeds([1269.0, 1253.0]), host="node2"))
    broken = trial_sheet(build.trial([], host="node3"))
    assert slowest([fast, slow, broken]).trial.host == "node2"
    late = trial_sheet(build.trial(build.speeds([0.1], "elapsed"), host="node1"))
    later = trial_sheet(build.trial(build.speeds([0.2], "elapsed"), host="node2"))
    assert slowest([late, later]).trial.host == "node2"
    with pytest.raises(ValueError, match="no host has finished"):
        slowest([broken])


def test_the_latency_of_syncs_is_a_headline_of_a_load_that_syncs() -> None:
    commits = {
        "write.iops": 200.0, "write.latency.mean": 4e-5, "write.latency.p99": 9e-5,
        "sync.latency.mean": 5.9e-4, "sync.latency.p50": 5e-4, "sync.latency.p99": 2e-3,
    }  # fmt: skip
    of_commits = trial_sheet(build.trial([build.loop(0, commits)]))
    assert of_commits.headlines == ("write.iops", "sync.latency.mean", "sync.latency.p99")
    assert of_commits.headline == "write.iops"
    plain = {name: value for name, value in commits.items() if not name.startswith("sync.")}
    assert trial_sheet(build.trial([build.loop(0, plain)])).headlines == ("write.iops",)
    assert trial_sheet(build.trial([])).headlines == ()
