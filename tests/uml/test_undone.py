"""`down` on a kernel with md, LVM and caches of device-mapper, in a guest of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.long
@pytest.mark.root
@pytest.mark.timeout(1900)
def test_down_undoes_what_up_made_and_nothing_of_its_name() -> None:
    done = subprocess.run(
        [str(ROOT / "tools" / "uml" / "run"), "--disks", "4", "--size", "64", "--timeout", "1800",
         "--", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=",
         "-W", "ignore", "tests/uml/undone.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"[78] passed", done.stdout), "all but the one that needs sfdisk"
