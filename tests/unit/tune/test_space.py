"""Settings, ranges, what is left out, and what is safest."""

from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from iosonde.tune.search.space import Space, Vary, spread


def test_the_baseline_comes_first_and_every_candidate_once() -> None:
    both = Space(
        (Vary("md.chunk", (64, 128), 128), Vary("queue.scheduler", ("none", "bfq"), "bfq"))
    )
    candidates = both.candidates()
    assert candidates[0] == both.baseline == (1, 1)
    assert len(set(candidates)) == len(candidates) == 4
    assert both.settings((0, 1)) == {"md.chunk": 64, "queue.scheduler": "bfq"}


def test_excluded_combinations_are_not_tried_but_what_is_in_force_is() -> None:
    vary = (Vary("a.x", (1, 2), 1), Vary("a.y", (1, 2), 1))
    some = Space(vary, excluded=({"a.x": 2, "a.y": 2}, {"a.x": 1, "a.y": 1}))
    assert set(some.candidates()) == {(0, 0), (0, 1), (1, 0)}


def test_unsafe_values_are_left_out_unless_their_setting_is_named() -> None:
    vary = (Vary("nfs.export", ("sync", "async"), "sync", unsafe=("async",)),)
    assert Space(vary).candidates() == ((0,),)
    assert Space(vary, unsafe=("nfs.export",)).candidates() == ((0,), (1,))


def test_an_unsafe_value_in_force_stays_a_candidate() -> None:
    vary = (Vary("nfs.export", ("sync", "async"), "async", unsafe=("async",)),)
    assert set(Space(vary).candidates()) == {(0,), (1,)}


def test_the_safest_has_no_unsafe_value_then_the_fewest_changes() -> None:
    some = Space((Vary("a.x", (0, 1), 0, unsafe=(1,)), Vary("a.y", (0, 1, 2), 0)), unsafe=("a.x",))
    assert min(some.candidates(), key=some.caution) == (0, 0)
    assert some.caution((0, 2)) < some.caution((1, 0))


def test_a_part_of_a_space_holds_the_rest_at_the_winner() -> None:
    some = Space((Vary("a.x", (0, 1), 0), Vary("b.y", (0, 1, 2), 0)))
    part = some.only(["b.y"], (1, 0))
    assert part.sizes == (1, 3)
    assert part.settings(part.baseline) == {"a.x": 1, "b.y": 0}


def test_ranges_even_and_by_factors() -> None:
    assert spread(0, 100, 5) == (0, 25, 50, 75, 100)
    assert spread(32, 512, 5, ratio=True) == (32, 64, 128, 256, 512)


@pytest.mark.parametrize(("low", "high", "count", "ratio"), [(5, 5, 3, False), (0, 8, 3, True)])
def test_an_empty_range_is_refused(low: int, high: int, count: int, ratio: bool) -> None:
    with pytest.raises(UsageError, match="values lie between"):
        spread(low, high, count, ratio=ratio)


def test_what_is_in_force_must_be_among_the_values() -> None:
    with pytest.raises(UsageError, match="the value in force, 7, is not among"):
        Vary("a.x", (1, 2), 7)


def test_an_exclusion_must_name_a_setting_that_is_varied() -> None:
    with pytest.raises(UsageError, match=r"a\.z is not varied"):
        Space((Vary("a.x", (1, 2), 1),), excluded=({"a.z": 1},))
