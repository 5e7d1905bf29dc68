"""Striped and mirrored volumes in the same words, whoever made them: md, LVM, a controller.

What several outputs say of one array is put together, unless they contradict each other: an array
that was built anew with another chunk size is another array. A description that names no device
(kind "array") completes the only arrays of its text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd

from iosonde import units
from iosonde.errors import UsageError
from iosonde.layers import LAYERS
from iosonde.layers._mapper.facts import mapper_name
from iosonde.layers._raid.geometry import LEVELS, PARITY, SPANNED, data_members, small_write
from iosonde.layers._raid.traits import ArrayTraits
from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence, TrialEvidence
from iosonde.records.stack import Scalar

_DESCRIPTION = "array"
_PARTITION = re.compile(r"(?<=\d)p\d{1,3}$|(?<=[a-z])\d{1,3}$")
_POSITIONS = 1 << 14  # of a request on the stripe; beyond, the arithmetic is left out
_OPTION = re.compile(r"(?:^|\s)--?(\w+)(?:=|\s+)([^\s\"'-][^\s\"']*)")


@dataclass(frozen=True, slots=True)
class Array:
    """One array. `level` as md spells it, "" where unknown; sizes in bytes, None where unknown.

    `data` are the members that hold data in each stripe, `values` all that is known of it.
    """

    kind: str
    name: str
    host: str
    source: str
    where: str
    level: str
    disks: int | None
    data: int | None
    chunk: int | None
    values: Mapping[str, Scalar]

    @property
    def stripe(self) -> int | None:
        """Bytes of data in a stripe: chunk × data members."""
        return self.chunk * self.data if self.chunk and self.data else None

    @property
    def parity(self) -> int:
        """Members that hold parity in each stripe (of each span); 0 where there is none."""
        return PARITY.get(self.level, 0)

    @property
    def penalty(self) -> int | None:
        """I/Os of the drives for one small write."""
        return small_write(self.level)

    @property
    def spanned(self) -> bool:
        """Whether it is several parity arrays in one, of which the stripe is not known."""
        return self.level in SPANNED

    @property
    def called(self) -> str:
        """`md0 (RAID 6 of 22 disks)`; what is not known is left out."""
        level = self.level.upper().replace("RAID", "RAID ")
        disks = f" of {self.disks} disks" if self.disks else ""
        if not self.name:
            return f"the {level or 'array'}{disks}"
        return f"{self.name} ({level}{disks})" if level else self.name

    @property
    def subject(self) -> str:
        """For findings: with the host."""
        name = self.name or self.called
        return f"{self.host}: {name}" if self.host else name

    @property
    def strip(self) -> str:
        """The word for `chunk`: of controllers it is the strip."""
        traits = array_traits(self.kind)
        return "strip" if traits and traits.by_controller else "chunk"


@dataclass(frozen=True, slots=True)
class ArrayLoad:
    """A load as far as it matters to arrays: of a trial, or of a command in the same text.

    `random` is None where it is not known; `flying` are the I/Os it keeps in flight.
    """

    label: str
    where: str
    writes: bool
    reads: bool
    random: bool | None
    block: int | None
    flying: int | None
    direct: bool | None


@dataclass(frozen=True, slots=True)
class WriteCost:
    """Bytes that one request makes the drives read and write, on average over its positions."""

    read: float
    written: float
    whole: float
    """Share of its bytes that fill whole stripes."""


def _number(values: Mapping[str, Scalar], *names: str) -> int | None:
    for name in names:
        value = values.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None


def _level(values: Mapping[str, Scalar]) -> str:
    for name in ("level", "raid_level", "segment_type"):
        word = str(values.get(name) or "").lower().partition(",")[0].partition("_")[0]
        if word in {"striped", "mirror"}:
            return {"striped": "raid0", "mirror": "raid1"}[word]
        if word in LEVELS:
            return word
    return ""


def array_traits(kind: str) -> ArrayTraits | None:
    """Of a kind of arrays, or of a description without a name; None: it is none."""
    if kind == _DESCRIPTION:
        return ArrayTraits(by_controller=True)
    return LAYERS.load(kind).array if kind in LAYERS else None


def array_of(state: StateEvidence) -> Array:
    """A state as an array."""
    values = state.values
    level = _level(values)
    disks = _number(values, "raid_disks", "disks", "stripes")
    data = _number(values, "data_members", "data_disks")
    if data is None and disks and level in PARITY.keys() - SPANNED:
        data = data_members(level, disks)
    return Array(
        state.kind, state.name, state.host, state.source, state.where, level, disks, data,
        _number(values, "chunk_size", "strip_size"), values,
    )  # fmt: skip


def _fits(array: Array, other: Array) -> bool:
    """Whether two descriptions do not contradict each other."""
    return all(
        not mine or not theirs or mine == theirs
        for mine, theirs in (
            (array.level, other.level), (array.disks, other.disks), (array.data, other.data),
            (array.chunk, other.chunk),
        )
    )  # fmt: skip


def _joined(array: Array, other: Array) -> Array:
    level = array.level or other.level
    return replace(
        array, level=level, disks=array.disks or other.disks, data=array.data or other.data,
        chunk=array.chunk or other.chunk, values={**other.values, **array.values},
    )  # fmt: skip


def arrays(case: EvidenceSet) -> list[Array]:
    """The arrays of a case, each once for each geometry that it had."""
    by_place: dict[tuple[str, str, str, str], list[Array]] = {}
    unnamed: dict[str, list[Array]] = {}
    for state in case.states:
        traits = array_traits(state.kind)
        if traits is None or (traits.in_group and state.values.get("role")):
            continue
        array = array_of(state)
        if state.kind == _DESCRIPTION:
            _add(unnamed.setdefault(array.source, []), array)
            continue
        if not array.level and array.chunk is None and not traits.by_controller:
            continue
        _add(by_place.setdefault((array.source, array.host, array.kind, array.name), []), array)
    named = [array for alike in by_place.values() for array in alike]
    done = [_described(array, unnamed.get(array.source, ())) for array in named]
    sources = {array.source for array in named}
    return done + [
        array for source, alike in unnamed.items() if source not in sources for array in alike
    ]


def _add(alike: list[Array], array: Array) -> None:
    for at, other in enumerate(alike[-32:], max(len(alike) - 32, 0)):
        if _fits(other, array):
            alike[at] = _joined(other, array)
            return
    alike.append(array)


def _described(array: Array, unnamed: Sequence[Array]) -> Array:
    """With what a description of the same text says, if there is one alone."""
    traits = array_traits(array.kind)
    if (traits and traits.in_group) or len(unnamed) != 1:
        return array
    return _joined(array, unnamed[0]) if _fits(array, unnamed[0]) else array


class CaseArrays:
    """What loads of a case stand on: its arrays by their names, and what its commands tell."""

    def __init__(self, case: EvidenceSet) -> None:
        self.arrays = tuple(arrays(case))
        self._named: dict[tuple[str, str], list[Array]] = {}
        for array in self.arrays:
            self._named.setdefault((array.source, array.name), []).append(array)
        self._asked = _asked(case)

    def under(self, trial: TrialEvidence) -> list[Array]:
        """The arrays under a trial's target, as they were when it was measured."""
        names = [device.removeprefix("/dev/") for _, device in trial.stands_on]
        target = trial.target.removeprefix("/dev/")
        if target and not trial.stands_on:
            names += [target, _PARTITION.sub("", target), _mapper_name(target)]
        settings = _settings(trial)
        names += [*trial.device_io, *(name for _, name in settings)]
        under = []
        for name in dict.fromkeys(names):
            for array in self._named.get((trial.source, name), ()):
                values = settings.get((array.kind, name))
                state = StateEvidence(array.kind, "", "", values or {}, "", "")
                if near(array, trial) and _fits(array, array_of(state)):
                    under.append(array)  # others: as it was built at another time
        return under

    def load(self, trial: TrialEvidence) -> ArrayLoad:
        """What a trial did; what it does not tell, the only command of its text does."""
        options = dict(trial.options)
        where = trial.where
        if (
            options.get("bs") is None
            and trial.tool in _RUN_FIO
            and (asked := self._asked.get(trial.source))
        ):
            where, asked_options = asked
            options = {
                **asked_options,
                **{key: value for key, value in options.items() if value != ""},
            }
        pattern = str(options.get("rw") or "")
        writes = bool(trial.mean("write.iops") or trial.mean("write.bandwidth"))
        # Others than fio name reads their own way: buffered_read of hdparm, random_read of iozone.
        reads = any(
            "read" in name.partition(".")[0]
            for name in trial.metrics
            if name.endswith((".iops", ".bandwidth")) and trial.mean(name)
        )
        depth, jobs = options.get("iodepth"), options.get("numjobs", 1)
        block, direct = options.get("bs"), options.get("direct")
        return ArrayLoad(
            label=trial.label,
            where=where,
            writes=writes or (not reads and ("write" in pattern or pattern.endswith("rw"))),
            reads=reads,
            random=pattern.startswith("rand") if pattern else None,
            block=block if isinstance(block, int) else None,
            flying=depth * jobs if isinstance(depth, int) and isinstance(jobs, int) else None,
            direct=bool(direct) if direct is not None else None,
        )


