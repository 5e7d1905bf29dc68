"""Undoes a step, on the very things that it was done on, or refuses with evidence.

Names do not count: each device, file and mount that the undo touches is compared with what was
recorded of it (identity.py). What has another name now is followed. Then the guard is asked, as for
a load that writes, and each command runs while the kernel holds the devices and only if they still
are the same in that moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from iosonde import kerneltext
from iosonde.change.at_work import holding
from iosonde.change.each import ask_each
from iosonde.change.guard import IN_CONTAINER, Permission, check_target
from iosonde.change.identity import (
    CHANGED,
    Facts,
    Likeness,
    find,
    guarded,
    likeness,
    read,
    same_kernel_object,
)
from iosonde.change.journal import Journal, Made
from iosonde.change.sharing import sharing
from iosonde.change.standing import CheckOutcome, standing
from iosonde.errors import HostFailed, Refused
from iosonde.hosts.command import quote
from iosonde.hosts.host import Host
from iosonde.layers.step import LEFT, Check, Command, UndoSubject, shown

_TRIES = 20
_PAUSE = 0.25  # seconds; udev opens a device for a moment whenever a writer closes it
_SHOWN = 200  # letters of a command that are shown
_DESTROYED = (("rm", "--force"), ("lvremove",), ("sfdisk",))
"""How commands begin that lose data, in records of older versions, which do not say so."""


@dataclass(frozen=True, slots=True)
class _Thing:
    """A subject of an undo: what it is now, None where it is gone; `problem` says why not to go on.

    `moved` says that it has not the name that was recorded, `replaced` that another device carries
    what the step put on it.
    """

    subject: UndoSubject
    recorded: Facts | None
    now: Facts | None
    problem: str = ""
    moved: bool = False
    replaced: bool = False


async def undo(
    host: Host,
    made: Made,
    journal: Journal,
    *,
    own: Collection[str],
    permissions: Sequence[Permission] = (),
    half: bool = False,
) -> list[str]:
    """Take away what a step made; harmless where it is gone already.

    Returns:
        What had to be left where it is, a sentence each.

    Args:
        host: where.
        made: the step's record.
        journal: of the host.
        own: what the stack put on any device of any host ("ext4 b8c4f632-…").
        permissions: of the user; of them `--in-container` alone counts.
        half: it may be half made, so that each command may fail.

    Raises:
        Refused: what stands there now is not what the step was done on, or is in use.
        HostFailed: it is still there.
    """
    if made.subjects is None:
        await _undo_of_older(host, made, journal, half=half)
        return []
    things = await _recognised(host, made, half=half)
    if any(thing.subject.fleeting and thing.now is None and not thing.problem for thing in things):
        return []
    there = _named(made.there, _names(things, all_of_them=False))
    absent = await standing(host, there) is CheckOutcome.ABSENT
    problems = [thing.problem for thing in things if thing.problem]
    if absent and not _left_on_devices(made, things) and (problems or not half):
        return []
    problems += _of_others(made, things, own)
    if problems:
        raise _refusal(host, made, journal, problems)
    blind = IN_CONTAINER in permissions
    left: list[str] = []
    try:
        await _unused(host, [thing for thing in things if thing.subject.given], blind=blind)
        for number, command in enumerate(made.undo):
            if number:
                things = await _looked_at_again(host, made, journal, things, half=half)
            if command.wipes:
                destroyed = [thing for thing in things if thing.subject.name in made.destroys]
                await _unused(host, destroyed, blind=blind)
            left += await _patiently(host, made, command, journal.lock, things, half=half)
    except Refused as problem:
        problem.hint = problem.hint or _by_hand(made, journal)
        raise
    await _until_gone(host, made, there, [thing for thing in things if thing.subject.fleeting])
    return left


async def _looked_at_again(
    host: Host, made: Made, journal: Journal, things: Sequence[_Thing], *, half: bool
) -> list[_Thing]:
    """Devices with what is on them now: a command of the undo may have put it there itself.

    A cache that is written back brings what stood on it to the slow device.

    Raises:
        Refused: a device carries something else than what the step made.
    """
    devices = [
        thing for thing in things if thing.now is not None and thing.subject.what == "device"
    ]
    described = await read(
        host, [UndoSubject("device", thing.now.path) for thing in devices if thing.now]
    )
    again = {
        thing.subject: _with_content(made, replace(thing, now=now), half=half)
        for thing, now in zip(devices, described, strict=True)
        if thing.now is not None and now.its == thing.now.its
    }
    if problems := [thing.problem for thing in again.values() if thing.problem]:
        raise _refusal(host, made, journal, problems)
    return [again.get(thing.subject, thing) for thing in things]


async def recognise(host: Host, made: Made, journal: Journal) -> None:
    """See that what stands is what the step made, be it on a disk that was replaced meanwhile.

    Raises:
        Refused: it has the name alone.
    """
    things = await _recognised(host, made, half=False) if made.subjects else ()
    problems = [thing.problem for thing in things if thing.problem and not thing.replaced]
    if problems:
        raise Refused(
            "what is there now has the name of what was built, but is something else",
            where=host.name,
            evidence="; ".join(problems),
            hint=f"move it away, or `iosonde down`; {journal.path} there says what was built",
        )


async def _recognised(host: Host, made: Made, *, half: bool) -> list[_Thing]:
    """The subjects of a step; those that are asked for by a device's name after that device."""
    subjects = made.subjects or ()
    asks = [subject for subject in subjects if subject.ask and not _was_at(made, subject)]
    things = await _things(
        host, made, [subject for subject in subjects if subject not in asks], half=half
    )
    names = _names(things, all_of_them=False)
    asked = [replace(subject, ask=_replaced(subject.ask, names)) for subject in asks]
    # What has a device's name now matters no more where the device is not there to be asked for.
    gone = [thing for thing in things if thing.problem and thing.subject.ask and thing.now is None]
    again = [replace(thing.subject, ask=_replaced(thing.subject.ask, names)) for thing in gone]
    for thing, now in zip(gone, await read(host, again), strict=True):
        if not now.its:
            things[things.index(thing)] = replace(thing, problem="")
    return things + await _things(host, made, asked, half=half)


