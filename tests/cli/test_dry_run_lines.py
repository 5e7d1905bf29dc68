"""What `run --dry-run` shows of passes: in 80 columns, each point once, in its order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from iosonde.verbs.run import commands
from tests.cli.conftest import Ended

Iosonde = Callable[..., Ended]
MATRIX = "fio --name=m --rw=randread --bs={4k,64k} --iodepth={1,2,4,8,16} --ioengine=libaio"


def _passes(printed: str) -> dict[str, list[str]]:
    """Heading → points, of the lines behind the commands."""
    passes: dict[str, list[str]] = {}
    for line in printed.splitlines():
        if line.endswith(":") and "pass" in line:
            passes[line] = points = []
        elif passes and line.startswith("  "):
            points += line.strip().removesuffix(",").split(", ")
    return passes


@pytest.mark.parametrize("columns", ["80", "60"])
def test_the_points_of_a_pass_stand_below_each_other_in_their_order(
    iosonde: Iosonde, environment: dict[str, str], columns: str
) -> None:
    environment["COLUMNS"] = columns
    printed = iosonde(
        "run", "--fio", MATRIX, "--target", "/tmp", "--size", "1m", "--dry-run"
    ).stdout
    passes = _passes(printed)
    planned = commands(loads=[{"fio": MATRIX}], targets=["/tmp"], size="1m").passes
    assert list(passes) == ["pass 1 of m at /tmp:", "pass 2 of m at /tmp:"]
    assert [
        [f"m {point}@/tmp" for point in points] for points in passes.values()
    ] == [list(taken) for taken in planned[:2]]  # fmt: skip
    lines = printed[printed.index("pass 1") :].splitlines()
    assert max(map(len, lines)) <= int(columns)


def test_passes_in_one_order_are_shown_once_for_each_matrix(iosonde: Iosonde) -> None:
    ended = iosonde("run", "pts-throughput", "--target", "/dev/nvme9n9", "--dry-run")
    headings = list(_passes(ended.stdout))
    assert len(headings) == 2, ended.stderr
    assert all(heading.startswith("each pass of pts-") for heading in headings)
