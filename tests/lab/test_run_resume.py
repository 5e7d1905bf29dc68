"""`iosonde run` and `iosonde tune` killed at a layer of a lab's stack, and gone on with."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.conftest import good, running, started

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.timeout(1800), pytest.mark.long]

NAME = "test-run-resume"
STACK = f"""\
stack: {NAME}
hosts: {{s1: {{}}}}
layers:
  d1: {{kind: disk, host: s1, size: 96 MiB}}
  d2: {{kind: disk, host: s1, size: 96 MiB}}
  r: {{kind: md, level: 1, of: [d1, d2], assume_clean: true}}
"""
LOAD = "{fio: 'fio --name=w --rw=randwrite --bs=4k --direct=1 --size=8m'}"
RUN = f"stack: stack.yaml\nat: PLACE\nloads: [{LOAD}]\nloops: 3\nseconds: 1\n"
TUNE = f"""\
stack: stack.yaml
at: [r]
load: {LOAD}
vary: {{d1.nr_requests: [64, 128]}}
goal: {{maximise: write.iops, margin: 20%}}
budget: 60 s
loop: 1 s
settle: 0.2 s
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    directory = tmp_path_factory.mktemp("resume")
    (directory / "stack.yaml").write_text(STACK)
    with running(NAME, directory / "stack.yaml"):
        yield directory


def killed(verb: str, study: Path, message: str) -> None:
    """Killed as soon as it says something on standard error."""
    with started(verb, str(study), stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if message in line:
                process.kill()
                break
        assert process.wait(300) != 0, said


@pytest.mark.parametrize(
    ("place", "message"), [("[r]", "w@r: loop 1 of 3"), ("[d1, r]", "w@d1: loop 1 of 3")]
)
def test_a_killed_run_at_a_layer_goes_on(lab: Path, place: str, message: str) -> None:
    study = lab / "run.yaml"
    study.write_text(RUN.replace("PLACE", place))
    try:
        killed("run", study, message)
        document = good("run", "--resume", "--json", timeout=800).document
        assert document["state"] == "finished"
        loops = [trial["metrics"]["write.iops"]["loops"] for trial in document["trials"]]
        assert [len(loop) for loop in loops] == [3] * len(place.split(","))
        assert {trial["host"] for trial in document["trials"]} == {f"lab:{NAME}/s1"}
    finally:
        good("down", lab / "stack.yaml")


def test_a_killed_campaign_at_a_layer_goes_on(lab: Path) -> None:
    study = lab / "tune.yaml"
    study.write_text(TUNE)
    try:
        killed("tune", study, " left (")
        document = good("tune", "--resume", "--json", timeout=1200).document
        assert document["state"] == "finished"
        assert document["measurements"] > 1
    finally:
        good("down", lab / "stack.yaml")
