"""Studies over ssh: the real sshd on loopback stands for two hosts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import sshd
from tests.cli.conftest import COMMAND, Ended
from tests.ports import free_port
from tests.processes import loads_on

Iosonde = Callable[..., Ended]


@pytest.fixture
def hosts(tmp_path: Path, environment: dict[str, str]) -> Iterator[list[str]]:
    """Two names for the same sshd, known to the ssh configuration in HOME."""
    with sshd.server(tmp_path, name="box1 box2"):
        yield ["box1", "box2"]


@pytest.mark.slow
def test_two_hosts_are_measured_together_and_the_slowest_leads(
    hosts: list[str], iosonde: Iosonde, tmp_path: Path
) -> None:
    for host in hosts:
        (tmp_path / host).mkdir()
    (tmp_path / "s.yaml").write_text(
        "targets:\n"
        + "".join(f"  - {{host: {host}, path: {tmp_path}/{host}}}\n" for host in hosts)
        + "loads: [latency]\nsize: 8m\nloops: 2\nseconds: 3\nsimultaneous: true\n"
    )
    ended = iosonde("run", "s.yaml")
    assert ended.status == 0, ended.stderr
    answer = ended.stdout.splitlines()[0]
    assert re.fullmatch(
        r"latency at all 2 targets: read .* IOPS.*; slowest is box.* with read .*", answer
    )
    run = iosonde("list", "--json").json["runs"][0]
    assert [trial["host"] for trial in run["trials"]] == hosts
    for trial in run["trials"]:
        assert len(trial["metrics"]["read.iops"]["loops"]) == 2
        assert trial["capture"]
    assert [list((tmp_path / host).iterdir()) for host in hosts] == [[], []]
    page = iosonde("report", "last", "-o", "r.html")
    assert page.status == 0
    text = (tmp_path / "r.html").read_text()
    assert "box1" in text
    assert "Observed devices" in text


@pytest.mark.slow
def test_ctrl_c_ends_fio_on_the_remote_host_and_takes_the_scratch_file_away(
    hosts: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    place = tmp_path / "data"
    place.mkdir()
    running = subprocess.Popen(
        [*COMMAND, "run", "--load", "latency", "--size", "8m", "--seconds", "30",
         "--target", f"box1:{place}"],
        env=environment, cwd=tmp_path, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
    )  # fmt: skip

    def fios() -> list[int]:
        return loads_on(str(place))

    for _ in range(1200):
        if (started := fios()) or running.poll() is not None:
            break
        time.sleep(0.05)
    if not started:
        running.kill()
    assert started, running.communicate(timeout=30)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 130, said
    for _ in range(100):
        if not fios():
            break
        time.sleep(0.05)
    assert fios() == [], [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in fios()]
    assert list(place.iterdir()) == []


def test_a_host_that_cannot_be_reached_is_told_and_nothing_is_measured(
    iosonde: Iosonde, environment: dict[str, str]
) -> None:
    address = f"127.0.0.1:{free_port()}"
    ended = iosonde("run", "--load", "latency", "--target", f"{address}:/tmp", "--json")
    assert ended.status == 4
    error = ended.json["error"]
    assert error["kind"] == "host"
    assert "nothing listens at its ssh port" in error["message"]
    assert os.path.basename(error["where"])  # noqa: PTH119 - an address, not a path
    shown = iosonde("show", address)
    assert shown.status == 4
    assert "nothing listens" in shown.stderr


def test_show_draws_a_remote_host(hosts: list[str], iosonde: Iosonde) -> None:
    document = iosonde("show", "box1", "--json").json
    assert document["hosts"][0]["name"] == "box1"
    assert document["layers"]
