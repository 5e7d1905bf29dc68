"""`iosonde run` of a load matrix with the real fio: names, order, curves, resuming."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import jsonschema
import pytest

from tests.cli.conftest import Ended
from tests.cli.test_run_resume import kill

pytestmark = pytest.mark.slow
Iosonde = Callable[..., Ended]
LOAD = "--rw=randread --size=4m --bs={4k,64k} --iodepth={1,2,8}"


def test_a_matrix_gives_curves(iosonde: Iosonde, tmp_path: Path) -> None:
    ended = iosonde(
        "run", "--fio", LOAD, "--target", str(tmp_path), "--loops", "2", "--seconds", "0.2"
    )
    assert ended.status == 0, ended.stderr
    assert ended.stdout.startswith("fio, bs 4 KiB: ")
    assert "fio, bs 64 KiB: " in ended.stdout
    assert ended.stderr.count("laying out") == 1  # one scratch file for all points
    run = iosonde("export", "last", "--format", "json").json
    jsonschema.validate(run, iosonde("schema", "run").json)
    assert [trial["matrix"] for trial in run["trials"]] == [
        {"bs": size, "iodepth": depth} for size in (4096, 65536) for depth in (1, 2, 8)
    ]
    for curve, size in zip(run["curves"], (4096, 65536), strict=True):
        assert (curve["fixed"], curve["axis"]) == ({"bs": size}, "iodepth")
        assert [point["in_flight"] for point in curve["points"]] == [1, 2, 8]
        assert bool(curve["knee"]) != bool(curve["no_knee"])
        for point in curve["points"]:  # an I/O of this size is what the rate counts
            assert point["bandwidth"] == pytest.approx(point["iops"] * size, rel=0.02)


def test_the_plan_shows_the_order_and_the_run_keeps_it(
    iosonde: Iosonde, environment: Mapping[str, str], tmp_path: Path
) -> None:
    (tmp_path / "study.yaml").write_text(
        f"targets: a\nloops: 3\nseconds: 0.2\nseed: 5\nloads: [{{fio: '{LOAD}'}}]\n"
    )
    plan = iosonde("run", "study.yaml", "--dry-run", "--json").json
    assert len(plan["passes"]) == 3
    assert plan["passes"][0] != plan["passes"][2]
    kill(environment, tmp_path, f"{plan['passes'][1][2]}: loop 2 of 3")
    resumed = iosonde("run", "--resume")
    assert resumed.status == 0, resumed.stderr
    stored = json.loads(iosonde("export", "last", "--format", "json").stdout)
    assert all(len(trial["metrics"]["read.iops"]["loops"]) == 3 for trial in stored["trials"])
    went_on = [line.partition("  ")[2] for line in resumed.stderr.splitlines() if ": loop " in line]
    expected = [trial for pass_ in plan["passes"] for trial in pass_][-len(went_on) :]
    assert [line.partition(": loop ")[0] for line in went_on] == expected
