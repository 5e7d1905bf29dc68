"""Where stages are measured: on the examples that people have, from the disks up."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.measure.plan import PlannedTrial
from iosonde.measure.study import ProbePoint
from iosonde.records.load import Load
from iosonde.stack.file import DeclaredStack, read_stack
from iosonde.tune.campaign.route import Route

STACKS = Path(__file__).parents[4] / "examples/stacks"
LOAD = Load("fio", "writes", {})
NAMES: dict[str, tuple[str, ...]] = {
    "ra.stripe_cache_size": ("rb.stripe_cache_size",), "s1/link:eth1.mtu": ("s2/link:eth1.mtu",),
    "r0.al-extents": ("s2/r0.al-extents",), "r0.max-buffers": (), "lv.read_ahead_kb": (),
    "vm.nr_requests": (), "fs.atime": (), "s2/kernel.numa_balancing": (),
}  # fmt: skip
BELOW = set([*NAMES][:4])


def trials(*places: str) -> list[PlannedTrial]:
    return [PlannedTrial(f"writes@{at}", ProbePoint(path="", name=at), LOAD) for at in places]


@pytest.fixture
def anvil() -> DeclaredStack:
    return read_stack(STACKS / "anvil.yaml")


def test_each_stage_at_its_own_layer(anvil: DeclaredStack) -> None:
    """The network is seen by what replicates over it; what is of no layer by what is topmost."""
    route = Route(anvil, trials("ra", "r0", "lv", "vm", "fs"), NAMES)
    assert route.places == ("ra", "r0", "r0", "lv", "vm", "fs", "fs")
    assert route.of("s1/link:eth1").trial.id == "writes@r0"
    assert route.of("").trial.id == "writes@fs"


def test_a_layer_that_is_no_place_is_measured_at_the_next_one_up(anvil: DeclaredStack) -> None:
    route = Route(anvil, trials("r0", "fs"), NAMES)
    assert route.places == ("r0", "r0", "r0", "fs", "fs", "fs", "fs")
    assert route.of("s2/r0").trial.id == "writes@r0"


def test_what_is_above_a_place_is_not_there_yet(anvil: DeclaredStack) -> None:
    route = Route(anvil, trials("ra", "r0", "fs"), NAMES)
    assert route.of("ra").names == {"ra.stripe_cache_size"}
    assert route.of("ra").layers == {"ra", "rb"}, "what is set with it stands too"
    assert route.of("r0").layers == {"ra", "rb", "r0"}
    assert route.of("r0").names == BELOW
    assert route.of("s1/link:eth1").names == BELOW, "both are measured at r0"
    assert route.of("lv").names == set(NAMES)
    assert route.of("").names == set(NAMES)


def test_at_one_place_everything_is_there(anvil: DeclaredStack) -> None:
    for route in (Route(anvil, trials("fs"), NAMES), Route(None, trials("/dev/sda"), NAMES)):
        assert route.places == ()
        assert route.of("ra") == route.of("") == route.of("fs")
        assert route.of("ra").names == set(NAMES)


def test_what_stands_on_the_only_place_is_not_built_beside_it(anvil: DeclaredStack) -> None:
    """A load that writes there would destroy it; that it has no such setting is told instead."""
    route = Route(anvil, trials("r0"), NAMES)
    assert route.of("").layers == {"ra", "rb", "r0"}


def test_a_stage_that_no_place_stands_on_is_told(anvil: DeclaredStack) -> None:
    with pytest.raises(UsageError, match="lv is measured nowhere: of the places ra, r0") as raised:
        Route(anvil, trials("ra", "r0"), NAMES)
    assert "add lv, or a layer above it, to `at`" in raised.value.hint
