"""Histories of the simulated host, each drawn from one seed, and what must hold in all of them.

A history has a past, which many share, and a present: one controller at work, one blow while one
of its commands is under way, then the recovery, which may be struck too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from unittest.mock import patch

from iosonde.change import settings_journal, settings_lock
from iosonde.change.settings_journal import SCRIPT, SettingsBatch, parse_journal
from tests.simulation.host import LASTS, Blow, Gone, Reached, Simulated, cut, usual
from tests.simulation.machine import Machine
from tests.simulation.scenes import CAMPAIGN, CONFIRM, REFUSED, SETS, SETTINGS, mark, play
from tests.simulation.world import boot_id

ALL = ("sh", SCRIPT)
_ANY_TIME = {"nothing", "killed", "watcher killed too", "power", "full"}
_UNCHANGED = "nothing is changed: what had been set was put back"


class Broken(AssertionError):
    """What must hold did not."""


@dataclass(slots=True)
class History:
    """One host's history so far, and what it must be like.

    `home` is what putting back all that is in force must give, `unkept` what it would give if what
    `persist` keeps were in force again; `others` what somebody else has set
    among the settings in force, which is to be told when it is overwritten; `loose` are settings of
    which nothing is expected; `printed` is what the script and the controllers have said.
    """

    host: Simulated
    random: Random
    home: dict[str, str] = field(default_factory=lambda: usual(1))
    unkept: dict[str, str] | None = None
    others: dict[str, str] = field(default_factory=dict)
    loose: set[str] = field(default_factory=set)
    printed: str = ""
    steps: list[str] = field(default_factory=list)
    groups: dict[int, tuple[dict[str, str], list[tuple[str, ...]]]] = field(default_factory=dict)
    """Of each scene, as it goes from this past with nothing amiss: the settings, the commands."""

    def undisturbed(self, scene: int) -> tuple[dict[str, str], list[tuple[str, ...]]]:
        """See `groups`."""
        if scene not in self.groups:
            reached = Reached(self.host.copy())
            flow = play(reached, scene)
            right = "failed" if scene == REFUSED else "done"
            self.expect(flow.end == right, f"with nothing amiss {flow.end}: {flow.said}")
            self.groups[scene] = reached.host.settings, reached.seen
        return self.groups[scene]

    def expect(self, holds: bool, what: str) -> None:
        """Raise Broken unless something holds."""
        if not holds:
            journal = self.host.disk.files.get("journal", b"").decode(errors="replace")
            rows = [row for row in journal.splitlines() if not row.startswith(("look", "undo"))]
            raise Broken("\n  ".join([what, *self.steps, *rows]))

    def expect_settings(self, what: str, *wanted: dict[str, str]) -> None:
        """The settings are as one of several says."""
        now = self.host.settings
        differences = [
            {path: (now.get(path), values.get(path)) for path in now.keys() | values.keys()
             if now.get(path) != values.get(path) and path not in self.loose}
            for values in wanted
        ]  # fmt: skip
        self.expect(not all(differences), f"{what}: (is, expected) {differences}")

    def shell(self, *argv: str, upto: float = 1.0) -> int:
        """Run the script by hand; its exit status. Where it is not there, nothing is changed."""
        if "rollback" not in self.host.disk.files or "journal" not in self.host.disk.files:
            return 0
        done = self.host.execute(argv, upto=upto)
        self.printed += done.stdout.decode()
        return done.status

    def reboot(self, *, power: bool) -> None:
        """Boot anew."""
        self.steps.append("power lost" if power else "rebooted")
        self.host.reboot(self.random if power else None)
        self.home = usual(self.host.boot) | {LASTS: self.home[LASTS]}
        if self.unkept is not None:
            self.unkept = usual(self.host.boot) | {LASTS: self.unkept[LASTS]}
        self.others.clear()

    def in_force(self, *, whole: bool) -> set[str]:
        """Paths of the settings that are changed, as the journal and the settings have it.

        A batch of which nothing is changed yet counts where its change has been tried (`whole`).
        """
        text = self.host.disk.files.get("journal", b"").decode(errors="replace")
        return {
            SETTINGS[name].address
            for batch in parse_journal(text).values()
            for name in batch.old
            if batch.boot == boot_id(self.host.boot)
            and (
                batch.state == "confirmed"
                or (batch.state == "open" and (whole or self._begun(batch, text)))
            )
        }

    def _begun(self, batch: SettingsBatch, journal: str) -> bool:
        """Whether anything of a batch is changed, by itself or by that whose place it took."""
        now = self.host.settings
        return f"\nnow\t{batch.number}\t" in journal or any(
            now[SETTINGS[name].address] != f"{value}\n"
            and f"[{value}]" not in now[SETTINGS[name].address]
            for name, value in batch.old.items()
        )

    def other(self, path: str, value: str, command: Sequence[str]) -> None:
        """Somebody else sets something before a command."""
        self.steps.append(f"somebody else sets {path} to {value}")
        same = self.host.settings[path] == f"{value}\n"
        in_force = self.in_force(whole=command[2] not in {"arm", "change"})
        self.host.settings[path] = f"{value}\n"
        if path in in_force:
            if not same:
                self.others[path] = value
        else:
            self.home[path] = f"{value}\n"

    def replaced(self, disk: str) -> None:
        """Another disk takes the name of one."""
        self.steps.append(f"another {disk}")
        self.host.replace(disk)
        now = self.host.settings
        self.home |= {path: now[path] for path in now if f"/{disk}/" in path}


class Chronicle:
    """Plays histories; `pasts` is how many pasts they share."""

    def __init__(self, machine: Machine, pasts: int) -> None:
        self._machine, self._pasts = machine, pasts
        self._histories: dict[int, History] = {}

    def play(self, seed: int) -> list[str]:
        """One history; what happened in it.

        Raises:
            Broken: what must hold did not; it says what, and all that had happened.
        """
        with known_clock():
            past = self._past(seed % self._pasts)
            history = History(
                past.host.copy(),
                Random(seed),
                dict(past.home),
                steps=list(past.steps),
                groups=past.groups,
            )
            try:
                _present(history)
            except Broken as problem:
                raise Broken(f"seed {seed} of {self._pasts} pasts: {problem}") from None
        return history.steps

    def _past(self, number: int) -> History:
        if number not in self._histories:
            history = History(Simulated(self._machine), Random(f"past {number}"))
            try:
                for _ in range(min(number, history.random.randint(1, 3))):
                    _before(history)
            except Broken as problem:
                raise Broken(f"past {number}: {problem}") from None
            self._histories[number] = history
        return self._histories[number]


class _Clock:
    """What of the module `time` a controller asks for."""

    @staticmethod
    def time() -> float:
        return 1_600_000_000.0

    @staticmethod
    def monotonic() -> float:
        return 0.0


class _Chance:
    """What of the module `secrets` a controller asks for."""

    @staticmethod
    def token_hex(nbytes: int | None = None) -> str:
        return "0123456789abcdef"


@contextmanager
def known_clock() -> Iterator[None]:
    """The controller's time and chance are the simulation's, too."""
    with (
        patch.object(settings_journal, "time", _Clock),
        patch.object(settings_lock, "secrets", _Chance),
        patch.object(settings_lock, "this_process", lambda: "a mark"),
    ):
        yield


def _before(history: History) -> None:
    """A part of a past, at whose end nobody is at work."""
    random, host = history.random, history.host
    kind = random.choice(
        [
            "confirmed",
            "confirmed",
            "confirmed",
            "put back",
            "power",
            "full",
            "kept",
            "tentative",
            "ten",
            "older",
        ]
    )
    scene = random.randrange(REFUSED)
    if kind == "older":  # what outlives a loss of power is all that a lost script can leave behind
        scene = 2 + scene % 2
    history.steps.append(f"past: {kind} {scene}")
    if kind == "full":
        play(Reached(host, Blow(4 + random.randrange(12), room=random.randrange(300))), scene)
        host.pass_time(CONFIRM + 1)
        return
    for _ in range(9 if kind == "ten" else 1):
        flow = play(Reached(host), scene)
        history.expect(flow.end == "done", f"a set with nothing amiss {flow.end}: {flow.said}")
        if kind in {"put back", "ten"}:
            history.expect(history.shell(*ALL) == 0, "rollback failed")
            history.expect_settings("put back", history.home)
    if kind == "power":
        history.reboot(power=True)
    elif kind == "older":  # another version of iosonde was here
        host.disk.names["rollback"].seen += b"# another version\n"
        host.disk.apply(("sync-all", ".", b""))
    elif kind in {"kept", "tentative"}:
        history.unkept = history.unkept or history.home
        mark(Reached(host), "kept")
        history.home = dict(host.settings)
        if kind == "tentative":  # all that is kept, also what an earlier part of the past kept
            mark(Reached(host), "tentative")
            history.home, history.unkept = history.unkept, None


def _present(history: History) -> None:
    random, host = history.random, history.host
    scene = random.choice([*range(len(SETS)), CAMPAIGN])
    history.steps.append(f"now: {'a campaign' if scene == CAMPAIGN else SETS[scene]}")
    before = dict(host.settings)
    clean, seen = history.undisturbed(scene)
    blow, kind = _drawn(history, scene, seen)
    history.steps.append(
        f"{kind} at command {blow.at}: {_short(seen[blow.at - 1])}, {blow.upto:.2f} of it"
    )
    struck = Reached(host, blow)
    flow = play(struck, scene)
    history.printed += "\n".join(flow.put_back) + flow.said
    history.steps.append(f"it was {flow.end}: {flow.said}")
    rest = struck.seen[blow.at - 1 :]
    for path in [path for path in history.others if _sets_next(rest, path)]:
        del history.others[path]
    if kind == "nothing" or kind.startswith(("killed", "full", "late", "by hand")):
        home = before | {LASTS: history.home[LASTS]}
        if flow.end == "done":
            history.expect_settings("it says that it is done", clean)
        elif _UNCHANGED in flow.said and not kind.startswith("by hand"):
            history.expect_settings("it says that nothing is changed", before, home)
    _quiet(history, kind, before, clean)
    _recover(history)


def _short(argv: Sequence[str]) -> str:
    return " ".join(word.rpartition("/")[2] for word in argv[:5] if "\n" not in word)


def _drawn(history: History, scene: int, seen: list[tuple[str, ...]]) -> tuple[Blow, str]:
    """What strikes, and what it is called."""
    random, host = history.random, history.host
    begun = 1 + next((at for at, argv in enumerate(seen) if argv[2:3] == ("begin",)), 0)
    at, late = random.randint(1, len(seen)), random.randint(begun + 1, len(seen))
    upto = random.choice([0.0, random.random(), random.random(), 1.0])
    path = random.choice(
        [
            setting.address
            for setting in SETTINGS.values()
            if setting.declared.name in {"nr_requests", "nomerges"}
        ]
    )
    value = random.choice(["8", "16"]) if "nr_" in path else "1"
    disk = random.choice(["sda", "sdb"])
    end: Callable[[], BaseException] = random.choice([Gone, cut])
    kinds: dict[str, Callable[[], Blow]] = {
        "nothing": lambda: Blow(at),
        "killed": lambda: Blow(at, upto=upto, ends=end),
        "watcher killed too": lambda: Blow(at, upto=upto, after=host.waiting.clear, ends=end),
        "power": lambda: Blow(at, upto=upto, after=lambda: history.reboot(power=True), ends=end),
        "somebody else": lambda: Blow(
            late, before=lambda: history.other(path, value, seen[late - 1])
        ),
        "another disk": lambda: Blow(late, before=lambda: history.replaced(disk)),
        "late": lambda: Blow(late, before=lambda: host.pass_time(CONFIRM + 1)),
        "late at the lock": lambda: Blow(late, during=lambda: host.pass_time(CONFIRM + 1)),
        "full": lambda: Blow(at, room=random.randrange(random.choice([20, 60, 900]))),
        "refuses": lambda: Blow(late, before=lambda: setattr(host, "stubborn", path)),
    }
    weights = [1, 4, 1, 6, 2, 1, 2, 2, 3, 1]
    if scene != CAMPAIGN:
        kinds["by hand"] = lambda: Blow(late, before=lambda: history.shell(*ALL))
        kinds["by hand at the lock"] = lambda: Blow(late, during=lambda: history.shell(*ALL))
        weights += [1, 1]
    kind = random.choices(list(kinds), weights)[0]
    if begun == 1 and kind not in _ANY_TIME:  # nothing had to be changed: there is no batch
        kind = "nothing"
    return kinds[kind](), kind


def _quiet(history: History, kind: str, before: dict[str, str], new: dict[str, str]) -> None:
    """Nobody comes for a while: all is old, or all is confirmed."""
    host = history.host
    host.pass_time(CONFIRM + 1)
    if kind in {"refuses", "watcher killed too"}:
        return
    disks = {
        path
        for path in host.settings
        if kind == "another disk" and history.home[path] == host.settings[path]
    }
    kept, history.loose = history.loose, history.loose | set(history.others) | disks
    if kind == "power":
        fresh = usual(host.boot)
        options = [fresh | {LASTS: values[LASTS]} for values in (before, new, history.home)]
    elif kind.startswith("by hand"):
        options = [history.home, new] if kind.endswith("lock") else [history.home]
    else:  # what outlives a reboot is put back by the first call after it
        options = [before, new, before | {LASTS: history.home[LASTS]}]
    if kind == "somebody else":
        history.loose |= {path for path, text in history.home.items() if text != before[path]}
    history.expect_settings(f"after {kind} all is old or all is confirmed", *options)
    history.loose = kept


def _recover(history: History) -> None:
    """Somebody puts all back, perhaps struck again; once more changes nothing."""
    random, host = history.random, history.host
    host.stubborn = ""
    for _ in range(random.choice([0, 0, 0, 1, 2])):
        upto, power = random.random(), random.random() < 0.4
        word = random.choice([(), ("settle",)])
        history.steps.append(f"recovery {word} struck at {upto:.2f}")
        history.shell(*ALL, *word, upto=upto)
        if power:
            history.reboot(power=True)
    if random.random() < 0.3:
        flow = play(Reached(host), 0)
        history.expect(flow.end == "done", f"another set {flow.end}: {flow.said}")
        history.printed += "\n".join(flow.put_back)
    history.expect(history.shell(*ALL) == 0, f"rollback failed: {history.printed}")
    history.expect_settings("after rollback all is as it was", history.home)
    settings, journal = dict(host.settings), host.disk.files.get("journal")
    history.expect(history.shell(*ALL) == 0, "a second rollback failed")
    history.expect(
        (settings, journal) == (host.settings, host.disk.files.get("journal")),
        "a second rollback is not harmless",
    )
    message = history.printed + (journal or b"").decode(errors="replace")
    for path, value in history.others.items():
        name = next(setting.name for setting in SETTINGS.values() if setting.address == path)
        overwritten = host.settings[path] != f"{value}\n"
        history.expect(
            not overwritten or _is_told(message, name, value),
            f"{name}={value} was overwritten untold",
        )


def _is_told(text: str, name: str, value: str) -> bool:
    """Whether the script, the journal or a controller says what somebody had made of a setting.

    A later batch says so, too: it has it as the old value.
    """
    name, value = re.escape(name), re.escape(value)
    said = rf"{name}(\t=[^\t\n]*\t=|=| ){value}([;,)]|$)|^old\t\d+\t\d+\t{name}\t={value}\t"
    return re.search(said, text, re.MULTILINE) is not None


def _sets_next(commands: Sequence[Sequence[str]], path: str) -> bool:
    """Whether a controller sets a setting before it has looked at it again, or put it back."""
    for argv in commands:
        if tuple(argv[:3]) == (*ALL, "change") and path in argv:
            return True
        looks = path in argv and argv[0] != "sh"
        if looks or (tuple(argv[:2]) == ALL and argv[2] in {"batch", "settle", "all"}):
            return False
    return False
