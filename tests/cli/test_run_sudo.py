"""A study on a host where root cannot log in: the real sshd, the real sudo, the real fio."""

from __future__ import annotations

import json
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import sudo
from tests.cli.conftest import COMMAND, Ended

Iosonde = Callable[..., Ended]

pytestmark = [pytest.mark.slow, pytest.mark.root]
MIX = "fio --name mix --rw randrw --bs 4k --iodepth 4 --ioengine libaio"
SERVER = "--server=sock:"


@pytest.fixture
def box(tmp_path: Path, environment: dict[str, str]) -> Iterator[sudo.SudoBox]:
    """A server that HOME knows by the name box."""
    with sudo.server(tmp_path) as server:
        yield server


def test_a_place_that_is_roots_alone_is_measured(
    box: sudo.SudoBox, iosonde: Iosonde, tmp_path: Path
) -> None:
    place = tmp_path / "data"
    place.mkdir(mode=0o700)
    study = ("run", "--load", "latency", "--size", "8m", "--seconds", "1", "--loops", "1")
    plain = iosonde(*study, "--target", f"box:{place}")
    assert plain.status in {3, 4}, plain.stdout
    for target, more in ((f"sudo:box:{place}", ()), (f"box:{place}", ("--become",))):
        ended = iosonde(*study, "--target", target, *more, "--trace")
        assert ended.status == 0, ended.stderr
        assert f"+ {target.removesuffix(f':{place}')}: sudo -n -- " in ended.stderr
    runs = iosonde("list", "--json").json["runs"]
    assert {trial["host"] for run in runs for trial in run["trials"]} == {"sudo:box", "box"}
    assert list(place.iterdir()) == []
    sudo.allow(box.sudoers, "")
    refused = iosonde(*study, "--target", f"sudo:box:{place}")
    assert refused.status == 4
    assert "its sudo asks this user for a password" in refused.stderr
    assert "NOPASSWD" in refused.stderr


def test_a_run_that_was_begun_with_become_goes_on_with_it(
    box: sudo.SudoBox, iosonde: Iosonde, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "roots").mkdir(mode=0o700)  # that the user cannot enter
    study = tmp_path / "study.yaml"
    target = {"host": "box", "path": str(tmp_path / "roots")}
    study.write_text(json.dumps({"targets": [target], "loads": [{"fio": MIX}], "size": "4m",
                                 "loops": 3, "seconds": 0.5}))  # fmt: skip
    plain = iosonde("run", str(study))
    assert plain.status == 4, plain.stderr
    # the second where a directory above is closed to the user, too
    assert "Permission denied" in plain.stderr or "there is no directory" in plain.stderr
    running = subprocess.Popen(
        [*COMMAND, "run", "--become", str(study)], env=environment, cwd=tmp_path,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert running.stderr is not None
    said = b""
    for line in running.stderr:
        said += line
        if b"loop 2 of 3" in line:
            running.send_signal(signal.SIGKILL)
            break
    running.communicate(timeout=60)
    assert running.returncode == -signal.SIGKILL, said.decode()
    went_on = iosonde("run", "--resume", "--json")
    assert went_on.status == 0, went_on.stderr
    assert went_on.json["state"] == "finished"
    (trial,) = went_on.json["trials"]
    assert trial["host"] == "box"
    assert len(trial["metrics"]["read.iops"]["loops"]) == 3


@pytest.mark.parametrize("way", ["sudo", "doas"])
def test_hosts_where_root_is_become_are_loaded_together(
    box: sudo.SudoBox, iosonde: Iosonde, tmp_path: Path, way: str
) -> None:
    if shutil.which(way) is None:
        pytest.skip(f"needs {way}")
    (tmp_path / "here").mkdir()
    targets = [
        {"host": "local", "path": str(tmp_path / "here"), "name": "here"},
        {"host": f"{way}:box", "path": str(tmp_path / "roots"), "name": "there"},
    ]
    (tmp_path / "roots").mkdir(mode=0o700)  # that the user cannot enter
    study = tmp_path / "study.yaml"
    study.write_text(json.dumps({"targets": targets, "loads": [{"fio": MIX}], "size": "4m",
                                 "loops": 1, "seconds": 1, "together": True}))  # fmt: skip
    ended = iosonde("run", str(study), "--json")
    assert ended.status == 0, ended.stderr
    (both,) = ended.json["together"]
    assert both["loops"] == 1
    assert all(trial["metrics"]["read.iops"]["loops"] for trial in ended.json["trials"])
    assert list((tmp_path / "roots").iterdir()) == []


def test_the_socket_of_a_server_of_roots_is_open_to_the_user_alone(
    box: sudo.SudoBox, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "roots").mkdir(mode=0o700)  # that the user cannot enter
    study = tmp_path / "study.yaml"
    (tmp_path / "here").mkdir()
    targets = [
        {"host": "local", "path": str(tmp_path / "here"), "name": "here"},
        {"host": "sudo:box", "path": str(tmp_path / "roots"), "name": "there"},
    ]
    study.write_text(json.dumps({"targets": targets, "loads": [{"fio": MIX}], "size": "4m",
                                 "loops": 1, "seconds": 60, "together": True}))  # fmt: skip
    before = sockets()
    running = subprocess.Popen(
        [*COMMAND, "run", str(study)], env=environment, cwd=tmp_path,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        until = time.monotonic() + 60
        while not (given := sockets() - before):
            assert time.monotonic() < until
            assert running.poll() is None, running.communicate()
            time.sleep(0.05)
        (path,) = given
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.parent.stat().st_uid == 0
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    until = time.monotonic() + 60  # root's keeper may still be at it
    while path.parent.exists():
        assert time.monotonic() < until
        time.sleep(0.1)


def sockets() -> set[Path]:
    """Where servers of fio listen that let in the plain user of this worker's tests."""
    paths = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (entry / "cmdline").read_bytes().decode().split("\0")
            there = [
                Path(word.removeprefix(SERVER)) for word in arguments if word.startswith(SERVER)
            ]
            paths |= {path for path in there if path.parent.stat().st_gid == sudo.NUMBER}
        except OSError:
            continue
    return paths
