"""Settings as they might be: one stack for each combination of the values that are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING

from pydantic import ValidationError

from iosonde.contract import ADDED, HIDDEN
from iosonde.errors import UsageError
from iosonde.layers._ledger.rule import accounting_of
from iosonde.predict.model import Counts, Prediction
from iosonde.predict.time import Time, TimeBasis
from iosonde.records.stack import Scalar
from iosonde.units import parse_bytes, show_bytes

if TYPE_CHECKING:
    from iosonde.layers.site import Site
    from iosonde.stack.file import DeclaredStack

_EVERYWHERE: Mapping[str, str] = {
    "max_sectors_kb": "KiB of the largest request",
    "page_cache": "bytes of memory for the pages of a buffered load",
    "dirty_background_bytes": "bytes of dirty pages above which they are written",
    "read_ahead_kb": "KiB that buffered reads run ahead",
}
"""Settings that no declaration has and that are of no kind: name → what it takes."""
_SIZES = frozenset({"bitmap_chunk", "cache_size", "page_cache", "dirty_background_bytes"})


@dataclass(frozen=True, slots=True)
class SettingValues:
    """Values that a setting of a layer might have."""

    layer: str
    setting: str
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        """As it is written: layer.setting."""
        return f"{self.layer}.{self.setting}"


def parse_change(text: str) -> SettingValues:
    """A change as it is written: "r0.chunk_size=16k,64k".

    Raises:
        UsageError: it is none.
    """
    name, equals, values = text.partition("=")
    layer, dot, setting = name.strip().partition(".")
    listed = tuple(value.strip() for value in values.split(","))
    if not (equals and dot and layer and setting and all(listed)):
        raise UsageError(
            f"{text!r} sets nothing", where="--set",
            hint="write LAYER.SETTING=VALUE[,VALUE…], for example r0.chunk_size=16k,64k",
        )  # fmt: skip
    return SettingValues(layer, setting, listed)


@dataclass(frozen=True, slots=True)
class Variant:
    """One combination: setting → value; the layer the load is applied to; what else is set."""

    settings: Mapping[str, str]
    top: Site
    extra: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class PredictedCombination:
    """A combination of values, what each layer gets, and how fast it is."""

    settings: Mapping[str, str]
    layers: tuple[Counts, ...]
    time: Time | None = field(metadata=ADDED)
    """null where a device has no model."""
    time_basis: TimeBasis = field(metadata=ADDED)
    prediction: Prediction = field(metadata=HIDDEN)
    matrix: Mapping[str, Scalar] = field(default_factory=dict, metadata=ADDED)
    """Of a point of a load matrix the options that are varied, sizes in bytes."""

    @property
    def chosen(self) -> Mapping[str, str]:
        """Settings, and options of the load that are varied, as people read them."""
        return {**self.settings, **{name: _shown(name, at) for name, at in self.matrix.items()}}

    @property
    def name(self) -> str:
        """In a chart: "r0.level 5, r0.chunk_size 64k"."""
        return ", ".join(f"{name} {value}" for name, value in self.chosen.items()) or "as declared"


def _shown(option: str, value: Scalar) -> str:
    return show_bytes(value) if option == "bs" and isinstance(value, int) else str(value)


def variants(
    stack: DeclaredStack, top: Site, changes: Sequence[SettingValues]
) -> Iterator[Variant]:
    """The stack with each combination of the values; without changes as it is declared.

    Raises:
        UsageError: there is no such layer or setting, or it cannot have such a value.
    """
    for change in changes:
        site = stack.site(change.layer)
        if site.name not in {top.name, *(lower.name for lower in top.under())}:
            raise UsageError(f"the load does not reach the layer {change.layer!r}", where="--set")
        if not (_declared(site, change.setting) or change.setting in _extra(site)):
            own = [*_names(site), *_extra(site)]
            raise UsageError(
                f"a layer of kind {site.kind} has no setting {change.setting!r}",
                where="--set", hint=f"it has {', '.join(own)}",
            )  # fmt: skip
        is_text = change.setting == "failed" or _declared(site, change.setting)
        for value in () if is_text else change.values:
            if change.setting in _SIZES:
                parse_bytes(value, where=f"--set {change.name}")
            elif not value.isdecimal():
                raise UsageError(f"{change.name} is a number, not {value!r}", where="--set")
    for values in product(*(change.values for change in changes)):
        chosen = {change.name: value for change, value in zip(changes, values, strict=True)}
        yield _variant(stack, top, changes, chosen)


def _names(site: Site) -> list[str]:
    return [name for name in type(site.declared).model_fields if name not in {"kind", "of", "host"}]


def _declared(site: Site, setting: str) -> bool:
    return setting in _names(site)


def _extra(site: Site) -> Mapping[str, str]:
    return {**accounting_of(site.kind).extra, **_EVERYWHERE}


def _variant(
    stack: DeclaredStack, top: Site, changes: Sequence[SettingValues], chosen: Mapping[str, str]
) -> Variant:
    extra: dict[str, dict[str, str]] = {}
    declared: dict[str, dict[str, str]] = {}
    for change in changes:
        is_declared = _declared(stack.site(change.layer), change.setting)
        where = declared if is_declared else extra
        value = chosen[change.name]
        if not is_declared and change.setting in _SIZES:
            value = str(parse_bytes(value))
        where.setdefault(change.layer, {})[change.setting] = value
    made: dict[str, Site] = {}
    return Variant(chosen, _changed(top, declared, made), extra)


def _changed(site: Site, declared: Mapping[str, Mapping[str, str]], made: dict[str, Site]) -> Site:
    """A site with what it stands on, where something of them is declared otherwise."""
    from iosonde.layers.site import Geometric
    from iosonde.stack.file import builder

    if site.name in made:
        return made[site.name]
    below = tuple(_changed(lower, declared, made) for lower in site.below)
    own = site.declared
    if changes := declared.get(site.name):
        try:
            values = own.model_dump() | {key: _typed(value) for key, value in changes.items()}
            own = type(own).model_validate(values)
        except ValidationError as problem:
            first = problem.errors()[0]
            setting = ".".join(map(str, first["loc"])) or next(iter(changes))
            raise UsageError(f"{setting}: {first['msg']}", where=f"--set {site.name}") from None
    kind = builder(site.kind)
    placed = replace(site, declared=own, below=below)
    stripe = kind.geometry(placed) if isinstance(kind, Geometric) else None
    inherited = next((lower.stripe for lower in below if lower.stripe), None)
    made[site.name] = replace(placed, stripe=stripe or inherited)
    return made[site.name]


def _typed(value: str) -> str | int | bool:
    """A value as YAML would read it."""
    if value.isdecimal():
        return int(value)
    return {"true": True, "false": False}.get(value.lower(), value)
