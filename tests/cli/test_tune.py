"""`iosonde tune` with the real fio on loop devices: found, proven, put back, killed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from iosonde.change.settings_journal import JOURNAL, SCRIPT, parse_journal
from iosonde.store import open_store
from iosonde.verbs.schema import schema
from tests.cli.conftest import COMMAND, Ended
from tests.loop.devices import MIB, loop_device, tool

Iosonde = Callable[..., Ended]

STUDY = """\
study: queue
targets: {device}
load: {{fio: fio --name reads --ioengine libaio --direct 1 --rw randread --bs 4k --iodepth 64
  --size 16m}}
vary:
  {name}.nr_requests: [4, 128]
  {name}.nomerges: [0, 2]
goal: {{maximise: read.iops, margin: 5%}}
budget: {budget}
loop: 0.3 s
settle: 0.1 s
"""
LOOP = [
    pytest.mark.root, pytest.mark.slow,
    pytest.mark.timeout(400),
]  # fmt: skip
_KEPT = re.compile(r"; (\d+) measurements are kept\b")
_MEASURED = re.compile(r"[\d:]+ +(\d+): .* left \(")
PATIENCE = 20  # seconds of --confirm: a loop takes its time where others work


# Real I/O of the real fio, at a rate that hangs on the setting: so the gain is known beforehand,
# also on a machine where others work.
PACED = """\
#!/bin/sh
for job; do :; done
read -r depth </sys/block/{name}/queue/nr_requests
rate=500
[ "$depth" -lt 64 ] || rate=900
[ ! -f "$job" ] || echo "rate_iops=$rate" >>"$job"
exec {fio} "$@"
"""


class Queue:
    """The queue of a loop device that somebody has set up badly."""

    def __init__(self, device: str) -> None:
        self.device, self.name = device, device.removeprefix("/dev/")
        self.write("scheduler", "none")
        self.write("nr_requests", "4")
        self.write("nomerges", "0")

    def read(self, name: str) -> str:
        text = Path(f"/sys/block/{self.name}/queue/{name}").read_text().strip()
        return text.partition("[")[2].partition("]")[0] if "[" in text else text

    def write(self, name: str, value: str) -> None:
        Path(f"/sys/block/{self.name}/queue/{name}").write_text(value)

    def state(self) -> dict[str, str]:
        names = ("scheduler", "nr_requests", "nomerges", "rq_affinity", "wbt_lat_usec")
        return {name: self.read(name) for name in names}

    def study(self, place: Path, budget: str = "300 s", *, depth_only: bool = False) -> Path:
        file = place / "queue.yaml"
        text = STUDY.format(device=self.device, name=self.name, budget=budget)
        rows = text.splitlines(keepends=True)
        file.write_text("".join(row for row in rows if not (depth_only and "nomerges" in row)))
        return file


@contextmanager
def slow_queue(directory: Path) -> Iterator[Queue]:
    """A loop device that is slow, by a paced fio in `directory`/bin, until its queue is deeper."""
    with loop_device(directory / "image", 32 * MIB, "--direct-io=on") as attached:
        made = Queue(attached)
        fio = directory / "bin" / "fio"
        fio.parent.mkdir()
        fio.write_text(PACED.format(name=made.name, fio=shutil.which("fio")))
        fio.chmod(0o755)
        yield made
        if Path(SCRIPT).exists():
            tool("sh", SCRIPT)


@pytest.fixture
def queue(tmp_path: Path, environment: dict[str, str]) -> Iterator[Queue]:
    with slow_queue(tmp_path) as made:
        environment["PATH"] = f"{tmp_path}/bin:{environment['PATH']}"
        yield made


def start(
    environment: Mapping[str, str], cwd: Path, *arguments: str, before: str = ""
) -> subprocess.Popen[str]:
    """`iosonde tune`; `before` is Python that comes before it in the process."""
    return subprocess.Popen(
        [*COMMAND[:-1], before + COMMAND[-1], "tune", *arguments],
        env=dict(environment), cwd=cwd, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def until(process: subprocess.Popen[str], message: str, times: int = 1) -> str:
    """Read standard error until it has said something so many times."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if said.count(message) >= times:
            return said
    raise AssertionError(f"{message!r} was never said:\n{said}")


