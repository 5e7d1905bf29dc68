"""Runs commands of a host, each in the state that the simulation gives it.

The shell in memory runs them (tests/simulation/shell). Some of these executions, and what that
shell does not know, are run for real: in a mount namespace of its own (`enclosed`) the host's
places are files of the simulation: /var/lib, /sys/block, the boot_id and the uptime. strace tells
what a command did there, call by call. A command is run once for all states that answer alike all
that it asks.
"""

from __future__ import annotations

import hashlib
import marshal
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from iosonde.change.settings_journal import BOOT, FOLDER
from tests.mount_namespace import divide
from tests.simulation.calls import CALLS, effects
from tests.simulation.disk import Disk, Effect, settings_of
from tests.simulation.shell.errors import Unplayed
from tests.simulation.shell.play import Execution, play
from tests.simulation.world import Answer, Question, Sight, World, boot_id

HERE = Path("/run/simulation")
_TOOLS = Path(__file__).parent / "tools"
_STRACE = (
    "strace", "-f", "--seccomp-bpf", "-qq", "-y", "-xx", "-s", "1000000", "-e", "signal=none",
    "-e", "inject=sync:retval=0", "-e", f"trace={CALLS}", "-o", str(HERE / "log"),
)  # fmt: skip


_MOST = 30_000  # executions that are remembered: some hundreds of megabytes
_Asked: TypeAlias = "tuple[Question, dict[Answer, _Asked | Execution]]"
"""What a command asks next, and how it goes on after each answer."""
_PID = re.compile(rb"(?<=\n)\d+\n\Z")


def enclosed() -> None:
    """Make the places, as root, in a mount namespace that is this process's from now on."""
    divide()
    for place in ("/run", "/var/lib", "/sys/block"):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", place], check=True)
    shutil.copytree(_TOOLS, HERE / "bin")
    (HERE / "meanwhile").mkdir()
    for name, place in (("boot_id", BOOT), ("uptime", "/proc/uptime")):
        (HERE / name).write_text("0 0\n")
        subprocess.run(["mount", "--bind", HERE / name, place], check=True)


class Different(AssertionError):
    """The shell in memory did something else than the real one."""


_LINE = re.compile(rb": \d+: ")


