"""The record of settings changed on a host, kept there, from which they are put back.

Lines are only appended, and are on the disk before what they announce is done. Beside the journal
lies a POSIX shell script (rollback.sh) that puts everything back from it, without Python and
without the controller; all that is done to the journal is done by that script, one process at a
time. See its head for the format, and docs/decisions/0095 for the reasons.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from iosonde import kerneltext
from iosonde.change.changed import Changed, ValueRefused
from iosonde.contract import ADDED, NULL
from iosonde.errors import CommandFailed, FileMissing, HostFailed, Refused
from iosonde.hosts.cleaning import leaves, left_nothing
from iosonde.hosts.command import quote
from iosonde.hosts.host import Completed, Host
from iosonde.hosts.private import functions, require_private
from iosonde.scripts import source

FOLDER = "/var/lib/iosonde"
JOURNAL = f"{FOLDER}/journal"
SCRIPT = f"{FOLDER}/rollback"
BOOT = "/proc/sys/kernel/random/boot_id"
BESIDE = "-"
"""Stands for the new value of a setting that the kernel changes along with another."""
UNWRITTEN, TOO_LATE = 74, 75
CHANGED_SINCE = 77
"""Somebody else changed a setting of the batch: it is over, with nothing to put back."""
CHANGED_SINCE_OPEN = 78
"""The same, and what another batch has left in force has to be put back."""
# Its content is on the disk before its name: the script of before is the way back until then.
_INSTALL = (
    'umask 077 && cat >"$1.new" && chmod 700 "$1.new" && '
    '{ sync "$1.new" 2>/dev/null || sync; } && mv "$1.new" "$1" && sync'
)
_PRIVATE = "# On the host the functions of hosts/private.sh stand here.\n"


@cache
def script_text() -> bytes:
    """The script that is placed on every host."""
    text = source("iosonde.change", "rollback.sh")
    return text.replace(_PRIVATE, functions() + "\n").encode()


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One setting of a batch.

    `name` is LAYER.NAME, unique on its host; `old` and `new` its values with blanks counted as one
    (`new` is BESIDE where the kernel changes it along with another); `look`, `do` and `undo` are
    argument lists; `device` is a file whose content `its` tells whether the device of that name is
    still the same; what `lasts` outlives a reboot.
    """

    name: str
    old: str
    new: str
    look: tuple[str, ...]
    do: tuple[str, ...]
    undo: tuple[str, ...]
    device: str = ""
    its: str = ""
    lasts: bool = False


