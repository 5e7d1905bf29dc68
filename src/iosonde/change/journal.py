"""What iosonde made on a host, written there before it is made: a crash leaves nothing unknown.

One file for each stack in /var/lib/iosonde/built, a JSON object a line, only ever appended to and
flushed to the disk (fsync(2)) before what it announces is done. A line that a crash cut
short is the last one, and nothing had followed from it yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from iosonde import kerneltext
from iosonde.change.at_work import finished
from iosonde.change.identity import Facts
from iosonde.errors import FileMissing, HostFailed
from iosonde.exact import from_json
from iosonde.hosts.host import Host
from iosonde.hosts.private import require_private
from iosonde.layers.step import Check, Command, UndoSubject
from iosonde.records.stack import Json

STATE = "/var/lib/iosonde"
FOLDER = f"{STATE}/built"
LOCKS = "/run/iosonde"  # gone with what holds them when the host ends
# In one write, since steps of one host are begun at the same time. The folder is flushed when it
# gets the file: each command more costs a host its start.
_APPEND = (
    "umask 077; "
    'test -e "$1" || { mkdir -p "${1%/*}" && : >>"$1" && sync "$1" "${1%/*}"; } && '
    'exec dd of="$1" bs=16M iflag=fullblock oflag=append conv=notrunc,fsync status=none'
)


@dataclass(frozen=True, slots=True)
class Made:
    """One step that was begun on a host, and what would take its work away.

    `state` is "begun" or "done"; `number` counts the steps of the whole stack in the order in which
    they were begun, over all hosts; `step` is its place in the plan of its layer, `of` names all
    layers below its own.

    `subjects` are what its undo works on, None in a record that an older version wrote. By their
    names: `before` is what the devices were whose content it destroys, and `after` what each was
    when the step was done; `boot` is when it was begun.

    `declared` is what was declared of the layer, by key; None in a record of an older version.
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
    subjects: tuple[UndoSubject, ...] | None = ()
    before: Mapping[str, Facts] = field(default_factory=dict)
    after: Mapping[str, Facts] = field(default_factory=dict)
    boot: str = ""
    declared: Mapping[str, Json] | None = None

    @property
    def contents(self) -> frozenset[str]:
        """What the step put on the devices that it destroyed: "ext4 b8c4f632-…"."""
        contents = (self.after[path].contents for path in self.destroys if path in self.after)
        return frozenset[str]().union(*contents)


class Journal:
    """The record of one stack on one host."""

    def __init__(self, host: Host, stack: str) -> None:
        self._host = host
        self._path = f"{FOLDER}/{stack}"
        self.path = self._path
        """Where it lies on its host, for messages."""
        self.lock = f"{LOCKS}/iosonde-{stack}.lock"
        """Held by commands that change what the record says."""
        self.made: dict[int, Made] = {}
        self.own: set[str] = set()
        """All that this stack ever put on devices, here or on a host that this one stores for."""
        self._pending: list[Mapping[str, object]] = []

    @classmethod
    async def read(cls, host: Host, stack: str) -> Journal:
        """What stands in it, once what an earlier controller began has ended; empty for nothing.

        Raises:
            Refused: another user could have written it.
            PermissionMissing: it is root's, and we are not root there.
            HostFailed: a line that is not the last cannot be read, or something is still at work.
        """
        journal = cls(host, stack)
        await require_private(host, STATE, FOLDER, LOCKS)
        await finished(host, journal.lock)
        try:
            text = kerneltext.decoded(await host.read(journal._path))
        except FileMissing:
            return journal
        lines = text.split("\n")
        for number, line in enumerate(lines, 1):
            if not journal._take(line, last=not any(lines[number:])):
                raise HostFailed(
                    f"line {number} of iosonde's record is damaged",
                    where=f"{host.name}:{journal._path}",
                    hint="look at it; `down` needs it to know what to take away",
                )
        if lines[-1]:  # a crash cut the last line short: what follows begins a new one
            await journal._write([{}])
        return journal

    def _take(self, line: str, *, last: bool) -> bool:
        """Go on by a line; False where it is damaged. A crash may have cut the last one short."""
        try:
            entry = from_json(line) if line else None
        except ValueError:
            return last
        try:
            if isinstance(entry, dict) and entry:
                self._replay(entry)
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
            return False
        return True

    def _replay(self, entry: dict[str, Any]) -> None:
        number, state = int(entry["number"]), str(entry["state"])
        if state == "removed":
            self.made.pop(number, None)
        elif state == "done" and number in self.made:
            made = _made(entry) if "layer" in entry else self.made[number]
            after = _facts(entry.get("after", {}))
            self.made[number] = replace(made, state="done", after=after)
            self.own |= self.made[number].contents
        elif state == "begun":
            self.made[number] = _made(entry)
        elif state == "own":
            self.own.update(map(str, entry["contents"]))

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

    def done(self, number: int, after: Mapping[str, Facts] | None = None) -> None:
        """A step is done, and what it works on is as `after` says.

        Written with the next line: without it the step counts as half done.
        """
        made = replace(self.made[number], state="done", after=after or {})
        self.made[number] = made
        self.own |= made.contents
        facts_of = {name: asdict(facts) for name, facts in made.after.items()}
        self._pending.append({"number": number, "state": "done", "after": facts_of})

    def again(self, made: Made) -> None:
        """A step was done again, under the names that things have now; written like `done`."""
        self.made[made.number] = made
        self._pending.append(asdict(made))

    def learn(self, contents: Iterable[str]) -> None:
        """Remember what this stack puts on devices that lie on this host's; written like `done`."""
        new = sorted(set(contents) - self.own)
        if new and self.made:  # else there is nothing here that could carry it
            self.own.update(new)
            self._pending.append({"number": 0, "state": "own", "contents": new})

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
        await self._host.run(command.argv, stdin=kerneltext.encoded(command.stdin))

    def _writing(self, entries: Sequence[Mapping[str, object]]) -> Command:
        text = "".join(json.dumps(entry) + "\n" for entry in entries)
        return Command(("sh", "-c", _APPEND, "sh", self._path), text)


def _made(entry: dict[str, Any]) -> Made:
    there = cast("dict[str, Any]", entry["there"])
    subjects = entry.get("subjects")
    return Made(
        layer=str(entry["layer"]),
        step=int(entry["step"]),
        number=int(entry["number"]),
        does=str(entry["does"]),
        there=Check(tuple(there["argv"]), tuple(there["shows"]), float(there["timeout"])),
        undo=tuple(
            Command(
                tuple(row["argv"]), row["stdin"], float(row["timeout"]), row["may_fail"],
                bool(row.get("wipes")),
            )
            for row in entry["undo"]
        ),
        destroys=tuple(entry["destroys"]),
        state="begun",
        of=tuple(entry["of"]),
        shared=bool(entry["shared"]),
        subjects=None if subjects is None else tuple(
            UndoSubject(**{**subject, "ask": tuple(subject["ask"])}) for subject in subjects
        ),
        before=_facts(entry.get("before", {})),
        after=_facts(entry.get("after", {})),
        boot=str(entry.get("boot", "")),
        declared=entry.get("declared"),
    )  # fmt: skip


def _facts(recorded: Mapping[str, Any]) -> dict[str, Facts]:
    return {name: Facts(**facts) for name, facts in recorded.items()}