@dataclass(slots=True)
class Machine:
    """The one host on which commands run, each once for all states that look alike to it.

    Of what is run in memory, one execution of `every` is run for real too, and both must do the
    same (0: none is). Which ones follows from the command and what it saw.
    """

    every: int = 0
    executions: int = 0
    real: int = 0
    """How many of them were run for real alone, because the shell in memory knows too little."""
    compared: int = 0
    """How many were run in memory and for real."""
    _remembered: dict[tuple[Sequence[str], bytes], dict[Answer, _Asked | Execution]] = field(
        default_factory=dict
    )

    def execute(self, argv: Sequence[str], stdin: bytes, world: World) -> Execution:
        """What a command does in a state of the host, and prints.

        Raises:
            Different: run for real, it does something else.
        """
        argv = tuple(str(word) for word in argv)
        branches = self._remembered.setdefault((argv, stdin), {})
        at: Answer = None  # before anything is asked
        sight = Sight(world)
        while isinstance(step := branches.get(at), tuple):
            question, branches = step
            at = sight.answer(question)
        if step is not None:
            return step
        self.executions += 1
        if self.executions % _MOST == 0:
            self._remembered.clear()
        try:
            execution, asked = play(argv, stdin, world)
        except Unplayed:
            if not self.every:
                raise
            self.real += 1
            return self.run(argv, stdin, world)
        digest = hashlib.sha256(marshal.dumps([argv, stdin, asked], 2)).digest()
        if self.every and int.from_bytes(digest[:4]) % self.every == 0:
            self.compared += 1
            self.compare(argv, stdin, world, execution)
        self._remember(argv, stdin, asked, execution)
        return execution

    def _remember(
        self,
        argv: Sequence[str],
        stdin: bytes,
        asked: Sequence[tuple[Question, Answer]],
        execution: Execution,
    ) -> None:
        branches = self._remembered.setdefault((argv, stdin), {})
        at: Answer = None
        for question, answer in asked:
            step = branches.setdefault(at, (question, {}))
            # What a command asks follows from what it has learnt.
            assert isinstance(step, tuple), f"{argv} asks {question} where it asked no more"
            assert step[0] == question, f"{argv} asks {question} where it asked {step[0]}"
            branches, at = step[1], answer
        branches[at] = execution

    def compare(self, argv: Sequence[str], stdin: bytes, world: World, played: Execution) -> None:
        """See that a command does the same for real.

        Raises:
            Different: it does not.
        """
        real = self.run(argv, stdin, world)
        # The real shell also tells in which line of a script something failed.
        both = [
            replace(execution, stderr=_LINE.sub(b": 0: ", execution.stderr))
            for execution in (played, real)
        ]
        if both[0] != both[1]:
            raise Different(f"{argv} with {stdin!r} in {world}:\nin memory {played}\nreally {real}")

    def run(self, argv: Sequence[str], stdin: bytes, world: World) -> Execution:
        """What a command does for real."""
        self._place(world)
        limit: tuple[str, ...] = ()
        if world.room is not None:
            most = len((world.files or {}).get("journal", b"")) + world.room
            limit = ("prlimit", f"--fsize={most}")
        done = subprocess.run(
            [*_STRACE, *limit, *argv],
            input=stdin, capture_output=True, timeout=60, check=False,
            env={"PATH": f"{HERE}/bin:/usr/bin:/bin"}, cwd="/",
            restore_signals=False,  # SIGXFSZ is ignored, so a full disk is an error
        )  # fmt: skip
        done_effects = tuple(effects((HERE / "log").read_text(), f"{HERE}/others-"))
        self._check(world.meanwhile or world, done_effects)
        # The process that holds the lock has another number each time.
        alike = tuple(
            (kind, name, _PID.sub(b"4711\n", data) if name == "owner" else data)
            for kind, name, data in done_effects
        )
        return Execution(alike, done.returncode, done.stdout, done.stderr)

    def _place(self, world: World) -> None:
        folder = Path(FOLDER)
        if folder.exists():
            shutil.rmtree(folder)
        if world.files is not None:
            folder.mkdir(mode=0o700)
            for name, content in world.files.items():
                (folder / name).write_bytes(content)
                (folder / name).chmod(0o700)
        self._settings(world.settings)
        for name, text in (
            ("boot_id", boot_id(world.boot)), ("uptime", "1000.0 0"), ("clock", str(world.clock)),
            ("stubborn", world.stubborn), ("held", "yes" if world.held else "no"),
        ):  # fmt: skip
            (HERE / name).write_text(f"{text}\n")
        if world.meanwhile is not None:
            self._meanwhile(world, world.meanwhile)

    @staticmethod
    def _meanwhile(world: World, later: World) -> None:
        was, is_ = world.files or {}, later.files or {}
        for name in was.keys() - is_.keys():
            (HERE / "meanwhile" / f"gone:{name}").touch()
        for name, content in is_.items():
            if was.get(name) != content:
                (HERE / "meanwhile" / name).write_bytes(content)
        for path, text in later.settings.items():
            if world.settings[path] != text:
                (HERE / "meanwhile" / f"sys:{path.replace('/', ':')}").write_text(text)

    @staticmethod
    def _settings(settings: Mapping[str, str]) -> None:
        there = {str(path) for path in Path("/sys/block").rglob("*") if path.is_file()}
        for path in there - settings.keys():
            Path(path).unlink()
        for path, text in settings.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text)

    @staticmethod
    def _check(world: World, done: Sequence[Effect]) -> None:
        """See that the effects are all that has happened."""
        disk = Disk.of(world.files)
        settings = dict(world.settings)
        for effect in done:
            disk.apply(effect)
            settings |= settings_of(effect)
        folder = Path(FOLDER)
        real = (
            {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}
        )
        for name in disk.files.keys() | real.keys():
            assert disk.files.get(name) == real.get(name), (name, disk.files.get(name), done)
        assert settings == {path: Path(path).read_text() for path in settings}, done
