"""Which device model holds for which layer: as the user says, as the stack file does, or by kind.

For a disk in the lab the limits that it is held to are its model; a disk of a real host that is
`like` a kind has the data sheet of that kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from iosonde.errors import UsageError
from iosonde.layers._ledger.rule import accounting_of
from iosonde.layers.site import DriveDeclared
from iosonde.predict.service import MODELS
from iosonde.predict.service.controller import Controller
from iosonde.predict.service.limits import LimitsModel, Side
from iosonde.predict.service.service import ModelSource, ServiceModel
from iosonde.units import MIB

if TYPE_CHECKING:
    from iosonde.layers.site import Site
    from iosonde.predict.model import StackModel
    from iosonde.stack.file import DeclaredStack

KINDS: Mapping[str, str] = {
    # rpm, seek and rate: Seagate Enterprise Performance 10K.8 (ST1200MM0088), Exos 7E8
    # (ST8000NM0055), rounded; the step to the next track is what such disks have ("known")
    "10k-sas": "sheet:rpm=10500,seek=3.9ms,track=0.2ms,rate=215MB/s",
    "7k2-sata": "sheet:rpm=7200,seek=8.5ms,track=0.6ms,rate=249MB/s",
    # SATA at 6 Gbit/s (SATA 3.x: 8b/10b) bounds the one, its queue of 32 the other
    "sata-ssd": "limits:iops=90k,bandwidth=550MB/s",
}
"""Models by name alone. A kind of "disk" in a stack file (`like`) may be one of them."""

_BURST = 0.1  # seconds, of a disk in the lab: service/limits.py
_LAB = 0.2
"""How far a stack of the lab is from its disks' limits, emulated as it is: 1.96 of the standard
deviation over 23 loads on arrays (docs/decisions/0116)."""

DRIVES = ".drives"
"""Behind the name of a virtual drive: the disks below its controller."""


def parse_devices(texts: Sequence[str]) -> dict[str, str]:
    """`--device LAYER=MODEL`, each: layer or kind → model as written.

    Raises:
        UsageError: one is none.
    """
    models = {}
    for text in texts:
        name, equals, model = text.partition("=")
        if not (name.strip() and equals and model.strip()):
            raise UsageError(
                f"{text!r} names no layer and its model", where="--device",
                hint="write LAYER=MODEL, for example d1=7k2-sata or disk=limits:iops=90k",
            )  # fmt: skip
        models[name.strip()] = model.strip()
    return models


def model_named(text: str, where: str, store: str | None = None) -> ServiceModel:
    """The device that a text describes.

    Raises:
        UsageError: it describes none.
    """
    kind, _, rest = KINDS.get(text, text).partition(":")
    if kind not in MODELS:
        raise UsageError(
            f"{text!r} is not a device model", where=where,
            hint=f"KIND:key=value,… with one of {', '.join(MODELS)}; or {', '.join(KINDS)}",
        )  # fmt: skip
    if kind == "calibration":
        return MODELS.load(kind)({"name": rest}, ModelSource(where, store))
    figures = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"{part!r} says nothing of the model", where=where, hint="key=value")
        figures[key.strip()] = value.strip()
    return MODELS.load(kind)(figures, ModelSource(where, store))


def model_text(controller: Controller) -> str:
    """A controller as it is written, with what its figures are known to."""
    rest = [f"overhead={controller.overhead * 1e6:.4g}us", f"rate={controller.rate / 1e6:.5g}MB/s"]
    rest += [f"cache={controller.cache // MIB}MiB"] if controller.cache else []
    rest += [f"latency={controller.latency * 1e6:.4g}us"] if controller.latency else []
    rest += [f"tolerance={controller.tolerance * 100:.3g}%"] if controller.tolerance else []
    return "controller:" + ",".join(rest)


class DeviceModels:
    """The models of a stack's layers.

    Args:
        written: layer, kind or "LAYER.drives" → model as written; the nearer name holds.
        store: where calibrations are looked up.

    Raises:
        UsageError: a text describes no model.
    """

    def __init__(self, written: Mapping[str, str], store: str | None = None) -> None:
        self._models = {
            name: model_named(text, f"device {name}", store) for name, text in written.items()
        }
        self._written = dict(written)
        self._store = store

    def of(self, site: Site) -> ServiceModel | None:
        """The model of a layer; None where nothing is said."""
        drive_of = site.name.split("-")[0] + DRIVES if "-" in site.name else ""
        for name in (site.name, drive_of, site.kind):
            if name in self._models:
                return self._models[name]
        return _declared(site, self._store) if isinstance(site.declared, DriveDeclared) else None

    def text(self, site: Site) -> str:
        """How it is written, for people."""
        drive_of = site.name.split("-")[0] + DRIVES if "-" in site.name else ""
        for name in (site.name, drive_of, site.kind):
            if name in self._written:
                return self._written[name]
        declared = site.declared
        if isinstance(declared, DriveDeclared):
            said = {"like": declared.like, "iops": declared.iops, "bandwidth": declared.bandwidth}
            return ", ".join(f"{key} {value}" for key, value in said.items() if value)
        return ""

    def texts(self, model: StackModel) -> dict[str, str]:
        """Layer → how its model is written, of those that have one."""
        texts = {site.name: self.text(site) for site in model.declared}
        return {name: text for name, text in texts.items() if text}

    def check(self, names: Sequence[str], kinds: Sequence[str]) -> None:
        """Each model belongs to a layer.

        Raises:
            UsageError: there is no such layer.
        """
        for name in self._models:
            own = name.removesuffix(DRIVES)  # a drive's model may be of those behind a controller
            if own not in {*names, *kinds} and accounting_of(own).speed != "drive":
                raise UsageError(f"there is no layer or kind {name!r} to have a model")


def devices_of(declared: DeclaredStack, texts: Sequence[str], store: str | None) -> DeviceModels:
    """The models of a stack's layers: those of the command line before those of the file.

    Raises:
        UsageError: a text describes no model, or is for no layer.
    """
    models = DeviceModels({**declared.devices, **parse_devices(texts)}, store)
    names = [site.name for site in declared.sites]
    drives = [
        f"{site.name}-{drive}"
        for site in declared.sites
        for drive in getattr(site.declared, "drives", ())
    ]
    models.check([*names, *drives], [site.kind for site in declared.sites])
    return models


def _declared(site: Site, store: str | None) -> ServiceModel | None:
    declared = site.declared_as(DriveDeclared)
    if declared.iops or declared.bandwidth or (declared.like and site.in_lab):
        from iosonde.lab.spec import limits_like

        held = limits_like(declared.like, declared.iops, declared.bandwidth)
        if not (held.iops or held.bandwidth):
            return None
        side = Side(declared.latency or 0.0, held.iops or 0.0, held.bandwidth or 0.0)
        if site.in_lab:
            return LimitsModel(side, side, tolerance=_LAB, burst=_BURST, rotates=True)
        return LimitsModel(side, side)
    return model_named(declared.like, f"layer {site.name}", store) if declared.like else None


def with_caches(
    extra: Mapping[str, Mapping[str, Any]], top: Site, devices: DeviceModels
) -> dict[str, dict[str, Any]]:
    """Settings that no declaration has, with the caches that the controllers' models name."""
    settings = {name: dict(values) for name, values in extra.items()}
    for site in (top, *top.under()):
        device = devices.of(site) if accounting_of(site.kind).speed == "controller" else None
        if isinstance(device, Controller) and device.cache:
            settings.setdefault(site.name, {}).setdefault("cache_size", device.cache)
    return settings
