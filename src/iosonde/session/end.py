"""What is stored of a campaign's end: the answer, and the commands that make it last."""

from __future__ import annotations

from collections.abc import Mapping

from iosonde.campaign import CandidateEnd, Native, Result
from iosonde.errors import HostFailed, Refused
from iosonde.hosts.command import quote
from iosonde.records import Scalar
from iosonde.session.ground import Ground
from iosonde.session.resolve import text_of
from iosonde.settings import MECHANISMS
from iosonde.tune.strategy import Standing
from iosonde.tune.verdict import Answer, Proven


def ends_of(standing: Standing) -> tuple[CandidateEnd, ...]:
    """The candidates as they stand."""
    return tuple(
        CandidateEnd(
            one.settings,
            one.state.value,
            one.loops,
            one.device_seconds,
            one.metric,
            one.reason,
            one.stage,
        )
        for one in standing.candidates
    )


def result_of(
    search: Proven, answer: Answer, ground: Ground, study: str, *, applied: bool
) -> Result:
    """How a campaign ended.

    Args:
        search: that has ended, with its answer.
        answer: of it.
        ground: where; for the names of settings on their hosts.
        study: its name, for the commands.
        applied: the winner was left in force.
    """
    settings = search.space.settings
    return Result(
        ending=answer.found.ending.value, reason=answer.found.reason,
        baseline=settings(search.space.baseline), pick=settings(answer.found.pick),
        winner=dict(answer.settings), confirmed=answer.confirmed, gain=answer.gain,
        sentence=answer.sentence, search=answer.search, proof=answer.proof,
        applied=applied, rolled_back=not applied,
        equivalent=tuple(map(settings, answer.equivalent)),
        candidates=ends_of(search.search.standing()),
        commands=commands(ground, answer.settings, study, applied=applied)
        if answer.confirmed else (),
    )  # fmt: skip


def commands(
    ground: Ground, settings: Mapping[str, Scalar], study: str, *, applied: bool
) -> tuple[str, ...]:
    """What sets the winner and keeps it over a reboot; where it is in force, only the latter."""
    found: list[str] = []
    keep: list[str] = []
    for host, values in ground.changes(settings).items():
        where = () if host == "local" else ("--host", host)
        if not applied:
            words = (f"{name}={value}" for name, value in values.items())
            found.append(quote(("iosonde", "set", *where, *words)))
        keep.append(quote(("iosonde", "persist", host, "--study", study)))
    built = [
        f"{name}={text_of(settings[one.varied.name])}"
        for one in ground.knobs
        for name in (one.varied.name, *one.varied.also)
        if not one.spots and settings[one.varied.name] != one.varied.default
    ]
    if ground.place.stack and not applied:
        options = [word for one in built for word in ("--set", one)]
        found.insert(0, quote(("iosonde", "up", ground.place.study.stack, *options)))
    return (*found, *keep)


async def natives(ground: Ground, settings: Mapping[str, Scalar]) -> tuple[Native, ...]:
    """What would keep a candidate in the hosts' own configuration; nothing is written.

    What cannot be kept, or cannot be read any more, is told as a note and fails nothing.
    """
    found = []
    for knob in ground.knobs:
        value = settings[knob.varied.name]
        for host, one in knob.spots if value != knob.varied.default else ():
            mechanism = MECHANISMS.load(one.declared.mechanism)()
            try:
                kept = await mechanism.keep(ground.place.hosts[host], one.address, text_of(value))
            except (Refused, HostFailed) as problem:
                found.append(Native(host, one.name, "", note=problem.message))
            else:
                note = kept.note or ("" if kept.line else "a word of the file is changed")
                found.append(Native(host, one.name, kept.file, kept.line, note))
    return tuple(found)