def tuned(ended: Ended) -> Any:
    """The object of a campaign that ended well."""
    assert ended.status == 0, ended.stdout + ended.stderr
    jsonschema.validate(ended.json, schema("tune"))
    return ended.json


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("loop: 0.3 s", "lop: 0.3 s"), "queue.yaml:"),
        (("maximise: read.iops", "maximise: reed.iop"), "is not a metric"),
        (("maximise: read.iops", "maximise: write.iops"), "its figures are of read"),
        (("maximise: read.iops", "maximise: raed.iops"), "gives no raed.iops"),
        (("budget: 60 s", "budget: 60 s\nsubject to: sync.latency.p99 < 2 ms"), "gives no sync"),
        (("nomerges", "nomerge"), "queue.yaml:"),
        (("nomerges: [0, 2]", "nomerges: [0, 7]"), "not among what this host allows"),
        (("nomerges: [0, 2]", "nr_requests: [4]"), "queue.yaml"),
        (("budget: 60 s", "budget: 60 s\nsubject to: read.latency.p99 < 2 ponies"), "not a time"),
        (("budget: 60 s", "budget: 60 s\nstrategy: guess"), "known: sweep, grid, race"),
        (("targets: ", "targets: /tmp/one\nat: "), "stack"),
    ],
)
@pytest.mark.root
def test_what_is_wrong_is_told_with_its_line_before_anything_is_changed(
    iosonde: Iosonde, tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    study = tmp_path / "queue.yaml"
    journal = Path(JOURNAL).read_bytes() if Path(JOURNAL).exists() else b""
    with loop_device(tmp_path / "image", 32 * MIB) as device:
        name = device.removeprefix("/dev/")
        study.write_text(STUDY.format(device=device, name=name, budget="60 s").replace(*change))
        ended = iosonde("tune", str(study), "--dry-run")
    assert ended.status == 2, ended.stdout + ended.stderr
    assert said in ended.stderr
    assert (Path(JOURNAL).read_bytes() if Path(JOURNAL).exists() else b"") == journal


def test_options_that_make_no_sense_are_refused(iosonde: Iosonde, tmp_path: Path) -> None:
    assert "a study's file" in iosonde("tune").stderr
    assert "nothing to resume" in iosonde("tune", "--resume").stderr
    assert "no run" in iosonde("tune", "--resume", "zzzz").stderr
    assert iosonde("tune", "x.yaml", "--confirm", "1").status == 2
    assert iosonde("tune", "--resume", "--dry-run").status == 2
    assert "cannot be read" in iosonde("tune", "x.yaml").stderr


class TestOnADevice:
    """What needs a loop device."""

    pytestmark = LOOP

    def test_a_dry_run_shows_the_plan_and_changes_nothing(
        self, iosonde: Iosonde, queue: Queue, tmp_path: Path
    ) -> None:
        before = queue.state()
        document = iosonde("tune", str(queue.study(tmp_path)), "--dry-run", "--json").json
        assert (document["candidates"], document["strategy"]) == (4, "race")
        assert [record["in_force"] for record in document["vary"]] == [4, 0]
        assert "fio" in document["command"]
        text = iosonde("tune", str(queue.study(tmp_path)), "--dry-run").stdout
        assert "4 candidates" in text
        assert queue.state() == before
        assert iosonde("list", "--json").json["runs"] == []

    def test_the_gain_is_found_proven_and_put_back(
        self, iosonde: Iosonde, queue: Queue, tmp_path: Path
    ) -> None:
        before = queue.state()
        study = queue.study(tmp_path, depth_only=True)
        document = tuned(iosonde("tune", str(study), "--json", timeout=350))
        assert document["winner"]["confirmed"], document["sentence"]
        assert document["winner"]["settings"][f"{queue.name}.nr_requests"] == 128
        low, high = document["winner"]["interval"]
        # all loops may be alike to the last I/O, since the rate is given
        assert 0 < low <= document["winner"]["gain"] <= high
        assert document["baseline"] == {f"{queue.name}.nr_requests": 4}
        assert (document["applied"], document["rolled_back"], document["state"]) == (
            False,
            True,
            "finished",
        )
        (line,) = document["commands"]  # a loop device's number is in no command
        assert line.startswith("# loop: nr_requests=128 on local")
        assert queue.state() == before
        (run,) = iosonde("list", "--json").json["runs"]
        assert (run["id"], run["state"]) == (document["id"], "finished")
        loops = sum(len(trial["metrics"]["read.iops"]["loops"]) for trial in run["trials"])
        assert loops == document["measurements"]
        settings = {
            trial["capture"][f"local/loop:{queue.name}.nr_requests"] for trial in run["trials"]
        }
        assert settings == {4, 128}
        assert iosonde("export", document["id"], "--format", "csv").status == 0

    def test_a_proven_winner_stays_where_that_is_asked_for(
        self, iosonde: Iosonde, queue: Queue, tmp_path: Path
    ) -> None:
        before = queue.state()
        study = queue.study(tmp_path, depth_only=True)
        document = tuned(iosonde("tune", str(study), "--apply", "--json", timeout=350))
        assert document["winner"]["confirmed"], document["sentence"]
        assert (document["applied"], document["rolled_back"]) == (True, False)
        assert queue.read("nr_requests") == "128"
        assert iosonde("rollback").status == 0
        assert queue.state() == before

    def test_what_the_host_refuses_is_infeasible_with_its_reason(
        self, iosonde: Iosonde, queue: Queue, tmp_path: Path
    ) -> None:
        study = queue.study(tmp_path, "40 s")
        text = study.read_text().replace("nomerges: [0, 2]", "read_ahead_kb: [128, 130]")
        study.write_text(text.replace("[4, 128]", "[4, 999999]"))
        document = tuned(iosonde("tune", str(study), "--json"))
        reasons = {
            (row["settings"][f"{queue.name}.nr_requests"],
             row["settings"][f"{queue.name}.read_ahead_kb"]): (row["state"], row["reason"])
            for row in document["candidates"]
        }  # fmt: skip
        assert reasons[999999, 128][0] == "infeasible"
        assert "refuses '999999'" in reasons[999999, 128][1]
        assert "the host made 128 of 130" in reasons[4, 130][1]
        assert queue.read("nr_requests") == "4"

    def test_a_second_tuner_is_refused(
        self, iosonde: Iosonde, queue: Queue, tmp_path: Path, environment: Mapping[str, str]
    ) -> None:
        study = str(queue.study(tmp_path))
        first = start(environment, tmp_path, study)
        try:
            until(first, "next:")
            second = iosonde("tune", study)
            assert second.status == 3
            assert "queue" in second.stderr  # who has it: the study's name
        finally:
            first.send_signal(signal.SIGINT)
            first.communicate(timeout=60)

    def test_ctrl_c_puts_everything_back_and_the_campaign_goes_on(
        self, iosonde: Iosonde, queue: Queue, tmp_path: Path, environment: Mapping[str, str]
    ) -> None:
        before = queue.state()
        process = start(environment, tmp_path, str(queue.study(tmp_path, depth_only=True)))
        until(process, " left (", times=5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "--resume" in said
        assert queue.state() == before
        (run,) = iosonde("list", "--json").json["runs"]
        assert run["state"] == "interrupted"
        kept = sum(len(trial["metrics"]["read.iops"]["loops"]) for trial in run["trials"])
        assert kept >= 5
        assert "tune --resume" in iosonde("run", "--resume", run["id"]).stderr
        document = tuned(iosonde("tune", "--resume", "--json", timeout=350))
        assert document["id"] == run["id"]
        assert document["measurements"] > kept
        assert queue.state() == before

    def test_another_baseline_is_no_base_to_go_on_from(
        self, iosonde: Iosonde, queue: Queue, tmp_path: Path, environment: Mapping[str, str]
    ) -> None:
        process = start(environment, tmp_path, str(queue.study(tmp_path)))
        until(process, " left (", times=2)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        queue.write("nr_requests", "128")
        ended = iosonde("tune", "--resume")
        assert ended.status == 3
        assert "was 4 when the campaign began and is 128 now" in ended.stderr

    def test_a_stack_is_built_for_it_and_taken_away(
        self, iosonde: Iosonde, queue: Queue, tmp_path: Path
    ) -> None:
        image = tmp_path / "stack.img"
        (tmp_path / "stack.yaml").write_text(
            "stack: tunetest\nhosts: {here: {at: local}}\nlayers:\n"
            f"  disk: {{kind: disk, file: {image}, size: 32 MiB}}\n"
        )
        study = queue.study(tmp_path, "15 s")
        text = study.read_text().replace(f"targets: {queue.device}", "stack: stack.yaml\nat: disk")
        study.write_text(text.replace(f"{queue.name}.", "disk."))
        document = tuned(iosonde("tune", str(study), "--json"))
        assert set(document["baseline"]) == {"disk.nr_requests", "disk.nomerges"}
        assert not image.exists()


@pytest.mark.root
@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    "times", [pytest.param(7, marks=pytest.mark.real), pytest.param(35, marks=pytest.mark.long)]
)
def test_killed_at_any_moment_the_old_values_come_back_and_every_loop_is_kept(
    iosonde: Iosonde, queue: Queue, tmp_path: Path, environment: Mapping[str, str], times: int
) -> None:
    """Killed after every third (or 15th) command that goes to the host: nothing is lost."""
    before = queue.state()
    study = str(queue.study(tmp_path, "600 s"))
    arguments: list[str] = [study]
    tried, partly, alone, kept, over = 0, 0, 0, 0, 0
    while tried < times:
        after = 6 + 3 * tried * (35 // times)
        waits = tried % 7 == 6  # for the host to do it by itself; else it has time, however slow
        confirm = str(PATIENCE if waits else 300)
        said = killed(environment, tmp_path, [*arguments, "--confirm", confirm], after)
        if said is None:  # it was faster: another campaign
            assert queue.state() == before
            over += 1
            assert over < 10
            arguments, kept = [study], 0
            continue
        tried += 1
        partly += queue.state() != before
        if waits:  # nobody comes
            end = time.monotonic() + PATIENCE + 20
            while queue.state() != before and time.monotonic() < end:
                time.sleep(0.5)
            alone += 1
        elif tried % 2:
            tool("sh", SCRIPT)
        else:
            assert iosonde("rollback").status == 0
        assert queue.state() == before, f"killed after {after} commands"
        number = loops(environment)
        assert number >= max(kept, said), f"killed after {after}: {kept} kept, {said} told"
        kept = number
        if number:
            arguments = ["--resume"]
    assert partly >= times // 7  # the kill did hit hosts with a candidate in force
    assert alone == times // 7
    process = start(environment, tmp_path, *arguments)
    until(process, " left (", times=1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert queue.state() == before
    assert loops(environment) > kept
    tool("sh", SCRIPT)
    last = parse_journal(Path(JOURNAL).read_text()).values()
    assert {batch.state for batch in last if batch.boot} <= {"", "restored", "lost", "kept"}


def killed(
    environment: Mapping[str, str], cwd: Path, arguments: list[str], after: int
) -> int | None:
    """Kill -9 after so many commands since the lock; the last measurement that was told of.

    None: it came to its end before.
    """
    process = start(environment, cwd, *arguments, "--trace")
    seen, number, said = -1, 0, ""
    assert process.stderr is not None
    for line in process.stderr:
        said += line
        if line.startswith("+ ") and (seen >= 0 or f"{SCRIPT} hold" in line):
            seen += 1
        if measured := _MEASURED.match(line):
            number = max(number, int(measured[1]))
        if again := _KEPT.search(line):
            number = int(again[1])
        if seen > after:
            os.kill(process.pid, signal.SIGKILL)
            break
    said += process.stderr.read()
    process.stderr.close()
    assert process.stdout is not None
    process.stdout.close()
    if seen <= after:
        assert process.wait() == 0, said
        return None
    assert process.wait() == -signal.SIGKILL, said
    return number


def loops(environment: Mapping[str, str]) -> int:
    """Measurements in the store; each must have its loop."""
    store = open_store(environment["IOSONDE_STORE"])
    try:
        runs = [line.id for line in store.runs()]
        if not runs:
            return 0
        campaign, run = store.campaign(runs[0]), store.load(runs[0])
    finally:
        store.close()
    assert campaign is not None
    stored = {(trial.id, loop.index) for trial in run.trials for loop in trial.loops}
    assert {
        (measurement.trial, measurement.loop) for measurement in campaign.measurements
    } == stored
    assert [measurement.number for measurement in campaign.measurements] == list(range(len(stored)))
    assert json.dumps(sorted(index for _, index in stored))
    return len(stored)
