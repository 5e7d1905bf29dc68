"""The main job on scratch files: measure, interrupt, resume, compare, report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, Ended

Iosonde = Callable[..., Ended]

FIO = (
    "fio --name certification --ioengine libaio --direct 1 --bs 64k --rw randwrite --size 8m "
    "--iodepth 8 --numjobs 2 --runtime 30 --time_based --group_reporting"
)


def fios_below(pid: int) -> list[int]:
    """Processes named fio that descend from `pid`."""
    parents: dict[int, tuple[int, str]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        name = text[text.index("(") + 1 : text.rindex(")")]
        parents[int(stat.parent.name)] = (int(text.rsplit(")", 1)[1].split()[1]), name)

    def descends(child: int) -> bool:
        while child in parents:
            child = parents[child][0]
            if child == pid:
                return True
        return False

    return [child for child, (_, name) in parents.items() if name == "fio" and descends(child)]


def start(environment: Mapping[str, str], cwd: Path, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *arguments], env=dict(environment), cwd=cwd, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def wait_for(process: subprocess.Popen[bytes], content: bytes) -> bytes:
    """Read standard error until it says something."""
    assert process.stderr is not None
    said = b""
    for line in process.stderr:
        said += line
        if content in line:
            return said
    raise AssertionError(said.decode())


def strangers(directory: Path) -> list[str]:
    """What a run left in its directory that is not of the test."""
    names = {"store.sqlite", "store.sqlite-wal", "store.sqlite-shm"}
    return sorted(path.name for path in directory.iterdir() if path.name not in names)


@pytest.mark.slow
def test_a_pasted_command_line_is_measured_as_the_contract_says(
    iosonde: Iosonde, tmp_path: Path
) -> None:
    ended = iosonde(
        "run", "--fio", FIO, "--target", "data", "--loops", "2", "--seconds", "1", "--json"
    )
    assert ended.status == 0, ended.stderr
    document = ended.json
    assert (document["schema"], document["state"]) == ("iosonde.run/1", "finished")
    (trial,) = document["trials"]
    assert trial["load"]["engine"] == "fio"
    assert trial["host"] == "local"
    assert "page-cache" not in trial["flags"]
    for name, unit in (
        ("write.iops", "1/s"), ("write.bandwidth", "B/s"), ("write.latency.mean", "s"),
        ("write.latency.p99", "s"), ("cpu.user", "cores"),
    ):  # fmt: skip
        metric = trial["metrics"][name]
        assert metric["unit"] == unit
        assert len(metric["loops"]) == 2
        assert all(value >= 0 for value in metric["loops"])
    iops, bandwidth = (trial["metrics"][f"write.{name}"]["mean"] for name in ("iops", "bandwidth"))
    assert bandwidth == pytest.approx(iops * 65536, rel=0.02)
    assert any(name.endswith(".read_ahead_kb") for name in trial["capture"])
    assert strangers(tmp_path) == []


@pytest.mark.slow
def test_what_was_measured_can_be_listed_exported_reported_and_compared(
    iosonde: Iosonde, tmp_path: Path
) -> None:
    for _ in range(2):
        options = ("--load", "latency", "--target", ".", "--size", "8m")
        assert iosonde("run", *options, "--loops", "3", "--seconds", "0.3").status == 0
    listed = iosonde("list")
    assert listed.stdout.count("finished") == 2
    runs = [run["id"] for run in iosonde("list", "--json").json["runs"]]
    assert json.loads(iosonde("export", runs[0], "--format", "json").stdout)["id"] == runs[0]
    assert iosonde("export", "last", "--format", "csv").stdout.startswith("run,study")
    assert iosonde("export", "last", "--format", "markdown").stdout.startswith("# ")
    assert iosonde("export", "last", "--format", "parquet", "-o", "x.parquet").status == 0
    assert (tmp_path / "x.parquet").read_bytes()[:4] == b"PAR1"
    assert iosonde("report", *runs, "-o", "both.html").status == 0
    both = (tmp_path / "both.html").read_text()
    assert all(run in both for run in runs)
    compared = iosonde("compare", runs[1], runs[0], "--json").json
    assert compared["schema"] == "iosonde.compare/1"
    assert {verdict["verdict"] for verdict in compared["verdicts"]} <= {
        "better", "worse", "equivalent", "undecided",
    }  # fmt: skip


@pytest.mark.slow
def test_ctrl_c_keeps_finished_loops_and_resume_goes_on(
    iosonde: Iosonde, environment: dict[str, str], tmp_path: Path
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "study.yaml").write_text(
        "study: two targets\ntargets: [a, b]\nloads: [{load: sequential-write, size: 8m}]\n"
        "loops: 5\nseconds: 0.5\n"
    )
    running = start(environment, tmp_path, "run", "study.yaml")
    wait_for(running, b"loop 2 of 5")
    while not fios_below(running.pid):
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 130
    assert b"finished loops are kept" in said
    assert b"Traceback" not in said
    assert strangers(tmp_path / "a") == strangers(tmp_path / "b") == []
    before = iosonde("list", "--json").json["runs"][0]
    assert before["state"] == "interrupted"
    kept = before["trials"][0]["metrics"]["write.bandwidth"]["loops"]
    assert 2 <= len(kept) < 5

    (tmp_path / "study.yaml").unlink()  # the plan is in the store
    ended = iosonde("run", "--resume", "--json")
    assert ended.status == 0, ended.stderr
    document = ended.json
    assert document["id"] == before["id"]
    loops = [trial["metrics"]["write.bandwidth"]["loops"] for trial in document["trials"]]
    assert [len(values) for values in loops] == [5, 5]
    assert loops[0][: len(kept)] == kept
    assert strangers(tmp_path / "a") == strangers(tmp_path / "b") == []
    again = iosonde("run", "--resume")
    assert again.status == 2
    assert "nothing to resume" in again.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_closed_terminal_and_a_polite_kill_end_it_as_ctrl_c_does(
    iosonde: Iosonde, environment: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    running = start(
        environment, tmp_path, "run", "--fio", FIO, "--target", "data", "--seconds", "20"
    )
    while not (fios := fios_below(running.pid)):
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(number)
    running.communicate(timeout=30)
    assert running.returncode == 128 + number
    assert [pid for pid in fios if Path(f"/proc/{pid}").exists()] == []
    assert strangers(tmp_path) == []


@pytest.mark.slow
def test_a_killed_run_is_shown_as_interrupted_with_its_loops(
    iosonde: Iosonde, environment: dict[str, str], tmp_path: Path
) -> None:
    running = start(
        environment, tmp_path, "run", "--fio", FIO, "--target", "data", "--seconds", "1",
        "--loops", "50",
    )  # fmt: skip
    wait_for(running, b"loop 2 of 50")
    running.kill()
    running.communicate()
    run = iosonde("list", "--json").json["runs"][0]
    assert run["state"] == "interrupted"
    assert len(run["trials"][0]["metrics"]["write.iops"]["loops"]) >= 2


def test_a_target_of_the_command_line_is_relative_to_here(iosonde: Iosonde, tmp_path: Path) -> None:
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "s.yaml").write_text("targets: .\nloads: [latency]\nsize: 8m\n")
    ended = iosonde("run", "studies/s.yaml", "--dry-run", "--json")
    assert ended.json["trials"][0]["id"] == f"latency@{tmp_path}/studies"
    ended = iosonde("run", "studies/s.yaml", "--target", ".", "--dry-run", "--json")
    assert ended.json["trials"][0]["id"] == f"latency@{tmp_path}"


def test_two_targets_can_run_at_the_same_time(iosonde: Iosonde, tmp_path: Path) -> None:
    ended = iosonde(
        "run", "--load", "latency", "--target", "a", "--target", "b", "--size", "8m",
        "--loops", "2", "--seconds", "1", "--simultaneous", "--json",
    )  # fmt: skip
    assert ended.status == 0, ended.stderr
    assert len(ended.json["trials"]) == 2
    table = iosonde("report", "last", "--format", "markdown", "-o", "x.md")
    assert table.status == 0


@pytest.mark.slow
def test_buffered_loads_smaller_than_memory_are_flagged(iosonde: Iosonde) -> None:
    buffered = "fio --name x --rw write --bs 4k --size 8m --ioengine psync"
    ended = iosonde("run", "--fio", buffered, "--target", ".", "--loops", "1", "--json")
    assert ended.status == 0, ended.stderr
    assert "page-cache" in ended.json["trials"][0]["flags"]


@pytest.mark.slow
@pytest.mark.root
def test_a_load_can_be_given_little_memory(iosonde: Iosonde) -> None:
    again = "fio --name x --rw read --bs 256k --size 8m --ioengine psync"
    options = ("--target", ".", "--loops", "1", "--memory", "32m", "--trace", "--json")
    ended = iosonde("run", "--fio", again, *options)
    assert ended.status == 0, ended.stderr
    (load,) = [line for line in ended.stderr.splitlines() if "fio --output" in line]
    assert "cgroup.procs" in load  # what that does: tests/loop/test_confine.py


@pytest.mark.slow
def test_loops_go_on_until_the_interval_is_narrow_or_the_time_is_over(iosonde: Iosonde) -> None:
    options = ("--load", "latency", "--target", ".", "--size", "8m", "--seconds", "1")
    hopeless = iosonde("run", *options, "--until", "0.0001%", "--max-seconds", "3", "--json")
    assert hopeless.status == 0, hopeless.stderr
    assert "was not reached within 3 s" in hopeless.stderr
    assert hopeless.json["trials"][0]["metrics"]["read.iops"]["loops"]
    easy = iosonde("run", *options, "--until", "99%", "--json")
    assert len(easy.json["trials"][0]["metrics"]["read.iops"]["loops"]) >= 5
    assert "not reached" not in easy.stderr


def test_dry_run_shows_commands_and_touches_nothing(iosonde: Iosonde, tmp_path: Path) -> None:
    ended = iosonde("run", "--fio", FIO, "--target", "data", "--dry-run")
    assert ended.status == 0, ended.stderr
    assert "fio" in ended.stdout
    assert strangers(tmp_path) == []
    assert iosonde("list", "--json").json["runs"] == []


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["run"], 2, "say what to measure"),
        (["run", "nowhere.yaml"], 2, "nowhere.yaml: the study cannot be read"),
        (["run", "--load", "latncy", "--target", "."], 2, "did you mean 'latency'"),
        (["run", "--load", "latency", "--target", ".", "--loops", "0"], 2, "--loops"),
        (["run", "--load", "latency", "--target", "no/x", "--dry-run"], 4, "there is no directory"),
        (["run", "--load", "latency", "--target", ".", "--seconds", "soon"], 2, "is not a time"),
        (["run", "--load", "latency", "--target", ".", "--report", "no/r.html"], 2, "no/r.html"),
        (["run", "--resume", "--loops", "3"], 2, "takes no other options"),
        (["run", "--resume", "--target", "."], 2, "iosonde: --target: a resumed run goes on"),
        (["tune", "--resume", "--seed", "1"], 2, "iosonde: --seed: a resumed campaign goes on"),
        (["run", "--load", "latency", "--target", ".", "--memory", "1m"], 2, "memory"),
        (["run", "--bogus"], 2, "iosonde run --help"),
        (["report", "last"], 2, "there is no run 'last'"),
        (["export", "last", "--format", "pdf"], 2, "there is no format 'pdf'"),
        (["compare", "a", "b"], 2, "there is no run 'a'"),
        (["fly"], 2, "there is no verb 'fly'"),
    ],
)
def test_bad_input_gets_one_clear_sentence(
    iosonde: Iosonde, arguments: list[str], status: int, message: str
) -> None:
    ended = iosonde(*arguments)
    assert ended.status == status, ended.stderr
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr
    error = iosonde(*arguments, "--json")
    if "--resume" not in arguments:
        assert error.json["schema"] == "iosonde.error/1"
    assert error.status == status


def test_a_full_disk_is_told_and_leaves_nothing_behind(iosonde: Iosonde, tmp_path: Path) -> None:
    ended = iosonde("run", "--load", "latency", "--target", ".", "--size", "900t")
    assert ended.status in {3, 4}, ended.stderr
    assert "free" in ended.stderr
    assert strangers(tmp_path) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--load", "latency", "--target", "/dev/none0"),
        ("run", "--load", "latency", "--size", "8m", "--target", ".", "--target", "/dev/none0"),
        ("calibrate", "/dev/none0"),
    ],
    ids=["alone", "after another target", "calibrate"],
)
def test_a_device_that_is_not_there_is_refused_before_a_run_begins(
    iosonde: Iosonde, arguments: tuple[str, ...]
) -> None:
    ended = iosonde(*arguments)
    assert ended.status == 3
    assert ended.stdout == ""
    assert ended.stderr.startswith("iosonde: /dev/none0: there is no such device\n")
    assert iosonde("list", "--json").json["runs"] == []


@pytest.mark.root
def test_a_device_in_use_is_refused_with_its_reason(iosonde: Iosonde) -> None:
    root = Path("/").stat().st_dev
    sysfs = Path(f"/sys/dev/block/{os.major(root)}:{os.minor(root)}").resolve()
    device = Path("/dev") / sysfs.name
    ended = iosonde(
        "run", "--load", "sequential-write", "--target", str(device), "--destroy", str(device),
        "--json",
    )  # fmt: skip
    assert ended.status == 3, ended.stderr
    error: dict[str, Any] = ended.json["error"]
    assert error["kind"] == "refused"
    assert "mounted" in error["message"]
    assert error["evidence"]
    assert iosonde("list", "--json").json["runs"] == []
