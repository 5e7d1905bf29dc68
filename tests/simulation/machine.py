"""Runs commands of a host for real, each in the state that the simulation gives it.

In a mount namespace of its own (`enclosed`) the host's places are files of the simulation:
/var/lib, /sys/block, the boot_id and the uptime. strace tells what a command did there, call by
call. The same command in the same state is run once.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import pickle
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from iosonde.change.settings_journal import BOOT, FOLDER
from tests.simulation.calls import CALLS, effects
from tests.simulation.disk import Disk, Effect, settings_of

HERE = Path("/run/simulation")
_TOOLS = Path(__file__).parent / "tools"
_STRACE = (
    "strace", "-f", "--seccomp-bpf", "-qq", "-y", "-xx", "-s", "1000000", "-e", "signal=none",
    "-e", "inject=sync:retval=0", "-e", f"trace={CALLS}", "-o", str(HERE / "log"),
)  # fmt: skip


_PID = re.compile(rb"(?<=\n)\d+\n\Z")


@dataclass(frozen=True, slots=True)
class World:
    """All that a command on the host can see.

    `files` are those of FOLDER (None: there is no such directory), `settings` those of /sys/block,
    `stubborn` the setting that takes nothing, `room` the bytes that the journal may still grow by
    (None: any), `held` whether somebody else has the lock on settings. While the command waits for
    the other lock, the files and settings become those of `meanwhile`.
    """

    files: Mapping[str, bytes] | None
    settings: Mapping[str, str]
    boot: int = 1
    clock: int = 1_700_000_000
    stubborn: str = ""
    room: int | None = None
    held: bool = False
    meanwhile: World | None = None

    @property
    def key(self) -> Any:
        """Equal for worlds in which every command does the same."""
        files = None if self.files is None else tuple(sorted(self.files.items()))
        later = self.meanwhile.key if self.meanwhile else None
        return (files, tuple(sorted(self.settings.items())), self.boot, self.clock, self.stubborn,
                self.room, self.held, later)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Execution:
    """What a command did, in order, and how it ended."""

    effects: tuple[Effect, ...]
    status: int
    stdout: bytes
    stderr: bytes


@cache
def _tools() -> bytes:
    """What the simulated tools are."""
    return b"".join(path.read_bytes() for path in sorted(_TOOLS.iterdir()))


def boot_id(boot: int) -> str:
    """The kernel's name of a boot."""
    return f"{boot:08d}-0000-4000-8000-000000000000"


def enclosed() -> None:
    """Make the places; call it as root in a mount namespace of its own."""
    for place in ("/run", "/var/lib", "/sys/block"):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", place], check=True)
    shutil.copytree(_TOOLS, HERE / "bin")
    (HERE / "meanwhile").mkdir()
    for name, place in (("boot_id", BOOT), ("uptime", "/proc/uptime")):
        (HERE / name).write_text("0 0\n")
        subprocess.run(["mount", "--bind", HERE / name, place], check=True)


@dataclass(slots=True)
class Machine:
    """The one host on which commands run; `runs` counts those that were not known yet.

    What is known is also kept in files of the directory `kept`, where there is one, and read from
    all of them: long plays go on where they were ended.
    """

    kept: Path | None = None
    runs: int = 0
    _known: dict[tuple[bytes, bool], Execution] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in self.kept.iterdir() if self.kept else ():
            with path.open("rb") as file, suppress(EOFError, pickle.UnpicklingError):
                while True:
                    key, known = pickle.load(file)
                    self._known[key] = known

    def execute(
        self, argv: Sequence[str], stdin: bytes, world: World, *, traced: bool = True
    ) -> Execution:
        """What a command does in a state of the host, and prints.

        Args:
            argv: the command.
            stdin: what it reads.
            world: the state.
            traced: the effects are to be those of each call; else they are what is different after.
        """
        key = hashlib.sha256(marshal.dumps([_tools(), list(argv), stdin, world.key], 2)).digest()
        known = self._known.get((key, True)) or self._known.get((key, traced))
        if known is None:
            known = self._known[key, traced] = self._run(argv, stdin, world, traced=traced)
            self.runs += 1
            if self.kept is not None:
                with (self.kept / str(os.getpid())).open("ab") as file:
                    pickle.dump(((key, traced), known), file)
        return known

    def _run(self, argv: Sequence[str], stdin: bytes, world: World, *, traced: bool) -> Execution:
        self._place(world)
        limit: tuple[str, ...] = ()
        if world.room is not None:
            most = len((world.files or {}).get("journal", b"")) + world.room
            limit = ("prlimit", f"--fsize={most}")
        done = subprocess.run(
            [*(_STRACE if traced else ()), *limit, *argv],
            input=stdin, capture_output=True, timeout=60, check=False,
            env={"PATH": f"{HERE}/bin:/usr/bin:/bin"}, cwd="/",
            restore_signals=False,  # SIGXFSZ is ignored, so a full disk is an error
        )  # fmt: skip
        if not traced:
            return Execution(
                tuple(self._differences(world)), done.returncode, done.stdout, done.stderr
            )
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
    def _differences(world: World) -> Iterator[Effect]:
        """What is different from how it was."""
        was, is_ = world.files or {}, {one.name: one.read_bytes() for one in Path(FOLDER).iterdir()}
        for name in was.keys() - is_.keys():
            yield "unlink", name, b""
        for name, content in is_.items():
            if was.get(name) != content:
                yield "create", name, b""
                yield "truncate", name, b""
                yield "write", name, content
        now = {path: Path(path).read_text() for path in world.settings}
        rows = [f"{path}={text}\0" for path, text in now.items() if text != world.settings[path]]
        yield "set", "", "".join(rows).encode()

    @staticmethod
    def _check(world: World, done: Sequence[Effect]) -> None:
        """See that the effects are all that has happened."""
        disk = Disk.of(world.files)
        settings = dict(world.settings)
        for effect in done:
            disk.apply(effect)
            settings |= settings_of(effect)
        folder = Path(FOLDER)
        real = {one.name: one.read_bytes() for one in folder.iterdir()} if folder.exists() else {}
        for name in disk.files.keys() | real.keys():
            assert disk.files.get(name) == real.get(name), (name, disk.files.get(name), done)
        assert settings == {path: Path(path).read_text() for path in settings}, done
