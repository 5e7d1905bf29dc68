"""What iosonde made on a host, written there before it is made: a crash leaves nothing unknown.

One file for each stack in /var/lib/iosonde/built, a JSON object a line, only ever appended to and
flushed to the disk (fsync(2)) before what it announces is done. A line that a crash cut
short is the last one, and nothing had followed from it yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from iosonde.change.at_work import finished
from iosonde.errors import FileMissing, HostFailed
from iosonde.hosts.host import Host
from iosonde.layers.step import Check, Command

FOLDER = "/var/lib/iosonde/built"
LOCKS = "/run"  # gone with what holds them when the host ends
# In one write, since steps of one host are begun at the same time. The folder is flushed when it
# gets the file: each command more costs a host its start.
_APPEND = (
    'test -e "$1" || { mkdir -p "${1%/*}" && : >>"$1" && sync "$1" "${1%/*}"; } && '
    'exec dd of="$1" bs=16M iflag=fullblock oflag=append conv=notrunc,fsync status=none'
)


@dataclass(frozen=True, slots=True)
class Made:
    """One step that was begun on a host, and what would take its work away.

    `state` is "begun" or "done"; `number` counts the steps of the whole stack in the order in which
    they were begun, over all hosts; `step` is its place in the plan of its layer, `of` names all
    layers below its own.
    """

    layer: str
    step: int
    number: int
    does: str
    there: Check
    undo: tuple[Command, ...]
    destroys: tuple[str, ...]
    state: str
    of: tuple[str, ...] = ()
    shared: bool = False


class Journal:
    """The record of one stack on one host."""

    def __init__(self, host: Host, stack: str) -> None:
        self._host = host
        self._path = f"{FOLDER}/{stack}"
        self.lock = f"{LOCKS}/iosonde-{stack}.lock"
        """Held by commands that change what the record says."""
        self.made: dict[int, Made] = {}
        self._pending: list[Mapping[str, object]] = []

    @classmethod
    async def read(cls, host: Host, stack: str) -> Journal:
        """What stands in it, once what an earlier controller began has ended; empty for nothing.

        Raises:
            HostFailed: a line that is not the last cannot be read, or something is still at work.
        """
        journal = cls(host, stack)
        await finished(host, journal.lock)
        try:
            text = (await host.read(journal._path)).decode(errors="replace")
        except FileMissing:
            return journal
        lines = text.split("\n")
        for number, line in enumerate(lines, 1):
            try:
                entry = json.loads(line) if line else None
            except ValueError:
                if any(lines[number:]):
                    raise HostFailed(
                        f"line {number} of iosonde's record is damaged",
                        where=f"{host.name}:{journal._path}",
                        hint="look at it; `down` needs it to know what to take away",
                    ) from None
                entry = None
            if isinstance(entry, dict) and entry:
                journal._replay(entry)
        if lines[-1]:  # a crash cut the last line short: what follows begins a new one
            await journal._write([{}])
        return journal

    def _replay(self, entry: dict[str, Any]) -> None:
        number, state = int(entry["number"]), str(entry["state"])
        if state == "removed":
            self.made.pop(number, None)
        elif state == "done" and number in self.made:
            self.made[number] = replace(self.made[number], state="done")
        elif state == "begun":
            self.made[number] = _made(entry)

    def find(self, layer: str, step: int) -> Made | None:
        """What is recorded of a step."""
        for made in self.made.values():
            if (made.layer, made.step) == (layer, step):
                return made
        return None

    def begin(self, made: Made) -> Command:
        """The command that writes down that a step is about to be done.

        It returns when the line is on the disk, and must be run before the step's own.
        """
        self.made[made.number] = made
        pending, self._pending = self._pending, []
        return self._writing([*pending, asdict(made)])

    def done(self, number: int) -> None:
        """A step is done; written with the next line, since losing this one does no harm."""
        self.made[number] = replace(self.made[number], state="done")
        self._pending.append({"number": number, "state": "done"})

    async def flush(self) -> None:
        """What is not written yet."""
        if self._pending:
            pending, self._pending = self._pending, []
            await self._write(pending)

    async def removed(self, numbers: Iterable[int]) -> None:
        """Steps are undone; the record ends with the last of them."""
        gone = list(numbers)
        for number in gone:
            self.made.pop(number, None)
        if self.made:
            await self._write([{"number": number, "state": "removed"} for number in gone])
        else:
            await self._host.run(["rm", "-f", "--", self._path, self.lock])
            await self._host.run(["rmdir", FOLDER], check=False)

    async def _write(self, entries: Sequence[Mapping[str, object]]) -> None:
        command = self._writing(entries)
        await self._host.run(command.argv, stdin=command.stdin.encode())

    def _writing(self, entries: Sequence[Mapping[str, object]]) -> Command:
        text = "".join(json.dumps(entry) + "\n" for entry in entries)
        return Command(("sh", "-c", _APPEND, "sh", self._path), text)


def _made(entry: dict[str, Any]) -> Made:
    there = cast("dict[str, Any]", entry["there"])
    return Made(
        layer=str(entry["layer"]),
        step=int(entry["step"]),
        number=int(entry["number"]),
        does=str(entry["does"]),
        there=Check(tuple(there["argv"]), tuple(there["shows"]), float(there["timeout"])),
        undo=tuple(
            Command(tuple(one["argv"]), one["stdin"], float(one["timeout"]), one["may_fail"])
            for one in entry["undo"]
        ),
        destroys=tuple(entry["destroys"]),
        state="begun",
        of=tuple(entry["of"]),
        shared=bool(entry["shared"]),
    )
