"""Where each stage of a campaign is measured, and which of its settings are there by then.

A study of `staged` may name several layers in `at`. Each stage is measured at the lowest of them
that is the stage's layer or stands on it, as people tune a stack by hand: the arrays as bare
arrays, the replicated disk before there is a volume on it, the file system last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from iosonde.errors import UsageError
from iosonde.measure.plan import PlannedTrial
from iosonde.measure.stages import layers_above
from iosonde.stack.file import DeclaredStack
from iosonde.tune.campaign.depth import crossings, without_host
from iosonde.tune.search.staged import layer_of


@dataclass(frozen=True, slots=True)
class Where:
    """A planned trial, and what is there when it can be measured.

    Args:
        trial: at its probe point.
        names: of the settings that are there.
        layers: of the stack that these are settings of, whatever branch of it they stand on; but
            none that stands on the probe point itself.
    """

    trial: PlannedTrial
    names: frozenset[str]
    layers: frozenset[str] = frozenset()


class Route:
    """The places of a campaign.

    Args:
        stack: the declared stack, where there is one.
        trials: one for each place, from the disks up.
        names: of the settings that are varied, in the order of their stages, each with those that
            are set with it.
    """

    def __init__(
        self,
        stack: DeclaredStack | None,
        trials: Sequence[PlannedTrial],
        names: Mapping[str, Sequence[str]],
    ) -> None:
        self._stack, self._trials, self._names = stack, trials, names
        self._places = {name: self._place(layer_of(name)) for name in names}

    @property
    def places(self) -> tuple[str, ...]:
        """Of each stage its place, in their order; nothing where all is measured at one."""
        if len(self._trials) == 1:
            return ()
        stages = {layer_of(name): trial.probe.name for name, trial in self._places.items()}
        return tuple(stages.values())

    def of(self, stage: str) -> Where:
        """Where a stage is measured; without one (the proof of the whole) it is the topmost place.

        There are the settings of the stages before, and all that are measured at the same place.
        """
        if not stage or len(self._trials) == 1:
            return self._where(self._trials[-1], self._places)
        place, there, before = self._place(stage), set[str](), True
        for name, trial in self._places.items():
            mine = layer_of(name) == stage
            if before or mine or trial is place:
                there.add(name)
            before = before and not mine
        return self._where(place, there)

    def _where(self, trial: PlannedTrial, names: Iterable[str]) -> Where:
        every = {setting for name in names for setting in (name, *self._names[name])}
        layers = {self._layer(layer_of(setting)) for setting in every} - {""}
        above = layers_above(self._stack, {trial.probe.name}) if self._stack else set()
        return Where(trial, frozenset(names), frozenset(layers - above))

    def _layer(self, layer: str) -> str:
        """The stack's layer that a setting's is, on whatever of its hosts; empty: none of them."""
        if self._stack is None:
            return ""
        name = without_host(self._stack, layer)[1]
        return name if any(site.name == name for site in self._stack.sites) else ""

    def _place(self, layer: str) -> PlannedTrial:
        """Raises UsageError where none of the places has the layer below it."""
        stack = self._stack
        if stack is None or len(self._trials) == 1:
            return self._trials[-1]
        if name := self._layer(layer):
            wanted = {name}
        elif layer.rpartition("/")[2].startswith("link:"):
            wanted = {site.name for site in crossings(stack)}
        else:
            return self._trials[-1]
        over = wanted | layers_above(stack, wanted)
        for trial in self._trials:
            if trial.probe.name in over:
                return trial
        places = ", ".join(trial.probe.name for trial in self._trials)
        raise UsageError(
            f"{layer} is measured nowhere: of the places {places} none stands on it",
            hint=f"add {layer}, or a layer above it, to `at`",
        )
