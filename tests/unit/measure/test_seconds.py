"""Seconds inside a loop: those of the devices that the target stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from iosonde.measure.circumstances import circumstances
from iosonde.measure.seconds import devices_of, seconds_of
from iosonde.measure.sheet import trial_sheet
from iosonde.records.load import Target, TargetKind
from iosonde.records.run import HEALTH, Series, Trial
from iosonde.records.stack import Capture, HostFacts, StackLayer
from tests.unit.measure import build
from tests.unit.statistics import noise

METRIC = "write.bandwidth"


def disk(name: str) -> StackLayer:
    facts = {"kernel_name": name}
    return StackLayer(f"node1/disk:{name}", "disk", "node1", f"/dev/{name}", 1 << 30, facts=facts)


CAPTURE = Capture(
    taken=1e9,
    hosts=(HostFacts("node1", "6.1", 2, 1 << 30),),
    layers=(
        disk("vda"), disk("vdb"),
        StackLayer("node1/md:md0", "md", "node1", "/dev/md0", 1 << 30,
                   below=("node1/disk:vda",), facts={"kernel_name": "md0"}),
    ),
)  # fmt: skip


def figures(subject: str, values: list[float], sampler: str = "diskstats") -> Series:
    times = tuple(float(second) for second in range(len(values)))
    return Series(sampler, subject, METRIC, "B/s", times, tuple(values))


def trial(series: Sequence[tuple[Series, ...]], path: str = "/dev/vda") -> Trial:
    loops = [
        build.loop(index, {METRIC: 1e8 + index}, series=each) for index, each in enumerate(series)
    ]
    made = build.trial(loops, capture=CAPTURE)
    return replace(made, target=Target("node1", path, TargetKind.DEVICE))


FALLING = [9e9] * 30 + [1e9] * 30
STEADY = [1e8 + second % 7 * 1e5 for second in range(60)]


def test_a_neighbour_whose_cache_fills_up_drains_no_cache_of_the_target() -> None:
    series = [(figures("vda", STEADY), figures("vdb", FALLING))] * 5
    assert "cache-drain" not in [finding.rule for finding in trial_sheet(trial(series)).findings]
    own = [(figures("vda", FALLING), figures("vdb", STEADY))] * 5
    assert "cache-drain" in [finding.rule for finding in trial_sheet(trial(own)).findings]


def test_a_drive_that_was_too_hot_around_the_loops_had_no_full_cache() -> None:
    def rules(*loops: tuple[float, float]) -> list[str]:
        """Of loops that all fall, with the bits of the drive's log before and after each."""
        warnings = [
            Series(HEALTH, "vda", "critical_warning", "", (1.0, 2.0), bits) for bits in loops
        ]
        series = [(figures("vda", FALLING), figures("vdb", STEADY), log) for log in warnings]
        return [finding.rule for finding in trial_sheet(trial(series)).findings]

    hot, spare = 2.0, 1.0
    assert "cache-drain" not in rules(*[(0.0, hot)] * 5)
    assert "cache-drain" in rules(*[(0.0, spare)] * 5)
    assert "cache-drain" in rules(*[(hot, hot)] * 5), "it was as hot before the fall"
    assert "cache-drain" not in rules((0.0, hot), (hot, hot)), "the heat of the loop before"
    assert "cache-drain" in rules((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, hot))


def test_a_neighbours_memory_widens_no_interval() -> None:
    rng = np.random.default_rng(1)
    calm = noise.seconds(rng, 1, 0.0, 0.01)[0].tolist()
    sticky = (100 * noise.seconds(rng, 1, 0.98, 0.3)[0]).tolist()
    beside = trial(
        [(figures("vda", a), figures("vdb", b)) for a, b in zip(calm, sticky, strict=True)]
    )
    own = trial([(figures("vda", b), figures("vdb", a)) for a, b in zip(calm, sticky, strict=True)])
    near = circumstances(trial_sheet(beside), trial_sheet(beside))
    assert near.inflation == pytest.approx(1.0, abs=0.05)
    assert circumstances(trial_sheet(own), trial_sheet(own)).inflation > 1.2


def test_of_a_stack_the_topmost_device_counts_that_moved() -> None:
    sample = trial(
        [(figures("md0", [5.0]), figures("vda", [9.0]), figures("vdb", [99.0]))], "/dev/md0"
    )
    assert devices_of(sample) == ("md0", "vda")
    assert seconds_of(sample.loops[0], METRIC, devices_of(sample)) == [5.0]
    still = trial([(figures("md0", [0.0]), figures("vda", [9.0]))], "/dev/md0")
    assert seconds_of(still.loops[0], METRIC, devices_of(still)) == [9.0]


def test_without_a_device_below_the_network_counts_and_no_disk() -> None:
    sample = trial([(figures("nfsd", [5.0], "nfsd"), figures("vdb", [99.0]))], "/mnt/of/others")
    assert devices_of(sample) == ()
    assert seconds_of(sample.loops[0], METRIC, ()) == [5.0]
    assert (
        seconds_of(replace(sample.loops[0], series=(figures("vdb", [99.0]),)), METRIC, ()) is None
    )


def test_where_nothing_is_known_of_the_stack_the_busiest_counts() -> None:
    sample = build.trial(
        [build.loop(0, {METRIC: 1.0}, series=(figures("a", [1.0]), figures("b", [2.0])))]
    )
    assert devices_of(sample) is None
    assert seconds_of(sample.loops[0], METRIC, devices_of(sample)) == [2.0]
