"""One attempt: a run, a kill, and what is left."""

from __future__ import annotations

import os
import random
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from iosonde.errors import IosondeError
from iosonde.store import open_store
from tests import sshd
from tests.hostile.conftest import COMMAND
from tests.hostile.harness import STATED
from tests.hostile.harness.ground import Ground, on_device, on_file
from tests.hostile.harness.kin import MARK, Kin, Process, is_load

FORMS = ("device", "file", "device over ssh", "file over ssh")
PHASES = ("start", "load", "border")
_FIO = (
    "fio --name=kills --ioengine=psync --direct=1 --rw=randwrite --bs=4k --numjobs=2 "
    "--rate_iops=200 --group_reporting"
)
_LONG, _SHORT = 9, 1  # seconds of a loop: longer than STATED, or soon over
_ENDS = 10.0  # seconds after which iosonde is asked to end, when another process was killed
# After these a working directory may stay until the next run (docs/use/guard.md).
_LEAVES = frozenset({"iosonde", "session"})


@dataclass
class Outcome:
    """What an attempt showed; `broken` promises in words, empty where all were kept."""

    seed: str
    form: str
    phase: str
    role: str = ""
    victim: str = ""
    moment: float = 0.0
    seconds: float = 0.0
    asked: bool = False
    left: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    said: str = ""

    def __str__(self) -> str:
        verdict = "; ".join(self.broken) or "ok"
        left = f" (left, as documented: {', '.join(self.left)})" if self.left else ""
        left += " (it went on, and ended by SIGTERM)" if self.asked else ""
        return (
            f"{self.seed}  {self.form}, {self.phase}: {self.role} killed {self.moment:.2f} s after "
            f"the start, all over after {self.seconds:.2f} s: {verdict}{left}"
        )


def attempt(seed: str) -> Outcome:
    """Make one attempt.

    Args:
        seed: "SERIES:NUMBER". Twelve numbers in a row have all forms and phases; the rest is drawn.
    """
    chance = random.Random(seed)
    phase, form = divmod(int(seed.rpartition(":")[2]) % (len(FORMS) * len(PHASES)), len(FORMS))
    outcome = Outcome(seed, FORMS[form], PHASES[phase])
    with ExitStack() as stack:
        top = stack.enter_context(_folder())
        ground = stack.enter_context(
            on_device(top / "ground") if "device" in outcome.form else on_file(top / "ground")
        )
        run = stack.enter_context(_begun(top, ground, outcome, chance))
        _strike(run, outcome, chance)
        _watch(run, outcome)
        _judge(run, outcome)
    return outcome


@contextmanager
def _folder() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="kills.", dir="/var/tmp"))
    try:
        yield place
    finally:
        shutil.rmtree(place)


