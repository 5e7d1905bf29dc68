"""One load on several hosts through fio's server mode: this machine and a real sshd on loopback."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import sshd
from tests.cli.conftest import COMMAND, Ended

Iosonde = Callable[..., Ended]
pytestmark = pytest.mark.slow
MIX = "fio --name mix --rw randrw --bs 4k --iodepth 4 --ioengine libaio"


@dataclass(frozen=True)
class Pair:
    """The hosts `local` and `box`, with a directory each in which to measure."""

    home: Path
    places: tuple[Path, Path]
    port: int

    def study(self, **keys: object) -> str:
        targets = [
            {"host": host, "path": str(place), "name": place.name}
            for host, place in zip(("local", "box"), self.places, strict=True)
        ]
        document = {
            "targets": targets, "loads": [{"fio": MIX}], "size": "8m", "loops": 2, "seconds": 2,
            "together": True, **keys,
        }  # fmt: skip
        file = self.home / "s.yaml"
        file.write_text(json.dumps(document))
        return str(file)

    def fios(self, host: str) -> list[int]:
        """fio's processes on a host, told by what sshd or the run put into their environment."""
        mark = f"HOME={self.home}\0" if host == "local" else f" 127.0.0.1 {self.port}\0"
        numbers = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if (entry / "cmdline").read_bytes().startswith(b"fio\0") and mark.encode() in (
                    entry / "environ"
                ).read_bytes() + b"\0":
                    numbers.append(int(entry.name))
            except OSError:
                continue
        return numbers

    def sockets(self, host: str) -> list[Path]:
        """Where the servers of a host listen."""
        paths = {
            Path(word.removeprefix("--server=sock:"))
            for pid in self.fios(host)
            for word in _command_line(pid)
            if word.startswith("--server=sock:")
        }
        return sorted(paths)

    def at_work(self) -> bool:
        """Whether the jobs run: server, its handler, the job's parent and the job, and a client."""
        return len(self.fios("box")) >= 4 and len(self.fios("local")) >= 5


