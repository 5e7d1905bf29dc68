"""The host that the shell in memory runs on: files, settings, clock, and what happened to them."""

from __future__ import annotations

from iosonde.change.settings_journal import BOOT, FOLDER
from tests.simulation.disk import Effect
from tests.simulation.shell.errors import Unplayed
from tests.simulation.world import Answer, Question, Sight, World, boot_id

RUN = "/run/simulation"
PID, PARENT = "4711", "4710"
_FOLDERS = frozenset({
    "/", "/var", "/var/lib", "/sys", "/sys/block", "/proc", "/run", "/dev",
})  # fmt: skip
_NOT_THERE = frozenset({"/run/systemd/system"})


class Place:
    """What a command can see and change.

    Text is bytes as latin-1 has them. What is done is kept as `effects`, like those that
    tests.simulation.calls reads of system calls. `asked` are the questions that decided about it,
    in order, with their answers; `kinds` are the paths that were looked at, with what is there, and
    `calls` counts whatever else was done here.
    """

    def __init__(self, world: World) -> None:
        self._sight = Sight(world)
        self.asked: list[tuple[Question, Answer]] = []
        self.kinds: list[tuple[str, str]] = []
        self.calls = 0
        self.effects: list[Effect] = []
        self._pids = 0
        self._setter = 0
        self._facts: dict[Question, Answer] = {}
        self._others = {
            "/proc/uptime": "1000.0 0\n", "/dev/null": "", f"{RUN}/uptime": "1000.0 0\n",
            f"/proc/{PID}/stat": f"{PID} (sh) S {PARENT} 0\n",
        }  # fmt: skip
        self._there: bool | None = None
        self._files: dict[str, str | None] = {}
        self._settings: dict[str, str | None] = {}

    def _ask(self, subject: str, name: str = "") -> Answer:
        question = subject, name
        answer = self._sight.answer(question)
        self.asked.append((question, answer))
        return answer

    def _fact(self, subject: str, name: str = "") -> Answer:
        """What does not change meanwhile."""
        question = subject, name
        if question not in self._facts:
            self._facts[question] = self._ask(subject, name)
        return self._facts[question]

    def _has_directory(self) -> bool:
        if self._there is None:
            self._there = bool(self._ask("directory"))
        return self._there

    def _file(self, name: str) -> str | None:
        if not self._has_directory():
            return None
        if name not in self._files:
            data = self._ask("file", name)
            self._files[name] = data.decode("latin-1") if isinstance(data, bytes) else None
        return self._files[name]

    def _setting(self, path: str) -> str | None:
        if path not in self._settings:
            text = self._ask("setting", path)
            self._settings[path] = text if isinstance(text, str) else None
        return self._settings[path]

    def _other(self, path: str) -> str | None:
        if path == BOOT:
            return f"{boot_id(int(self._fact('boot') or 0))}\n"
        if path == f"{RUN}/stubborn":
            return f"{self._fact('stubborn')!s}\n"
        return self._others.get(path)

    def clock(self) -> str:
        """The time, in seconds."""
        self.calls += 1
        return str(self._fact("clock"))

    def held(self) -> bool:
        """Whether somebody else has the lock on settings."""
        self.calls += 1
        return bool(self._fact("held"))

    def pass_time(self) -> None:
        """Whoever waits has waited long enough."""
        self.calls += 1
        self._others["/proc/uptime"] = "999999999.0 0\n"

    def meet(self) -> None:
        """Others do what they do while somebody waits for the journal's lock."""
        self.calls += 1
        if self._ask("meanwhile"):
            self._there = None
            self._files.clear()
            self._settings.clear()

    def next_pid(self) -> int:
        """A number that no other process has."""
        self._pids += 1
        return self._pids

    def own(self, path: str) -> str:
        """The name of a file of the journal's directory; "." is that itself, "" another place."""
        if path == FOLDER:
            return "."
        return path[len(FOLDER) + 1 :] if path.startswith(f"{FOLDER}/") else ""

    def kind(self, path: str) -> str:
        """ "d" for a directory, "f" for a file, "" for what is not there.

        Raises:
            Unplayed: that is not simulated.
        """
        kind = self._kind(path)
        self.kinds.append((path, kind))
        return kind

    def _kind(self, path: str) -> str:
        own = self.own(path)
        if own == ".":
            return "d" if self._has_directory() else ""
        if own:
            return "f" if self._file(own) is not None else ""
        if path in _FOLDERS:
            return "d"
        if path.startswith("/sys/block/"):
            if self._setting(path) is not None:
                return "f"
            return "d" if self._ask("folder", path) else ""
        if path in _NOT_THERE:
            return ""
        if self._other(path) is None:
            raise Unplayed(f"whether there is {path!r}")
        return "f"

    def read(self, path: str) -> str:
        """What stands in a file.

        Raises:
            FileNotFoundError: there is none.
        """
        self.calls += 1
        own = self.own(path)
        if own:
            text = self._file(own)
        else:
            text = self._setting(path) if path.startswith("/sys/") else self._other(path)
        if text is None:
            if self.kind(path) == "d":
                raise Unplayed(f"reading the directory {path!r}")
            raise FileNotFoundError(path)
        return text

    def create(self, path: str, *, anew: bool) -> None:
        """Open a file for writing."""
        self.calls += 1
        own = self.own(path)
        if own and own != "." and "/" not in own and self._has_directory():
            self._files[own] = self._file(own) or ""
            self.effects.append(("create", own, b""))
            if anew:
                self._files[own] = ""
                self.effects.append(("truncate", own, b""))
        elif path.startswith("/sys/") and anew and self._setting(path) is not None:
            self._settings[path] = ""
        else:
            raise Unplayed(f"writing {path!r}")

    def write(self, path: str, text: str, pid: int) -> bool:
        """Write at the end of a file; False: there was no room for all of it."""
        self.calls += 1
        own = self.own(path)
        there = (self._file(own) if own else self._setting(path)) or ""
        most = self._fact("most")
        whole = True
        if isinstance(most, int) and len(there) + len(text) > most:
            text, whole = text[: max(most - len(there), 0)], False
        if text and own:
            self._files[own] = there + text
            self.effects.append(("write", own, text.encode("latin-1")))
        elif text:
            self._settings[path] = there + text
            self._note_set(path, text, pid)
        return whole

    def _note_set(self, path: str, text: str, pid: int) -> None:
        """What one process sets, with nothing between, is one effect."""
        data = path.encode() + b"=" + text.encode("latin-1") + b"\0"
        if self._setter == pid and self.effects and self.effects[-1][0] == "set":
            data = self.effects.pop()[2] + data
        self._setter = pid
        self.effects.append(("set", "", data))

    def cut(self, path: str, length: int) -> None:
        """Shorten a file."""
        self.create(path, anew=False)
        own = self.own(path)
        text = self._file(own) or ""
        if length > len(text):
            raise Unplayed("a file made longer")
        self._files[own] = text[:length]
        self.effects.append(("cut", own, str(length).encode()))

    def rename(self, old: str, new: str) -> None:
        """Give a file another name."""
        self.calls += 1
        was, will = self.own(old), self.own(new)
        text = self._file(was) if was and will else None
        if text is None:
            raise Unplayed(f"renaming {old!r} to {new!r}")
        self._files[will], self._files[was] = text, None
        self.effects.append(("rename", was, will.encode()))

    def remove(self, path: str) -> bool:
        """Remove a file; whether it was there."""
        self.calls += 1
        own = self.own(path)
        if not own or own == ".":
            raise Unplayed(f"removing {path!r}")
        if self._file(own) is None:
            return False
        self._files[own] = None
        self.effects.append(("unlink", own, b""))
        return True

    def make(self, path: str) -> None:
        """Make a directory where there is none."""
        self.calls += 1
        if self.kind(path) == "d":
            return
        if path != FOLDER:
            raise Unplayed(f"making {path!r}")
        self._there = True
        self.effects.append(("mkdir", ".", b""))

    def sync(self, path: str) -> bool:
        """Bring a file or directory to the disk; "": all. Whether it is there."""
        self.calls += 1
        if not path:
            self.effects.append(("sync-all", ".", b""))
            return True
        if not self.kind(path):
            return False
        if own := self.own(path):
            self.effects.append(("sync", own, b""))
        return True
