"""From the names of a study to settings of its hosts: what is tried, what is left out and why."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from iosonde.change.late import is_asleep
from iosonde.errors import FileMissing, IosondeError, UsageError
from iosonde.hosts.host import Host
from iosonde.records.campaign import LeftOut, Varied
from iosonde.records.stack import Json, Scalar, StackLayer
from iosonde.settings.mechanism import value_of
from iosonde.stack.discover import discover_layers
from iosonde.stack.file import DeclaredStack
from iosonde.stack.settable import Settable, find, settable
from iosonde.tune.campaign.declare import TuneFile, VariedValues
from iosonde.tune.campaign.depth import layer_depth, link_depth, without_host
from iosonde.tune.campaign.place import MeasurementSite
from iosonde.tune.search.space import Space, Vary

_SECONDS = {"nothing": 0.3, "remount": 0.5, "reconnect": 3.0, "restart": 5.0, "rebuild": 20.0}
"""What a change costs, before any was made."""
REBUILD = _SECONDS["rebuild"]
_TOP = 10_000  # depth of a setting of no layer


@dataclass(frozen=True, slots=True)
class TunableSetting:
    """One setting of the search: what it is on its hosts.

    `spots` are host and setting of each end that is set; empty where a layer is built anew, whose
    values are given to the declaration as `declared` has them.
    """

    varied: Varied
    spots: tuple[tuple[str, Settable], ...] = ()
    declared: Mapping[Scalar, Json] = field(default_factory=dict)
    depth: float = 0

    @property
    def seconds(self) -> float:
        """What a change costs, as far as known beforehand."""
        if not self.spots:
            return REBUILD
        slow = max(_SECONDS[setting.declared.needs] for _, setting in self.spots)
        return (
            max(slow, 3.0)
            if any(setting.declared.risk == "cut" for _, setting in self.spots)
            else slow
        )


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a study varies, on hosts that are there. `notes` are told to the user."""

    knobs: tuple[TunableSetting, ...]
    left_out: tuple[LeftOut, ...]
    excluded: tuple[Mapping[str, Scalar], ...]
    notes: tuple[str, ...]

    def space(self, allowed: Iterable[str]) -> Space:
        """All candidates."""
        return space_of([knob.varied for knob in self.knobs], self.excluded, allowed,
                        {knob.varied.name: knob.seconds for knob in self.knobs})  # fmt: skip


def space_of(
    vary: Sequence[Varied],
    excluded: Sequence[Mapping[str, Scalar]],
    allowed: Iterable[str],
    seconds: Mapping[str, float],
) -> Space:
    """The space of some settings; what a change of each costs, in seconds."""
    return Space(
        tuple(
            Vary(
                setting.name,
                setting.values,
                setting.default,
                setting.unsafe,
                seconds.get(setting.name, 1.0),
            )
            for setting in vary
        ),
        tuple(excluded),
        tuple(allowed),
    )


def text_of(value: Scalar) -> str:
    """A value as it is written to a host."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return " ".join(str(value).split())


class Names:
    """All settings of the campaign's hosts, by the names a study may use.

    Args:
        place: opened, and its stack built as far as the probe point.
    """

    def __init__(self, place: MeasurementSite) -> None:
        self._place = place
        self._settable: list[tuple[str, Settable]] = []
        self._layers: dict[str, list[tuple[StackLayer, frozenset[str]]]] = {}
        """Of each host its layers, with all names of their devices."""
        self._depths: dict[str, int] = {}

    async def read(self) -> None:
        """Ask all hosts."""
        for name, host in self._place.hosts.items():
            if is_asleep(host):
                continue
            discovered = await discover_layers(host)
            layers = discovered[1]
            if self._place.stack:
                aliases = await asyncio.gather(*(_names(host, layer) for layer in layers))
                self._layers[name] = list(zip(layers, aliases, strict=True))
            self._settable += [(name, setting) for setting in await settable(host, discovered)]
            by_id = {layer.id: layer for layer in layers}
            for layer in layers:
                self._depths[layer.id] = _depth(layer.id, by_id)

    def depth(self, name: str, setting: Settable) -> float:
        """How many layers it stands on; those of no layer come last.

        A link of a declared stack comes right below the lowest layer that reaches over it.
        """
        place = self._place
        site = place.site(without_host(place.stack, name)[1].partition(".")[0])
        if site is not None and place.stack:
            return layer_depth(place.stack, site.name)
        if place.stack and setting.title.startswith("link:"):
            return link_depth(place.stack)
        return self._depths.get(setting.layer, _TOP)

    async def find(self, name: str) -> tuple[str, Settable]:
        """Host and setting of a name.

        Raises:
            UsageError: there is none, or several.
        """
        meant = await self._of_stack(name)
        places = {id(setting): host for host, setting in self._settable}
        match = find([setting for _, setting in self._settable], meant)
        return places[id(match)], match

    async def _of_stack(self, name: str) -> str:
        """A name with hosts and layers as the declared stack calls them, by the layer's id."""
        stack = self._place.stack
        if stack is None:
            return name
        on, rest = without_host(stack, name)
        layer, _, setting = rest.partition(".")
        site = self._place.site(layer)
        if site is None or not site.device:
            return f"{stack.opens[on]}/{rest}" if on else name
        opens = stack.opens[on or site.host]
        host = self._place.hosts[opens]
        real = await _real(host, site.device)
        for found_layer, aliases in self._layers[opens]:
            if {site.device, real} & aliases:
                return f"{found_layer.id}.{setting}"
        return name