def _command_line(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    except OSError:
        return []


@pytest.fixture
def pair(tmp_path: Path, environment: dict[str, str]) -> Iterator[Pair]:
    with sshd.server(tmp_path) as server:
        made = Pair(tmp_path, (tmp_path / "here", tmp_path / "there"), server.port)
        for place in made.places:
            place.mkdir()
        yield made
        left = [*made.fios("box"), *made.fios("local")]
        for pid in left:
            os.kill(pid, signal.SIGKILL)


def awaited(met: Callable[[], object], seconds: float = 40) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if met():
            return True
        time.sleep(0.1)
    return False


@pytest.fixture
def begin(pair: Pair, environment: dict[str, str]) -> Callable[..., subprocess.Popen[bytes]]:
    """A run in the background, whose jobs are at work on both hosts when this returns."""

    def begun(**keys: object) -> subprocess.Popen[bytes]:
        running = subprocess.Popen(
            [*COMMAND, "run", pair.study(**keys)], env=environment, cwd=pair.home,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert awaited(lambda: pair.at_work() or running.poll() is not None)
        assert running.poll() is None, running.communicate()
        return running

    return begun


def trials(document: Any) -> dict[str, Any]:
    return {trial["probe"]: trial for trial in document["trials"]}


def test_each_host_has_its_trial_and_together_they_are_a_sum(pair: Pair, iosonde: Iosonde) -> None:
    ended = iosonde("run", pair.study(), "--json")
    assert ended.status == 0, ended.stderr + ended.stdout
    document = ended.json
    own = trials(document)
    (both,) = document["together"]
    assert both["load"] == "mix"
    assert both["loops"] == 2
    assert both["trials"] == [trial["id"] for trial in document["trials"]]
    for name in ("read.iops", "write.iops", "read.bandwidth", "write.bandwidth"):
        parts = [own[place]["metrics"][name]["loops"] for place in ("here", "there")]
        assert all(len(part) == 2 and min(part) > 0 for part in parts)
        sums = [sum(values) for values in zip(*parts, strict=True)]
        assert both["metrics"][name]["loops"] == pytest.approx(sums)
    bounds = [own[place]["metrics"]["read.latency.p99"]["merged"] for place in own]
    assert min(bounds) <= both["metrics"]["read.latency.p99"]["merged"] <= max(bounds)
    assert not any(trial["faults"] for trial in own.values())
    assert all("--server=sock:" in trial["load"]["command"] for trial in own.values())
    assert [list(place.iterdir()) for place in pair.places] == [[], []]
    assert pair.fios("box") == pair.fios("local") == []
    for suffix in ("html", "md"):
        assert iosonde("report", "last", "-o", f"r.{suffix}").status == 0
        assert "mix: all 2 targets together" in (pair.home / f"r.{suffix}").read_text()


def test_the_plan_shows_the_server_of_each_host(pair: Pair, iosonde: Iosonde) -> None:
    ended = iosonde("run", pair.study(), "--dry-run", "--json")
    assert ended.status == 0, ended.stderr
    planned = {trial["host"]: trial["command"] for trial in ended.json["trials"]}
    assert set(planned) == {"local", "box"}
    for command in planned.values():
        assert command.startswith("fio ")
        assert "--server=sock:DIRECTORY/" in command
        assert "rw=randrw" in command


def test_servers_listen_in_private_directories_and_at_no_port_and_end_at_ctrl_c(
    pair: Pair, begin: Callable[..., subprocess.Popen[bytes]]
) -> None:
    running = begin(seconds=60)
    sockets = [*pair.sockets("local"), *pair.sockets("box")]
    assert len(sockets) == 2
    for socket in sockets:
        assert stat.S_ISSOCK(socket.stat().st_mode)
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    assert not _listening(*pair.fios("local"), *pair.fios("box"))
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=40)
    assert running.returncode == 130, said
    assert awaited(lambda: not pair.fios("box") and not pair.fios("local"), 10)
    assert [list(place.iterdir()) for place in pair.places] == [[], []]
    assert not any(socket.parent.exists() for socket in sockets)


def _listening(*pids: int) -> list[str]:
    """TCP sockets on which one of the processes listens (proc(5): state 0A, inode in field 10)."""
    own = set()
    for pid in pids:
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            try:
                own.add(str(entry.readlink()))
            except OSError:
                continue
    lines = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return [line[1] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in own]


def test_a_load_of_all_hosts_that_is_killed_goes_on_with_all(
    pair: Pair, begin: Callable[..., subprocess.Popen[bytes]], iosonde: Iosonde
) -> None:
    running = begin(loops=3)
    assert running.stderr is not None
    assert any(b"loop 1 of 3" in line for line in running.stderr)
    running.kill()
    running.communicate()
    assert awaited(lambda: not pair.fios("box") and not pair.fios("local"), 20)
    resumed = iosonde("run", "--resume", "--json")
    assert resumed.status == 0, resumed.stderr
    assert resumed.json["together"][0]["loops"] == 3
    assert set(trials(resumed.json)) == {"here", "there"}


def test_servers_end_with_a_run_that_is_killed(
    pair: Pair, begin: Callable[..., subprocess.Popen[bytes]]
) -> None:
    running = begin(seconds=60)
    running.kill()
    running.communicate()
    assert awaited(lambda: not pair.fios("box") and not pair.fios("local"), 20), [
        _command_line(pid) for pid in (*pair.fios("box"), *pair.fios("local"))
    ]


def test_a_host_that_dies_is_a_fault_and_the_others_keep_their_loop(
    pair: Pair, begin: Callable[..., subprocess.Popen[bytes]], iosonde: Iosonde
) -> None:
    running = begin(seconds=4)
    for pid in pair.fios("box"):
        os.kill(pid, signal.SIGKILL)
    _, said = running.communicate(timeout=40)
    assert running.returncode == 4, said
    document = iosonde("list", "--json").json["runs"][0]
    assert document["state"] == "failed"
    own = trials(document)
    assert own["there"]["metrics"] == {}
    assert any("box: " in fault and "during the loop" in fault for fault in own["there"]["faults"])
    assert len(own["here"]["metrics"]["read.iops"]["loops"]) == 1
    assert any("loop 1 ran on without" in fault for fault in own["here"]["faults"])
    assert document["together"] == []
    resumed = iosonde("run", "--resume", "--json")
    assert resumed.status == 0, resumed.stderr
    assert resumed.json["together"][0]["loops"] == 2  # the loop without the other is not counted


def test_a_host_that_hangs_is_given_up_and_the_others_keep_their_loop(
    pair: Pair,
    begin: Callable[..., subprocess.Popen[bytes]],
    iosonde: Iosonde,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a shorter time to be given up after; all else is as it is for a user."""
    short = "from iosonde.loads.fio import command; command._GRACE = 8.0; "
    monkeypatch.setattr(sys.modules[__name__], "COMMAND", [*COMMAND[:-1], short + COMMAND[-1]])
    running = begin(seconds=4)
    for pid in pair.fios("box"):
        os.kill(pid, signal.SIGSTOP)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 4, said
    own = trials(iosonde("list", "--json").json["runs"][0])
    assert own["there"]["metrics"] == {}
    assert any("box: " in fault and "hung" in fault for fault in own["there"]["faults"])
    assert len(own["here"]["metrics"]["read.iops"]["loops"]) == 1
    assert any("loop 1 ran on without" in fault for fault in own["here"]["faults"])
    assert awaited(lambda: not pair.fios("box") and not pair.fios("local"), 20)


def test_a_client_leads_only_its_own_version_line(
    pair: Pair, iosonde: Iosonde, environment: dict[str, str]
) -> None:
    old = pair.home / "bin" / "fio"
    old.parent.mkdir()
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && exec echo fio-3.1\nexec /usr/bin/fio "$@"\n')
    old.chmod(0o755)
    environment["PATH"] = f"{old.parent}:{environment['PATH']}"  # of this machine alone
    ended = iosonde("run", pair.study())
    assert ended.status == 4
    assert "box: its fio is 3.33, and fio 3.1 of this machine" in " ".join(ended.stderr.split())


def test_the_guard_is_asked_for_every_target(pair: Pair, iosonde: Iosonde) -> None:
    (pair.places[1] / "precious").write_bytes(bytes(8 * 1024 * 1024))
    targets = [
        {"host": "local", "path": str(pair.places[0])},
        {"host": "box", "path": str(pair.places[1] / "precious")},
    ]
    ended = iosonde("run", pair.study(targets=targets))
    assert ended.status == 3, ended.stderr
    assert (pair.places[1] / "precious").read_bytes() == bytes(8 * 1024 * 1024)


def test_only_engines_with_servers_of_their_own_run_together(pair: Pair, iosonde: Iosonde) -> None:
    ended = iosonde("run", pair.study(loads=[{"hdparm": "-tT"}]), "--dry-run")
    assert ended.status == 2
    assert "hdparm" in ended.stderr
