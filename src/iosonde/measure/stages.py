"""A study at the layers of a declared stack: each is measured before anything stands on it.

The stack is built from the disks up; a probe point is measured as soon as it stands, and only then
what comes above it is built. So a load may write to every layer, the raw disks too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace

from iosonde.change.build import Builder, Report
from iosonde.change.guard import Permission
from iosonde.change.late import let_sleep
from iosonde.change.open import opened
from iosonde.change.take_away import take_away
from iosonde.errors import Refused
from iosonde.hosts.host import Host
from iosonde.layers.site import Site
from iosonde.measure.counting import declared_facts
from iosonde.measure.plan import PlannedTrial
from iosonde.measure.progress import Progress, TrialPreparing
from iosonde.measure.study import ProbePoint
from iosonde.records.stack import Scalar
from iosonde.stack.file import DeclaredStack, builder


class Stages:
    """Builds a stack as far as the next probe point needs.

    Args:
        stack: the declared stack.
        permissions: what --destroy names.
        progress: told what is built.
    """

    def __init__(
        self, stack: DeclaredStack, permissions: tuple[Permission, ...], progress: Progress
    ) -> None:
        self._stack = stack
        self._permissions = permissions
        self._progress = progress
        self._exits = AsyncExitStack()
        self._builder: Builder | None = None
        self._trial = ""

    async def open(self) -> Mapping[str, Host]:
        """Connect to all hosts of the stack; returns them by what iosonde opens."""
        hosts, journals = await self._exits.enter_async_context(opened(self._stack))
        self._builder = Builder(self._stack, hosts, journals, self._permissions, self._tell)
        return {self._stack.opens[name]: host for name, host in hosts.items()}

    async def close(self) -> None:
        """Let go of the hosts; what stands goes on standing."""
        await self._exits.aclose()

    def _tell(self, report: Report) -> None:
        if report.state not in {"unchanged", "found"}:
            self._progress(TrialPreparing(self._trial, f"{report.layer}: {report.action}"))

    async def ready(
        self, planned: PlannedTrial, beside: Collection[str] = (), *, writes: bool
    ) -> tuple[PlannedTrial, tuple[Permission, ...]]:
        """The trial with the path of its probe point, which now stands, and leave to write there.

        Args:
            planned: the trial.
            beside: further layers that have to stand.
            writes: its load does.

        Raises:
            Refused: the load writes, and a layer above stands already.
            HostFailed: what is below cannot be built.
        """
        if self._builder is None:
            raise RuntimeError("the hosts are not opened")
        site = self._stack.site(planned.probe.name)
        self._trial = planned.id
        for name in beside:
            if name not in self._builder.built:
                await self._builder.ready(self._stack.site(name))
        if writes:
            self.require_bare(site.name)
        if site.name not in self._builder.built:
            await self._builder.ready(site)
        path = self._builder.built[site.name].device
        probe = replace_path(planned.probe, path)
        own = self._builder.is_own(self._builder.built[site.name])
        return replace(planned, probe=probe), (Permission(path, frozenset()),) if own else ()

    @property
    def standing(self) -> frozenset[str]:
        """The layers that iosonde's records on the hosts say it has made."""
        journals = self._builder.journals.values() if self._builder else ()
        return frozenset(made.layer for journal in journals for made in journal.made.values())

    def site(self, name: str) -> Site | None:
        """A layer that stands, with its device; None of one that does not."""
        return self._builder.built.get(name) if self._builder else None

    async def rebuild(self, stack: DeclaredStack, changed: Collection[str]) -> None:
        """Take some layers away with all that stands on them; `ready` builds them as declared now.

        Args:
            stack: the same layers on the same hosts, declared otherwise.
            changed: names of those whose declaration differs; what is on them is lost.

        Raises:
            HostFailed: something could not be taken away.
        """
        await self._without({*changed, *layers_above(stack, changed)}, stack)

    async def bare(self, planned: PlannedTrial) -> None:
        """Take away what stands on a trial's layer, so that its load may write to the device.

        Raises:
            HostFailed: something could not be taken away.
        """
        self._trial = planned.id
        if gone := layers_above(self._stack, {planned.probe.name}) & self.standing:
            await self._without(gone, self._stack)

    async def _without(self, gone: Collection[str], stack: DeclaredStack) -> None:
        """Take some layers away; from now on the stack is declared so."""
        if self._builder is None:
            raise RuntimeError("the hosts are not opened")
        old = self._builder
        await take_away(
            old.hosts, old.journals, tell=self._tell, wanted=gone, permissions=self._permissions
        )
        for name in old.hosts.keys() & set(gone):
            await let_sleep(old.hosts[name])
        self._stack = stack
        self._builder = Builder(stack, old.hosts, old.journals, self._permissions, self._tell)

    async def remove(self) -> None:
        """Take all that iosonde made of the stack away.

        Raises:
            HostFailed: something could not be.
        """
        if self._builder is not None:
            old = self._builder
            await take_away(old.hosts, old.journals, tell=self._tell, permissions=self._permissions)
            for host in old.hosts.values():
                await let_sleep(host)
            self._builder = Builder(
                self._stack, old.hosts, old.journals, self._permissions, self._tell
            )

    async def declared(self) -> list[dict[str, Scalar]]:
        """What the layers that stand were declared as, with their hosts and devices."""
        facts = []
        for site in self._builder.built.values() if self._builder else ():
            host = self._builder.hosts[site.host] if self._builder else None
            if host is not None and site.device.startswith("/dev/"):
                device = await host.resolve(site.device)
                values = site.declared.model_dump(mode="json")
                facts.append(declared_facts(host.name, device, site.kind, values))
        return facts

    def require_bare(self, name: str) -> None:
        """Refuse a load that writes to a layer's device while others stand on it.

        Raises:
            Refused: some do.
        """
        site = self._stack.site(name)
        above = self._above(site) if builder(site.kind).probe == "device" else []
        if above:
            raise Refused(
                f"{', '.join(above)} stand{'s' if len(above) == 1 else ''} on {site.name} already, "
                "so writing to it would destroy what is there",
                where=self._stack.file,
                evidence="iosonde's record on the hosts",
                hint=f"`iosonde down {self._stack.file}`; the run builds it again as it goes",
            )

    def _above(self, site: Site) -> list[str]:
        journals = self._builder.journals.values() if self._builder else ()
        made = [made for journal in journals for made in journal.made.values()]
        return sorted({made.layer for made in made if site.name in made.of})


def layers_above(stack: DeclaredStack, names: Collection[str]) -> set[str]:
    """Names of the layers that stand on one of some, on whatever hosts."""
    return {site.name for site in stack.sites if any(lower.name in names for lower in site.under())}


def replace_path(probe: ProbePoint, path: str) -> ProbePoint:
    """The probe point at a path."""
    return probe.model_copy(update={"path": path})
