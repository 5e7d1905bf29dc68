"""The hosts of a campaign with their locks: puts a whole candidate in force, or everything back."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from iosonde.change.applier import SettingsApplier, put_in_force, together
from iosonde.change.changed import Changed, ValueRefused
from iosonde.change.late import is_asleep
from iosonde.change.settings_journal import SettingsJournal
from iosonde.change.settings_lock import locked, owner_name
from iosonde.measure.progress import Progress
from iosonde.records.stack import Capture, Json, Scalar, StackLayer
from iosonde.tune.campaign.place import MeasurementSite
from iosonde.tune.campaign.resolve import Names, TunableSetting, text_of
from iosonde.tune.campaign.route import Where
from iosonde.tune.campaign.watch import CampaignNote


@dataclass(frozen=True, slots=True)
class ApplyOutcome:
    """How putting a candidate in force went; `reason` is why it cannot be measured, or empty.

    `moved` is the seconds that it took to come to another probe point, if it was another.
    """

    changed: tuple[str, ...] = ()
    beside: tuple[Changed, ...] = ()
    reason: str = ""
    moved: float = 0.0


class HostGroup:
    """Entered by `lock`, left by `close` and `release`.

    Args:
        place: opened.
        study: its name, for the journal.
        watch: told what was left by others.
    """

    def __init__(self, place: MeasurementSite, study: str, watch: Progress) -> None:
        self.place, self._watch = place, watch
        self._owner = owner_name(study)
        self._locks: dict[str, AsyncExitStack] = {}
        self._journals: dict[str, SettingsJournal] = {}
        self._appliers: dict[str, SettingsApplier] = {}
        self.knobs: tuple[TunableSetting, ...] = ()
        self._where: Where | None = None
        self._beside: Sequence[Changed] = ()

    async def lock(self) -> None:
        """Keep everybody else from changing settings; put back what was never confirmed.

        A guest that does not run yet is left out: its turn comes when its layer is built.

        Raises:
            Refused: somebody else does; the evidence names who.
            HostFailed: what was never confirmed cannot be put back.
        """
        for name, host in self.place.hosts.items():
            if name in self._journals or is_asleep(host):
                continue
            lock = self._locks[name] = AsyncExitStack()
            journal = self._journals[name] = await lock.enter_async_context(
                locked(host, self._owner)
            )
            for undo in await journal.settle():
                self._watch(
                    CampaignNote(
                        f"batch {undo.name} of changes ended with the last boot of {host.name}"
                        if undo.state == "lost"
                        else f"{undo.name}: an earlier change was never confirmed; "
                        f"back to {undo.old}"
                    )
                )

    async def stand(
        self,
        values: Mapping[str, Json],
        where: Where | None = None,
        *,
        again: bool = False,
    ) -> None:
        """A probe point made ready, with some keys of the stack; see `MeasurementSite.ready`.

        Guests may end for it, and be started anew. Without `where` it is the present one.
        """
        at = where.trial if where else self.place.planned
        if self.place.needs(values, at, again=again):
            await self._leave_guests()
        beside = where.layers if where else frozenset()
        await self.place.ready(values, at, beside=beside, again=again)
        await self.lock()

    async def _leave_guests(self) -> None:
        """Let go of the machines that are layers of the stack."""
        for name in self.place.guests & self._locks.keys():
            del self._journals[name]
            self._appliers.pop(name, None)
            await self._locks.pop(name).aclose()

    async def learn(self, knobs: Sequence[TunableSetting], where: Where | None = None) -> None:
        """Take down what is in force.

        Args:
            knobs: all that the campaign varies.
            where: the probe point that is ready; None: the present one.

        Raises:
            HostFailed: a value cannot be read.
        """
        self.knobs, self._where = tuple(knobs), where or self._where
        self._appliers = {}
        for name, journal in self._journals.items():
            settings = [
                setting for knob in self._there for host, setting in knob.spots if host == name
            ]
            if settings:
                applier = SettingsApplier(self.place.hosts[name], journal, settings, self._owner)
                await applier.learn()
                self._appliers[name] = applier

    async def put(
        self, settings: Mapping[str, Scalar], *, within: float, where: Where | None = None
    ) -> ApplyOutcome:
        """Put a candidate in force at a probe point, and read it back.

        Args:
            settings: of all knobs, by the study's names.
            where: the probe point; None: the present one.
            within: seconds after which the hosts put everything back by themselves.

        Raises:
            HostFailed: a host cannot be reached, or has put all back already.
        """
        phrases: list[str] = []
        began, before, at = time.monotonic(), dict(self.place.values), self._where
        if await self._build(settings, where) and self.place.values != before:
            phrases += [f"{name} = {value}" for name, value in self.place.values.items()]
        moved = 0.0 if self._where == at else time.monotonic() - began
        self._beside = ()
        try:
            wanted = [
                (applier, self._of(name, settings)) for name, applier in self._appliers.items()
            ]
            changed, self._beside = await put_in_force(wanted, within=within)
            wrong = [change for change in changed if change.state in {"rounded", "ignored"}]
            if wrong:
                await self.back()
                return ApplyOutcome(reason="; ".join(map(_wrong, wrong)), moved=moved)
            phrases += [
                f"{change.name}: {change.before} → {change.after}"
                for change in changed
                if change.before != change.after
            ]
        except ValueRefused as problem:
            await self.back()
            return ApplyOutcome(reason=problem.message, moved=moved)
        return ApplyOutcome(tuple(phrases), tuple(self._beside), moved=moved)

    async def back(self) -> None:
        """Everything as it was before the campaign, but for what is built; on all hosts at once.

        Raises:
            HostFailed: something could not be put back; all that could be is.
        """
        await together(applier.back() for applier in self._appliers.values())

    async def check(self) -> None:
        """See that nobody has changed a setting since it was put in force.

        Raises:
            HostFailed: somebody has.
        """
        for applier in self._appliers.values():
            await applier.check()

    async def apply(self, settings: Mapping[str, Scalar], *, within: float) -> None:
        """Leave a candidate in force on all hosts.

        Raises:
            HostFailed: a host refused it; on that host nothing is changed then.
        """
        await self._build(settings)
        for name, applier in self._appliers.items():
            await applier.apply(self._of(name, settings), within=within)

    async def close(self) -> None:
        """Put everything back that is not to stay, also what was only just begun.

        Raises:
            HostFailed: something could not be put back.
        """
        try:
            await self.back()
        finally:
            for journal in self._journals.values():
                await journal.settle()
            await self._leave_guests()

    async def release(self) -> None:
        """Let others change settings again."""
        async with AsyncExitStack() as every:
            for lock in self._locks.values():
                every.push_async_exit(lock)

    def changes(self, settings: Mapping[str, Scalar]) -> dict[str, dict[str, str]]:
        """What a candidate sets otherwise than it was: host → setting's own name → value."""
        by_host: dict[str, dict[str, str]] = {}
        for knob in self.knobs:
            value = settings[knob.varied.name]
            for host, setting in knob.spots if value != knob.varied.default else ():
                by_host.setdefault(host, {})[setting.name] = text_of(value)
        return by_host

    def risky(self, settings: Mapping[str, Scalar]) -> bool:
        """Whether a candidate sets what can cut the connection otherwise than it was."""
        return any(
            setting.declared.risk == "cut" and settings[knob.varied.name] != knob.varied.default
            for knob in self.knobs
            for _, setting in knob.spots
        )

    def capture(self, settings: Mapping[str, Scalar]) -> Capture | None:
        """The capture of the probe point's hosts with what is in force now, as it was read back."""
        if self.place.capture is None:
            return None
        now: dict[tuple[str, str], Scalar] = {}
        for knob in self.knobs:
            for _, setting in knob.spots:
                now[setting.layer, setting.declared.name] = settings[knob.varied.name]
        for change in self._beside:
            title, _, last = change.name.rpartition(".")
            for knob in self.knobs:
                for _, setting in knob.spots:
                    if setting.title == title:
                        now[setting.layer, last] = change.after
        layers = tuple(_with(layer, now) for layer in self.place.capture.layers)
        wide = dict(self.place.capture.host_wide)
        wide |= {f"{layer}.{name}": value for (layer, name), value in now.items()
                 if f"{layer}.{name}" in wide}  # fmt: skip
        return replace(self.place.capture, layers=layers, host_wide=wide)

    async def _build(self, settings: Mapping[str, Scalar], where: Where | None = None) -> bool:
        """Build the stack as a candidate wants it, as far as the probe point.

        Whether anything had to be built, or there are other settings now.
        """
        where = where or self._where
        wanted: dict[str, Json] = {
            name: knob.declared[settings[knob.varied.name]]
            for knob in self.knobs
            for name in (knob.varied.name, *knob.varied.also)
            if not knob.spots and settings[knob.varied.name] != knob.varied.default
        }
        ready = self.place.bench is not None and where == self._where
        if wanted == self.place.values and ready:
            return False
        await self.back()
        await self.stand(wanted, where)
        self._where = where
        if any(knob.spots for knob in self.knobs):
            names, there = Names(self.place), self._there
            await names.read()
            await self.learn(
                [await _found_again(knob, names) if knob in there else knob for knob in self.knobs]
            )
        return True

    @property
    def _there(self) -> list[TunableSetting]:
        """Settings of what stands; those of layers above the probe point are as they come."""
        where = self._where
        return [knob for knob in self.knobs if where is None or knob.varied.name in where.names]

    def _of(self, host: str, settings: Mapping[str, Scalar]) -> dict[str, str]:
        """What a candidate wants of one host, by the settings' own names."""
        return {
            setting.name: text_of(settings[knob.varied.name])
            for knob in self._there
            for place, setting in knob.spots
            if place == host
        }


async def _found_again(knob: TunableSetting, names: Names) -> TunableSetting:
    """The same setting on what was built anew, whatever its device is called now."""
    if not knob.spots:
        return knob
    spots = [await names.find(varied_name) for varied_name in (knob.varied.name, *knob.varied.also)]
    return replace(knob, spots=tuple(spots))


def _with(layer: StackLayer, now: Mapping[tuple[str, str], Scalar]) -> StackLayer:
    mine = {name: value for (of, name), value in now.items() if of == layer.id}
    return replace(layer, settings={**layer.settings, **mine}) if mine else layer


def _wrong(change: Changed) -> str:
    if change.state == "ignored":
        return f"{change.name}: the host accepted {change.wanted} and did not take it"
    return f"{change.name}: the host made {change.after} of {change.wanted}"
