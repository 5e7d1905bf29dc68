"""A run as a study of two targets leaves it, without the hours: for formats and their tests."""

from __future__ import annotations

import random
from dataclasses import replace

from iosonde.measure.sheet import sheet
from iosonde.records.comparison import ComparedMetric, ComparedSheets, ComparedTrial, Outcome
from iosonde.records.finding import Finding
from iosonde.records.load import Histogram, Load, LoadResult, RawOutput, Target, TargetKind
from iosonde.records.run import Loop, Run, RunState, Series, Trial
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Capture, Gap, HostFacts, StackLayer


def _loop(index: int, level: float, noise: random.Random) -> Loop:
    iops = level * noise.gauss(1, 0.012)
    lengths = [noise.lognormvariate(0, 0.5) * 16 / iops for _ in range(4000)]
    bins: dict[float, int] = {}
    for length in lengths:
        value = float(f"{length:.2g}")
        bins[value] = bins.get(value, 0) + 1
    started = 1_700_000_000.0 + 61 * index
    seconds = tuple(started + second for second in range(1, 60))
    series = [
        Series("diskstats", device, f"write.{name}", unit, seconds,
               tuple(size * noise.gauss(1, 0.05) for _ in seconds))
        for device in ("sda", "sdb")
        for name, unit, size in (
            ("iops", "1/s", iops / 2), ("bandwidth", "B/s", iops * 2048), ("await", "s", 16 / iops)
        )
    ]  # fmt: skip
    return Loop(
        index=index,
        started=started,
        elapsed=60.3,
        result=LoadResult(
            metrics={
                "write.iops": iops,
                "write.bandwidth": iops * 4096,
                "write.latency.mean": sum(lengths) / len(lengths),
                "write.latency.p50": sorted(lengths)[2000],
                "write.latency.p99": sorted(lengths)[3960],
                "cpu.user": 0.021,
                "cpu.system": 0.054,
            },
            units={
                "write.iops": "1/s", "write.bandwidth": "B/s", "write.latency.mean": "s",
                "write.latency.p50": "s", "write.latency.p99": "s", "cpu.user": "cores",
                "cpu.system": "cores",
            },
            histograms={"write": Histogram(tuple(sorted(bins)), tuple(
                bins[value] for value in sorted(bins)))},
            issued={"write": round(iops * 60)},
            tool_version="fio-3.33",
        ),
        raw=RawOutput(0, b"", b"", {}),
        series=tuple(series),
    )  # fmt: skip


def _trial(name: str, level: float, loops: int, seed: int) -> Trial:
    noise = random.Random(seed)
    capture = Capture(
        taken=1_700_000_000.0,
        hosts=(HostFacts("local", "6.1.0-18-amd64", 16, 64 * 2**30),),
        layers=(
            StackLayer("local/xfs:/data", "xfs", "local", "/dev/md0", 4 * 2**40,
                       below=("local/md:md0",), mount="/data",
                       settings={"noatime": True}, hazards=("mounted",)),
            StackLayer("local/md:md0", "md", "local", "/dev/md0", 4 * 2**40,
                       below=("local/disk:sda", "local/disk:sdb"),
                       facts={"level": "raid1", "chunk_size": 65536},
                       hazards=("resync 12 %",)),
            StackLayer("local/disk:sda", "disk", "local", "/dev/sda", 4 * 2**40,
                       facts={"model": "<b>Spinner</b>"}, settings={"scheduler": "mq-deadline"}),
            StackLayer("local/disk:sdb", "disk", "local", "/dev/sdb", 4 * 2**40,
                       settings={"scheduler": "mq-deadline", "queue_depth": None}),
        ),
        gaps=(Gap("local", "md data offset", "needs root", "run as root"),),
        host_wide={"local.vm.dirty_ratio": 20},
    )  # fmt: skip
    return Trial(
        id=f"iops@{name}",
        host="local",
        probe=name,
        target=Target("local", f"/data/{name}", TargetKind.FILE),
        load=Load("fio", "iops", {}, "4 KiB random writes at depth 16."),
        command="fio --output=out.json --output-format=json+ job.fio",
        loops=tuple(_loop(index, level, noise) for index in range(loops)),
        capture=capture,
        flags=("first-loop",),
        faults=("loop 3: the network was cut for 2 s",) if name == "slow" else (),
    )


def sample_run(loops: int = 5, run: str = "k7m2p9xw") -> RunSheet:
    """A finished run of one load at two targets, `loops` loops each."""
    trials = (_trial("fast & wide", 48_000, loops, 1), _trial("slow", 9_300, loops, 2))
    whole = sheet(Run(run, "sample | study", {}, 1_700_000_000.0, RunState.FINISHED, trials=trials))
    below = ("local/xfs:/data", "local/md:md0", "local/disk:sda", "local/disk:sdb")
    finding = Finding("first-loop", "note", "iops", "The first loop is 4 % above the others.")
    return replace(
        whole,
        trials=tuple(
            replace(each, below=below, findings=(finding,), settings={"disk:sda.scheduler": "none"})
            for each in whole.trials
        ),
    )


def sample_comparison(baseline: str = "k7m2p9xw", candidate: str = "b") -> ComparedSheets:
    """A run of the sample's loads found better than the sample; the probe is the first's."""
    return ComparedSheets(
        (
            ComparedMetric(
                "write.iops", baseline, candidate, Outcome.BETTER, 0.05, (0.03, 0.07),
                reason="", level=0.05, headline=True, unit="1/s", figures=(48_000.0, 50_400.0),
                means=(48_000.0, 50_400.0), loops=(5, 5),
                trial=ComparedTrial("iops", "fast & wide", "local"),
                trials=("iops@fast & wide", "iops@fast & wide"),
            ),
        ),
        {"local/disk:sda.scheduler": ("mq-deadline", "none")},
    )  # fmt: skip