async def _names(host: Host, layer: StackLayer) -> frozenset[str]:
    """What a layer may be called: its mount point, else the names of its device.

    A mounted file system goes by its mount point alone: its device is the layer below.
    """
    if layer.mount:
        return frozenset({layer.mount})
    return frozenset({layer.device, await _real(host, layer.device)})


async def _real(host: Host, device: str) -> str:
    """The kernel's own name of a device: of device-mapper's, several names lead to one."""
    if not device.startswith("/dev/"):
        return device
    try:
        return await host.resolve(device)
    except FileMissing:
        return device


def depth_of(stack: DeclaredStack, name: str) -> float:
    """How deep a name of a study lies in a stack that is not built yet."""
    rest = without_host(stack, name)[1]
    layer = rest.partition(".")[0]
    if layer in {site.name for site in stack.sites}:
        return layer_depth(stack, layer)
    return link_depth(stack) if rest.startswith("link:") else _TOP


def _depth(layer: str, by_id: Mapping[str, StackLayer], seen: frozenset[str] = frozenset()) -> int:
    below = by_id[layer].below if layer in by_id and layer not in seen else ()
    return 1 + max((_depth(lower, by_id, seen | {layer}) for lower in below), default=-1)


async def resolve(file: TuneFile, place: MeasurementSite) -> Resolved:
    """What a study varies, checked against its hosts; nothing is changed.

    Raises:
        UsageError: a setting is not there, cannot be set, or does not take a value; where is the
            study's line.
        Refused: a layer that would be built anew stands already.
    """
    names = Names(place)
    await names.read()
    knobs: list[TunableSetting] = []
    left_out: list[LeftOut] = []
    notes: list[str] = []
    for name, tried in file.study.vary.items():
        path: list[str | int] = ["vary", name]
        try:
            key = stack_key(place.stack, name)
            knob = (
                _rebuilt(place, name, tried) if key and not await _live(names, name)
                else await _set(names, name, tried)
            )  # fmt: skip
            knob, out = _without_unsafe(knob, file.study.allow)
        except UsageError as problem:
            raise file.wrong(path, problem) from None
        left_out += out
        if knob.varied.default not in [_as_kept(knob, value) for value in tried.listed()]:
            notes.append(
                f"{name}: what is in force, {text_of(knob.varied.default)}, is tried too: all "
                "others are measured against it"
            )
        knobs.append(knob)
    _refuse_twins(knobs, file)
    knobs.sort(key=lambda knob: knob.depth)
    excluded = tuple(
        {name: _same(knobs, name, value) for name, value in rule.items()}
        for rule in file.study.exclude
    )
    return Resolved(tuple(knobs), tuple(left_out), excluded, tuple(notes))


def _as_kept(setting: TunableSetting, value: Scalar) -> Scalar:
    """A value as the study writes it, as the search knows it."""
    if setting.spots:
        return value_of(text_of(value))
    return next((kept for kept, written in setting.declared.items() if written == value), value)


def _same(knobs: Sequence[TunableSetting], name: str, value: Scalar) -> Scalar:
    knob = next(knob for knob in knobs if knob.varied.name == name)
    return _as_kept(knob, value)


async def _live(names: Names, name: str) -> bool:
    """Whether a key of the stack is also a setting that can be changed as it stands."""
    try:
        _, setting = await names.find(name)
    except UsageError:
        return False
    return not setting.why_not


async def _set(names: Names, name: str, tried: VariedValues) -> TunableSetting:
    """A setting that hosts change as they run."""
    spots = [await names.find(varied_name) for varied_name in (name, *tried.also)]
    first = spots[0][1]
    values = [value_of(first.checked(text_of(value))) for value in tried.listed()]
    for _, other in spots[1:]:
        for value in values:
            other.checked(text_of(value))
    for _, setting in spots:
        if setting.value is None:
            raise UsageError(f"the current value of {setting.name} cannot be read", where=name)
    now = {text_of(setting.value) for _, setting in spots}
    if len(now) > 1:
        listed = ", ".join(f"{setting.layer}: {text_of(setting.value)}" for _, setting in spots)
        raise UsageError(
            f"{name} and what is set with it differ now ({listed})",
            hint="set them to the same value first: a search compares with the current setting",
        )
    default = value_of(now.pop())
    if default not in values:
        values.insert(0, default)
    unsafe = tuple(value for value in values if text_of(value) in first.declared.unsafe)
    varied = Varied(
        name, tuple(values), default, unsafe, first.declared.unit, also=tuple(tried.also),
        about=f"{first.layer} {first.address}".strip(),
    )  # fmt: skip
    return TunableSetting(varied, tuple(spots), depth=names.depth(name, first))


