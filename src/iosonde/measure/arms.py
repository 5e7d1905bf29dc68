"""Puts the settings of an interleaved study in force before each loop, and back at the end.

They are changed as `iosonde tune` changes them: the old values are in the host's journal first, and
the host puts them back by itself where iosonde is killed or cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack

from iosonde.change.applier import SettingsApplier, put_in_force, together
from iosonde.change.settings_journal import SettingsJournal
from iosonde.change.settings_lock import locked, owner_name
from iosonde.config import config_value
from iosonde.errors import HostFailed, IosondeError
from iosonde.hosts.host import Host
from iosonde.measure.plan import PlannedTrial
from iosonde.stack.settable import find, settable

_UNKNOWN_LENGTH = 3600.0  # seconds that a loop may take whose length nothing says


class SettingsInTurns:
    """The settings of both arms on each host. Entered by `open`, left by `close`.

    Args:
        hosts: connected, by name.
        study: its name, for the journal.
        tell: hears what was put back of others, and which values are unsafe.
    """

    def __init__(self, hosts: Mapping[str, Host], study: str, tell: Callable[[str], None]) -> None:
        self._hosts, self._owner, self._tell = hosts, owner_name(study), tell
        self._locks = AsyncExitStack()
        self._journals: list[SettingsJournal] = []
        self._appliers: dict[str, SettingsApplier] = {}
        self._values: dict[str, dict[str, str]] = {}
        """Of each trial all settings of its host, by their own names."""

    async def open(self, trials: Iterable[PlannedTrial]) -> None:
        """Lock the settings of the trials' hosts, and look for those that the arms name.

        Raises:
            UsageError: a host has no such setting, or does not take the value.
            Refused: somebody else is changing its settings.
            HostFailed: it cannot be reached, or a setting cannot be read.
        """
        by_host: dict[str, list[PlannedTrial]] = {}
        for trial in trials:
            if trial.values:
                by_host.setdefault(trial.probe.host, []).append(trial)
        for name, planned in by_host.items():
            await self._open(self._hosts[name], planned)

    async def _open(self, host: Host, planned: Iterable[PlannedTrial]) -> None:
        journal = await self._locks.enter_async_context(locked(host, self._owner))
        self._journals.append(journal)
        for undo in await journal.settle():
            if undo.state != "lost":
                self._tell(
                    f"{undo.name}: an earlier change was never confirmed; back to {undo.old}"
                )
        every = await settable(host)
        wanted: dict[str, dict[str, str]] = {}
        settings = {}
        for trial in planned:
            wanted[trial.id] = {}
            for name, text in trial.values.items():
                setting = find(every, name)
                value = setting.checked(text)
                if value in setting.declared.unsafe and setting.name not in settings:
                    self._tell(
                        f"{setting.name}={value} trades safety of data for speed: "
                        "a power failure may lose writes"
                    )
                settings[setting.name] = setting
                wanted[trial.id][setting.name] = value
        applier = SettingsApplier(host, journal, list(settings.values()), self._owner)
        await applier.learn()
        self._appliers[host.name] = applier
        for trial_id, values in wanted.items():
            self._values[trial_id] = {**applier.home_values, **values}

    async def put(self, trial: PlannedTrial, seconds: float | None) -> None:
        """Put the settings of a trial in force for its next loop.

        Args:
            trial: of `open`; one without settings changes nothing.
            seconds: of the loop; None: not known.

        Raises:
            HostFailed: its host refused a value, made another of it, or cannot be reached.
        """
        if not trial.values:
            return
        applier, values = self._applier(trial), self._values[trial.id]
        within = float(config_value("confirm").value) + 2 * (seconds or _UNKNOWN_LENGTH)
        changed, _ = await put_in_force([(applier, values)], within=within)
        wrong = [change for change in changed if change.state in {"rounded", "ignored"}]
        if wrong:
            raise HostFailed(
                "; ".join(f"{change.name}: the host made {change.after} of {change.wanted}"
                          for change in wrong),
                where=applier.host.name,
                hint="give a value that it takes as it is: `iosonde settings` lists them",
            )  # fmt: skip

    async def problem(self, trial: PlannedTrial) -> IosondeError | None:
        """Why a loop was not measured with the settings of its trial; None: it was."""
        if not trial.values:
            return None
        try:
            await self._applier(trial).check()
        except HostFailed as problem:
            return problem
        return None

    def _applier(self, trial: PlannedTrial) -> SettingsApplier:
        return self._appliers[self._hosts[trial.probe.host].name]

    async def close(self) -> None:
        """Put back what was in force before, and let others change settings again.

        Raises:
            HostFailed: something could not be put back; the message says what.
        """
        async with self._locks:
            try:
                await together(applier.back() for applier in self._appliers.values())
            finally:
                for journal in self._journals:
                    await journal.settle()
