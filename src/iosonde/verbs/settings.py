"""The settings of a host: shown, changed, put back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from iosonde.change.changed import Changed
from iosonde.change.settings_journal import PutBack, SettingsJournal
from iosonde.change.settings_lock import locked, owner_name
from iosonde.change.tentative import (
    WantedSetting,
    change,
    checked_confirm,
    commands,
    entries_of,
)
from iosonde.contract import ADDED, HIDDEN, NULL, VerbResult
from iosonde.errors import HostFailed, PermissionMissing, UsageError
from iosonde.hosts import open_host
from iosonde.hosts.command import quote
from iosonde.hosts.host import Host
from iosonde.records.stack import Scalar
from iosonde.settings.declared import Needs, Risk
from iosonde.settings.mechanism import value_of
from iosonde.stack.settable import Settable, called, find, of_layer, settable
from iosonde.verbs.signals import run_async

Tell = Callable[[str], None]
"""Hears at once, as a sentence, what the user should know."""


@dataclass(frozen=True, slots=True)
class AllowedRange:
    """Limits of a figure; null: there is none."""

    low: int | None
    high: int | None

    def __str__(self) -> str:
        return f"{'' if self.low is None else self.low}…{'' if self.high is None else self.high}"


@dataclass(frozen=True, slots=True)
class HostSetting:
    """A setting of a layer, or of the host as a whole."""

    layer: str
    """Id of the layer as in show; the host's name for a setting of no layer."""
    name: str
    value: Scalar
    """Now. null: this user may not read it."""
    boot: Scalar
    """Before iosonde first changed it since the host booted; the value now where it did not."""
    kept: str = field(metadata=NULL)
    """What the host's configuration sets at boot; null: it sets nothing, as far as it can be
    read."""
    allowed: tuple[str, ...] | AllowedRange | None
    """The words it may be, or the limits of a figure; null: not known."""
    unit: str = field(metadata={**NULL, **ADDED})
    needs: Needs
    """What must happen for a change to take effect."""
    risk: Risk
    """What a wrong value can do at once."""
    unsafe: tuple[str, ...] = field(metadata=ADDED)
    """Values that trade safety of data for speed."""
    settable: bool = field(metadata=ADDED)
    why_not: str = field(metadata={**NULL, **ADDED})
    tentative: bool = field(metadata=ADDED)
    """iosonde changed it, and a rollback would put it back."""
    mechanism: str = field(metadata={**NULL, **ADDED})
    address: str = field(metadata={**NULL, **ADDED})
    full_name: str = field(metadata=HIDDEN)
    """By which `set_settings` takes it: LAYER.NAME, the layer without its host."""


@dataclass(frozen=True, slots=True)
class HostSettings(VerbResult):
    """What can be set on a host, layer by layer, and then for the host as a whole."""

    SCHEMA = "iosonde.settings/1"
    settings: tuple[HostSetting, ...]


@dataclass(frozen=True, slots=True)
class ChangedSettings(VerbResult):
    """What became of the settings that were to be changed."""

    SCHEMA = "iosonde.set/1"
    changes: tuple[Changed, ...]
    commands: tuple[str, ...]
    """With --dry-run: what would be run, in order."""


@dataclass(frozen=True, slots=True)
class RestoredSettings(VerbResult):
    """What became of the settings that iosonde had changed, the last change first."""

    SCHEMA = "iosonde.rollback/1"
    settings: tuple[PutBack, ...]


def settings(*place: str, tell: Tell = lambda _: None) -> HostSettings:
    """The settings of a host: value now, at boot, kept over a reboot, and what is allowed.

    Args:
        place: a host, and a layer (id, name, device or kind) or a setting there. One word may be
            the one or the other; none: all of this host.
        tell: hears what this user may not read.

    Raises:
        UsageError: no such layer.
        HostFailed: the host cannot be reached.
    """
    return HostSettings(run_async(_settings_of(place, tell)))