@dataclass(slots=True)
class SettingsBatch:
    """Settings that are changed together, confirmed together or put back together.

    `state` is "open" (changed, not confirmed), "confirmed", "kept" (made permanent), "restored",
    "lost" (by a reboot) or "" (nothing was changed yet); `boot` is the kernel's boot_id.
    """

    number: int
    boot: str
    time: float
    owner: str
    state: str = ""
    old: dict[str, str] = field(default_factory=dict)
    new: dict[str, str] = field(default_factory=dict)
    device: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Name → file that tells the device, and what it said."""
    lasts: bool = False
    """Whether one of its settings outlives a reboot."""

    @property
    def stays(self) -> bool:
        """Whether the host leaves it in force."""
        return self.state in {"confirmed", "kept"}


_NUMBER = re.compile(r"[0-9]{1,18}")
_STATE_NAMES = frozenset({"ready", "confirmed", "restored", "lost", "kept", "tentative"})
_STATES = {"ready": "open", "tentative": "confirmed"}


def outcome_of(entry: JournalEntry, done: Completed, where: str) -> Changed:
    """How the change of one setting went, from the command that made it and read it back.

    Raises:
        ValueRefused: the host refused it.
    """
    if done.status != 0:
        said = kerneltext.lines(kerneltext.decoded(done.stderr).strip())
        why = said[-1] if said else done.status
        raise ValueRefused(f"{entry.name}: the host refuses {entry.new!r}: {why}", where=where)
    after = " ".join(kerneltext.decoded(done.stdout).split())
    state: Literal["changed", "unchanged", "rounded", "ignored"]
    if after == entry.new:
        state = "unchanged" if after == entry.old else "changed"
    else:
        state = "ignored" if after == entry.old else "rounded"
    return Changed(entry.name, entry.old, entry.new, after, state, quote(entry.do))


def parse_journal(text: str) -> dict[int, SettingsBatch]:
    """All batches by number, from the text of a journal; lines that a crash cut short are left out.

    The last line counts only when it is whole.
    """
    batches: dict[int, SettingsBatch] = {}
    for row in text.split("\n")[:-1]:
        kind, _, rest = row.partition("\t")
        fields = rest.split("\t")
        if not _NUMBER.fullmatch(fields[0]):
            continue
        number = int(fields[0])
        if kind == "begin" and len(fields) >= 4 and fields[3] and _NUMBER.fullmatch(fields[2]):
            batches[number] = SettingsBatch(number, fields[1], float(fields[2]), fields[3])
        elif number not in batches:
            continue
        elif kind == "old" and len(fields) >= 7:
            batch, name = batches[number], fields[2]
            batch.old.setdefault(name, fields[3][1:])
            batch.device[name] = fields[5][1:], fields[6][1:]
            batch.lasts |= "=lasts" in fields[7:]
            if fields[4] != f"={BESIDE}":
                batch.new[name] = fields[4][1:]
        elif (
            kind in _STATE_NAMES and len(fields) >= 2 and fields[1]
        ):  # cut, it may mean another batch
            batches[number].state = _STATES.get(kind, kind)
    return batches


def batch_lines(number: int, boot: str, owner: str, entries: Sequence[JournalEntry]) -> str:
    """The lines that announce a batch.

    Raises:
        Refused: a value holds a tab or a line break, which no setting has.
    """
    rows = [["begin", str(number), boot, f"{time.time():.0f}", owner]]
    for index, entry in enumerate(entries, 1):
        at = [str(number), str(index)]
        values = [entry.old, entry.new, entry.device, entry.its]
        values += ["lasts"] * entry.lasts
        rows.append(["old", *at, entry.name, *("=" + word for word in values)])
        rows.append(["look", *at, *("=" + word for word in entry.look)])
        rows.append(["undo", *at, *("=" + word for word in entry.undo)])
    rows.append(["ready", str(number), f"{time.time():.0f}"])
    for row in rows:
        for word in row:
            if not word.isprintable():
                raise Refused(
                    "a value with a tab or a line break cannot be journalled",
                    where=entries[int(row[2]) - 1].name if len(row) > 3 and entries else "",
                    evidence=repr(word),
                )
    return "".join("\t".join(row) + "\n" for row in rows)


@dataclass(frozen=True, slots=True)
class PutBack:
    """What became of a setting; "wrong" ones, which are `now` something else, are an error."""

    name: str
    """LAYER.NAME; the number of a batch that a reboot has ended."""
    state: Literal["back", "gone", "lost", "planned", "wrong"] = field(
        metadata={"schema": {"enum": ["back", "gone", "lost", "planned"]}}
    )
    """back: as it was; gone: its device is; lost: ended by a reboot."""
    old: str = field(default="", metadata={**NULL, "name": "value"})
    now: str = field(default="", metadata={**NULL, **ADDED, "name": "found"})
    """What somebody else had made of it since, if anybody has."""


def parse_put_back(stdout: bytes) -> tuple[PutBack, ...]:
    """What the script says of each setting that it looked after."""
    put_back = []
    for row in kerneltext.lines(kerneltext.decoded(stdout)):
        match row.split("\t"):
            case ["back" | "gone" | "wrong" | "lost" as state, name, *values]:
                put_back.append(PutBack(name, state, *(word.removeprefix("=") for word in values)))
    return tuple(put_back)


def _left(number: int) -> str:
    return f"changed settings (batch {number})"


class SettingsJournal:
    """The journal of one host."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.batches: Mapping[int, SettingsBatch] = {}
        self.boot = ""

    @classmethod
    async def read(cls, host: Host) -> SettingsJournal:
        """What stands in it; empty where nothing was ever changed.

        Raises:
            Refused: another user could have written it.
            PermissionMissing: it is root's, and we are not root there.
        """
        journal = cls(host)
        await journal.again()
        if journal.batches:
            await require_private(host, FOLDER)
        return journal

    async def again(self) -> None:
        """Read it anew."""
        self.boot = kerneltext.decoded(await self._host.read(BOOT)).strip()
        try:
            text = kerneltext.decoded(await self._host.read(JOURNAL))
        except FileMissing:
            text = ""
        self.batches = parse_journal(text)

    @property
    def in_force(self) -> tuple[SettingsBatch, ...]:
        """The batches whose changes are in force, in order; of an earlier boot, what is kept."""
        return tuple(
            batch
            for batch in self.batches.values()
            if (batch.boot == self.boot and batch.state in {"open", "confirmed", "kept"})
            or (batch.lasts and batch.state == "kept")
        )

    @property
    def last(self) -> int:
        """Number of the newest batch; 0: there is none."""
        return max(self.batches, default=0)

    @property
    def tentative(self) -> frozenset[str]:
        """Names of the settings that are changed and that `restore` would put back."""
        return frozenset(
            name for batch in self.in_force if batch.state != "kept" for name in batch.new
        )

    @property
    def before(self) -> dict[str, str]:
        """What `restore` would put back: name → value before its first change, in their order."""
        before: dict[str, str] = {}
        for batch in self.in_force:
            for name, value in batch.old.items() if batch.state != "kept" else ():
                before.setdefault(name, value)
        return before

    async def at_boot(self) -> dict[str, str]:
        """What settings were before iosonde first changed them in this boot, by name.

        Those of a device that has gone since, or whose name another one has, are left out.
        """
        here = [batch for batch in self.batches.values() if batch.boot == self.boot and batch.state]
        paths = sorted({path for batch in here for path, _ in batch.device.values() if path})
        now = {
            path: kerneltext.decoded(content).strip()
            for path, content in (await self._host.read_many(paths) if paths else {}).items()
            if isinstance(content, bytes)
        }
        values: dict[str, str] = {}
        for batch in here:
            for name, value in batch.old.items():
                path, its = batch.device[name]
                if not path or now.get(path) == its:
                    values.setdefault(name, value)
        return values

    async def install(self, *, anew: bool = True) -> None:
        """Place the script on the host, where it is not there as it is now, in a private directory.

        Args:
            anew: also where another version is there; only whoever has the lock may say so, since
                others may be at work with it.

        Raises:
            Refused: another user could change what is in the directory.
            HostFailed: it cannot be written.
        """
        try:
            await require_private(self._host, FOLDER, make=True)
        except CommandFailed as problem:
            raise self._unwritten(problem.stderr) from None
        try:
            there = await self._host.read(SCRIPT)
        except FileMissing:
            there = b""
        if there != script_text() and (anew or not there):
            argv = ["sh", "-c", _INSTALL, "sh", SCRIPT]
            done = await self._host.run(argv, stdin=script_text(), check=False)
            if done.status != 0:
                raise self._unwritten(done.stderr, done.status)

    async def settle(self) -> tuple[PutBack, ...]:
        """Put back what was never confirmed; note what a reboot has ended.

        Raises:
            HostFailed: something could not be put back; the message says what.
        """
        put_back = await self._put_back("settle")
        await self.again()
        return tuple(put_back)

    async def begin(self, owner: str, entries: Sequence[JournalEntry]) -> int:
        """Announce a batch; its number. All of it is on the disk when this returns."""
        number = self.last + 1
        text = batch_lines(number, self.boot, owner, entries)
        argv = ["sh", SCRIPT, "begin"]
        done = await self._host.run(
            argv, stdin=kerneltext.encoded(text), timeout=600.0, check=False
        )
        if done.status != 0:
            raise self._unwritten(done.stderr, done.status)
        self.batches = {**self.batches, **parse_journal(text)}
        leaves(self._host.name, _left(number), ["sh", SCRIPT])
        return number

    async def arm(self, number: int, seconds: float) -> str:
        """Let the host put the batch back by itself unless it is confirmed in time.

        Returns:
            who watches: "by systemd" or "by a process".
        """
        argv = ["sh", SCRIPT, "arm", str(number), f"{max(round(seconds), 1)}"]
        done = await self._host.run(argv, timeout=600.0)
        return kerneltext.decoded(done.stdout).strip()

    async def change(self, number: int, index: int, entry: JournalEntry) -> Changed:
        """Set one setting of a batch that is open, and read it back.

        Raises:
            ValueRefused: the host refused it.
            HostFailed: the host has put the batch back already, or cannot be reached; or somebody
                else has changed a setting of the batch since it was looked at.
        """
        argv = ["sh", SCRIPT, "change", str(number), str(index), *entry.do]
        done = await self._host.run(argv, check=False)
        if done.status == TOO_LATE:
            raise self._too_late()
        if done.status == UNWRITTEN:
            raise self._unwritten(done.stderr)
        if done.status in {CHANGED_SINCE, CHANGED_SINCE_OPEN}:
            if done.status == CHANGED_SINCE:
                self.batches[number].state = "restored"
                left_nothing(self._host.name, _left(number))
            said = kerneltext.decoded(done.stderr).strip()
            raise HostFailed(
                f"somebody else has changed what was to be changed meanwhile: {said}",
                where=self._host.name,
                hint="see who does so, then give the command again",
            )
        return outcome_of(entry, done, self._host.name)

    async def confirm(self, number: int) -> None:
        """The batch stays in force.

        Raises:
            HostFailed: the host has put it back already.
        """
        done = await self._host.run(["sh", SCRIPT, "confirm", str(number)], check=False)
        if done.status == TOO_LATE:
            raise self._too_late()
        done.checked(self._host.name)
        self.batches[number].state = "confirmed"
        left_nothing(self._host.name, _left(number))

    async def restore(self, number: int | None = None, why: str = "asked for") -> list[PutBack]:
        """Put back one batch that is not confirmed, or all that is in force.

        Raises:
            HostFailed: something could not be put back; the message says what.
        """
        arguments = ["all", why] if number is None else ["batch", str(number), why]
        put_back = await self._put_back(*arguments)
        for batch in self.batches if number is None else (number,):
            left_nothing(self._host.name, _left(batch))
        if number is None or number not in self.batches:
            await self.again()
        elif self.batches[number].state == "open":  # a long journal is not read for each candidate
            self.batches[number].state = "restored"
        return put_back

    async def _put_back(self, *arguments: str) -> list[PutBack]:
        done = await self._host.run(["sh", SCRIPT, *arguments], check=False, timeout=600.0)
        put_back = list(parse_put_back(done.stdout))
        wrong = [setting for setting in put_back if setting.state == "wrong"]
        if wrong:
            raise HostFailed(
                "could not put back "
                + "; ".join(
                    f"{setting.name} (is {setting.now}, was {setting.old})" for setting in wrong
                ),
                where=self._host.name,
                hint=f"correct what refuses it, then `iosonde rollback`, or `sh {SCRIPT}` there",
            )
        done.checked(self._host.name)
        return put_back

    async def mark(self, word: str, numbers: Iterable[int]) -> None:
        """Note of batches that they are "kept", or "tentative" again."""
        if some := [str(number) for number in numbers]:
            await self._host.run(["sh", SCRIPT, "mark", word, *some], timeout=600.0)

    def _unwritten(self, stderr: bytes, status: int = 1) -> HostFailed:
        said = kerneltext.decoded(stderr).strip() or f"status {status}"
        return HostFailed(
            f"the journal in {FOLDER} cannot be written, so nothing is changed: "
            + kerneltext.lines(said)[-1],
            where=self._host.name,
            hint="be root there, and see that the disk is neither full nor read-only",
        )

    def _too_late(self) -> HostFailed:
        return HostFailed(
            "no confirmation came in time, so the host has put the settings back by itself",
            where=self._host.name,
            hint="give it more time with --confirm SECONDS",
        )