async def _things(
    host: Host, made: Made, subjects: Sequence[UndoSubject], *, half: bool
) -> list[_Thing]:
    """Subjects as they are now. A device that was asked for is looked at where it was then."""
    looked = [
        UndoSubject("device", path) if subject.ask and (path := _was_at(made, subject)) else subject
        for subject in subjects
    ]
    described = zip(subjects, await read(host, looked), strict=True)
    return [await _thing(host, made, subject, now, half=half) for subject, now in described]


def _was_at(made: Made, subject: UndoSubject) -> str:
    """Where a device was, "" for one that is not recorded, and for what is no device."""
    recorded = _recorded(made, subject)
    return recorded.path if recorded is not None and subject.what == "device" else ""


def _recorded(made: Made, subject: UndoSubject) -> Facts | None:
    return made.after.get(subject.name) or made.before.get(subject.name)


async def _thing(host: Host, made: Made, subject: UndoSubject, now: Facts, *, half: bool) -> _Thing:
    """What became of one subject."""
    recorded = _recorded(made, subject)
    if recorded is None:
        gone = not now.its or (subject.fleeting and made.boot != now.boot)
        return _Thing(subject, None, None if gone else now)
    at_its_name = _at_its_name(made, subject, recorded, now)
    if at_its_name is not None:
        return _with_content(made, at_its_name, half=half)
    if subject.what == "device" and not subject.fleeting:
        elsewhere = await find(host, recorded)
        if len(elsewhere) == 1:
            moved = _Thing(subject, recorded, elsewhere[0], moved=True)
            return _with_content(made, moved, half=half)
        if elsewhere:
            several = " and ".join(map(str, elsewhere))
            return _Thing(subject, recorded, None, f"{several} are both like {recorded}")
    other = bool(now.its) and not subject.fleeting
    problem = f"there is {now} now, and it was {recorded}" if other else ""
    replaced = subject.name in made.destroys and bool(recorded.contents & now.contents)
    return _Thing(subject, recorded, None, problem, replaced=replaced)


