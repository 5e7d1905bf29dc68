"""The guard and discovery on a kernel with md and device-mapper, in a guest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.root
@pytest.mark.timeout(1000)
def test_arrays_and_volumes_hold_their_disks() -> None:
    done = subprocess.run(
        [str(ROOT / "tools" / "uml" / "run"), "--disks", "5", "--size", "64", "--timeout", "900",
         "--", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=",
         "-W", "ignore", "tests/uml/held.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "13 passed" in done.stdout
