"""A process of the shell: its variables, its open files, and the host that it runs on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.simulation.shell.errors import Unplayed
from tests.simulation.shell.place import Place


class Ended(Exception):
    """The process ends."""

    def __init__(self, status: int) -> None:
        self.status = status


class Returned(Exception):
    """A function returns."""

    def __init__(self, status: int) -> None:
        self.status = status


class Unwritten(Exception):
    """The disk is full."""


class Kept:
    """An open file that is a pipe, or somebody's memory: what was written to it."""

    __slots__ = ("parts",)

    def __init__(self) -> None:
        self.parts: list[str] = []

    def write(self, text: str, process: Process) -> None:
        del process
        self.parts.append(text)

    def traces(self) -> int:
        """How much was written."""
        return len(self.parts)


class Nowhere:
    """/dev/null, open for writing."""

    __slots__ = ()

    def write(self, text: str, process: Process) -> None:
        """Take it."""

    def traces(self) -> int:
        """None."""
        return 0


class Opened:
    """A file of the host, open for writing; all of them write at its end."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def write(self, text: str, process: Process) -> None:
        """Write.

        Raises:
            Unwritten: the disk is full; what there was room for stands there.
        """
        if text and not process.place.write(self.path, text, process.pid):
            raise Unwritten

    def traces(self) -> int:
        """None but those of its place."""
        return 0


class Readable:
    """What is read from, by one process after the other."""

    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def rest(self) -> str:
        """All that is left."""
        left = self.text[self.at :] if self.at else self.text
        self.at = len(self.text)
        return left

    def line(self) -> tuple[str, bool]:
        """The next line without its end, and whether it had one."""
        end = self.text.find("\n", self.at)
        if end < 0:
            return self.rest(), False
        line, self.at = self.text[self.at : end], end + 1
        return line, True

    def traces(self) -> int:
        """How much was read."""
        return self.at


class Process:
    """A shell, or a tool that it started."""

    __slots__ = (
        "files", "functions", "name", "noglob", "pid", "place", "positional", "status", "variables",
    )  # fmt: skip

    def __init__(self, place: Place, name: str, positional: Sequence[str]) -> None:
        self.place, self.name = place, name
        self.positional: list[str] = list(positional)
        self.variables: dict[str, str] = {}
        self.functions: dict[str, Callable[[Process], int]] = {}
        self.files: dict[int, Any] = {}
        self.noglob = False
        self.status = 0
        self.pid = place.next_pid()

    def fork(self) -> Process:
        """Another process that is as this one is."""
        child = Process.__new__(Process)
        child.place, child.name, child.positional = self.place, self.name, self.positional
        child.variables = self.variables.copy()
        child.functions = self.functions
        child.files = self.files.copy()
        child.noglob, child.status = self.noglob, self.status
        child.pid = self.place.next_pid()
        return child

    def state(self) -> Any:
        """All that a subshell can see, but for the host and what can be read."""
        return (
            self.name, self.status, self.noglob, tuple(self.positional), len(self.functions),
            frozenset(self.variables.items()),
        )  # fmt: skip

    def traces(self) -> Any:
        """Something else as soon as a process reads, writes or asks for more than a path's kind."""
        return self.place.calls, [file.traces() for file in self.files.values()]

    def within(self, body: Callable[[Process], int]) -> int:
        """Run something in a process of its own; its status."""
        child = self.fork()
        try:
            return body(child)
        except (Ended, Returned) as end:
            return end.status

    def output(self, body: Callable[[Process], int]) -> str:
        """What something prints that runs in a process of its own, as a substitution has it."""
        child = self.fork()
        child.files[1] = kept = Kept()
        try:
            self.status = body(child)
        except (Ended, Returned) as end:
            self.status = end.status
        said = "".join(kept.parts)
        if "\0" in said:
            said = said.replace("\0", "")
        return said.rstrip("\n")

    def say(self, text: str) -> None:
        """To standard error."""
        self.files[2].write(text, self)

    def open(self, path: str, kind: str) -> Any:
        """A file for reading `<`, for writing `>` or at its end `>>`.

        Raises:
            FileNotFoundError: there is none to read.
        """
        if kind == "<":
            return Readable(self.place.read(path))
        if path == "/dev/null":
            return Nowhere()
        self.place.create(path, anew=kind == ">")
        return Opened(path)

    def read(self) -> Readable:
        """Standard input."""
        document = self.files[0]
        if not isinstance(document, Readable):
            raise Unplayed("reading what is open for writing")
        return document