def _at_its_name(made: Made, subject: UndoSubject, recorded: Facts, now: Facts) -> _Thing | None:
    """A subject that still has its name; None where nothing has that name, or something else."""
    if not now.its:
        return None
    alike = likeness(recorded, now)
    if alike is Likeness.OTHER or (subject.fleeting and not same_kernel_object(recorded, now)):
        return None
    if alike is Likeness.ONLY_ITS_NAME and any(command.wipes for command in made.undo):
        said = f"nothing but its name tells whether {now} is {recorded}"
        return _Thing(subject, recorded, now, f"{said}, since the host was started again")
    return _Thing(subject, recorded, now)


def _with_content(made: Made, thing: _Thing, *, half: bool) -> _Thing:
    """Whether a device still carries what the step put on it; what is half made is not known."""
    recorded, now = thing.recorded, thing.now
    if half or recorded is None or now is None or thing.subject.name not in made.destroys:
        return thing
    if thing.problem:
        return thing
    if not recorded.contents or not now.contents or recorded.contents & now.contents:
        return thing
    problem = f"there is {now} now, and what was made there is {recorded}"
    return replace(thing, problem=problem)


def _left_on_devices(made: Made, things: Sequence[_Thing]) -> bool:
    """Whether a device still carries what the step put on it, though nothing stands of it."""
    return any(
        thing.now is not None
        and thing.recorded is not None
        and thing.subject.name in made.destroys
        and bool(made.after.get(thing.subject.name))
        and bool(thing.recorded.contents & thing.now.contents)
        for thing in things
    )


def _of_others(made: Made, things: Sequence[_Thing], own: Collection[str]) -> list[str]:
    """What would be lost with a layer, and was put there by others."""
    losses = []
    for thing in things:
        if thing.now is None:
            continue
        removed = thing.subject.what == "file" and any(command.wipes for command in made.undo)
        if removed or thing.subject.given == "lost":
            foreign = thing.now.contents - set(own)
            if foreign:
                what = ", ".join(sorted(foreign))
                losses.append(
                    f"{thing.now.path} carries {what}, which iosonde did not put there "
                    f"(`wipefs --all {thing.now.path}` gives it up)"
                )
        if removed and (attached := thing.now.carries.get("attached")):
            losses.append(f"{thing.now.path} is attached as {attached}, and not by iosonde")
    return losses


