"""`iosonde tune` over ssh, and what becomes of it when the connection is lost: with a real sshd."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from iosonde.change.settings_journal import JOURNAL, SCRIPT, parse_journal
from tests import sshd
from tests.cli.conftest import Ended
from tests.cli.test_tune import Queue, loops, slow_queue, start, tuned, until
from tests.loop.devices import tool

Iosonde = Callable[..., Ended]

pytestmark = [
    pytest.mark.root, pytest.mark.slow,
    pytest.mark.timeout(1800),
]  # fmt: skip
PATIENCE = 20  # seconds of --confirm where the host is to put everything back alone
LONG = 600  # where others may work


class Server:
    """An sshd whose connections can be lost, each by its process."""

    def __init__(self, directory: Path, path: str) -> None:
        box = sshd.configure(directory)
        with (directory / "sshd_config").open("a") as config:
            config.write(f"SetEnv PATH={path}\n")
        self._box, self._listener = box, sshd.start(box)

    def go_away(self) -> list[int]:
        """The whole host, as far as can be seen from here: nothing listens there any more."""
        self._listener.send_signal(signal.SIGSTOP)  # its children stay its own until they die
        gone = self.lose(signal.SIGKILL)
        self._listener.kill()
        self._listener.wait(10)
        return gone

    def come_back(self) -> None:
        self._listener = sshd.start(self._box)

    def lose(self, how: signal.Signals) -> list[int]:
        """Every connection; their processes."""
        completed = subprocess.run(
            ["pgrep", "-P", str(self._listener.pid)], capture_output=True, text=True, check=False
        )
        some = [int(pid) for pid in completed.stdout.split()]
        for pid in some:
            os.kill(pid, how)
        return some

    def close(self) -> None:
        self.lose(signal.SIGKILL)
        self._listener.terminate()
        self._listener.wait(10)


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Its slow fio is the far side's alone."""
    with slow_queue(tmp_path) as made:
        yield made


@pytest.fixture
def server(tmp_path: Path, queue: Queue, environment: dict[str, str]) -> Iterator[Server]:
    made = Server(tmp_path, f"{tmp_path}/bin:{environment['PATH']}")
    environment["HOME"] = str(tmp_path)
    yield made
    made.close()


@pytest.fixture
def study(tmp_path: Path, queue: Queue, server: Server) -> str:
    file = queue.study(tmp_path, "600 s", depth_only=True)
    text = file.read_text()
    target = f"targets: {{host: box, path: {queue.device}}}"
    file.write_text(text.replace(f"targets: {queue.device}", target))
    return str(file)


def test_the_gain_is_found_proven_and_put_back_over_ssh(
    iosonde: Iosonde, queue: Queue, study: str
) -> None:
    before = queue.state()
    document = tuned(iosonde("tune", study, "--json", timeout=1500))
    assert document["winner"]["confirmed"], document["sentence"]
    assert document["winner"]["settings"][f"{queue.name}.nr_requests"] == 128
    (line,) = document["commands"]  # a loop device's number is in no command
    assert line.startswith("# loop: nr_requests=128 on box")
    assert queue.state() == before
    (run,) = iosonde("list", "--json").json["runs"]
    assert {trial["host"] for trial in run["trials"]} == {"box"}
    settings = {trial["capture"][f"box/loop:{queue.name}.nr_requests"] for trial in run["trials"]}
    assert settings == {4, 128}


def lost(
    server: Server, environment: Mapping[str, str], cwd: Path, arguments: list[str],
    *, asked: int, after: int, how: signal.Signals = signal.SIGKILL, patience: int = LONG,
    before: str = "",
) -> tuple[int | None, str, list[int]]:  # fmt: skip
    """Lose the connection so many commands after the search has asked so often.

    Returns:
        Exit code, what was said without its commands, the processes of the connection.
    """
    options = ("--trace", "--confirm", str(patience))
    process = start(environment, cwd, *arguments, *options, before=before)
    said, seen, commands, gone = "", 0, -1, list[int]()
    assert process.stderr is not None
    for line in process.stderr:
        seen += "next: " in line
        if line.startswith("+ "):
            commands += seen >= asked
        else:
            said += line
        if seen >= asked and commands >= after and not gone:
            gone = server.lose(how)
    process.communicate(timeout=300)
    return process.returncode, said, gone


ANY_MOMENT = ((0, 4), (1, 2), (2, 1), (2, 3), (2, 6), (2, 9))


