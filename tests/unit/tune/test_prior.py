"""A model's ranking as the beginning of a search, and no more than that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.tune.search.model import ModelSearch
from iosonde.tune.search.prior import read_prior, with_prior
from iosonde.tune.search.race import Race
from iosonde.tune.search.space import Space, Vary
from iosonde.tune.search.staged import Staged
from iosonde.tune.search.strategy import Goal, Observation

SPACE = Space(
    (
        Vary("r.chunk_size", (65536, 131072, 262144), 65536),
        Vary("sda.scheduler", ("none", "bfq"), "bfq"),
        Vary("sda.unsafe", ("no", "yes"), "no", unsafe=("yes",)),
    )
)


def prior(tmp_path: Path, *rows: dict[str, str]) -> Path:
    file = tmp_path / "prior.json"
    ranking = [{"rank": at, "settings": values} for at, values in enumerate(rows, 1)]
    file.write_text(json.dumps({"schema": "iosonde.prior/1", "ranking": ranking}))
    return file


def test_sizes_mean_the_same_however_they_are_written(tmp_path: Path) -> None:
    file = prior(tmp_path, {"r.chunk_size": "256k"}, {"r.chunk_size": "128 KiB", "x.y": "1"})
    assert with_prior(SPACE, read_prior(file)).hopeful == ((2, 1, 0), (1, 1, 0))


def test_what_may_not_be_tried_or_is_not_varied_is_left_out(tmp_path: Path) -> None:
    file = prior(
        tmp_path, {"sda.unsafe": "yes"}, {"r.chunk_size": "512k"}, {"other.setting": "1"},
        {"sda.scheduler": "bfq"}, {"sda.scheduler": "none"},
    )  # fmt: skip
    assert with_prior(SPACE, read_prior(file)).hopeful == ((0, 0, 0),)


def test_the_search_looks_there_first_and_still_everywhere(tmp_path: Path) -> None:
    hoped = with_prior(SPACE, read_prior(prior(tmp_path, {"r.chunk_size": "256k"})))
    assert set(hoped.candidates()) == set(SPACE.candidates())
    search = ModelSearch(hoped, Goal("write.iops", budget=600.0), seed=1)
    order = []
    for _ in range(8):
        asked = search.ask()
        assert asked is not None
        order.append(asked.candidate)
        search.tell(Observation(1000.0))
    assert order[:2] == [SPACE.baseline, (2, 1, 0)]
    assert len(set(order)) >= 5


def test_a_prior_that_is_wrong_changes_the_order_not_the_winner(tmp_path: Path) -> None:
    """The prior holds the worst for the best; the figures say otherwise."""
    hoped = with_prior(SPACE, read_prior(prior(tmp_path, {"r.chunk_size": "128k"})))
    speeds = {0: 1000.0, 1: 700.0, 2: 1400.0}
    for space in (SPACE, hoped):
        search = ModelSearch(space, Goal("write.iops", budget=900.0), seed=2)
        noise = 0
        while (asked := search.ask()) is not None:
            noise = (noise * 31 + 7) % 11
            search.tell(Observation(speeds[asked.candidate[0]] * (1 + (noise - 5) * 1e-3)))
        assert search.result().pick[0] == 2


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "iosonde.run/1"}', '{"ranking": []}'])
def test_what_is_no_prior(tmp_path: Path, text: str) -> None:
    file = tmp_path / "prior.json"
    file.write_text(text)
    with pytest.raises(UsageError, match="not a prior"):
        read_prior(file)
    with pytest.raises(UsageError, match="cannot be read"):
        read_prior(tmp_path / "none")


def test_stages_look_first_at_their_part_of_what_is_hoped_for() -> None:
    wide = Vary("sda.nr_requests", tuple(range(30)), 0)
    hoped = Space((SPACE.vary[0], wide), hopeful=((2, 7), (2, 0)))
    assert hoped.only(["sda.nr_requests"], (1, 0)).hopeful == ((0, 7),)
    assert hoped.only(["r.chunk_size"], (0, 3)).hopeful == ((2, 0),)
    assert Staged.looks_first(hoped)  # the second stage is left to the model
    assert not Staged.looks_first(Space((SPACE.vary[0],), hopeful=((2,),)))
    assert not Race.looks_first(hoped)
    assert ModelSearch.looks_first(hoped)
    assert not ModelSearch.looks_first(SPACE)
