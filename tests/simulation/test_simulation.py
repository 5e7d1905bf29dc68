"""Histories of the simulated host hold, and planted faults do not."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.simulation.faults import NAMES, SEEDS

pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.xdist_group("simulation")]


def played(*arguments: str) -> list[dict[str, Any]]:
    """What each worker has to say."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation", *arguments],
        stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


def hold(count: int, pasts: int) -> None:
    """So many histories hold."""
    workers = played("0", str(count), "--pasts", str(pasts))
    broken = [problem for one in workers for problem in one["broken"]]
    assert not broken, "\n\n".join(broken)
    assert sum(one["played"] for one in workers) == count


@pytest.mark.timeout(1800)
def test_in_hundreds_of_histories_all_is_old_or_all_is_confirmed() -> None:
    hold(300, 2)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_in_ten_thousand_histories_all_is_old_or_all_is_confirmed() -> None:
    hold(10_000, 4)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("fault", SEEDS)
def test_the_history_that_shows_a_planted_fault_does_so(fault: str) -> None:
    seed = str(SEEDS[fault])
    workers = played(seed, "1", "--pasts", "2", "--fault", fault, "--most", "1")
    assert any(one["broken"] for one in workers), fault


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("fault", NAMES)
def test_a_planted_fault_is_found_within_a_thousand_histories(fault: str) -> None:
    workers = played("0", "1000", "--pasts", "2", "--fault", fault, "--most", "1")
    assert any(one["broken"] for one in workers), fault
