"""Every benchmark still runs, in its quick form, and prints what the contract says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from bench import BENCHES
from iosonde.verbs.schema import schema

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(BENCHES) - {"log-reader", "lab"}))
def test_a_benchmark_prints_its_figures(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", name, "--quick", "--json"],
        cwd=ROOT, check=False, capture_output=True, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    document = json.loads(done.stdout)
    jsonschema.validate(document, schema("bench"))
    assert document["bench"] == name
