"""What is stored of a campaign's end: the answer, and the commands that make it last."""

from __future__ import annotations

from collections.abc import Mapping

from iosonde.errors import HostFailed, Refused
from iosonde.hosts.command import quote
from iosonde.layers import LAYERS
from iosonde.records.campaign import CandidateEnd, Native, Result
from iosonde.records.stack import Scalar
from iosonde.settings import MECHANISMS
from iosonde.tune.campaign.host_group import HostGroup
from iosonde.tune.campaign.resolve import text_of
from iosonde.tune.search.strategy import SearchStanding
from iosonde.tune.search.verdict import CampaignAnswer, Proven

_ANOTHER = "not kept: the device's number is another one when it is made again"


def ends_of(standing: SearchStanding) -> tuple[CandidateEnd, ...]:
    """The candidates as they stand."""
    return tuple(
        CandidateEnd(
            candidate.settings,
            candidate.state.value,
            candidate.loops,
            candidate.device_seconds,
            candidate.metric,
            candidate.reason,
            candidate.stage,
        )
        for candidate in standing.candidates
    )


def result_of(
    search: Proven, answer: CampaignAnswer, group: HostGroup, study: str, *, applied: bool
) -> Result:
    """How a campaign ended.

    Args:
        search: that has ended, with its answer.
        answer: of it.
        group: where; for the names of settings on their hosts.
        study: its name, for the commands.
        applied: the winner was left in force.
    """
    settings = search.space.settings
    return Result(
        ending=answer.result.ending.value, reason=answer.result.reason,
        baseline=settings(search.space.baseline), pick=settings(answer.result.pick),
        winner=dict(answer.settings), confirmed=answer.confirmed, gain=answer.gain,
        sentence=answer.sentence, search=answer.search, proof=answer.proof,
        applied=applied, rolled_back=not applied,
        equivalent=tuple(map(settings, answer.equivalent)),
        candidates=ends_of(search.search.standing()),
        commands=commands(group, answer.settings, study, applied=applied)
        if answer.confirmed else (),
    )  # fmt: skip


def commands(
    group: HostGroup, settings: Mapping[str, Scalar], study: str, *, applied: bool
) -> tuple[str, ...]:
    """What sets the winner and keeps it over a reboot; where it is in force, only the latter.

    Settings of devices whose number is another one when they are made again are in no command, but
    in a line of comment: `loop:loop4` may be somebody else's by the time it is copied.
    """
    lines: list[str] = []
    keep: list[str] = []
    numbered: list[str] = []
    for host, values in group.changes(settings).items():
        where = () if host == "local" else ("--host", host)
        lasting = [f"{name}={value}" for name, value in values.items() if _lasts(group, name)]
        numbered += [
            f"# {name.partition(':')[0]}: {name.rpartition('.')[2]}={value} on {host}, once the "
            f"device is there again; `{quote(('iosonde', 'settings', *where))}` shows what it is "
            "called then"
            for name, value in values.items()
            if not _lasts(group, name)
        ]
        if lasting:
            if not applied:
                lines.append(quote(("iosonde", "set", *where, *lasting)))
            keep.append(quote(("iosonde", "persist", host, "--study", study)))
    built = [
        f"{name}={text_of(settings[knob.varied.name])}"
        for knob in group.knobs
        for name in (knob.varied.name, *knob.varied.also)
        if not knob.spots and settings[knob.varied.name] != knob.varied.default
    ]
    if group.place.stack and not applied:
        options = [word for pair in built for word in ("--set", pair)]
        lines.insert(0, quote(("iosonde", "up", group.place.study.stack, *options)))
    return (*lines, *numbered, *keep)


def _lasts(group: HostGroup, name: str) -> bool:
    """Whether a setting's name means the same device after the campaign.

    Devices that the kernel numbers are numbered as they come; so are disks of initiators that the
    campaign's own stack logs in and out.
    """
    kind = LAYERS.load(name.partition(":")[0]) if ":" in name else None
    if kind is None:
        return True
    return not (kind.numbered_by_the_kernel or (group.place.stack and kind.renamed_by_login))


async def natives(group: HostGroup, settings: Mapping[str, Scalar]) -> tuple[Native, ...]:
    """What would keep a candidate in the hosts' own configuration; nothing is written.

    What cannot be kept, or cannot be read any more, is told as a note and fails nothing.
    """
    persistent = []
    for knob in group.knobs:
        value = settings[knob.varied.name]
        for host, setting in knob.spots if value != knob.varied.default else ():
            if not _lasts(group, setting.name):
                persistent.append(Native(host, setting.name, "", note=_ANOTHER))
                continue
            mechanism = MECHANISMS.load(setting.declared.mechanism)()
            try:
                kept = await mechanism.keep(
                    group.place.hosts[host], setting.address, text_of(value)
                )
            except (Refused, HostFailed) as problem:
                persistent.append(Native(host, setting.name, "", note=problem.message))
            else:
                note = kept.note or ("" if kept.line else "a word of the file is changed")
                persistent.append(Native(host, setting.name, kept.file, kept.line, note))
    return tuple(persistent)