@dataclass
class _Run:
    """A run under way; `command` with other words is another call of the same user."""

    top: Path
    ground: Ground
    kin: Kin
    environment: Mapping[str, str]
    process: subprocess.Popen[bytes]
    began: float
    after: float  # seconds between what the phase waits for and the kill

    @property
    def temporary(self) -> Path:
        """The directory of temporary files of iosonde, its commands and its hosts."""
        return self.top / "tmp"

    @property
    def said(self) -> str:
        """Standard error so far."""
        return (self.top / "said").read_text(errors="replace")

    def again(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Another call by the same user with the same store."""
        with (self.top / "again").open("wb") as said:
            return _start(arguments, self.environment, self.top, said.fileno())


@contextmanager
def _begun(top: Path, ground: Ground, outcome: Outcome, chance: random.Random) -> Iterator[_Run]:
    mark = secrets.token_hex(8)
    (top / "tmp").mkdir()
    with ExitStack() as stack:
        box = None
        if "ssh" in outcome.form:
            box = sshd.configure(top)
            config = top / "sshd_config"
            wanted = f"SetEnv SHLVL=2 {MARK}={mark} TMPDIR={top}/tmp\n"
            config.write_text(config.read_text().replace("SetEnv SHLVL=2\n", wanted))
            server = sshd.start(box)  # begun before the kin are looked for, so none of them
            stack.callback(server.wait, 10)
            stack.callback(server.terminate)
        kin = Kin(mark, server.pid if box else None)
        stack.callback(kin.end)
        kept = {key: value for key, value in os.environ.items() if key in {"PATH", "PYTHONPATH"}}
        environment = {
            **kept, "HOME": str(top), "IOSONDE_STORE": str(top / "store.sqlite"), MARK: mark,
            "TMPDIR": str(top / "tmp"), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        seconds = _SHORT if outcome.phase == "border" else _LONG
        place = f"box:{ground.target}" if box else ground.target
        arguments = [
            "run", "--fio", _FIO, "--target", place, "--size", "4m", "--loops", "2",
            "--seconds", str(seconds),
        ]  # fmt: skip
        arguments += ["--destroy", ground.target] if ground.device else []
        with (top / "said").open("wb") as said:
            process = _start(arguments, environment, top, said.fileno())
        after = chance.uniform(0, {"start": 1.2, "load": 2.5, "border": 0.8}[outcome.phase])
        yield _Run(top, ground, kin, environment, process, time.monotonic(), after)


def _start(
    pair: tuple[str, ...] | list[str], environment: Mapping[str, str], top: Path, said: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *pair], env=dict(environment), cwd=top, stdin=subprocess.DEVNULL,
        stdout=said, stderr=said, start_new_session=True,
    )  # fmt: skip


def _until(what: Callable[[], bool], seconds: float, pause: float = 0.02) -> bool:
    end = time.monotonic() + seconds
    while not (there := what()) and time.monotonic() < end:
        time.sleep(pause)
    return there


def _strike(run: _Run, outcome: Outcome, chance: random.Random) -> None:
    """Wait for the moment and kill a process whose role is drawn from those that there are."""

    def loads() -> bool:
        return run.process.poll() is not None or "fio" in run.kin.roles(run.process.pid)

    if outcome.phase == "start" and chance.random() < 0.5:  # else Python itself is starting
        _until(lambda: run.process.poll() is not None or "  run " in run.said, 30)
    if outcome.phase != "start":
        _until(loads, 30)
    if outcome.phase == "border":
        _until(lambda: run.process.poll() is not None or "loop 1 of" in run.said, 30)
    time.sleep(run.after)
    roles = run.kin.roles(run.process.pid)
    outcome.moment = time.monotonic() - run.began
    if not roles:
        outcome.role = "nothing, it was over,"
        return
    outcome.role = chance.choice(sorted(roles))
    victim = chance.choice(roles[outcome.role])
    outcome.victim = " ".join(victim.argv)[:200]
    victim.kill()


def _watch(run: _Run, outcome: Outcome) -> None:
    """Wait for the end of all, and see that the device is not free while fio is there."""
    struck = time.monotonic()
    ended: float | None = None
    alive: list[Process] = []
    free = asked = False
    while True:
        now = time.monotonic()
        if ended is None and run.process.poll() is not None:
            ended = now
        alive = run.kin.alive()
        if ended is not None and not alive:
            break
        if ended is None and now > struck + _ENDS and not asked:
            # The run may go on, and fio waits for ever for a job that was killed at its start.
            asked = True
            outcome.asked = True
            run.process.terminate()
        if now > (ended + STATED if ended is not None else struck + 3 * _ENDS):
            break
        if run.ground.device and not free and (free := _free_under_load(run)):
            outcome.broken.append("the device was free while fio had it open")
        time.sleep(0.03)
    outcome.seconds = time.monotonic() - struck
    if ended is None:
        outcome.broken.append(f"iosonde did not end within {2 * _ENDS:g} s of SIGTERM")
    if alive:
        names = ", ".join(sorted({process.name for process in alive}))
        outcome.broken.append(f"alive {STATED:g} s after iosonde: {names}")
        if _writes_on(run):
            outcome.broken.append("and the target is still written to")
    run.kin.end()


def _free_under_load(run: _Run) -> bool:
    """Whether the device can be claimed while a process of fio lives that is not ending.

    One that ends gives its memory back before its files (do_exit of the kernel), and with it its
    command line; so where the claim succeeds, whoever still has one has not begun to end.
    """
    before = {(child.pid, child.start) for child in run.kin.alive() if is_load(child)}
    if not before or (claim := run.ground.claimed()) is None:
        return False
    try:
        return any(
            (child.pid, child.start) in before for child in run.kin.alive() if is_load(child)
        )
    finally:
        os.close(claim)


def _writes_on(run: _Run) -> bool:
    try:
        before = run.ground.written()
        time.sleep(0.3)
        return run.ground.written() != before
    except OSError:
        return False


def _judge(run: _Run, outcome: Outcome) -> None:
    """What was promised, one after the other."""
    broken = outcome.broken
    broken += [f"canary changed: {name}" for name in run.ground.changed()]
    if "Traceback" in run.said:
        broken.append("a traceback")
    expected = {0, 3, 4, 143} if outcome.asked else {0, 3, 4}
    if run.process.returncode not in expected | {-signal.SIGKILL}:
        broken.append(f"exit code {run.process.returncode}")
    temporary = sorted(path.name for path in run.temporary.iterdir())
    if outcome.role in _LEAVES:
        outcome.left = [name for name in temporary if name.startswith("iosonde.")]
    left = [*run.ground.strangers(), *(text for text in temporary if text not in outcome.left)]
    if left:
        broken.append(f"left behind: {', '.join(left)}")
    if run.ground.device:
        claim = run.ground.claimed()
        if claim is None:
            broken.append("the device is still claimed")
        else:
            os.close(claim)
    _resume(run, outcome)
    outcome.said = run.said[-2000:]


def _state(run: _Run) -> str:
    """Of the run in the store: "" where none was begun."""
    if not (run.top / "store.sqlite").exists():
        return ""
    store = open_store(str(run.top / "store.sqlite"))
    try:
        return next((str(line.state) for line in store.runs()), "")
    finally:
        store.close()


def _resume(run: _Run, outcome: Outcome) -> None:
    """A run in the store can be read, goes on, is ended politely, and leaves nothing."""
    try:
        state = _state(run)
    except IosondeError as problem:
        outcome.broken.append(f"the store: {problem}")
        return
    if state in {"", "finished"}:
        return
    if state not in {"interrupted", "failed"}:
        outcome.broken.append(f"the run is {state}")
        return
    arguments = ["run", "--resume"] + (
        ["--destroy", run.ground.target] if run.ground.device else []
    )
    again = run.again(*arguments)
    _until(lambda: again.poll() is not None or "fio" in run.kin.roles(again.pid), 30)
    if (early := again.poll()) is None:
        again.send_signal(signal.SIGTERM)
        again.wait(30)
    said = (run.top / "again").read_text(errors="replace")
    # Both loops may be kept already, and a short one may be over before it is ended.
    if again.returncode not in {0, 143} or (early not in {None, 0}):
        outcome.broken.append(f"resuming: exit code {again.returncode}: {said.strip()[-300:]}")
    _until(lambda: not run.kin.alive(), STATED)
    left = [*run.ground.strangers(), *sorted(path.name for path in run.temporary.iterdir())]
    if left:
        outcome.broken.append(f"left behind after resuming: {', '.join(left)}")
    outcome.broken += [f"canary changed by resuming: {name}" for name in run.ground.changed()]