def _mapper_name(path: str) -> str:
    """`vg0/data` as device-mapper calls it; any other path as it is."""
    group, slash, volume = path.partition("/")
    if not slash or "/" in volume or group == "mapper":
        return path
    return mapper_name(group, volume)


def _settings(trial: TrialEvidence) -> dict[tuple[str, str], dict[str, Scalar]]:
    """(kind, name) → values, of what the trial's settings say of arrays."""
    settings: dict[tuple[str, str], dict[str, Scalar]] = {}
    for key, value in trial.settings.items():
        identity, _, setting = key.rpartition(".")
        kind, colon, name = identity.rpartition("/")[2].partition(":")
        if "/" in identity.partition(":")[2]:  # a name with a slash, behind HOST/KIND:
            kind, colon, name = identity.partition("/")[2].partition(":")
        if colon and array_traits(kind):
            settings.setdefault((kind, name), {})[setting] = value
    return settings


_RUN_FIO = frozenset({"fio", "hap-fio-tester"})
"""Tools whose trials a command of fio in the same text can be the load of."""


def _asked(case: EvidenceSet) -> dict[str, tuple[str, dict[str, Scalar]]]:
    """Source → place and options of its command of fio, where all that it has are alike."""
    by_source: dict[str, dict[tuple[Scalar, ...], tuple[str, dict[str, Scalar]]]] = {}
    for asked in case.commands:
        if asked.tool == "fio":
            options = _options(asked.command)
            key = tuple(options.get(name) for name in ("rw", "bs", "iodepth", "numjobs", "direct"))
            by_source.setdefault(asked.source, {}).setdefault(key, (asked.where, options))
    return {source: next(iter(kinds.values())) for source, kinds in by_source.items()
            if len(kinds) == 1}  # fmt: skip


