"""The host that the shell in memory runs on: files, settings, clock, and what happened to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.change.settings_journal import BOOT, FOLDER
from tests.simulation.disk import Effect
from tests.simulation.shell.errors import Unplayed

if TYPE_CHECKING:
    from tests.simulation.machine import World

RUN = "/run/simulation"
PID, PARENT = "4711", "4710"
_NOT_THERE = frozenset({"/run/systemd/system"})


class Place:
    """What a command can see and change.

    Text is bytes as latin-1 has them. What is done is kept as `effects`, like those that
    tests.simulation.calls reads of system calls.
    """

    def __init__(self, world: World, boot: str) -> None:
        self._later = world.meanwhile
        self.files: dict[str, str] | None = None
        self.settings: dict[str, str] = {}
        self._see(world)
        self.held, self.clock = world.held, str(world.clock)
        self.others = {
            BOOT: f"{boot}\n", "/proc/uptime": "1000.0 0\n", "/dev/null": "",
            f"{RUN}/stubborn": f"{world.stubborn}\n", f"{RUN}/uptime": "1000.0 0\n",
            f"/proc/{PID}/stat": f"{PID} (sh) S {PARENT} 0\n",
        }  # fmt: skip
        self.most: int | None = None
        if world.room is not None:
            self.most = len((world.files or {}).get("journal", b"")) + world.room
        self.effects: list[Effect] = []
        self._set: dict[str, int] = {}
        self._pids = 0
        self._setter = 0

    def _see(self, world: World) -> None:
        if world.files is None:
            self.files = None
        else:
            self.files = {name: data.decode("latin-1") for name, data in world.files.items()}
        self.settings = dict(world.settings)
        self._folders = {"/", "/var", "/var/lib", "/sys", "/sys/block", "/proc", "/run", "/dev"}
        for path in self.settings:
            while (path := path.rpartition("/")[0]) not in self._folders:
                self._folders.add(path)

    def meet(self) -> None:
        """Others do what they do while somebody waits for the journal's lock."""
        if self._later is not None:
            self._see(self._later)
            self._later = None

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
        own = self.own(path)
        if own == ".":
            return "d" if self.files is not None else ""
        if own:
            return "f" if own in (self.files or {}) else ""
        if path in self.settings or path in self.others:
            return "f"
        if path in self._folders:
            return "d"
        if path in _NOT_THERE or path.startswith("/sys/block/"):
            return ""
        raise Unplayed(f"whether there is {path!r}")

    def read(self, path: str) -> str:
        """What stands in a file.

        Raises:
            FileNotFoundError: there is none.
        """
        own = self.own(path)
        found = (self.files or {}).get(own) if own else self.settings.get(path)
        if found is None and not own:
            found = self.others.get(path)
        if found is None:
            if self.kind(path) == "d":
                raise Unplayed(f"reading the directory {path!r}")
            raise FileNotFoundError(path)
        return found

    def create(self, path: str, *, anew: bool) -> None:
        """Open a file for writing."""
        own = self.own(path)
        if own and own != "." and "/" not in own and self.files is not None:
            self.files.setdefault(own, "")
            self.effects.append(("create", own, b""))
            if anew:
                self.files[own] = ""
                self.effects.append(("truncate", own, b""))
        elif path in self.settings and anew:
            self.settings[path] = ""
        else:
            raise Unplayed(f"writing {path!r}")

    def write(self, path: str, text: str, pid: int) -> bool:
        """Write at the end of a file; False: there was no room for all of it."""
        own = self.own(path)
        there = self.files[own] if own and self.files is not None else self.settings[path]
        whole = True
        if self.most is not None and len(there) + len(text) > self.most:
            text, whole = text[: max(self.most - len(there), 0)], False
        if text and own and self.files is not None:
            self.files[own] = there + text
            self.effects.append(("write", own, text.encode("latin-1")))
        elif text:
            self.settings[path] = there + text
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
        if self.files is None or length > len(self.files[own]):
            raise Unplayed("a file made longer")
        self.files[own] = self.files[own][:length]
        self.effects.append(("cut", own, str(length).encode()))

    def rename(self, old: str, new: str) -> None:
        """Give a file another name."""
        was, will = self.own(old), self.own(new)
        if not was or not will or self.files is None or was not in self.files:
            raise Unplayed(f"renaming {old!r} to {new!r}")
        self.files[will] = self.files.pop(was)
        self.effects.append(("rename", was, will.encode()))

    def remove(self, path: str) -> bool:
        """Remove a file; whether it was there."""
        own = self.own(path)
        if not own or own == ".":
            raise Unplayed(f"removing {path!r}")
        if own not in (self.files or {}) or self.files is None:
            return False
        del self.files[own]
        self.effects.append(("unlink", own, b""))
        return True

    def make(self, path: str) -> None:
        """Make a directory where there is none."""
        if self.kind(path) == "d":
            return
        if path != FOLDER:
            raise Unplayed(f"making {path!r}")
        self.files = {}
        self.effects.append(("mkdir", ".", b""))

    def sync(self, path: str) -> bool:
        """Bring a file or directory to the disk; "": all. Whether it is there."""
        if not path:
            self.effects.append(("sync-all", ".", b""))
            return True
        if not self.kind(path):
            return False
        if own := self.own(path):
            self.effects.append(("sync", own, b""))
        return True
