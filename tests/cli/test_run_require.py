"""`iosonde run --require`: verdicts, exit codes, and loops that go on until it is decided."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from tests.cli.conftest import Ended

pytestmark = pytest.mark.slow

LOAD = "fio --name a --rw randread --bs 4k --size 1m"
Iosonde = Callable[..., Ended]


def measured(
    iosonde: Iosonde, target: Path, *requirements: str, load: str = LOAD, more: tuple[str, ...] = ()
) -> Ended:
    options = [word for text in requirements for word in ("--require", text)]
    return iosonde(
        "run", "--fio", load, "--target", str(target), "--loops", "3", "--seconds", "0.2", *options,
        *more,
    )  # fmt: skip


def test_what_is_met_is_exit_0_and_what_is_not_exit_1(iosonde: Iosonde, tmp_path: Path) -> None:
    fine = measured(iosonde, tmp_path, "read.iops > 10")
    assert fine.status == 0, fine.stderr
    assert fine.stdout.startswith("PASS: read.iops > 10 (")
    slow = measured(iosonde, tmp_path, "read.iops > 10", "read.latency.p99 < 1 ns")
    assert slow.status == 1
    assert "FAIL: read.latency.p99 < 1 ns (" in slow.stdout
    kept = iosonde("export", "last", "--format", "json").json
    jsonschema.validate(kept, iosonde("schema", "run").json)
    assert {row["metric"]: row["verdict"] for row in kept["requirements"]} == {
        "read.iops": "pass", "read.latency.p99": "fail",
    }  # fmt: skip
    low, high = kept["requirements"][0]["interval"]
    assert 10 < low < kept["requirements"][0]["value"] < high


def test_what_cannot_be_decided_is_exit_5(iosonde: Iosonde, tmp_path: Path) -> None:
    mixed = "fio --name a --rw randrw --rwmixread 100 --bs 4k --size 1m"  # may write, and does not
    nowhere = measured(iosonde, tmp_path, "write.latency.p99 < 10 ms", load=mixed)
    assert nowhere.status == 5, nowhere.stderr
    assert "UNDECIDED: write.latency.p99 < 10 ms (no trial has this metric)" in nowhere.stdout


def test_loops_go_on_until_it_is_decided_or_time_is_over(iosonde: Iosonde, tmp_path: Path) -> None:
    first = measured(iosonde, tmp_path, "read.iops > 10")
    assert first.status == 0
    rate = iosonde("export", "last", "--format", "json").json["trials"][0]["metrics"]["read.iops"]
    close = measured(
        iosonde, tmp_path, f"read.iops > {rate['mean']:.0f}", more=("--max-seconds", "10")
    )
    (result,) = iosonde("export", "last", "--format", "json").json["requirements"]
    assert close.status == {"pass": 0, "fail": 1, "undecided": 5}[result["verdict"]]
    assert result["verdict"] != "undecided" or result["loops"] > 3


@pytest.mark.parametrize(
    "text",
    [
        "read.iops = 5",
        "read.iopsy > 5",
        "read.iops > 5 ms",
        "reed.iops > 5",
        "trim.iops > 5",
        "sync.latency.p99 < 10 ms",
    ],
)
def test_a_wrong_requirement_is_found_before_anything_runs(
    iosonde: Iosonde, tmp_path: Path, text: str
) -> None:
    wrong = measured(iosonde, tmp_path, text)
    assert wrong.status == 2
    assert "require" in wrong.stderr
    assert {file.name for file in tmp_path.iterdir()} <= {"store.sqlite"}
