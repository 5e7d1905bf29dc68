"""`iosonde set` and `rollback` on real loop devices, killed at every step of a change."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import jsonschema
import pytest

from iosonde.change.settings_journal import FOLDER, JOURNAL, SCRIPT, parse_journal
from iosonde.verbs.schema import schema
from tests.cli.conftest import COMMAND
from tests.loop.devices import MIB, killed_at_command, loop_device, tool
from tests.loop.queues import Devices

pytestmark = [pytest.mark.root, pytest.mark.slow]

SHORTEST = 5  # seconds that --confirm allows


@pytest.fixture
def devices(tmp_path: Path) -> Iterator[Devices]:
    with ExitStack() as stack:
        names = [stack.enter_context(loop_device(tmp_path / f"d{n}", 16 * MIB)) for n in "12"]
        made = Devices(*names)
        made.reset()
        made.write(f"{made.names[0]}.nr_requests", "99")  # not the kernel's own default
        yield made
        if Path(SCRIPT).exists():
            tool("sh", SCRIPT)


def run(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


def assignments(values: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in values.items()]


def test_what_is_set_is_read_back_and_put_back_and_the_journal_tells(devices: Devices) -> None:
    before, new = devices.state(), devices.ten()
    done = run("set", *assignments(new), "--json")
    document = json.loads(done.stdout)
    jsonschema.validate(document, schema("set"))
    states = [change["state"] for change in document["changes"]]
    assert states.count("changed") == 10
    assert "beside" in states  # the second scheduler brought its own depth
    assert {name: devices.value(name) for name in new} == new
    listed = json.loads(run("settings", "local", devices.names[0], "--json").stdout)
    jsonschema.validate(listed, schema("settings"))
    depth = next(setting for setting in listed["settings"] if setting["name"] == "nr_requests")
    assert (depth["value"], depth["boot"], depth["tentative"]) == (77, 99, True)
    back = json.loads(run("rollback", "--json").stdout)
    jsonschema.validate(back, schema("rollback"))
    assert {setting["state"] for setting in back["settings"]} == {"back"}
    assert devices.state() == before
    assert json.loads(run("rollback", "--json").stdout)["settings"] == []
    last = list(parse_journal(Path(JOURNAL).read_text()).values())[-1]
    assert last.state == "restored"
    assert last.old[f"loop:{devices.names[0]}.nr_requests"] == "99"


def test_two_changes_are_put_back_to_what_was_before_the_first(devices: Devices) -> None:
    before, name = devices.state(), f"{devices.names[1]}.nr_requests"
    run("set", f"{name}=50")
    run("set", f"{name}=40", f"{devices.names[1]}.scheduler=kyber")
    assert devices.value(name) == "40"
    assert run("rollback").stdout.count("again") == 3  # and write-back throttling
    assert devices.state() == before


def test_a_schedulers_own_settings_come_back_with_it(devices: Devices) -> None:
    name = devices.names[0]
    devices.write(f"{name}.scheduler", "mq-deadline")
    devices.write(f"{name}.iosched/fifo_batch", "8")
    devices.write(f"{name}.nr_requests", "50")
    before = devices.state()
    run("set", f"{name}.scheduler=bfq")
    run("set", f"{name}.low_latency=0", f"{name}.nr_requests=40")
    assert devices.value(f"{name}.iosched/low_latency") == "0"
    refused = run("set", f"{name}.fifo_batch=4", status=2)
    assert "no setting" in refused.stderr
    run("rollback")
    assert devices.state() == before
    assert devices.value(f"{name}.iosched/fifo_batch") == "8"
    assert "none" in run("set", f"{name}.scheduler=noop", status=2).stderr


def test_what_the_host_rounds_is_told_and_what_it_refuses_changes_nothing(devices: Devices) -> None:
    before, name = devices.state(), devices.names[0]
    rounded = json.loads(run("set", f"{name}.read_ahead_kb=130", "--json").stdout)["changes"][0]
    assert (rounded["state"], rounded["wanted"], rounded["after"]) == ("rounded", "130", "128")
    run("rollback")
    refused = run("set", f"{name}.nomerges=2", f"{name}.nr_requests=999999", status=4)
    assert "Invalid argument" in refused.stderr
    assert "put back" in refused.stderr
    assert devices.state() == before
    assert "out of its range" in run("set", f"{name}.max_sectors_kb=99999999", status=2).stderr
    assert "mq-deadline" in run("set", f"{name}.scheduler=cfq", status=2).stderr
    assert "did you mean" in run("set", f"{name}.schedular=none", status=2).stderr


def test_a_dry_run_shows_every_command_and_changes_nothing(devices: Devices) -> None:
    before, journal = devices.state(), Path(JOURNAL)
    text = journal.read_text() if journal.exists() else ""
    shown = json.loads(run("set", *assignments(devices.ten()), "--dry-run", "--json").stdout)
    assert sum("change" in line for line in shown["commands"]) == 10
    assert "confirm" in shown["commands"][-1]
    assert devices.state() == before
    assert (journal.read_text() if journal.exists() else "") == text


def test_the_script_needs_no_python_and_leaves_another_device_alone(
    devices: Devices, tmp_path: Path
) -> None:
    text, two = devices.names
    before = devices.state()
    run("set", f"{text}.nomerges=2", f"{two}.nomerges=2")
    tool("losetup", "--detach", f"/dev/{two}")  # and another disk takes its name
    other = tmp_path / "other"
    other.write_bytes(bytes(MIB))
    tool("losetup", f"/dev/{two}", other)
    devices.write(f"{two}.nomerges", "1")
    said = subprocess.run(
        ["sh", SCRIPT], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True
    ).stdout
    assert f"back\tloop:{text}.nomerges\t=0" in said
    assert f"gone\tloop:{two}.nomerges" in said
    assert devices.value(f"{two}.nomerges") == "1"
    assert devices.value(f"{text}.nomerges") == before[f"{text}.nomerges"]


def test_a_second_one_is_refused_and_told_who_has_it(devices: Devices) -> None:
    holder = subprocess.Popen(["sh", SCRIPT, "hold", "t", "somebody"]) if (
        Path(SCRIPT).exists() or run("set", f"{devices.names[0]}.nomerges=1")
    ) else None  # fmt: skip
    assert holder is not None
    script = Path(SCRIPT).read_text()
    another = Path(f"{SCRIPT}.another")  # a shell reads its script as it goes: not to be cut short
    another.write_text(script + "# another version\n")
    another.replace(SCRIPT)
    try:
        owner, end = Path(SCRIPT).with_name("owner"), time.monotonic() + 30
        while not owner.exists() or owner.read_text().split()[-1:] != [str(holder.pid)]:
            assert time.monotonic() < end
            time.sleep(0.05)
        for verb in (("set", f"{devices.names[0]}.nomerges=2"), ("rollback",)):
            assert "somebody" in run(*verb, status=3).stderr
        assert Path(SCRIPT).read_text().endswith("# another version\n"), "it is at work"
    finally:
        holder.terminate()
        holder.wait(10)
    run("set", f"{devices.names[0]}.nomerges=2")
    assert Path(SCRIPT).read_text() == script


# In a mount namespace of its own the journal lies on a small file system, $1, of which $2 pages are
# free; $3… is the call.
_SMALL = (
    'mount -t tmpfs -o size=256k,mode=700 tmpfs "$1" && shift && '
    "head -c $((262144 - $1 * 4096)) /dev/zero "
    '>/var/lib/iosonde/filler; shift; timeout 60 "$@"; told=$?; cat /var/lib/iosonde/journal; '
    "rm /var/lib/iosonde/filler; [ ! -e /var/lib/iosonde/rollback ] || "
    '{ sleep "$WAIT"; sh /var/lib/iosonde/rollback settle; }; exit $told'
)


@pytest.mark.timeout(300)
def test_on_a_full_disk_all_are_old_or_all_are_confirmed(devices: Devices) -> None:
    before, new = devices.state(), devices.ten()
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    ends = []
    for pages in range(9):
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", _SMALL, "sh", FOLDER, str(pages), *COMMAND, "set",
             *assignments(new), "--confirm", "60"],
            capture_output=True, text=True, check=False, timeout=100,
            env={**os.environ, "WAIT": "0"},
        )  # fmt: skip
        now, message = devices.state(), f"{pages} pages: {done.stdout}{done.stderr}"
        assert done.returncode in {0, 4}, message
        if done.returncode == 0:
            assert {name: now[name] for name in new} == new, message
        else:
            assert now == before, message
        ends.append(done.returncode)
        devices.reset()
        devices.write(f"{devices.names[0]}.nr_requests", "99")
        assert devices.state() == before
    assert ends[0] == 4
    assert ends[-1] == 0


def killed(arguments: list[str], after: int) -> bool:
    """Kill -9 as soon as that many commands were announced since the lock; False if it ended."""
    call = [*COMMAND, "set", *arguments, "--trace", "--confirm", str(SHORTEST)]
    return killed_at_command(call, after, since=f"{SCRIPT} hold")


def waited(number: int) -> str:
    """The state of a batch once the host has had its time."""
    limit = time.monotonic() + SHORTEST + 10
    while True:
        batch = parse_journal(Path(JOURNAL).read_text()).get(number)
        state = batch.state if batch else ""
        if state != "open" or time.monotonic() > limit:
            return state
        time.sleep(0.2)


# The steps between are simulated (tests/simulation).
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "stride", [pytest.param(8, marks=pytest.mark.real), pytest.param(1, marks=pytest.mark.long)]
)
def test_killed_at_any_step_all_are_old_or_all_are_confirmed(devices: Devices, stride: int) -> None:
    before, new = devices.state(), devices.ten()
    run("set", f"{devices.names[0]}.nomerges=1")
    run("rollback")
    after, ends, partly = 0, [], 0
    while True:
        number = max(parse_journal(Path(JOURNAL).read_text())) + 1
        was_killed = killed(assignments(new), after)
        now = devices.state()
        partly += now != before and any(now[name] != value for name, value in new.items())
        end = waited(number)
        now = devices.state()
        if end == "confirmed":
            assert {name: now[name] for name in new} == new, f"after {after} commands"
        else:
            # announced and nobody watches yet, or put back by the host itself
            assert end in {"", "open", "restored"}
            assert now == before, f"after {after} commands: {end}"
        tool("sh", SCRIPT)
        assert devices.state() == before, f"after {after} commands"
        ends.append(end)
        if not was_killed:
            break
        after += stride
    assert after > 30
    assert ends[-1] == "confirmed"
    assert (
        ends.count("restored") >= 10 // stride
    )  # changes under way, put back without a controller
    assert partly >= 8 // stride  # the kill did hit half-changed hosts


def test_what_was_not_confirmed_is_put_back_before_the_next_change(devices: Devices) -> None:
    before, name = devices.state(), devices.names[0]
    run("set", f"{name}.nomerges=1")
    text = Path(JOURNAL).read_text()
    number = max(parse_journal(text))
    Path(JOURNAL).write_text(text.replace(f"confirmed\t{number}\t", "confir"))  # torn by a crash
    done = run("set", f"{name}.rq_affinity=2")
    assert "never confirmed" in done.stderr
    assert devices.value(f"{name}.nomerges") == before[f"{name}.nomerges"]
    assert devices.value(f"{name}.rq_affinity") == "2"


# As on a host where systemd runs; $1 holds the made-up programs.
_WITH_SYSTEMD = (
    'mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && PATH="$1:$PATH" && shift && '
    'exec "$@"'
)
_SYSTEMD_RUN = """\
#!/bin/sh
echo "run $*" >>{log}
[ ! -e {log}.fails ] || exit 1
while [ "${{1#--}}" != "$1" ]; do case $1 in --on-active=*) after=${{1#*=}};; esac; shift; done
(sleep "$after"; exec "$@") </dev/null >/dev/null 2>&1 &
"""


def _by_systemd(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", _WITH_SYSTEMD, "sh", str(place), *arguments],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize("fails", [False, True])
def test_where_systemd_runs_its_timer_puts_back_what_nobody_confirms(
    devices: Devices, tmp_path: Path, fails: bool
) -> None:
    programs, log = tmp_path / "bin", tmp_path / "log"
    programs.mkdir()
    (programs / "systemd-run").write_text(_SYSTEMD_RUN.format(log=log))
    (programs / "systemctl").write_text(f'#!/bin/sh\necho "$*" >>{log}\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    if fails:
        Path(f"{log}.fails").touch()
    before, name = devices.state(), devices.names[0]
    done = _by_systemd(programs, *COMMAND, "set", f"{name}.nomerges=2", "--confirm", "20")
    assert done.returncode == 0, done.stderr
    number = max(parse_journal(Path(JOURNAL).read_text()))
    unit = f"iosonde-rollback-{number}"
    said = log.read_text()
    assert f"--unit={unit} --on-active=20" in said
    assert f"batch {number} not confirmed in time" in said
    assert f"stop {unit}.timer" in said
    run("rollback")
    # the same batch again, which nobody confirms
    text = Path(JOURNAL).read_text()
    of_it = (row for row in text.splitlines() if row.split("\t")[1:2] == [str(number)])
    rows = [row for row in of_it if row.split("\t")[0] not in {"confirmed", "restored"}]
    again = "".join(row.replace(f"\t{number}", f"\t{number + 1}", 1) + "\n" for row in rows)
    with Path(JOURNAL).open("a") as file:
        file.write(again)
    devices.write(f"{name}.nomerges", "2")
    armed = _by_systemd(programs, "sh", SCRIPT, "arm", str(number + 1), "2")
    assert armed.stdout.strip() == ("by a process" if fails else "by systemd")
    assert waited(number + 1) == "restored"
    assert devices.state() == before
