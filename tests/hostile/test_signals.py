"""SIGINT, SIGTERM and SIGHUP at random moments, alone and in bursts: one clean end, nothing left.

`IOSONDE_SIGNALS=N` makes N rounds of each test; the seeds are printed with what fails.
"""

from __future__ import annotations

import os
import random
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from iosonde.verbs.signals import FINAL_PAUSE
from tests.cli.conftest import Ended
from tests.hostile.conftest import COMMAND, clean_environment
from tests.hostile.harness.kin import MARK, Kin, is_load

_ROUNDS = int(os.environ.get("IOSONDE_SIGNALS", "1"))
_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_FIO = (
    "fio --name=s --ioengine=psync --rw=randwrite --bs=4k --numjobs=2 --rate_iops=200 "
    "--group_reporting"
)
_RUN = ("run", "--fio", _FIO, "--size", "1m", "--loops", "2", "--seconds", "1", "--target")
_LONG = tuple("100" if word == "1" else word for word in _RUN)  # only a signal ends it in time


@dataclass
class Call:
    """A call of the command in a folder of its own, and all that it begins."""

    process: subprocess.Popen[bytes]
    kin: Kin
    home: Path

    @property
    def said(self) -> str:
        """Standard error so far."""
        return (self.home / "said").read_text(errors="replace")

    def until_it_listens(self) -> None:
        """Until it has taken the signals over: before that Python itself is starting."""
        end = time.monotonic() + 200
        while self.process.poll() is None and not _catches(self.process.pid, signal.SIGHUP):
            assert time.monotonic() < end
            time.sleep(0.002)

    def until(self, message: str) -> None:
        """Until it has said something."""
        end = time.monotonic() + 200
        while message not in self.said and self.process.poll() is None:
            assert time.monotonic() < end, self.said
            time.sleep(0.01)

    def until_fio(self) -> None:
        """Until its load is there."""
        end = time.monotonic() + 200
        while not any(is_load(process) for process in self.kin.alive()):
            assert time.monotonic() < end, self.said
            assert self.process.poll() is None, self.said
            time.sleep(0.01)

    def terminate_twice(self) -> None:
        """SIGTERM until it answers the second one; it may see two that come at once as one.

        Only then others: Python calls the handlers of signals that wait by their numbers.
        """
        end = time.monotonic() + 200
        while "cleaning up" not in self.said:
            assert time.monotonic() < end, self.said
            assert self.process.poll() is None, self.said
            self.process.send_signal(signal.SIGTERM)
            time.sleep(0.1)

    def ended(self, seconds: float = 100) -> Ended:
        """How it ended; nothing that it began is there any more."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            there = [" ".join(process.argv)[:200] for process in self.kin.alive()]
            pytest.fail(f"it does not end; alive: {there}; said: {self.said}")
        end = time.monotonic() + 5
        while (alive := self.kin.alive()) and time.monotonic() < end:
            time.sleep(0.02)
        assert alive == []
        return Ended(status, (self.home / "out").read_text(), self.said)

    def left(self) -> list[str]:
        """What is in its directories of temporary files and of targets."""
        return [path.name for place in ("tmp", "data") for path in (self.home / place).iterdir()]


def _catches(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler. Source: proc_pid_status(5), SigCgt."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    mask = int(status.partition("SigCgt:")[2].split()[0], 16)
    return bool(mask >> (number - 1) & 1)


@contextmanager
def called(
    home: Path, *arguments: str, before: Sequence[str] = (), more: Mapping[str, str] | None = None
) -> Iterator[Call]:
    """A call under way; what is left of it afterwards is killed."""
    for place in ("tmp", "data"):
        (home / place).mkdir(parents=True, exist_ok=True)
    mark = secrets.token_hex(8)
    environment = {
        **clean_environment(home),
        MARK: mark,
        "TMPDIR": str(home / "tmp"),
        **(more or {}),
    }
    kin = Kin(mark)
    with (home / "out").open("wb") as out, (home / "said").open("wb") as said:
        process = subprocess.Popen(
            [*before, *COMMAND, *arguments], env=environment, cwd=home, stdin=subprocess.DEVNULL,
            stdout=out, stderr=said, start_new_session=True,
        )  # fmt: skip
    try:
        yield Call(process, kin, home)
    finally:
        kin.end()
        process.wait(10)


def burst(call: Call, chance: random.Random) -> set[int]:
    """One to five signals within 60 ms; the exit codes of each (Python orders those that wait)."""
    numbers = [chance.choice(_ENDS) for _ in range(chance.randint(1, 5))]
    for number in numbers:
        call.process.send_signal(number)
        time.sleep(chance.uniform(0, 0.06) / len(numbers))
    return {128 + number for number in numbers}


def assert_clean(ended: Ended, codes: set[int]) -> None:
    """The exit code is what shells show, and Python says nothing itself."""
    assert ended.status in codes, ended
    for word in ("Traceback", "Exception ignored", "RuntimeWarning", "never awaited"):
        assert word not in ended.stderr, ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(_ROUNDS * 4))
def test_a_burst_at_a_random_moment_of_a_run_leaves_no_file_and_no_process(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(f"run {seed}")
    place = "data" if chance.random() < 0.5 else "data/file"
    with called(tmp_path, *_RUN, place) as call:
        call.until_it_listens()
        if chance.random() < 0.5:
            call.until("laying out")
        time.sleep(chance.uniform(0, 3.5))
        over = call.process.poll() is not None
        codes = burst(call, chance)
        # Too late to stop anything, it changes nothing: the run is whole, and says so.
        assert_clean(call.ended(), {0} if over else {0} | codes)
    assert call.left() == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(_ROUNDS * 4))
@pytest.mark.parametrize("moment", ["laying out", "loop 2 of 2", "reading the stack"])
def test_a_burst_while_files_are_made_or_removed_leaves_none(
    moment: str, seed: int, tmp_path: Path
) -> None:
    """A scratch file is made before the stack is read, and removed right after the last loop."""
    chance = random.Random(f"{moment} {seed}")
    with called(tmp_path, *_RUN, "data") as call:
        call.until(moment)
        time.sleep(chance.uniform(0, 0.12))
        codes = burst(call, chance)
        assert_clean(call.ended(), {0} | codes)
    assert call.left() == []


@pytest.mark.slow
def test_three_sigints_and_a_sigterm_within_60_ms_end_it_cleanly(tmp_path: Path) -> None:
    with called(tmp_path, *_LONG, "data") as call:
        call.until_fio()
        for number in (signal.SIGINT, signal.SIGINT, signal.SIGINT, signal.SIGTERM):
            call.process.send_signal(number)
            time.sleep(0.015)
        ended = call.ended()
    assert_clean(ended, {130})
    assert call.left() == []
    assert "finished loops are kept" in ended.stderr


@pytest.mark.slow
def test_what_comes_while_it_cleans_up_is_answered_by_one_line(
    tmp_path: Path, stubborn: Mapping[str, str]
) -> None:
    with called(tmp_path, *_LONG, "data", more=stubborn) as call:
        call.until_fio()
        call.terminate_twice()
        for number in (signal.SIGHUP, signal.SIGINT):
            call.process.send_signal(number)
        ended = call.ended()
    assert_clean(ended, {143})
    assert ended.stderr.count("cleaning up") == 1
    assert call.left() == []


@pytest.fixture
def stubborn(tmp_path: Path) -> Mapping[str, str]:
    """A fio that ignores SIGTERM, so that it takes iosonde five seconds to be rid of it."""
    program = tmp_path / "bin" / "fio"
    program.parent.mkdir()
    program.write_text(
        '#!/bin/sh\ncase " $* " in *" --parse-only "*) exec /usr/bin/fio "$@"; esac\n'
        'trap "" TERM\n/usr/bin/fio "$@" &\nwhile :; do sleep 1; done\n'
    )
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}"}


_HUNG = 60  # seconds that `rm` takes


@pytest.mark.slow
def test_the_third_signal_after_five_seconds_ends_it_at_once_and_names_what_is_left(
    tmp_path: Path,
) -> None:
    hung = tmp_path / "bin" / "rm"
    hung.parent.mkdir()
    hung.write_text(f"#!/bin/sh\nexec sleep {_HUNG}\n")
    hung.chmod(0o755)
    more = {"PATH": f"{hung.parent}:{os.environ['PATH']}"}
    with called(tmp_path, *_LONG, "data", more=more) as call:
        call.until_fio()
        began = time.monotonic()
        call.terminate_twice()
        while call.process.poll() is None and time.monotonic() < began + _HUNG / 2:
            call.process.send_signal(signal.SIGINT)  # the early ones are counted and do nothing
            time.sleep(0.1)
        lasted = time.monotonic() - began
        ended = call.ended(1)
    assert FINAL_PAUSE <= lasted < _HUNG / 2
    assert_clean(ended, {143})
    assert "ended at once" in ended.stderr
    _, _, message = ended.stderr.partition("left behind")
    assert sorted(call.left())
    for name in call.left():
        assert name in message, ended.stderr
    for line in message.splitlines()[1:]:
        subprocess.run(["sh", "-c", line.partition(": ")[2]], check=True)
    assert call.left() == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(_ROUNDS))
@pytest.mark.parametrize(
    "arguments",
    [
        ("show",), ("loads",), ("list",), ("settings",), ("explain", "local"), ("schema", "run"),
        ("import", "long.txt"), ("import", "long.txt", "--json"), ("log", "log.txt"),
        ("trace", "describe", "log.txt", "log.txt"),
        ("trace", "describe", "log.txt", "log.txt", "--dask", "local"),
        (*_RUN, "data", "--dry-run"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_burst_at_a_random_moment_of_any_verb_ends_it_cleanly(
    arguments: tuple[str, ...], seed: int, tmp_path: Path
) -> None:
    chance = random.Random(f"{arguments} {seed}")
    if "long.txt" in arguments:
        vmstat = Path(__file__).parents[1] / "outputs"
        text = b"".join(path.read_bytes() for path in sorted(vmstat.glob("**/*.txt"))[:40])
        (tmp_path / "long.txt").write_bytes(text * (24 * 2**20 // max(len(text), 1) + 1))
    if "log.txt" in arguments:
        (tmp_path / "log.txt").write_text("1, 2000, 0, 4096, 0\n" * 1_000_000)
    with called(tmp_path, *arguments) as call:
        call.until_it_listens()
        time.sleep(chance.uniform(0, 2.5 if "long.txt" in arguments else 0.8))
        over = call.process.poll() is not None
        codes = burst(call, chance)
        assert_clean(call.ended(), {0, 1, 2} if over else {0, 1, 2} | codes)
    assert call.left() == []


def test_a_run_under_nohup_survives_a_closed_terminal(tmp_path: Path) -> None:
    with called(tmp_path, *_RUN, "data", before=["nohup"]) as call:
        call.until_fio()
        call.process.send_signal(signal.SIGHUP)
        ended = call.ended(60)
    assert_clean(ended, {0})
    assert call.left() == []


def test_a_second_run_beside_it_is_not_touched(tmp_path: Path) -> None:
    with (
        called(tmp_path / "a", *_LONG, "data") as call,
        called(tmp_path / "b", *_RUN, "data") as other,
    ):
        call.until_fio()
        other.until_fio()
        call.process.send_signal(signal.SIGTERM)
        assert_clean(call.ended(), {143})
        assert_clean(other.ended(60), {0})
    assert call.left() == other.left() == []