def stack_key(stack: DeclaredStack | None, name: str) -> bool:
    """Whether a name is a key of a layer of the declared stack."""
    layer, _, rest = name.partition(".")
    site = next((site for site in stack.sites if site.name == layer), None) if stack else None
    return site is not None and rest.partition(".")[0] in type(site.declared).model_fields


def _rebuilt(place: MeasurementSite, name: str, tried: VariedValues) -> TunableSetting:
    """A key of the declared stack: its layer is built anew for each value.

    Keys of other layers that `also` names have the same value; all are built anew together.
    """
    declared, default = declared_values(place, name, tried)
    names = (name, *tried.also)
    values = list(declared)
    if default not in values:
        values.insert(0, default)
    depth = min(_depth_of(place, name) for name in names)
    unsafe = {value for name in names for value in _unsafe_of(place, name)}
    risky = tuple(value for value in values if value in unsafe)
    varied = Varied(name, tuple(values), default, risky, rebuild=True, also=tuple(tried.also))
    return TunableSetting(varied, (), declared, depth)


def declared_values(
    place: MeasurementSite, name: str, tried: VariedValues
) -> tuple[dict[Scalar, Json], Scalar]:
    """The values of a key of the stack, as its kind has them → as written; and the declared one.

    Raises:
        UsageError: the key, or one that goes with it, does not take a value.
    """
    names = (name, *tried.also)
    _refuse_unlike(place, names)
    declared: dict[Scalar, Json] = {}
    for value in tried.listed():
        declared[declared_value(place, name, dict.fromkeys(names, value))] = value
    return declared, declared_value(place, name, {})


def _depth_of(place: MeasurementSite, name: str) -> int:
    return layer_depth(place.stack, name.partition(".")[0]) if place.stack else 0


def _refuse_unlike(place: MeasurementSite, names: Sequence[str]) -> None:
    """Keys that are varied together must be keys of the stack, and be declared alike."""
    for other in names[1:]:
        if not stack_key(place.stack, other):
            raise UsageError(
                f"{other} is not a key of the stack, as {names[0]} is",
                hint="keys are built anew, settings are changed as they stand: vary them apart",
            )
    declared = {name: declared_value(place, name, {}) for name in names}
    if len({*map(repr, declared.values())}) > 1:
        listed = ", ".join(f"{key}: {text_of(value)}" for key, value in declared.items())
        raise UsageError(
            f"{names[0]} and what is set with it are declared differently ({listed})",
            hint="declare them alike: a search compares with what is declared",
        )


def _unsafe_of(place: MeasurementSite, name: str) -> tuple[Scalar, ...]:
    """Values of a key of the stack that trade safety of data for speed."""
    layer, _, key = name.partition(".")
    return place.stack.site(layer).declared.unsafe.get(key, ()) if place.stack else ()


def declared_value(place: MeasurementSite, name: str, values: Mapping[str, Json]) -> Scalar:
    """A key as its kind understands it: bytes for "64 KiB"."""
    layer, _, rest = name.partition(".")
    value: object = place.declared(values).site(layer).declared
    for key in rest.split("."):
        value = value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)
    if value is not None and not isinstance(value, str | int | float | bool):
        raise UsageError(f"{name} holds several values, so it cannot be varied")
    return value


def _without_unsafe(
    setting: TunableSetting, allow: Sequence[str]
) -> tuple[TunableSetting, list[LeftOut]]:
    """Values that trade safety for speed are left out unless the study names them."""
    from dataclasses import replace

    name = setting.varied.name
    out = [
        value for value in setting.varied.unsafe
        if value != setting.varied.default and name not in allow
        and f"{name}={text_of(value)}" not in allow
    ]  # fmt: skip
    if not out:
        return setting, []
    varied = replace(
        setting.varied,
        values=tuple(value for value in setting.varied.values if value not in out),
        unsafe=tuple(value for value in setting.varied.unsafe if value not in out),
    )
    reason = "it trades safety of data for speed; `allow:` it if that is meant"
    return replace(setting, varied=varied), [LeftOut(name, value, reason) for value in out]


def _refuse_twins(knobs: Sequence[TunableSetting], file: TuneFile) -> None:
    """One setting by two names would be set twice."""
    seen: dict[tuple[str, str], str] = {}
    for knob in knobs:
        for host, setting in knob.spots:
            other = seen.setdefault((host, setting.name), knob.varied.name)
            if other != knob.varied.name:
                problem = IosondeError(f"{knob.varied.name} is the same setting as {other}")
                raise file.wrong(["vary", knob.varied.name], problem)
