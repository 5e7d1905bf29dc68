"""`up` on arrays and volumes that are not as declared, on a kernel with md and device-mapper."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.long
@pytest.mark.root
@pytest.mark.timeout(1900)
def test_what_stands_is_compared_with_what_is_declared() -> None:
    inside = ["env", f"PYTHONPATH={ROOT / 'src'}", sys.executable, "-m", "pytest", "-q"]
    done = subprocess.run(
        [str(ROOT / "tools" / "uml" / "run"), "--disks", "4", "--size", "64", "--timeout", "1800",
         "--", *inside, "-p", "no:cacheprovider", "-o", "addopts=", "-W", "ignore",
         "tests/uml/unequal.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout
