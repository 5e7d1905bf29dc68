"""Where a campaign measures: its hosts, its declared stack, and the probe point made ready."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from iosonde.change.guard import Permission
from iosonde.change.late import is_asleep
from iosonde.errors import Refused
from iosonde.hosts import open_host
from iosonde.hosts.host import Host
from iosonde.layers.site import Site
from iosonde.loads import LOADS
from iosonde.measure.progress import Progress
from iosonde.measure.ready import make_ready
from iosonde.measure.stages import Stages
from iosonde.measure.study import PlannedTrial, Study
from iosonde.measure.trial import Bench
from iosonde.measure.workplace import sweep
from iosonde.records import Capture, Json
from iosonde.stack.file import DeclaredStack, read_stack


class Place:
    """Opened by `open`, left by `close`; `ready` comes between.

    Args:
        study: the load and its place.
        planned: its one trial.
        others: further hosts whose settings are varied.
        permissions: devices named by --destroy.
        progress: told what is built and prepared.
    """

    def __init__(
        self,
        study: Study,
        planned: PlannedTrial,
        others: tuple[str, ...],
        permissions: tuple[Permission, ...],
        progress: Progress,
    ) -> None:
        self.study, self.planned = study, planned
        self._others, self._permissions, self._progress = others, permissions, progress
        self._exits = AsyncExitStack()
        self._prepared = AsyncExitStack()
        self._stages: Stages | None = None
        self.stack: DeclaredStack | None = self._declared({}) if study.stack else None
        self.hosts: dict[str, Host] = {}
        self.values: dict[str, Json] = {}
        self.bench: Bench | None = None
        self.capture: Capture | None = None
        self.command = ""

    @property
    def host(self) -> Host:
        """Where the load runs."""
        return self.hosts[self.planned.probe.host]

    async def open(self) -> None:
        """Connect to the hosts; nothing is changed.

        Raises:
            HostFailed: one cannot be reached.
        """
        if self.stack:
            self._stages = Stages(self.stack, self._permissions, self._progress)
            self._exits.push_async_callback(self._stages.close)
            self.hosts.update(await self._stages.open())
        for name in dict.fromkeys((self.planned.probe.host, *self._others)):
            if name not in self.hosts:
                self.hosts[name] = await open_host(name)
                self._exits.push_async_callback(self.hosts[name].close)

    @property
    def stands(self) -> frozenset[str]:
        """Layers of the declared stack that iosonde has built."""
        return self._stages.standing if self._stages else frozenset()

    @property
    def guests(self) -> frozenset[str]:
        """Those of the hosts that are layers of the stack."""
        stack = self.stack
        return frozenset(stack.opens[name] for name in stack.guests) if stack else frozenset()

    def needs(self, values: Mapping[str, Json], *, again: bool = False) -> bool:
        """Whether `ready` has to take anything away."""
        return again or (dict(values) != self.values and bool(self.stands))

    def site(self, name: str) -> Site | None:
        """A layer of the declared stack that stands, with its device."""
        return self._stages.site(name) if self._stages else None

    def declared(self, values: Mapping[str, Json]) -> DeclaredStack:
        """The stack with some keys declared otherwise.

        Raises:
            UsageError: there is no such key, or it does not take the value.
        """
        return self._declared(values)

    async def ready(self, values: Mapping[str, Json], *, again: bool = False) -> None:
        """Build what the probe point needs, and make it ready: scratch file, capture, guard.

        Args:
            values: "LAYER.KEY" → value, of what the campaign builds otherwise than declared.
            again: take away what stands of the stack first.

        Raises:
            Refused: the guard forbids it, or what would be rebuilt stood before the campaign.
            HostFailed: it cannot be built.
        """
        if self.bench is not None and dict(values) == self.values:
            return
        await self._prepared.aclose()
        self._prepared, self.bench = AsyncExitStack(), None
        planned, permissions = self.planned, self._permissions
        if self._stages:
            if again:
                await self._stages.remove()
            changed = {
                name.partition(".")[0] for name in {*values, *self.values}
                if values.get(name) != self.values.get(name)
            }  # fmt: skip
            if changed & self.stands:
                await self._stages.rebuild(self._declared(values), changed)
            writes = LOADS.load(planned.load.engine)().demand(planned.load).writes
            planned, own = await self._stages.ready(planned, writes=writes)
            permissions += own
        self.values = dict(values)
        others = [one for one in self.hosts.values() if one is not self.host and not is_asleep(one)]
        if not self.command:  # for the first time
            await sweep(self.host)
        self.bench, self.capture, self.command = await make_ready(
            planned,
            self.host,
            self.study,
            others=others if self._stages else [],
            permissions=permissions,
            progress=self._progress,
            stack=self._prepared,
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
        if remove and self._stages:
            await self._stages.remove()

    async def close(self) -> None:
        """Let go of the hosts."""
        await self._prepared.aclose()
        await self._exits.aclose()

    def _declared(self, values: Mapping[str, Json]) -> DeclaredStack:
        return read_stack(
            Path(self.study.stack),
            rehearse=self.study.rehearse,
            values={**self.study.set, **values},
        )
