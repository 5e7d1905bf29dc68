"""SIGKILL to one process of a run's chain at random moments: nothing else changes, nothing stays.

`make test-kills` makes 200 attempts (IOSONDE_KILLS says how many). A failed one is made again by
`python -m tests.hostile.harness --only SEED`.
"""

from __future__ import annotations

import os

import pytest

from tests.hostile.harness.attempt import attempt

_COUNT = int(os.environ.get("IOSONDE_KILLS", "5"))
_SERIES = os.environ.get("IOSONDE_KILLS_SEED", "1")

pytestmark = [pytest.mark.slow, pytest.mark.root]


@pytest.mark.parametrize("seed", [f"{_SERIES}:{number}" for number in range(_COUNT)])
def test_a_killed_process_harms_nothing_and_leaves_nothing(seed: str) -> None:
    outcome = attempt(seed)
    assert not outcome.broken, f"{outcome}\n{outcome.victim}\n{outcome.said}"