@pytest.mark.parametrize(
    "moments",
    [pytest.param(ANY_MOMENT, marks=pytest.mark.long), ((1, 2), (2, 6))],
    ids=["any", "two"],
)
def test_a_lost_connection_at_any_moment_ends_the_campaign_and_resume_goes_on(
    iosonde: Iosonde, queue: Queue, server: Server, study: str, tmp_path: Path,
    environment: Mapping[str, str], moments: tuple[tuple[int, int], ...],
) -> None:  # fmt: skip
    """Before the first loop, in it, while the next candidate is put in force, and after it."""
    before, arguments, kept, partly = queue.state(), [study], 0, 0
    for asked, after in moments:
        _, said, gone = ended = lost(
            server, environment, tmp_path, arguments, asked=asked, after=after
        )
        require_one_sentence(*ended)
        assert gone, said
        partly += queue.state() != before
        tool("sh", SCRIPT)
        assert queue.state() == before, (asked, after)
        number = loops(environment)
        assert number >= kept
        kept = number
        if iosonde("list", "--json").json["runs"]:
            arguments = ["--resume"]
    assert kept
    assert partly  # it was lost with a candidate in force
    goes_on(environment, tmp_path)
    assert loops(environment) > kept
    assert queue.state() == before
    batches = parse_journal(Path(JOURNAL).read_text()).values()
    assert {batch.state for batch in batches} <= {"", "restored", "lost"}


def goes_on(environment: Mapping[str, str], cwd: Path) -> None:
    """The campaign measures again; then it is ended."""
    process = start(environment, cwd, "--resume")
    until(process, " left (")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said


def require_one_sentence(code: int | None, said: str, _: object) -> None:
    assert code == 4, said
    complaint = [line for line in said.splitlines() if line.startswith("iosonde: ")]
    assert len(complaint) == 1, said
    assert "box: the connection" in complaint[0], said
    assert "Traceback" not in said


def test_a_host_that_stays_away_is_told_in_one_sentence_and_put_back_when_it_is_there(
    iosonde: Iosonde, queue: Queue, server: Server, study: str, tmp_path: Path,
    environment: Mapping[str, str],
) -> None:  # fmt: skip
    before = queue.state()
    process = start(environment, tmp_path, study, "--trace", "--confirm", str(LONG))
    said, gone = "", list[int]()
    assert process.stderr is not None
    for line in process.stderr:
        said += "" if line.startswith("+ ") else line
        if not gone and queue.state() != before and "fio --output" in line:  # in its loop
            gone = server.go_away()
    process.communicate(timeout=300)
    assert gone, said
    require_one_sentence(process.returncode, said, gone)
    assert queue.state() != before
    assert "iosonde tune --resume" in said
    again = iosonde("tune", "--resume")
    assert again.status == 4
    assert "nothing listens at its ssh port" in again.stderr
    assert "Traceback" not in again.stderr
    server.come_back()
    back = iosonde("rollback", "box")
    assert back.status == 0, back.stderr
    assert queue.state() == before
    batches = parse_journal(Path(JOURNAL).read_text()).values()
    assert {batch.state for batch in batches} <= {"", "restored", "lost"}


# The far side is given up after six seconds without an answer instead of a minute.
SOON = "import iosonde.hosts.ssh.connect as ssh; ssh._ALIVE['keepalive_interval'] = 2; "


def test_a_cable_that_is_cut_does_not_keep_the_lock(
    iosonde: Iosonde, queue: Queue, server: Server, study: str, tmp_path: Path,
    environment: Mapping[str, str],
) -> None:  # fmt: skip
    """The far side does not know that nobody is here any more: its sshd waits on."""
    before = queue.state()
    _, _, gone = ended = lost(
        server, environment, tmp_path, [study], asked=2, after=6, how=signal.SIGSTOP,
        patience=PATIENCE, before=SOON,
    )  # fmt: skip
    require_one_sentence(*ended)
    end = time.monotonic() + PATIENCE + 20
    while queue.state() != before and time.monotonic() < end:
        time.sleep(0.5)
    assert queue.state() == before
    owner = Path(JOURNAL).with_name("owner").read_text().splitlines()
    assert Path(f"/proc/{owner[3]}").exists()  # the lock is still held there
    goes_on(environment, tmp_path)
    assert [pid for pid in gone if _alive(pid)] == []


def _alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
