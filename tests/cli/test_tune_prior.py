"""What `predict --search --prior` writes, `tune --prior` looks at first; on a real loop device."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from iosonde.store import open_store
from tests.cli.conftest import Ended
from tests.cli.test_tune import start, tuned, until

Iosonde = Callable[..., Ended]

STUDY = """\
study: hoped
stack: stack.yaml
at: disk
load: {fio: fio --name reads --ioengine libaio --direct 1 --rw randread --bs 128k --iodepth 4
  --size 16m}
vary:
  disk.max_sectors_kb: [8, 64, 1280]
  disk.nomerges: [0, 2]
goal: {maximise: read.iops, margin: 5%}
strategy: model
budget: 25 s
loop: 0.4 s
settle: 0.2 s
"""
JOB = "[r]\nrw=randread\nbs=128k\ndirect=1\nioengine=libaio\niodepth=4\nsize=16m\n"


@pytest.fixture
def prior(iosonde: Iosonde, tmp_path: Path) -> str:
    """A study, its stack, and a ranking of it by the model: the smallest requests are worst."""
    (tmp_path / "stack.yaml").write_text(
        "stack: hoped\nhosts: {here: {at: local}}\nlayers:\n"
        f"  disk: {{kind: disk, file: {tmp_path}/disk.img, size: 32 MiB}}\n"
    )
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "job.fio").write_text(JOB)
    ended = iosonde(
        "predict", "--stack", "stack.yaml", "--load", "job.fio", "--device",
        "disk=limits:iops=10k,bandwidth=550MB/s,latency=90us",
        "--set", "disk.max_sectors_kb=8,64,1280", "--search", "--prior", "prior.json",
    )  # fmt: skip
    assert ended.status == 0, ended.stderr
    ranking = json.loads((tmp_path / "prior.json").read_text())["ranking"]
    assert ranking[-1]["settings"] == {"disk.max_sectors_kb": "8"}
    return "prior.json"


def test_a_dry_run_shows_what_is_looked_at_first(
    iosonde: Iosonde, prior: str, tmp_path: Path
) -> None:
    plan = iosonde("tune", "study.yaml", "--prior", prior, "--dry-run", "--json").json
    assert plan["prior"] == str(tmp_path / prior)
    assert [record["disk.max_sectors_kb"] for record in plan["first"]] == [64, 1280, 8]
    text = iosonde("tune", "study.yaml", "--prior", prior, "--dry-run").stdout
    assert "looked at first" in text
    assert "disk.max_sectors_kb=64" in text
    other = iosonde("tune", "study.yaml", "--prior", prior, "--strategy", "race", "--dry-run")
    assert "changes nothing: race measures in an order of its own" in other.stdout
    assert iosonde("tune", "study.yaml", "--dry-run", "--json").json["prior"] is None


def test_a_prior_may_stand_in_the_study_beside_it(
    iosonde: Iosonde, prior: str, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    for name in ("study.yaml", "stack.yaml", prior):
        (tmp_path / name).rename(tmp_path / "elsewhere" / name)
    study = tmp_path / "elsewhere" / "study.yaml"
    study.write_text(STUDY + f"prior: {prior}\n")
    plan = iosonde("tune", "elsewhere/study.yaml", "--dry-run", "--json").json
    assert plan["prior"] == str(tmp_path / "elsewhere" / prior)
    assert plan["first"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "this is not a prior"),
        ('{"schema": "iosonde.prior/1", "ranking": [{"settings": {"r0.level": "5"}}]}',
         "ranks no setting that the study varies"),
    ],
)  # fmt: skip
def test_another_file_is_refused_before_anything_is_built(
    iosonde: Iosonde, prior: str, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / prior).write_text(text)
    ended = iosonde("tune", "study.yaml", "--prior", prior, "--dry-run")
    assert (ended.status, said in ended.stderr) == (2, True), ended.stderr
    (tmp_path / prior).unlink()
    ended = iosonde("tune", "study.yaml", "--prior", prior, "--dry-run")
    assert (ended.status, "cannot be read" in ended.stderr) == (2, True), ended.stderr


@pytest.mark.root
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_it_is_measured_first_and_kept_over_a_resumption(
    iosonde: Iosonde, prior: str, tmp_path: Path, environment: Mapping[str, str]
) -> None:
    process = start(environment, tmp_path, "study.yaml", "--prior", prior)
    said = until(process, " left (", times=3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert "looked at first" in said
    assert process.returncode == 130
    (tmp_path / prior).unlink()
    document = tuned(iosonde("tune", "--resume", "--json", timeout=350))
    assert document["prior"] == str(tmp_path / prior)
    assert [record["disk.max_sectors_kb"] for record in document["first"]] == [64, 8]
    measured = _measured(environment, document["id"])
    assert measured[0] == document["baseline"]
    assert measured[1:3] == document["first"]
    assert len(measured) > 8  # and then everywhere else
    assert not (tmp_path / "disk.img").exists()
    page = iosonde("report", document["id"], "--format", "markdown", "-o", "x.md")
    assert page.status == 0, page.stderr
    assert "looked at first" in (tmp_path / "x.md").read_text()


def _measured(environment: Mapping[str, str], run: str) -> list[dict[str, Any]]:
    store = open_store(environment["IOSONDE_STORE"])
    try:
        campaign = store.campaign(run)
    finally:
        store.close()
    assert campaign is not None
    return [dict(measurement.settings) for measurement in campaign.measurements]
