"""The settings of a host: what each is now, may be, is at boot, and costs to change."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TypeAlias

from iosonde.errors import IosondeError, UsageError
from iosonde.hosts.host import Host
from iosonde.layers import LAYERS
from iosonde.layers.layer import HasUnused, LayerSetting, Scene
from iosonde.records.stack import Scalar, StackLayer
from iosonde.settings import MECHANISMS
from iosonde.settings.declared import Needs
from iosonde.settings.host_wide import DECLARED
from iosonde.stack.discover import discover_layers
from iosonde.stack.read_settings import places_of

# What the settings need that discovery finds and no mechanism sets, unless their kind says it.
_MOUNTED: tuple[Needs, str] = (
    "remount",
    "it is a mount option that iosonde does not change while it is mounted",
)
_UNKNOWN: tuple[Needs, str] = ("nothing", "iosonde knows no way to change it")


DiscoveredLayers: TypeAlias = tuple[Scene, tuple[StackLayer, ...]]


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a setting may be: one of `choices`, or a figure from `low` to `high`; None: no limit."""

    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None

    def __str__(self) -> str:
        if self.choices:
            return ", ".join(self.choices)
        if self.low is None and self.high is None:
            return ""
        return f"{'' if self.low is None else self.low}…{'' if self.high is None else self.high}"


@dataclass(frozen=True, slots=True)
class Settable:
    """One setting of one layer of a host, or of the host as a whole.

    `layer` is the layer's id, or the host's name; `title` its id without the host ("loop:loop0"),
    which is empty for a setting of no layer; `value` is None where this user may not read it;
    `kept` is what the host's configuration sets at boot, "" where nothing is known; `why_not` is
    why it cannot be set, empty where it can.
    """

    layer: str
    title: str
    declared: LayerSetting
    address: str
    value: Scalar
    allowed: Allowed = Allowed()
    kept: str = ""
    why_not: str = ""
    disturbed: tuple[Settable, ...] = ()

    @property
    def name(self) -> str:
        """Unique on its host, whatever the controller calls that: "loop:loop0.nr_requests"."""
        return f"{self.title}.{self.declared.name}" if self.title else self.declared.name

    @property
    def look(self) -> tuple[str, ...]:
        """The command that prints the value."""
        return MECHANISMS.load(self.declared.mechanism)().look(self.address)

    @property
    def device(self) -> str:
        """A file that tells its device from another of the same name; may be empty."""
        return MECHANISMS.load(self.declared.mechanism)().device(self.address)

    def change(self, value: str) -> tuple[str, ...]:
        """The command that sets it."""
        return MECHANISMS.load(self.declared.mechanism)().change(self.address, value)

    def checked(self, value: str) -> str:
        """A value as it is to be written.

        Raises:
            UsageError: it is none that this host allows, or the setting cannot be set.
        """
        if self.why_not:
            raise UsageError(
                f"cannot be set: {self.why_not}", where=self.name,
                hint=f"what it needs: {self.declared.needs}" * (self.declared.needs != "nothing"),
            )  # fmt: skip
        text = " ".join(value.split())
        if self.allowed.choices and text not in self.allowed.choices:
            now = dict(self.declared.renamed).get(text, "")
            raise UsageError(
                f"{text!r} is not among what this host allows: {self.allowed}",
                where=self.name,
                hint=f"{text} is called {now} since Linux 5.0" if now else "",
            )
        low, high = self.allowed.low, self.allowed.high
        if low is not None or high is not None:
            if not text.removeprefix("-").isdecimal():
                raise UsageError(f"expected a whole number, got {text!r}", where=self.name)
            if (low is not None and int(text) < low) or (high is not None and int(text) > high):
                raise UsageError(
                    f"{text} is out of its range here, {self.allowed}", where=self.name
                )
        if not text:
            raise UsageError("expected a value", where=self.name)
        return text


@dataclass(frozen=True, slots=True)
class _Place:
    """A declared setting of a layer, and where it is on this host."""

    layer: str
    title: str
    declared: LayerSetting
    addresses: tuple[str, ...]
    fact: Scalar
    limits: tuple[int | str | None, int | str | None]


