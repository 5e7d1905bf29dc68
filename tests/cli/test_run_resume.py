"""`iosonde run` killed in the middle and gone on with, for every kind of study.

That of a load that several hosts run together is in test_run_together.py, and that of a layer in
the lab in tests/lab/test_run_resume.py.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Ended
from tests.cli.test_run import start

Iosonde = Callable[..., Ended]
pytestmark = pytest.mark.slow

WRITES = "{fio: 'fio --name=writes --rw=randwrite --bs=4k --direct=1 --size=4m'}"
READS = "{fio: 'fio --name=reads --rw=randread --bs=4k --direct=1 --size=4m'}"
STACK = """\
stack: again{number}
hosts: {{here: {{at: local}}}}
layers:
  disk: {{kind: disk, file: {home}/disk.img, size: 256 MiB}}
  fs: {{kind: ext4, of: disk, mount: {home}/mnt}}
"""
ROOT = pytest.mark.root


def figures(trial: Mapping[str, Any]) -> list[float]:
    """The bandwidth of each loop of a trial."""
    way = "write" if trial["id"].startswith("writes@") else "read"
    loops: list[float] = trial["metrics"].get(f"{way}.bandwidth", {"loops": []})["loops"]
    return loops


def kill(environment: Mapping[str, str], home: Path, message: str) -> None:
    """Kill a run as soon as it says something."""
    running = start(environment, home, "run", "study.yaml")
    said = b""
    assert running.stderr is not None
    for line in running.stderr:
        said += line
        if message.encode() in line:
            running.send_signal(signal.SIGKILL)
            break
    running.communicate(timeout=60)
    assert running.returncode == -signal.SIGKILL, said.decode()


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("place", "loads", "killed_at"),
    [
        ("targets: a", [WRITES], "writes@{home}/a: loop 2 of 3"),
        pytest.param("targets: [a, b]", [WRITES, READS], "reads@{home}/a: loop 2 of 3",
                     marks=pytest.mark.long),
        ("targets: [a, b]\nsimultaneous: true", [WRITES], "writes@{home}/b: loop 2 of 3"),
        pytest.param("stack: stack.yaml\nat: fs", [WRITES], "writes@fs: loop 2 of 3", marks=ROOT),
        pytest.param("stack: stack.yaml\nat: every layer", [WRITES, READS],
                     "reads@fs: loop 2 of 3", marks=ROOT),
        pytest.param("stack: stack.yaml\nat: [fs, disk]", [WRITES], "writes@fs: loop 1 of 3",
                     marks=[ROOT, pytest.mark.long]),
    ],
)  # fmt: skip
def test_a_killed_run_goes_on(
    iosonde: Iosonde, environment: Mapping[str, str], tmp_path: Path,
    place: str, loads: list[str], killed_at: str,
) -> None:  # fmt: skip
    for name in ("a", "b", "mnt"):
        (tmp_path / name).mkdir()
    number = abs(hash(tmp_path)) % 10**8  # the name is the journal's: two tests' stacks are two
    stack = tmp_path / "stack.yaml"
    stack.write_text(STACK.format(number=number, home=tmp_path))
    study = tmp_path / "study.yaml"
    study.write_text(f"{place}\nloads: [{', '.join(loads)}]\nloops: 3\nseconds: 0.5\n")
    try:
        kill(environment, tmp_path, killed_at.format(home=tmp_path))
        study.unlink()
        (before,) = iosonde("list", "--json").json["runs"]
        went_on = iosonde("run", "--resume", "--json", timeout=200)
        assert went_on.status == 0, went_on.stderr
        assert went_on.json["id"] == before["id"]
        assert went_on.json["state"] == "finished"
        groups = {trial["id"]: figures(trial) for trial in before["trials"]}
        whole = {trial["id"]: figures(trial) for trial in went_on.json["trials"]}
        assert {name: len(loops) for name, loops in whole.items()} == dict.fromkeys(whole, 3)
        assert all(whole[name][: len(loops)] == loops for name, loops in groups.items())
        assert sum(map(len, groups.values())) > 0
    finally:
        iosonde("down", str(stack))