def _by_hand(made: Made, journal: Journal) -> str:
    commands = [line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…" for line in shown(made.undo)]
    return (
        f"look at it, and finish by hand what of it is yours: {'; '.join(commands)}; then "
        f"`iosonde down` again goes on. Where all of it is gone, remove {journal.path} there"
    )


def _refusal(host: Host, made: Made, journal: Journal, problems: Sequence[str]) -> Refused:
    return Refused(
        f"not undone: {made.does}, since what is there is not what it was done on",
        where=host.name,
        evidence="; ".join(problems),
        hint=_by_hand(made, journal),
    )


async def _unused(host: Host, things: Sequence[_Thing], *, blind: bool) -> None:
    """The guard's answer for devices, whatever they carry: that was compared.

    What cannot be read any more (a broken array) has nothing to lose and is not asked for.

    Raises:
        Refused: one is in use.
    """
    shared = sharing(host)

    async def ask(path: str) -> None:
        allowed = [Permission(path, frozenset(), compared=True)]
        permissions = [*allowed, IN_CONTAINER] if blind else allowed
        await check_target(shared, path, writes=True, permissions=permissions)

    paths = dict.fromkeys(
        thing.now.path for thing in things if thing.now is not None and thing.now.readable
    )
    await ask_each(map(ask, paths))


def _names(things: Sequence[_Thing], *, all_of_them: bool) -> dict[str, str]:
    """The present path of each device, by its name: of all, or of those that have another name."""
    return {
        thing.subject.name: thing.now.path
        for thing in things
        if thing.now is not None
        and thing.subject.what == "device"
        and (all_of_them or thing.moved or thing.subject.ask)
    }


def _replaced(argv: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """An argument list with other names of devices; LVM takes several in one argument."""
    return tuple(
        ",".join(names.get(part, part) for part in word.split(","))
        if word not in names else names[word]
        for word in argv
    )  # fmt: skip


def _named(check: Check, names: Mapping[str, str]) -> Check:
    return replace(check, argv=_replaced(check.argv, names))


async def _patiently(
    host: Host, made: Made, command: Command, lock: str, things: Sequence[_Thing], *, half: bool
) -> list[str]:
    """A command that fails while a device is busy is tried again for a moment.

    Returns:
        What it says that it had to leave; see `iosonde.layers.step.LEFT`.

    Raises:
        Refused: a thing became another since it was looked at.
    """
    argv = _replaced(command.argv, _names(things, all_of_them=command.wipes))
    present = [(thing.subject, thing.now) for thing in things if thing.now is not None]
    if present:
        argv = guarded(present, argv)
    for left in reversed(range(_TRIES)):
        done = await host.run(
            holding(lock, argv),
            stdin=kerneltext.encoded(command.stdin),
            timeout=command.timeout + 60.0 * len(present),
            check=False,
        )
        said = kerneltext.decoded(done.stderr).strip() or f"status {done.status}"
        if present and done.status == CHANGED:
            raise Refused(
                f"not undone: {made.does}, since the device is not the one that it was done on",
                where=host.name,
                evidence=kerneltext.lines(said)[-1],
            )
        if done.status == 0 or half or command.may_fail:
            lines = kerneltext.lines(said)
            return [line.removeprefix(LEFT) for line in lines if line.startswith(LEFT)]
        if left == 0:
            problem = kerneltext.lines(said)[-1]
            raise HostFailed(f"{quote(command.argv)} failed: {problem}", where=host.name)
        await asyncio.sleep(_PAUSE)
    return []


async def _until_gone(host: Host, made: Made, there: Check, fleeting: Sequence[_Thing]) -> None:
    """Wait until nothing stands of it. Others may have attached what it was attached to as well.

    Raises:
        HostFailed: it is still there.
    """
    if not made.undo:
        return
    for _ in range(_TRIES):
        if await standing(host, there) is CheckOutcome.ABSENT:
            return
        before = [(thing.subject, thing.now) for thing in fleeting if thing.now is not None]
        paths = [UndoSubject("device", facts.path) for _, facts in before]
        now = await read(host, paths)
        if before and not any(
            current.its and same_kernel_object(facts, current)
            for (_, facts), current in zip(before, now, strict=True)
        ):
            return
        await asyncio.sleep(_PAUSE)
    raise HostFailed(
        f"could not undo: {made.does}; it is still there",
        where=host.name,
        hint=f"to finish by hand: {'; '.join(quote(command.argv) for command in made.undo)}",
    )


async def _undo_of_older(host: Host, made: Made, journal: Journal, *, half: bool) -> None:
    """A step of a record in which names are all that tells devices from others.

    Raises:
        Refused: data would be lost.
    """
    if await standing(host, made.there) is CheckOutcome.ABSENT and not half:
        return
    loses = made.destroys or any(
        command.argv[: len(beginning)] == beginning
        for command in made.undo
        for beginning in _DESTROYED
    )
    if loses and await standing(host, made.there) is not CheckOutcome.ABSENT:
        raise Refused(
            f"not undone: {made.does}, since an older iosonde recorded nothing but names of what "
            "that would destroy",
            where=host.name,
            evidence=f"{journal.path} says of it: {', '.join(made.destroys) or 'no device'}",
            hint=_by_hand(made, journal),
        )
    for command in made.undo if not loses else ():
        await _patiently(host, made, command, journal.lock, (), half=half)
    if not loses:
        await _until_gone(host, made, made.there, ())
