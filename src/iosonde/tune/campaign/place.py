"""Where a campaign measures: its hosts, its declared stack, and its probe points made ready."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from iosonde.change.guard import Permission
from iosonde.change.late import is_asleep
from iosonde.errors import HostFailed, Refused
from iosonde.hosts.host import Host
from iosonde.layers.site import Site
from iosonde.loads import LOADS
from iosonde.measure.plan import PlannedTrial
from iosonde.measure.progress import Progress
from iosonde.measure.ready import StudyHosts
from iosonde.measure.study import Study
from iosonde.measure.trial import PreparedTrial
from iosonde.measure.trouble import Watched
from iosonde.records.stack import Capture, Json
from iosonde.stack.file import DeclaredStack, read_stack
from iosonde.tune.campaign.route import Route


class MeasurementSite:
    """Opened by `open`, left by `close`; `ready` comes between.

    Args:
        study: the load and its place.
        trials: its trial at each probe point, from the disks up.
        others: further hosts whose settings are varied.
        permissions: devices named by --destroy.
        progress: told what is built and prepared.
    """

    def __init__(
        self,
        study: Study,
        trials: Sequence[PlannedTrial],
        others: tuple[str, ...],
        permissions: tuple[Permission, ...],
        progress: Progress,
    ) -> None:
        self.study, self.trials, self.planned = study, tuple(trials), trials[-1]
        self._others = others
        self._prepared = AsyncExitStack()
        self.stack: DeclaredStack | None = self.declared({}) if study.stack else None
        self._connected = StudyHosts(study, permissions, progress)
        self.own = False
        """The campaign builds the stack, so it may take away what stands on a probe point."""
        self.hosts = self._connected.hosts
        self.values: dict[str, Json] = {}
        self.bench: PreparedTrial | None = None
        self.capture: Capture | None = None
        self.command = ""

    @property
    def host(self) -> Host:
        """Where the load runs at present."""
        return self.hosts[self.planned.probe.host]

    async def open(self) -> None:
        """Connect to the hosts; nothing is changed.

        Raises:
            HostFailed: one cannot be reached.
        """
        at = (trial.probe.host for trial in self.trials)
        await self._connected.open(self.stack, (*at, *self._others))

    @property
    def stands(self) -> frozenset[str]:
        """Layers of the declared stack that iosonde has built."""
        stages = self._connected.stages
        return stages.standing if stages else frozenset()

    @property
    def guests(self) -> frozenset[str]:
        """Those of the hosts that are layers of the stack."""
        stack = self.stack
        return frozenset(stack.opens[name] for name in stack.guests) if stack else frozenset()

    def needs(self, values: Mapping[str, Json], at: PlannedTrial, *, again: bool = False) -> bool:
        """Whether `ready` has to take anything away."""
        moved = dict(values) != self.values or at != self.planned
        return again or (moved and bool(self.stands))

    def site(self, name: str) -> Site | None:
        """A layer of the declared stack that stands, with its device."""
        stages = self._connected.stages
        return stages.site(name) if stages else None

    def route(self, names: Mapping[str, Sequence[str]]) -> Route:
        """Where the stages of some settings are measured; see `Route`.

        Raises:
            UsageError: a setting is measured at none of the places.
        """
        return Route(self.stack, self.trials, names)

    def declared(self, values: Mapping[str, Json]) -> DeclaredStack:
        """The stack with some keys declared otherwise.

        Raises:
            UsageError: there is no such key, or it does not take the value.
        """
        return read_stack(
            Path(self.study.stack),
            rehearse=self.study.rehearse,
            values={**self.study.set, **values},
        )

    async def ready(
        self,
        values: Mapping[str, Json],
        at: PlannedTrial,
        *,
        beside: Collection[str] = (),
        again: bool = False,
    ) -> None:
        """Build what a probe point needs, and make it ready: scratch file, capture, guard.

        What stands on it is taken away where the load writes to it and the stack is our own.

        Args:
            values: "LAYER.KEY" → value, of what the campaign builds otherwise than declared.
            at: the trial at that point.
            beside: layers that have to stand too.
            again: take away what stands of the stack first.

        Raises:
            Refused: the guard forbids it, or what would be rebuilt stood before the campaign.
            HostFailed: it cannot be built.
        """
        if self.bench is not None and dict(values) == self.values and at == self.planned:
            return
        await self._prepared.aclose()
        self._prepared, self.bench = AsyncExitStack(), None
        self.planned = at
        if stages := self._connected.stages:
            if again:
                await stages.remove()
            changed = {
                name.partition(".")[0] for name in {*values, *self.values}
                if values.get(name) != self.values.get(name)
            }  # fmt: skip
            if changed:  # what does not stand yet is to be built so when its turn comes
                await stages.rebuild(self.declared(values), changed)
            writes = LOADS.load(at.load.engine)().demand(at.load).writes
            if writes and self.own and len(self.trials) > 1:
                await stages.bare(at)
        self.values = dict(values)
        self.bench, self.capture, self.command = await self._connected.make_ready(
            at, self._prepared, beside=beside
        )

    async def require_unchanged(self, since: float) -> None:
        """The layers below the probe point are as they were when it was made ready.

        Args:
            since: when they were last looked at, epoch seconds.

        Raises:
            HostFailed: one is not: what is measured now is no answer to what was asked.
        """
        if self.bench is None or self.capture is None:
            return
        hosts = [host for host in self.hosts.values() if not is_asleep(host)]
        watched = Watched.under(self.capture, self.bench.target, hosts)
        if watched and (change := await replace(watched, renamed=True).change(since)):
            raise HostFailed(
                f"{change}. What was measured meanwhile is left out",
                where=self.host.name,
                hint="see what failed there; on a stack that is whole again the campaign goes on "
                "with --resume",
            )

    def require_ours(self, layer: str) -> None:
        """A layer that is to be built anew must not have been there before.

        Raises:
            Refused: it was.
        """
        if self.stack and layer in self.stands:
            raise Refused(
                f"the layer {layer} stands already, and to vary it would destroy what is on it",
                where=self.stack.file,
                evidence="iosonde's record on the hosts",
                hint=f"`iosonde down {self.stack.file}`; the campaign builds it itself",
            )

    async def leave(self, *, remove: bool) -> None:
        """The probe point is needed no more; with `remove` the stack is taken away."""
        await self._prepared.aclose()
        self._prepared, self.bench = AsyncExitStack(), None
        if remove and self._connected.stages:
            await self._connected.stages.remove()

    async def close(self) -> None:
        """Let go of the hosts."""
        await self._prepared.aclose()
        await self._connected.close()
