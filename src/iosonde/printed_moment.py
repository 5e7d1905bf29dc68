"""What an output says of each of its devices, as the first lines may say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from iosonde.printed_course import FIGURES, Moment
from iosonde.printed_names import device_key, named, names_in
from iosonde.printed_order import (
    ORDINARY,
    Telling,
    bad_condition,
    counters_telling,
    is_changed,
    is_idle,
    is_made,
    share_of,
    state_telling,
    subject_telling,
)
from iosonde.printed_summary import (
    TELLING,
    TROUBLES,
    counted_said,
    cut,
    first_said,
    messages_said,
    phrases_of,
)
from iosonde.records.printed import PrintedCounters, PrintedState, PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.visible import visible

_MEMBERS = 2  # that failed
_PARTS = 7  # of a device, that are named
_MOMENTS = 32  # devices of an output
_IDENTITY = ("model", "serial", "serial_number", "wwn", "wwid", "array_uuid")
_MADE = frozenset({"created", "started"})
_FIXED = frozenset({
    "model", "partition_table", "first_sector", "start", "start_printed", "raid_disks",
})  # fmt: skip
"""What is said of disks, partitions and arrays: these do not shrink."""


class SaidOutput(NamedTuple):
    """What may be said first of an output without results, and the devices that it speaks of."""

    moments: tuple[Moment, ...]
    names: frozenset[str] = frozenset()


def of_state(state: PrintedState, lines: str, file: str = "") -> SaidOutput:
    """What may be said first of a state that stands in these lines."""
    moments = tuple(
        _moment(state, subject, lines)._replace(file=file)
        for subject in _candidates(state)[:_MOMENTS]
        if "$" not in subject.name  # a variable of a script
    )
    return SaidOutput(moments, frozenset(names_in(state)))


def _candidates(state: PrintedState) -> Sequence[PrintedSubject]:
    """The devices that are said of a state: not the members of an array that is shown with them."""
    telling = state_telling(state)
    head = first_said(state.subjects)
    if head is None or subject_telling(head) > telling:
        head = next((each for each in state.subjects if subject_telling(each) is telling), None)
    if telling <= Telling.CONDITION and head:
        return [head, *(
            each for each in state.subjects
            if each is not head and each.kind == head.kind and each.name
        )]  # fmt: skip
    return state.subjects


def _moment(state: PrintedState, subject: PrintedSubject, lines: str) -> Moment:
    """What a state says of a device: not its name once more, and how it was made."""
    telling, values = subject_telling(subject), subject.values
    others = {key: value for key, value in _telling(values).items() if value != subject.name}
    phrases = dict(phrases_of(others))
    if made := is_made(state, subject):
        phrases = {name: phrase for name, phrase in phrases.items() if name not in _MADE}
        if values.get("state") in ORDINARY:
            phrases.pop("state", None)
        if "level" not in values:
            phrases = {"made": f"{subject.kind.replace('_', ' ')} made"} | phrases
    if telling is not Telling.TROUBLE and (members := _composition(state, subject)):
        phrases["of"] = f"of {members}"
    figure = next(
        ((name, float(value)) for name, value in others.items()
         if name in phrases and isinstance(value, int | float) and not isinstance(value, bool)),
        ("", 0.0),
    )  # fmt: skip
    size = values.get("size")
    return Moment(
        subject.name or subject.kind, device_key(subject.name), subject.kind,
        subject.host or state.host, state.tool, lines, telling, phrases, share_of(values),
        tuple(_failed_members(state, subject)) if telling is Telling.TROUBLE else (),
        _identity(subject), float(size) if isinstance(size, int | float) else 0.0,
        not _FIXED.isdisjoint(values), figure, made or is_changed(subject),
        below=tuple(device_key(name) for name in named(values.values())),
        absent=frozenset(name for name in TROUBLES.intersection(values) if not values[name]),
    )  # fmt: skip


def _identity(subject: PrintedSubject) -> Mapping[str, str]:
    """What stays of a device as long as it is the same; of a mount point the device below it."""
    values = subject.values
    identity = {name: str(values[name]) for name in _IDENTITY if values.get(name)}
    device = str(values.get("device"))
    if device.startswith("/dev/") and not device.startswith("/dev/disk/"):
        identity["device"] = device_key(device)
    return identity


def _composition(state: PrintedState, device: PrintedSubject) -> str:
    """`mirror-0 sdb sdc logs sdd`: what a device consists of, where a tool shows that with it."""
    heads = [each for each in state.subjects if each.kind == device.kind]
    below = state.subjects[state.subjects.index(device) + 1 :]
    others = [each for each in below if each.kind != device.kind and each.name]
    if len(heads) > 1 or not others or subject_telling(device) > Telling.CONDITION:
        return ""
    members = [each for each in others if each.kind == others[0].kind]
    single = [each for each in members if not each.values.get("group")]
    if len(members) > _PARTS:
        return f"{len(single)} × {single[0].kind.replace('_', ' ')}" if single else ""
    names, use = list[str](), ""
    for each in members:
        if (role := str(each.values.get("use", ""))) != use:
            names.append(role)
            use = role
        names.append(visible(each.name))
    return " ".join(filter(None, names))


def _failed_members(state: PrintedState, device: PrintedSubject) -> Iterator[str]:
    """`sdb FAULTED`: what of the device is in trouble, where a tool shows its members with it."""
    members = [
        f"{visible(each.name)} {cut(visible(condition))}" for each in state.subjects
        if each.kind != device.kind and not each.values.get("group")
        and (condition := bad_condition(each.values))
    ]  # fmt: skip
    yield from members[:_MEMBERS]
    if more := len(members[_MEMBERS:]):
        yield f"{more} more"


def _telling(values: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
    """The values of a device that tell something whatever printed them; all, where it has none."""
    telling = {
        name: values[name] for name in TELLING
        if name in values and values[name] not in ORDINARY
    }  # fmt: skip
    blocks, block_size = telling.get("blocks"), telling.get("block_size")
    if isinstance(blocks, int) and isinstance(block_size, int) and "size" not in telling:
        del telling["blocks"]
        telling = {"size": blocks * block_size} | telling
    return telling or values


def of_counters(
    counters: PrintedCounters, lines: str, said: str = "", file: str = ""
) -> SaidOutput:
    """What may be said first of counters that stand in these lines; nothing of mere lists.

    Args:
        counters: of a device or of a host.
        lines: where they stand.
        said: of their figures or messages, where that is known.
        file: that they stand in.
    """
    values = counters.values
    said = said or messages_said(values) or ", ".join(counted_said(values))
    moment = Moment(
        counters.name, device_key(counters.name), counters.kind, counters.host,
        counters.tool, lines, counters_telling(counters), {FIGURES: said} if said else {},
        share_of(values), is_counted=True, is_idle=is_idle(values), file=file,
    )  # fmt: skip
    return SaidOutput((moment,), frozenset(names_in(counters)))
