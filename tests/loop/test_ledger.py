"""`iosonde run --ledger` on real devices: what was predicted and what the kernel counted."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from iosonde.verbs.schema import schema
from tests.cli.conftest import COMMAND
from tests.loop.devices import loop_device

pytestmark = [pytest.mark.root]
LOAD = "fio --name w --rw randwrite --bs 4k --direct 1 --size 16m --number_ios 500"


def run(store: Path, *arguments: str) -> Any:
    done = subprocess.run(
        [*COMMAND, "run", *arguments, "--ledger", "--json"], capture_output=True, text=True,
        check=False, env={**os.environ, "IOSONDE_STORE": str(store)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, schema("run"))
    return document["trials"][0]["ledger"]


def test_a_device_counts_what_was_predicted(tmp_path: Path) -> None:
    with loop_device(tmp_path / "disk", 16 * 2**20) as device:
        ledger = run(
            tmp_path / "store.db", "--fio", LOAD, "--target", device, "--destroy", device,
            "--loops", "2",
        )  # fmt: skip
    assert ledger["recorded"]
    assert ledger["depth"] == 1
    (row,) = ledger["layers"]
    assert row["device"] == Path(device).name
    assert row["predicted"]["writes"] == row["counted"]["writes"] == 1000
    assert row["predicted"]["write_bytes"] == row["counted"]["write_bytes"] == 1000 * 4096
    assert ledger["findings"] == []


def test_requests_of_several_jobs_are_made_up(tmp_path: Path) -> None:
    """Their record would be torn; as many of the same kind stand for them."""
    with loop_device(tmp_path / "disk", 16 * 2**20) as device:
        ledger = run(
            tmp_path / "store.db", "--fio", f"{LOAD} --numjobs 2", "--target", device, "--destroy",
            device, "--loops", "1",
        )  # fmt: skip
    assert not ledger["recorded"]
    assert ledger["depth"] == 2
    (row,) = ledger["layers"]
    assert row["predicted"]["write_bytes"] == row["counted"]["write_bytes"] == 1000 * 4096
