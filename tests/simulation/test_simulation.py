"""Histories of the simulated host hold, and planted faults do not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.simulation.faults import NAMES, SEEDS, planted
from tests.simulation.history import Broken, Chronicle
from tests.simulation.machine import Machine

PASTS = 7  # with one in which another version of the script is there
_SAMPLED = os.geteuid() == 0 and shutil.which("strace") is not None
"""Whether some commands can be run for real, too."""


def played(*arguments: str, every: int = 0) -> dict[str, Any]:
    """What a worker has to say."""
    argv = [sys.executable, "-m", "tests.simulation", *arguments, "--every", str(every)]
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def hold(worker: int, workers: int, seeds: range, pasts: int, every: int) -> None:
    """A worker's part of these histories holds."""
    count = len(seeds)
    said = played(str(seeds.start), str(count), "--pasts", str(pasts), "--workers", str(workers),
                  "--worker", str(worker), every=every if _SAMPLED else 0)  # fmt: skip
    assert not said["broken"], "\n\n".join(said["broken"])
    assert count // workers <= said["played"] <= count // workers + 1
    assert said["real"] == 0  # the shell in memory knows all that the product sends
    assert said["compared"] > 0 or not _SAMPLED


@pytest.mark.parametrize(
    ("seeds", "every"),
    [(range(2_100), 100), pytest.param(range(2_100, 10_000), 400, marks=pytest.mark.slow)],
    ids=["2,100", "ten thousand"],
)
@pytest.mark.parametrize("past", range(PASTS))
def test_in_many_histories_all_is_old_or_all_is_confirmed(
    past: int, seeds: range, every: int
) -> None:
    hold(past, PASTS, seeds, PASTS, every)


@pytest.mark.root
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_shell_in_memory_does_what_the_real_one_does() -> None:
    hold(3, 8, range(800), 8, every=5)


@pytest.mark.parametrize(("pasts", "seed"), [(100, 500_483), (100, 500_035), (100, 874_616)])
def test_what_a_longer_search_has_found_holds(pasts: int, seed: int) -> None:
    """A scheduler put back brings its depth, which hid another's; `persist --undo` of two keeps.

    A batch that lasts and was never ready, cut by a loss of power, hinders no other's way back.
    """
    Chronicle(Machine(), pasts).play(seed)


@pytest.mark.parametrize("fault", SEEDS)
def test_the_history_that_shows_a_planted_fault_does_so(fault: str) -> None:
    with planted(fault), pytest.raises(Broken, match=f"seed {SEEDS[fault]} of {PASTS} pasts"):
        Chronicle(Machine(), PASTS).play(SEEDS[fault])


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("fault", NAMES)
def test_a_planted_fault_is_found_within_ten_thousand_histories(fault: str) -> None:
    said = played("0", "10000", "--pasts", str(PASTS), "--worker", "0", "--workers", "1",
                  "--fault", fault, "--most", "1")  # fmt: skip
    assert said["broken"], fault
