"""What the drives below a target say of their own health: for a capture, and around each loop."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from iosonde.hosts.host import Host
from iosonde.layers import LAYERS
from iosonde.layers.layer import ReportsHealth, kernel_name
from iosonde.records.load import Target
from iosonde.records.run import HEALTH, Loop, Series
from iosonde.records.stack import Capture, Scalar, StackLayer
from iosonde.stack.model import layers_under

THROTTLED = "temperature-throttling"
"""The rule about drives that slow themselves down because they are too hot."""


@dataclass(frozen=True, slots=True)
class HealthReading:
    """The logs of some drives at one moment: id of the layer → figure → value."""

    time: float
    logs: Mapping[str, Mapping[str, Scalar]]


@dataclass(frozen=True, slots=True)
class DrivesWatched:
    """Drives whose log is read before and after each loop.

    Args:
        hosts: of the drives, by name.
        layers: the drives; each has answered once.
        home: the host whose drives go by their bare names.
    """

    hosts: Mapping[str, Host]
    layers: tuple[StackLayer, ...]
    home: str

    async def read(self, moment: float) -> HealthReading:
        """What each of them says now; `moment` is when that is, in epoch seconds."""
        logs = await asyncio.gather(
            *(_health(self.hosts[layer.host], layer) for layer in self.layers)
        )
        names = (layer.id for layer in self.layers)
        return HealthReading(moment, dict(zip(names, logs, strict=True)))

    def series(self, before: HealthReading, after: HealthReading) -> tuple[Series, ...]:
        """The figures that both readings have, two values each."""
        series = []
        for layer in self.layers:
            kind = LAYERS.load(layer.kind)()
            old, new = (reading.logs.get(layer.id, {}) for reading in (before, after))
            for name, unit in kind.health_units.items() if isinstance(kind, ReportsHealth) else ():
                values = old.get(name), new.get(name)
                figures = tuple(
                    float(value) for value in values
                    if isinstance(value, int | float) and not isinstance(value, bool)
                )  # fmt: skip
                if len(figures) == 2:
                    times = (before.time, after.time)
                    series.append(Series(HEALTH, self._name(layer), name, unit, times, figures))
        return tuple(series)

    def _name(self, layer: StackLayer) -> str:
        name = kernel_name(layer) or layer.device
        return name if layer.host == self.home else f"{layer.host}:{name}"


async def with_health(
    capture: Capture, hosts: Sequence[Host], only: Collection[str] | None = None
) -> Capture:
    """A capture with what its drives say of their health among their facts.

    Args:
        capture: of these hosts.
        hosts: to be asked.
        only: ids of the layers to ask; None: all.
    """
    opened = {host.name: host for host in hosts}
    asked = [
        layer for layer in capture.layers
        if (only is None or layer.id in only) and layer.host in opened
        and isinstance(LAYERS.load(layer.kind)(), ReportsHealth)
    ]  # fmt: skip
    logs = await asyncio.gather(*(_health(opened[layer.host], layer) for layer in asked))
    log_of = {layer.id: log for layer, log in zip(asked, logs, strict=True) if log}
    layers = tuple(
        replace(layer, facts={**layer.facts, **log_of[layer.id]}) if layer.id in log_of else layer
        for layer in capture.layers
    )
    return replace(capture, layers=layers) if log_of else capture


def drives_under(capture: Capture, target: Target, hosts: Sequence[Host]) -> DrivesWatched | None:
    """The drives below a target that answered when the capture was taken; None: there are none."""
    opened = {host.name: host for host in hosts}
    layers = tuple(
        layer for layer in layers_under(capture, target.host, target.path)
        if layer.host in opened and _has_answered(layer)
    )  # fmt: skip
    return DrivesWatched(opened, layers, target.host) if layers else None


def _has_answered(layer: StackLayer) -> bool:
    kind = LAYERS.load(layer.kind)()
    units = kind.health_units if isinstance(kind, ReportsHealth) else ()
    return any(name in layer.facts for name in units)


async def _health(host: Host, layer: StackLayer) -> Mapping[str, Scalar]:
    kind = LAYERS.load(layer.kind)()
    return await kind.health(host, layer) if isinstance(kind, ReportsHealth) else {}


def alarms_in(capture: Capture | None, loops: Iterable[Loop]) -> tuple[str, ...]:
    """The rules about what health logs said around loops, each once.

    Args:
        capture: of the stack that the loops were measured on.
        loops: with the readings before and after them.
    """
    kinds = {layer.kind for layer in capture.layers} if capture else set()
    every = alarms_around(kinds, [loop.series for loop in loops])
    return tuple(dict.fromkeys(rule for rules in every for rule in rules))


def has_begun(rule: str, capture: Capture | None, loops: Sequence[Loop]) -> tuple[bool, ...]:
    """Of each loop whether a rule's alarm began within it, or within the one before it.

    A drive that warned all the time was no other drive when the load's rate changed.

    Args:
        rule: of the alarm.
        capture: of the stack that the loops were measured on.
        loops: in their order, with the readings before and after each.
    """
    rises, states = _alarms_of({layer.kind for layer in capture.layers} if capture else set())
    begun = [rule in _alarms(loop.series, rises, states, begun=True) for loop in loops]
    return tuple(now or before for now, before in zip(begun, [False, *begun], strict=False))


def alarms_around(
    kinds: Collection[str], loops: Iterable[Sequence[Series]]
) -> tuple[tuple[str, ...], ...]:
    """Of each loop the rules about what health logs said before or after it, each once.

    Args:
        kinds: of the layers that the loops were measured on.
        loops: the series of each, with the readings before and after it.
    """
    rises, states = _alarms_of(kinds)
    return tuple(tuple(dict.fromkeys(_alarms(loop, rises, states))) for loop in loops)


def _alarms_of(kinds: Collection[str]) -> tuple[dict[str, str], dict[str, Mapping[int, str]]]:
    """Figures of health logs that alarm by rising, and those whose bits do."""
    rises: dict[str, str] = {}
    states: dict[str, Mapping[int, str]] = {}
    for kind in sorted(kinds):
        layer = LAYERS.load(kind)()
        if isinstance(layer, ReportsHealth):
            rises |= layer.alarms
            states |= layer.alarm_states
    return rises, states


def _alarms(
    loop: Iterable[Series],
    rises: Mapping[str, str],
    states: Mapping[str, Mapping[int, str]],
    *,
    begun: bool = False,
) -> Iterator[str]:
    """Rules about a loop's readings; with `begun` those alone that were not true before it."""
    for series in (each for each in loop if each.sampler == HEALTH):
        before, after = (series.values[at] or 0 for at in (0, -1))
        if series.name in rises and after > before:
            yield rises[series.name]
        for bit, rule in states.get(series.name, {}).items():
            if bit & (int(after) & ~int(before) if begun else int(before) | int(after)):
                yield rule