async def _settings_of(place: Sequence[str], tell: Tell) -> tuple[HostSetting, ...]:
    name, layer, perhaps_host = _host_and_layer(place)
    settings = await _of_host(name, tell)
    rows = tuple(
        row
        for setting, row in settings
        if not layer or of_layer(setting, layer) or layer in called(setting)
    )
    if rows:
        return rows
    names = ", ".join(dict.fromkeys(setting.title or setting.layer for setting, _ in settings))
    if not perhaps_host:
        raise UsageError(f"there is no layer {layer!r} on {name}", hint=f"there are {names}")
    try:
        return tuple(row for _, row in await _of_host(layer, tell))
    except HostFailed as problem:
        message = f"{problem.message}, and no layer of this host is called so"
        hint = f"{problem.hint}; this host's layers are {names}"
        raise HostFailed(message, where=problem.where, hint=hint) from problem


def _host_and_layer(place: Sequence[str]) -> tuple[str, str, bool]:
    """The host, the layer, and whether the one word that was given may be the one or the other."""
    if len(place) > 2:
        raise UsageError(f"expected a host and a layer, got {len(place)} words")
    if len(place) == 2:
        return place[0], place[1], False
    host = place[0] if place else "local"
    if host == "local" or host.startswith(("lab:", "ssh:", "sudo:", "doas:", "recording:")):
        return host, "", False
    return "local", host, True


async def _of_host(name: str, tell: Tell) -> list[tuple[Settable, HostSetting]]:
    if name.startswith("recording:"):
        raise UsageError("a recording has no settings to change", hint="`iosonde show -s` has them")
    before: dict[str, str] = {}
    tentative = frozenset[str]()
    host = await open_host(name)
    try:
        settings = await settable(host)
        try:
            journal = await SettingsJournal.read(host)
            before, tentative = await journal.at_boot(), journal.tentative
        except PermissionMissing:
            tell("which of them iosonde has changed is known to root alone")
    finally:
        await host.close()
    return [
        (
            setting,
            HostSetting(
                layer=setting.layer,
                name=setting.declared.name,
                value=setting.value,
                boot=value_of(before[setting.name]) if setting.name in before else setting.value,
                kept=setting.kept,
                allowed=_allowed(setting),
                unit=setting.declared.unit,
                needs=setting.declared.needs,
                risk=setting.declared.risk,
                unsafe=setting.declared.unsafe,
                settable=not setting.why_not,
                why_not=setting.why_not,
                tentative=setting.name in tentative,
                mechanism=setting.declared.mechanism,
                address=setting.address,
                full_name=setting.name,
            ),
        )
        for setting in settings
    ]


def _allowed(setting: Settable) -> tuple[str, ...] | AllowedRange | None:
    allowed = setting.allowed
    if allowed.choices:
        return allowed.choices
    bounded = allowed.low is not None or allowed.high is not None
    return AllowedRange(allowed.low, allowed.high) if bounded else None


def set_settings(
    *values: str,
    host: str = "local",
    confirm: float = 60.0,
    dry_run: bool = False,
    progress: Callable[[Changed], None] = lambda _: None,
    tell: Tell = lambda _: None,
) -> ChangedSettings:
    """Change settings of a host until its next boot: all that are named, or none.

    The old values are in a journal on the host before the first change; `rollback` puts them back,
    `persist` keeps the new ones.

    Args:
        values: LAYER.NAME=VALUE each.
        host: where.
        confirm: seconds until the host restores what is not confirmed.
        dry_run: read, but change nothing.
        progress: hears of each setting as it is changed.
        tell: hears what the host put back before, and which values are unsafe.

    Raises:
        UsageError: no such setting, or a value that the host does not allow.
        HostFailed: the host refused a value, so nothing is changed; or it cannot be reached.
        Refused: somebody else is changing its settings.
        Interrupted: all is changed or nothing is; its advice says which.
    """
    checked_confirm(confirm)
    batch = _Batch([_pair(value) for value in values], confirm, progress, tell)
    return run_async(batch.plan(host) if dry_run else batch.change(host), batch.advice)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise UsageError(
            f"{text!r} names no setting and its value",
            hint="write LAYER.NAME=VALUE, for example sda.scheduler=none",
        )
    return name, value