async def settable(host: Host, seen: DiscoveredLayers | None = None) -> tuple[Settable, ...]:
    """All settings of a host, layer by layer as discovered, then those of no layer.

    Args:
        host: where.
        seen: what `discover_layers` has found there, where somebody has asked already.
    """
    scene, layers = seen or await discover_layers(host)
    for kind in (LAYERS.load(name)() for name in LAYERS):
        if isinstance(kind, HasUnused):
            layers += await kind.unused(scene, layers)
    offered = {name: LAYERS.load(name).settings for name in LAYERS}
    places = [
        _place(scene, layer, setting) for layer in layers for setting in offered.get(layer.kind, ())
    ]
    places += [
        _Place(host.name, "", setting, (setting.address,), None, (setting.low, setting.high))
        for setting in DECLARED
    ]
    settings = await _read(host, places)
    declared = {(setting.layer, setting.declared.name) for setting in settings}
    fixed = [
        _fixed(layer, name, value)
        for layer in layers
        for name, value in layer.settings.items()
        if (layer.id, name) not in declared
    ]
    order = {layer.id: number for number, layer in enumerate(layers)}
    return tuple(
        sorted([*settings, *fixed], key=lambda setting: order.get(setting.layer, len(order)))
    )


def _title(layer: StackLayer) -> str:
    return layer.id.removeprefix(f"{layer.host}/")


def _place(scene: Scene, layer: StackLayer, setting: LayerSetting) -> _Place:
    low, high = (
        next(iter(places_of(scene, layer, (limit,))), None) if isinstance(limit, str) else limit
        for limit in (setting.low, setting.high)
    )
    addresses = places_of(scene, layer, (setting.address, *setting.former))
    value = (
        layer.settings.get(setting.name, layer.facts.get(setting.name))
        if setting.discovered
        else None
    )
    if isinstance(value, bool):
        value = "on" if value else "off"
    return _Place(layer.id, _title(layer), setting, addresses, value, (low, high))


def _fixed(layer: StackLayer, name: str, value: Scalar) -> Settable:
    """A setting that discovery found and that no mechanism sets."""
    fixed = LAYERS.load(layer.kind).fixed_settings
    needs, why = fixed or (_MOUNTED if layer.mount else _UNKNOWN)
    declared = LayerSetting(name, "", "", needs=needs, why_not=why)
    return Settable(layer.id, _title(layer), declared, "", value, why_not=why)


async def _read(host: Host, places: Sequence[_Place]) -> list[Settable]:
    """The settings that this host has, with what it allows; one question to each mechanism."""
    by_mechanism: dict[str, list[_Place]] = defaultdict(list)
    for place in places:
        by_mechanism[place.declared.mechanism].append(place)
    several = await asyncio.gather(
        *(_of_mechanism(host, name, some) for name, some in by_mechanism.items())
    )
    by_place = {key: setting for some in several for key, setting in some.items()}
    ordered = [by_place[id(place)] for place in places if id(place) in by_place]
    named = {setting.name: setting for setting in ordered}
    return [
        replace(
            setting,
            disturbed=tuple(
                named[other]
                for other in (_sibling(setting, name) for name in setting.declared.disturbs)
                if other in named and named[other].value is not None
            ),
        )
        for setting in ordered
    ]


def _sibling(setting: Settable, name: str) -> str:
    return f"{setting.title}.{name}" if setting.title else name


