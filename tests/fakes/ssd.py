"""A simulated SSD: fast while it has fresh blocks, then the write cliff, then steady with noise.

A model, not a drive: after `fresh` capacities of writes the rate of writes falls towards its steady
value by an exponential in bytes written; from `throttle_at` seconds of load on, where it is set,
the drive is too hot, halves its rate and counts the time in its log. Small requests are bound by
I/Os, large ones by bandwidth.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace

from iosonde.measure.named import bundled_values
from iosonde.measure.plan import make_plan
from iosonde.measure.study import Study
from iosonde.measure.windows import figure, is_tracked, passes_wanted
from iosonde.records.load import LoadResult, RawOutput, Target, TargetKind
from iosonde.records.run import HEALTH, Loop, RunState, Series, Trial
from iosonde.records.stack import Capture, HostFacts, StackLayer
from iosonde.store.store import Store

FRESH_IOPS, STEADY_IOPS, READ_IOPS = 90_000.0, 24_000.0, 110_000.0
BANDWIDTH = {"read": 1.6e9, "write": 9e8}


@dataclass
class SimulatedSsd:
    """The drive, and how long and how much it was written to.

    Args:
        capacity: bytes.
        fresh: capacities that are written before the cliff.
        length: capacities of writes over which the rate falls by 63 %.
        noise: standard deviation of a loop's rate, as a fraction.
        throttle_at: seconds of load after which it is too hot; None: never.
    """

    capacity: int = 64 << 30
    fresh: float = 1.1
    length: float = 0.8
    noise: float = 0.02
    throttle_at: float | None = None
    seed: int = 1
    written: float = 0.0
    loaded: float = 0.0
    hot: float = 0.0
    _chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def purge(self) -> None:
        """Discard everything."""
        self.written = 0.0

    def fill(self, passes: int) -> None:
        """Write all of it so often, in sequence: half of that wears the fresh blocks off."""
        self.written += passes * self.capacity * 0.5

    def write_iops(self) -> float:
        """Small writes a second, in the state that it is in."""
        beyond = max(self.written / self.capacity - self.fresh, 0.0)
        return STEADY_IOPS + (FRESH_IOPS - STEADY_IOPS) * math.exp(-beyond / self.length)

    def loop(self, index: int, *, block: int, reads: float, depth: int, seconds: float) -> Loop:
        """One loop of a mix of random I/Os.

        Args:
            index: of the loop.
            block: bytes of an I/O.
            reads: share of reads.
            depth: I/Os in flight.
            seconds: its length.
        """
        started, before = 1e9 + self.loaded, self.hot
        ways = {"read": (reads, READ_IOPS), "write": (1 - reads, self.write_iops())}
        cost = sum(
            share / min(rate, BANDWIDTH[way] / block)
            for way, (share, rate) in ways.items()
            if share
        )
        rate = min(1 / cost, depth / 80e-6) * math.exp(self._chance.gauss(0.0, self.noise))
        if self.throttle_at is not None and self.loaded >= self.throttle_at:
            rate /= 2
            self.hot += seconds
        self.loaded += seconds
        self.written += rate * (1 - reads) * block * seconds
        metrics: dict[str, float] = {}
        for way, (share, _) in ways.items():
            if share:
                mean = depth / rate
                metrics |= {
                    f"{way}.iops": rate * share, f"{way}.bandwidth": rate * share * block,
                    f"{way}.latency.mean": mean, f"{way}.latency.max": 40 * mean,
                    f"{way}.latency.p99": 4 * mean,
                }  # fmt: skip
        units = {
            name: {"iops": "1/s", "bandwidth": "B/s"}.get(name.rpartition(".")[2], "s")
            for name in metrics
        }
        times = (started, started + seconds)
        log = (
            Series(HEALTH, "nvme0n1", "throttle_time", "s", times, (before, self.hot)),
            Series(
                HEALTH, "nvme0n1", "temperature", "°C", times, (48.0, 82.0 if self.hot else 55.0)
            ),
        )
        result = LoadResult(metrics=metrics, units=units, tool_version="fio-3.33")
        return Loop(index, started, seconds, result, RawOutput(0, b"", b""), series=log)


def qualify(store: Store, name: str, ssd: SimulatedSsd) -> str:
    """Run a bundled study on the drive, straight into a store; the id of the run."""
    values = {**bundled_values(name), "targets": [{"path": "/dev/nvme0n1"}]}
    plan = make_plan(Study.model_validate(values), where="simulated")
    until = plan.study.until
    assert until is not None
    ssd.fill(plan.study.prepare.precondition)
    layer = StackLayer(
        "local/disk:nvme0n1", "disk", "local", "/dev/nvme0n1", ssd.capacity,
        facts={"kernel_name": "nvme0n1", "model": "Simulated SSD", "transport": "nvme",
               "logical_block_size": 512},
        settings={"write_cache": "write through", "scheduler": "none"},
    )  # fmt: skip
    host = HostFacts("local", "6.1.0-18-amd64", 8, 32 << 30)
    capture = Capture(taken=1e9, hosts=(host,), layers=(layer,))
    target = Target("local", "/dev/nvme0n1", TargetKind.DEVICE)
    planned = [trial for part in plan.rounds for trial in part]
    run = store.begin(plan.study.study, plan.document(), created=1.71e9, owner="")
    trials = [
        Trial(sheet.id, "local", sheet.probe.name, target, sheet.load, f"fio {sheet.load.name}",
              capture=capture) for sheet in planned
    ]  # fmt: skip
    tracked: list[list[float]] = [[] for sample in trials if is_tracked(until, sample.load)]
    loops: list[list[Loop]] = [[] for _ in trials]
    for at in range(until.passes or 1):
        for trial, done in zip(trials, loops, strict=True):
            matrix = trial.load.matrix
            done.append(ssd.loop(
                at, block=int(matrix.get("bs") or 4096), depth=128, seconds=60.0,
                reads=float(matrix.get("rwmixread") or 0) / 100,
            ))  # fmt: skip
        followed = [
            done[-1] for trial, done in zip(trials, loops, strict=True)
            if is_tracked(until, trial.load)
        ]  # fmt: skip
        for values_, loop in zip(tracked, followed, strict=True):
            values_.append(figure(loop.result.metrics, until.metric))
        if passes_wanted(tracked, until.passes or 1) <= at + 1:
            break
    for trial, done in zip(trials, loops, strict=True):
        store.add_trial(run.id, replace(trial, loops=tuple(done)))
    store.finish(run.id, RunState.FINISHED)
    return run.id
