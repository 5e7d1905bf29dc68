"""The guard and discovery before Debian's own md, device-mapper and XFS, in a guest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kernel.guest import pytest_in_guest, run_in_guest

pytestmark = [pytest.mark.slow, pytest.mark.kernel, pytest.mark.timeout(600)]


def test_arrays_volumes_and_containers_hold_their_disks() -> None:
    ran = pytest_in_guest(Path(__file__).with_name("in_guest.py"), disks=4)
    assert ran.status == 0, ran.output
    assert re.search(r"^8 passed in ", ran.output, re.MULTILINE), ran.output


def test_a_failure_in_the_guest_is_told() -> None:
    assert run_in_guest(["sh", "-c", "exit 7"], disks=0).status == 7
