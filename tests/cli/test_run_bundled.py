"""`iosonde run NAME` of a study that comes with iosonde."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from iosonde.measure.named import names, text_of
from tests.cli.conftest import Ended

Iosonde = Callable[..., Ended]
POINTS = {
    "pts-iops": 56, "pts-latency": 9, "pts-throughput": 4, "pts-write-saturation": 1,
}  # fmt: skip


def test_every_bundled_study_is_known_here() -> None:
    assert set(names()) == {*POINTS, "demo"}


@pytest.mark.parametrize("name", POINTS)
def test_a_bundled_study_is_planned_for_a_device(iosonde: Iosonde, name: str) -> None:
    plan = iosonde("run", name, "--target", "/dev/nvme9n9", "--dry-run", "--json").json
    assert len(plan["trials"]) == POINTS[name]
    commands = [trial["command"] for trial in plan["trials"]]
    assert all("--time_based" in command or "time_based" in command for command in commands)


def test_the_first_pass_goes_from_reads_to_writes_and_from_large_to_small(
    iosonde: Iosonde,
) -> None:
    """PTS 2.0.2, 7.2: for each R/W mix, for each block size."""
    plan = iosonde("run", "pts-iops", "--target", "/dev/nvme9n9", "--dry-run", "--json").json
    first = [pass_.partition("@")[0] for pass_ in plan["passes"][0]]
    assert first[:2] == [
        "pts-iops rwmixread=100 bs=1024k", "pts-iops rwmixread=100 bs=128k",
    ]  # fmt: skip
    assert first[-1] == "pts-iops rwmixread=0 bs=512"
    assert len(first) == 56
    assert all(record == plan["passes"][0] for record in plan["passes"])


def test_it_needs_a_target(iosonde: Iosonde) -> None:
    ended = iosonde("run", "pts-iops")
    assert ended.status == 2
    assert "say where" in ended.stderr


def test_a_device_that_is_not_named_for_destruction_is_refused(
    iosonde: Iosonde, tmp_path: Path
) -> None:
    ended = iosonde("run", "pts-iops", "--target", "/dev/nvme9n9", "--destroy", "/dev/nvme8n8")
    assert ended.status == 3, ended.stderr


def test_a_file_of_the_same_name_goes_first(iosonde: Iosonde, tmp_path: Path) -> None:
    (tmp_path / "pts-iops").write_text("targets: a\nloads: [latency]\n")
    plan = iosonde("run", "pts-iops", "--dry-run", "--json").json
    assert [trial["id"].partition("@")[0] for trial in plan["trials"]] == ["latency"]


def test_a_printed_study_can_be_run_as_a_file(iosonde: Iosonde, tmp_path: Path) -> None:
    printed = iosonde("loads", "pts-latency")
    assert printed.stdout == text_of("pts-latency")
    (tmp_path / "my.yaml").write_text("targets: /dev/nvme9n9\n" + printed.stdout)
    plan = iosonde("run", "my.yaml", "--dry-run", "--json").json
    assert len(plan["trials"]) == 9


def test_the_list_names_them(iosonde: Iosonde) -> None:
    listed = iosonde("loads", "--json").json
    jsonschema.validate(listed, iosonde("schema", "loads").json)
    assert [study["name"] for study in listed["studies"]] == sorted({*POINTS, "demo"})
    assert "pts-iops" in iosonde("loads").stdout
