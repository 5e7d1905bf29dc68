"""Command lines of iozone as people paste them, run for real on scratch files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ended
from tests.unit.loads.iozone.test_load import SINGLE, THREE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "metric"),
    [
        (SINGLE.format(size="2m"), "random_write.1m.bandwidth"),
        (THREE.format(more="", record="1m", size="2m"), "mixed.bandwidth"),
        pytest.param(THREE.format(more="-O ", record="64k", size="1m"), "random_read.iops",
                     marks=pytest.mark.long),
    ],
)  # fmt: skip
def test_command_lines_run_and_leave_nothing(
    command: str, metric: str, tmp_path: Path, iosonde: Callable[..., Ended]
) -> None:
    place = tmp_path / "scratch"
    place.mkdir()
    done = iosonde("run", "--load", command, "--target", str(place), "--loops", "1", "--json")
    assert done.status == 0, done.stderr
    (trial,) = done.json["trials"]
    assert len(trial["metrics"][metric]["loops"]) == 1
    assert trial["load"]["engine"] == "iozone"
    assert "page-cache" in trial["flags"]
    assert list(place.iterdir()) == []


@pytest.mark.slow
def test_a_file_of_somebody_elses_is_not_written_to(
    tmp_path: Path, iosonde: Callable[..., Ended]
) -> None:
    (tmp_path / "mine.1").write_text("precious")
    done = iosonde(
        "run", "--load", "iozone -i 0 -s 64k", "--target", str(tmp_path / "mine"), "--loops", "1"
    )
    assert done.status == 3
    assert (tmp_path / "mine.1").read_text() == "precious"