class _Batch:
    """Settings that are to be changed together, and what has become of them so far."""

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        confirm: float,
        progress: Callable[[Changed], None],
        tell: Tell,
    ) -> None:
        self._pairs, self._confirm, self._progress, self._tell = pairs, confirm, progress, tell
        self._settings: dict[str, Settable] = {}
        self._changes: list[Changed] = []
        self._stays = False  # it is confirmed

    def advice(self) -> str:
        """What an interrupted change has come to."""
        if self._stays:
            return "all changes are in force; `iosonde rollback` puts them back."
        return "nothing is changed: what had been set was put back."

    async def change(self, name: str) -> ChangedSettings:
        """Change them, under the lock of the host's settings."""
        owner = owner_name()
        host = await open_host(name)
        try:
            async with locked(host, owner) as journal:
                for put_back in await journal.settle():
                    self._tell(_settled(put_back))
                wanted, before = await self._wanted(host), journal.last
                try:
                    await change(
                        host, journal, wanted, owner=owner, confirm=self._confirm, tell=self._hear
                    )
                finally:
                    self._stays = journal.last > before and journal.batches[journal.last].stays
        finally:
            await host.close()
        return ChangedSettings(tuple(self._changes), ())

    async def plan(self, name: str) -> ChangedSettings:
        """What `change` would do."""
        host = await open_host(name)
        try:
            wanted = await self._wanted(host)
            entries = await entries_of(host, wanted)
        finally:
            await host.close()
        for entry in entries:
            if entry.do:
                self._hear(
                    Changed(entry.name, entry.old, entry.new, entry.old, "planned", quote(entry.do))
                )
        todo = commands(entries, wanted, self._confirm)
        return ChangedSettings(tuple(self._changes), tuple(map(quote, todo)))

    async def _wanted(self, host: Host) -> list[WantedSetting]:
        settings = await settable(host)
        chosen: dict[str, WantedSetting] = {}
        for name, text in self._pairs:
            setting = find(settings, name)
            if setting.name in chosen:
                raise UsageError("named twice", where=setting.name)
            value = setting.checked(text)
            if value in setting.declared.unsafe:
                self._tell(
                    f"{setting.name}={value} trades safety of data for speed: "
                    "a power failure may lose writes"
                )
            chosen[setting.name] = WantedSetting(setting, value)
            self._settings[setting.name] = setting
        return list(chosen.values())

    def _hear(self, change: Changed) -> None:
        """A setting is changed; one whose value lasts has connected anew itself."""
        setting = self._settings.get(change.name)
        waits = setting and setting.declared.needs == "reconnect" and not setting.declared.lasts
        if waits and change.state != "unchanged":
            change = replace(change, waits=True)
        self._changes.append(change)
        self._progress(change)


def _settled(setting: PutBack) -> str:
    """What the host put back because nobody had confirmed it, or a reboot had ended it."""
    if setting.state == "lost":
        return f"batch {setting.name} of changes ended with the last boot"
    other = f"; somebody else had made it {setting.now}" if setting.now else ""
    return (
        f"{setting.name}: an earlier change was never confirmed; put back to {setting.old}{other}"
    )


def rollback(host: str = "local", *, dry_run: bool = False) -> RestoredSettings:
    """Put back every setting that iosonde changed and nobody made permanent, the last one first.

    Args:
        host: where; its own journal says what to put back.
        dry_run: change nothing.

    Raises:
        HostFailed: something could not be put back; the message says what.
    """
    doing = _roll_back(host, dry_run=dry_run)
    return RestoredSettings(run_async(doing, "`iosonde rollback` goes on."))


async def _roll_back(name: str, *, dry_run: bool) -> tuple[PutBack, ...]:
    host = await open_host(name)
    try:
        journal = await SettingsJournal.read(host)
        if dry_run:
            before = journal.before
            return tuple(
                PutBack(changed_name, "planned", before[changed_name])
                for changed_name in reversed(before)
            )
        if not journal.batches:
            return ()
        async with locked(host, owner_name()) as journal:
            return tuple(await journal.restore())
    finally:
        await host.close()