def _options(command: str) -> dict[str, Scalar]:
    """The options of fio's command line that arrays care for."""
    names = {"readwrite": "rw", "blocksize": "bs"}
    given = {names.get(name, name): value for name, value in _OPTION.findall(command)}
    options: dict[str, Scalar] = {"rw": given["rw"]} if "rw" in given else {}
    if "bs" in given:
        with suppress(UsageError):
            options["bs"] = units.parse_bytes(given["bs"])
    for name in ("iodepth", "numjobs"):
        if given.get(name, "").isdecimal():
            options[name] = int(given[name])
    if "direct" in given:
        options["direct"] = given["direct"] == "1"
    return options


@lru_cache(maxsize=64)
def write_cost(block: int, chunk: int, data: int, parity: int) -> WriteCost | None:
    """What a write costs that begins at any multiple of its own size.

    For each row of a stripe the cheaper of two ways counts: reading the old data and parity
    (read-modify-write), or the data that are not written (reconstruct-write).

    Returns:
        None where there are too many positions to go through.
    """
    stripe = chunk * data
    positions = stripe // gcd(block, stripe)
    if positions > _POSITIONS:
        return None
    read = written = whole = 0.0
    for position in range(positions):
        begin, left = position * block % stripe, block
        while left > 0:
            part = min(stripe - begin, left)
            full, more = divmod(part, chunk)
            more_rows = min(full + 1 + parity, data - full - 1) if more else 0
            rows = min(full + parity, data - full) if full else 0
            read += more * more_rows + (chunk - more) * rows
            written += part + parity * (chunk if full else more)
            whole += stripe if part == stripe else 0
            begin, left = 0, left - part
            if left >= stripe:  # all whole stripes at once
                many = left // stripe
                written += many * (stripe + parity * chunk)
                whole += many * stripe
                left -= many * stripe
    return WriteCost(read / positions, written / positions, whole / positions / block)


def near(
    first: StateEvidence | TrialEvidence | Array,
    other: StateEvidence | TrialEvidence | CounterEvidence | Array,
) -> bool:
    """Whether two things are of the same text or run, and may be of the same host."""
    return first.source == other.source and (
        first.host == other.host or "" in {first.host, other.host}
    )
