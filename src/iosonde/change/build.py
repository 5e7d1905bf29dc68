"""Builds a declared stack on its hosts, step by step, each in the host's record before it is done.

Layers that do not stand on one another are built at the same time, on one host a few of them. What
is there already, and is as declared, is left as it is; what iosonde did not make is never in the
record, so it is never taken away.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from iosonde.change.each import ask_each
from iosonde.change.fit import require_fit
from iosonde.change.guard import Permission
from iosonde.change.hold import require_free
from iosonde.change.identity import Facts, boot_id
from iosonde.change.journal import Journal, Made
from iosonde.change.same import StandingLayers, declared_keys, require_as_recorded
from iosonde.change.sharing import sharing
from iosonde.change.standing import CheckOutcome, seen, standing
from iosonde.change.stepping import facts_of, run_commands, wait_until_there
from iosonde.change.undo import recognise, undo
from iosonde.contract import ADDED
from iosonde.errors import HostFailed, IosondeError, Refused
from iosonde.hosts.command import quote
from iosonde.hosts.host import Host
from iosonde.layers.site import Site
from iosonde.layers.step import Command, Step, shown
from iosonde.stack.file import DeclaredStack, builder

_PAUSE = 0.1  # seconds between two looks for a device
_AT_ONCE = 3  # steps on one host: while one waits for the other side, another goes on
_SHOWN = 200  # letters of what a check printed


State: TypeAlias = Literal["planned", "done", "unchanged", "found", "removed", "kept", "failed"]
"""Of a step. unchanged: made earlier; found: there, not made by iosonde; kept: others need it."""


@dataclass(frozen=True, slots=True)
class Report:
    """One step as it went."""

    layer: str
    host: str = field(metadata=ADDED)
    """Its name in the stack."""
    action: str
    command: str
    """As it is quoted for people; several are joined by `; `."""
    state: State
    seconds: float = field(default=0.0, metadata={"schema": {"minimum": 0}})
    note: str = field(default="", metadata=ADDED)
    """What had to be left where it is; empty where nothing was."""


Tell = Callable[[Report], None]


def _silently(_: Report) -> None:
    """Tells nobody."""


@dataclass
class Builder:
    """Builds the layers of one stack.

    Args:
        stack: what is to be built.
        hosts: opened, by their names in the stack.
        journals: of each host.
        permissions: devices the user allowed to be written to.
        tell: told of each step.
    """

    stack: DeclaredStack
    hosts: Mapping[str, Host]
    journals: Mapping[str, Journal]
    permissions: Sequence[Permission] = ()
    tell: Tell = _silently
    built: dict[str, Site] = field(default_factory=dict)
    """The layers that stand, with their `device`."""

    def __post_init__(self) -> None:
        self._room = {name: asyncio.Semaphore(_AT_ONCE) for name in self.hosts}
        self._alike: dict[object, asyncio.Lock] = {}
        numbers = [
            made.number for journal in self.journals.values() for made in journal.made.values()
        ]
        self._number = max(numbers, default=0)
        self._foreign: set[str] = set()
        self._boots: dict[str, str] = {}
        self._did: set[tuple[str, tuple[Command, ...]]] = set()  # modules that are loaded
        self._standing = StandingLayers(self.hosts)
        self._fitting = False
        self.stood: set[str] = set()

    async def all(self) -> None:
        """Every layer. Where one fails, those that do not stand on it are still finished.

        Raises:
            IosondeError: why the first one failed; the message says what stands.
        """
        tasks: dict[str, asyncio.Task[Site]] = {}
        await self._fit()

        async def after_below(site: Site) -> Site:
            for under in site.below:
                await tasks[under.name]
            return await self.layer(site)

        for site in self.stack.sites:
            tasks[site.name] = asyncio.create_task(after_below(site))
        try:
            results = await asyncio.gather(*tasks.values(), return_exceptions=True)
        except asyncio.CancelledError:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
            raise
        failed = [result for result in results if isinstance(result, BaseException)]
        for problem in failed:
            raise self._with_what_stands(problem)

    def _with_what_stands(self, problem: BaseException) -> BaseException:
        if not isinstance(problem, IosondeError):
            return problem
        names = ", ".join(site.name for site in self.stack.sites if site.name in self.built)
        advice = f"`iosonde down {self.stack.file}` takes away what stands: {names or 'no layer'}"
        problem.hint = f"{problem.hint}; {advice}" if problem.hint else advice
        return problem

    async def _fit(self) -> None:
        """See `require_fit`; once."""
        if not self._fitting:
            await require_fit(self.stack, self.hosts)
        self._fitting = True

    async def ready(self, site: Site) -> Site:
        """One layer, after those below it that do not stand yet."""
        await self._fit()
        for under in site.below:
            if under.name not in self.built:
                await self.ready(under)
        return await self.layer(site)

    async def layer(self, site: Site) -> Site:
        """One layer, whose layers below stand; the site with its device.

        Raises:
            Refused: something else is in its place, or the guard forbids a device.
            HostFailed: a command failed.
        """
        site = replace(site, below=tuple(self.built[under.name] for under in site.below))
        recorded = [
            made for journal in self.journals.values() for made in journal.made.values()
            if made.layer == site.name and made.state == "done"
        ]  # fmt: skip
        require_as_recorded(site, recorded, self.stack.file)
        stood = False
        for index, step in enumerate(builder(site.kind).plan(site)):
            host = step.host or site.host
            async with self._alone(host, step), self._room[host]:
                state = await self._step(site, index, step, host)
            stood |= step.there is not None and state in {"unchanged", "found"}
        place, _ = await asyncio.gather(self._place(site), self._written())
        site = replace(site, device=place)
        if stood:
            self.stood.add(site.name)
            await self._standing.require_as_declared(site, recorded, self.stack.file)
        self.built[site.name] = site
        return site

    def _alone(self, host: str, step: Step) -> asyncio.Lock:
        """Steps of several layers that make the same thing, or take turns, are done in sequence."""
        return self._alike.setdefault((host, step.turn or step.there or step.do), asyncio.Lock())

    async def _written(self) -> None:
        """Once the records of all hosts are on their disks."""
        await asyncio.gather(*(journal.flush() for journal in self.journals.values()))

    async def _place(self, site: Site) -> str:
        """Where it is to be opened; udev may need a moment to name it."""
        end = time.monotonic() + 20.0
        while True:
            place = await builder(site.kind).place(self.hosts[site.host], site)
            if place is not None:
                return place
            if time.monotonic() > end:
                raise HostFailed(
                    f"the layer {site.name} was built, but there is no device of it",
                    where=site.host,
                    hint="see what the kernel's log there says",
                )
            await asyncio.sleep(_PAUSE)

    async def _step(self, site: Site, index: int, step: Step, host: str) -> State:
        """Do a step and report it; the state."""
        began = time.monotonic()

        def report(state: State) -> None:
            text = "; ".join(shown(step.do))
            seconds = round(time.monotonic() - began, 3)
            self.tell(Report(site.name, host, step.does, text, state, seconds))

        try:
            state = await self._made(site, index, step, host)
        except IosondeError as problem:
            report("failed")
            problem.message = f"{site.name}: could not {step.does}: {problem.message}"
            raise
        report(state)
        if state == "done":
            self._standing.forget(host)
        return state

    async def _made(self, site: Site, index: int, step: Step, host_name: str) -> State:
        """Do a step where it is not done; the state to report."""
        host, journal = self.hosts[host_name], self.journals[host_name]
        there = step.there
        if there is None:
            if (host_name, step.do) in self._did:
                return "unchanged"
            await run_commands(host, step.do, journal.lock)
            self._did.add((host_name, step.do))
            return "done"
        made = await self._recorded(host, journal, (site.name, index))
        state, output = await seen(host, there)
        if state is CheckOutcome.OTHER:
            raise Refused(
                "something else is in its place",
                where=host_name,
                evidence=f"{quote(there.argv)} shows {output[:_SHOWN]!r}, "
                f"not {' and '.join(there.shows)}",
                hint="take it away, or change the stack file",
            )
        if state is CheckOutcome.THERE:
            return await self._stands(host, journal, site, (index, step), made)
        if made is not None:
            return await self._again(host, journal, step, made)
        await self._ask_guard(host, step)
        number, begin = await self._begin(host, journal, site, (index, step))
        commands = [begin, *step.do]
        if await run_commands(host, commands, journal.lock, there) is not CheckOutcome.THERE:
            await wait_until_there(host, there, step.patience)
        await self._done(host, journal, site, (number, step))
        return "done"

    async def _recorded(self, host: Host, journal: Journal, place: tuple[str, int]) -> Made | None:
        """What is recorded of a step, by its layer and place; None where it is to be done.

        What was only begun is taken away first. A step that nothing takes away (DRBD's sides
        declared the same) is done where it is there, or else was never begun.
        """
        made = journal.find(*place)
        if made is None or made.state != "begun":
            return made
        if not made.undo and await standing(host, made.there) is CheckOutcome.THERE:
            journal.done(made.number)
            return made
        own = frozenset[str]().union(*(journal.own for journal in self.journals.values()))
        await undo(host, made, journal, own=own, permissions=self.permissions, half=True)
        await journal.removed([made.number])
        return None

    async def _stands(
        self,
        host: Host,
        journal: Journal,
        site: Site,
        planned: tuple[int, Step],
        made: Made | None,
    ) -> State:
        """Of a step whose work is there, the state to report."""
        if made is not None:
            await recognise(host, made, journal)
            return "unchanged"
        if not self._is_shared(journal, planned[1]):
            self._foreign.add(site.name)
            return "found"
        number, begin = await self._begin(host, journal, site, planned)
        await run_commands(host, [begin], journal.lock)
        await self._done(host, journal, site, (number, planned[1]))
        return "unchanged"

    def _is_shared(self, journal: Journal, step: Step) -> bool:
        return step.shared and any(made.there == step.there for made in journal.made.values())

    async def _begin(
        self, host: Host, journal: Journal, site: Site, planned: tuple[int, Step]
    ) -> tuple[int, Command]:
        """The number of a step in the host's record, and the command that writes it there.

        What tells the devices whose content it destroys is recorded before it is done.
        """
        index, step = planned
        self._number += 1
        number = self._number
        of = tuple(under.name for under in site.under())
        before: Mapping[str, Facts] = {}
        boot = ""
        if step.subjects:
            before = await facts_of(host, step, before=True)
            boot = next((made.boot for made in before.values()), "") or self._boots.get(
                host.name, ""
            )
            self._boots[host.name] = boot = boot or await boot_id(host)
        if step.there is None:
            raise ValueError(f"{step.does}: what cannot be seen is not recorded")
        made = Made(
            site.name,
            index,
            number,
            step.does,
            step.there,
            step.undo,
            step.destroys,
            "begun",
            of,
            step.shared,
            step.subjects,
            before,
            boot=boot,
            declared=declared_keys(site),
        )
        return number, journal.begin(made)

    async def _done(self, host: Host, journal: Journal, site: Site, done: tuple[int, Step]) -> None:
        """Record that a step is done, and what tells what its undo works on.

        What it put on a device is also told to the hosts that this device's blocks lie on.
        """
        number, step = done
        if not step.subjects:
            journal.done(number)
            return
        journal.done(number, await facts_of(host, step))
        if step.destroys:  # what it put there is known from now on, whatever happens
            await journal.flush()
        for under in site.under():
            below = self.journals.get(under.host, journal)
            if below is not journal:
                below.learn(journal.made[number].contents)

    async def _again(self, host: Host, journal: Journal, step: Step, made: Made) -> State:
        """Bring back what was made and is gone, where that loses nothing."""
        there, lock = made.there if step.there is None else step.there, journal.lock
        if not step.again and step.destroys:
            raise Refused(
                "it was built and is not there any more, and making it again would destroy "
                f"what is on {', '.join(step.destroys)}",
                where=host.name,
                evidence="iosonde's record on that host",
                hint="bring it back by hand, or `iosonde down` and `up` again",
            )
        if await run_commands(host, step.again or step.do, lock, there) is not CheckOutcome.THERE:
            await wait_until_there(host, there, step.patience)
        if step.subjects and made.subjects is not None:
            after = await facts_of(host, step)
            journal.again(
                replace(
                    made, there=there, undo=step.undo, destroys=step.destroys,
                    subjects=step.subjects, before={}, after=after, state="done",
                )
            )  # fmt: skip
        return "done"

    async def _ask_guard(self, host: Host, step: Step) -> None:
        """The guard, for each device that would lose what is on it.

        A device that this stack itself has just made needs no permission of the user, but it is
        refused like any other when it is in use or carries a signature.
        """
        own = {site.device for site in self.built.values() if self.is_own(site)}
        shared = sharing(host)

        async def ask(path: str) -> None:
            allowed = (Permission(path, frozenset()),) if path in own else ()
            permissions = (*self.permissions, *allowed)
            await require_free(shared, path, writes=True, permissions=permissions)

        await ask_each(map(ask, step.destroys))

    def is_own(self, site: Site) -> bool:
        """Whether iosonde made all of a layer: it is in the record, or a disk of the lab's."""
        if site.name in self._foreign:
            return False
        recorded = any(
            made.layer == site.name
            for journal in self.journals.values()
            for made in journal.made.values()
        )
        return recorded or (site.in_lab and not site.below)


def planned(stack: DeclaredStack) -> list[Report]:
    """Every step as it would be done on hosts where nothing stands yet.

    Raises:
        UsageError: a layer cannot be built as declared.
    """
    reports: list[Report] = []
    sites: dict[str, Site] = {}
    for bare in stack.sites:
        site = replace(bare, below=tuple(sites[under.name] for under in bare.below))
        for step in builder(site.kind).plan(site):
            text = "; ".join(shown(step.do))
            reports.append(Report(site.name, step.host or site.host, step.does, text, "planned"))
        sites[site.name] = replace(site, device=f"<{site.name}>")
    return reports