async def _of_mechanism(host: Host, name: str, places: Sequence[_Place]) -> Mapping[int, Settable]:
    if not name:
        return {id(place): _shown(place) for place in places if place.fact is not None}
    mechanism = MECHANISMS.load(name)()
    wanted = {
        address for place in places if not place.declared.discovered for address in place.addresses
    }
    limits = {limit for place in places for limit in place.limits if isinstance(limit, str)}
    values = dict(await mechanism.get(host, sorted(wanted | limits)))
    values |= {place.addresses[0]: place.fact for place in places if place.fact is not None}
    there = sorted(
        {address for place in places for address in place.addresses if address in values}
    )
    offered, kept = await mechanism.offered(host, there), await mechanism.kept(host, there)
    settings = {}
    for place in places:
        address = next((address for address in place.addresses if address in values), None)
        if address is None:
            continue
        value = values[address]
        settings[id(place)] = Settable(
            layer=place.layer,
            title=place.title,
            declared=place.declared,
            address=address,
            value=None if isinstance(value, IosondeError) else value,
            allowed=_allowed(place, offered.get(address, ()), values),
            kept=_text(value) if place.declared.lasts else kept.get(address, ""),
            why_not=value.message if isinstance(value, IosondeError) else place.declared.why_not,
        )
    return settings


async def kept_now(host: Host, some: Sequence[Settable]) -> list[Settable]:
    """Settings with what the host's configuration sets at boot now; nothing else is read anew."""
    by_mechanism: dict[str, list[Settable]] = defaultdict(list)
    for setting in some:
        by_mechanism[setting.declared.mechanism].append(setting)
    read_again = []
    for name, group in by_mechanism.items():
        kept = await MECHANISMS.load(name)().kept(
            host, sorted(setting.address for setting in group)
        )
        read_again += [
            setting
            if setting.declared.lasts
            else replace(setting, kept=kept.get(setting.address, ""))
            for setting in group
        ]
    return read_again


def _text(value: Scalar | IosondeError) -> str:
    return "" if value is None or isinstance(value, IosondeError) else str(value)


def _shown(place: _Place) -> Settable:
    """A setting that no mechanism sets: its value is a fact of the layer."""
    return Settable(
        place.layer,
        place.title,
        place.declared,
        "",
        place.fact,
        why_not=place.declared.why_not,
    )


def _allowed(
    place: _Place, offered: tuple[str, ...], values: Mapping[str, Scalar | IosondeError]
) -> Allowed:
    if offered or place.declared.choices:
        return Allowed(choices=offered or place.declared.choices)
    low, high = (_figure(limit, values) for limit in place.limits)
    return Allowed(low=low, high=high)


def _figure(limit: int | str | None, values: Mapping[str, Scalar | IosondeError]) -> int | None:
    figure = values.get(limit) if isinstance(limit, str) else limit
    return figure if isinstance(figure, int) else None


def find(settings: Iterable[Settable], name: str) -> Settable:
    """The setting a user names: LAYER.NAME with the layer's id, its name or its device.

    Raises:
        UsageError: no such setting, or several; the message lists what is near.
    """
    candidates = list(settings)
    matching = [setting for setting in candidates if name in called(setting)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        several = ", ".join(setting.name for setting in matching)
        raise UsageError(f"{name!r} is several settings: {several}", hint="name one of them")
    # a layer's name that both have makes no two settings alike
    own = get_close_matches(name.rpartition(".")[2], {each.declared.name for each in candidates})
    names = {
        each: setting
        for setting in candidates if setting.declared.name in own
        for each in called(setting)
    }  # fmt: skip
    alike: dict[str, str] = {}  # a setting's most similar name
    for each in get_close_matches(name, names, n=9):
        alike.setdefault(names[each].name, each)
    near = list(alike.values())[:3]
    raise UsageError(
        f"this host has no setting {name!r}",
        hint=f"did you mean {' or '.join(near)}?" if near else "`iosonde settings` lists them",
    )


def called(setting: Settable) -> tuple[str, ...]:
    """The names by which a user may mean a setting."""
    last = setting.declared.name
    if not setting.title:
        return (last, f"{setting.layer}.{last}")
    name = setting.title.partition(":")[2]
    return (f"{setting.layer}.{last}", setting.name, f"{name}.{last}", f"/dev/{name}.{last}")


def of_layer(setting: Settable, layer: str) -> bool:
    """Whether a setting belongs to what a user names as a layer: id, name, device or kind."""
    kind, _, name = setting.title.partition(":")
    if not setting.title:
        return layer == setting.layer
    return layer in {setting.layer, setting.title, name, f"/dev/{name}", kind}
