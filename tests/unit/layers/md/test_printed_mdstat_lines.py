"""Lines of /proc/mdstat without the name of the array above them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import folded, mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "mdadm-parts" / "mdstat-lines.txt").read_text()
PROGRESS = TEXT.splitlines()[1]


def values_of(text: str) -> dict[str, Scalar]:
    (state,) = states(text)
    assert state.tool == "mdstat lines"
    (array,) = state.subjects
    assert (array.kind, array.name) == ("md", "")
    return dict(array.values)


def test_lines_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        values = values_of(given)
        assert values["size"] == 5860270080 * 1024, shape
        assert (values["degraded"], values["working_slots"]) == (1, "[4/3] [UUU_]"), shape
        assert (values["sync_action"], values["sync_share"]) == ("recover", 0.126), shape
        assert values["sync_speed"] == 151920 * 1024, shape
        assert values["sync_time_left"] == 187.2 * 60, shape
        assert values["bitmap_chunk"] == 65536 * 1024, shape


def test_they_say_what_the_whole_says() -> None:
    (state,) = states(f"md3 : active raid5 sda1[0] sdb1[1] sdc1[2] sdd1[4]\n{TEXT}")
    whole = state.subjects[0].values
    assert state.tool == "mdstat"
    assert values_of(TEXT).items() <= whole.items()


def test_the_kernels_figures_agree() -> None:
    """Share and time left follow from the blocks done, all blocks and the speed (md.c)."""
    values = values_of(f"It says:\n\n{PROGRESS}\n\nwhich is slow.\n")
    assert values["sync_share"] == pytest.approx(246185984 / 1953423360, abs=0.001)
    left = (1953423360 - 246185984) / 151920
    assert values["sync_time_left"] == pytest.approx(left, rel=0.01)


@pytest.mark.parametrize("width", [66, 72, 80])
def test_progress_that_a_mail_broke(width: int) -> None:
    assert values_of(folded(PROGRESS, width)) == values_of(PROGRESS)


@pytest.mark.parametrize("text", [
    "The recovery = 12.6% of the cost, finish=never.\n",
    "I freed 100 blocks super fast.\n",
    "resync = 5 (the default)\n",
    "bitmap: see the manual\n",
])  # fmt: skip
def test_prose_is_none(text: str) -> None:
    assert not states(text)


def test_how_much_of_a_rebuild_is_done() -> None:
    """15.8 % are 77183744 of 488315232 blocks of 1 KiB; the rest at 72640K/sec takes 94.3 min."""
    line = (
        "[===>.................]  recovery = 15.8% (77183744/488315232) finish=94.3min "
        "speed=72640K/sec"
    )
    (state,) = states(f"      {line}\n")
    facts = state.subjects[0].values
    assert (facts["sync_done"], facts["sync_size"]) == (77183744 * 1024, 488315232 * 1024)
    assert facts["sync_share"] == pytest.approx(77183744 / 488315232, abs=5e-4)
    left = (488315232 - 77183744) / 72640
    assert facts["sync_time_left"] == pytest.approx(left, rel=2e-3)


def test_lines_of_two_arrays_are_two() -> None:
    first, second = states(
        "      1465151808 blocks super 1.2 level 5, 64k chunk, algorithm 2 [4/3] [UUU_]\n"
        "      1318680576 blocks level 5, 1024k chunk, algorithm 2 [10/10] [UUUUUUUUUU]\n"
    )
    assert first.subjects[0].values["raid_disks"] == 4
    assert second.subjects[0].values["raid_disks"] == 10
    assert second.subjects[0].values["chunk_size"] == 1024 << 10
