"""Hardware RAID for the ledger: a virtual drive as the array of its drives that it is.

The layout of a controller is its own affair: parity is taken to rotate as md's "left-symmetric"
does, mirrors to lie side by side. Counts per drive are then those of such an array; their sums
depend on the layout where a request ends within a stripe, not otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from iosonde.layers.disk import DiskDeclared
from iosonde.layers.hwraid.declared import HwraidDeclared
from iosonde.layers.site import Site
from iosonde.predict.layer import Behind, Layer, Scene
from iosonde.predict.service.controller import Controller
from iosonde.units import MIB

if TYPE_CHECKING:
    from iosonde.predict.devices import Devices

KIND = "hwraid"


def with_drives(site: Site, made: dict[str, Site] | None = None) -> Site:
    """A layer and all below it, where every virtual drive stands on disks named "LAYER-DRIVE"."""
    known = {} if made is None else made
    if site.name not in known:
        below = tuple(with_drives(one, known) for one in site.below)
        declared = site.declared
        if isinstance(declared, HwraidDeclared):
            below = tuple(_drive(site, declared, name) for name in declared.drives)
        known[site.name] = replace(site, below=below)
    return known[site.name]


def _drive(site: Site, declared: HwraidDeclared, name: str) -> Site:
    if declared.drive_size is None:
        raise site.wrong(
            "how large its drives are must be known", hint="add `drive_size:` to the layer"
        )
    one = DiskDeclared(host=site.host, size=declared.drive_size)
    return Site(site.stack, f"{site.name}-{name}", site.host, one)


def with_caches(
    extra: Mapping[str, Mapping[str, Any]], top: Site, devices: Devices
) -> dict[str, dict[str, Any]]:
    """Settings that no declaration has, with the caches that the controllers' models name."""
    found = {name: dict(one) for name, one in extra.items()}
    for site in (top, *top.under()):
        device = devices.of(site) if site.kind == KIND else None
        if isinstance(device, Controller) and device.cache:
            found.setdefault(site.name, {}).setdefault("cache_size", device.cache)
    return found


def array_of(site: Site, scene: Scene) -> Layer:
    """What a virtual drive is to the core: an array, behind a write-back cache if that is known.

    Raises:
        UsageError: an array of arrays (RAID 50 and 60); a cache without room.
    """
    array = _array(site, scene)
    declared: Any = site.declared
    if declared.write_policy == "write_through":
        return replace(array, notes=("what it keeps of reads",))
    size = int(scene.extra.get("cache_size", 0))
    if not size:
        hint = "how large it is can be said by cache_size or by the controller's model"
        return replace(
            array,
            notes=(f"what its cache does: writes are counted as if they went through; {hint}",),
        )
    reads = size * (declared.cache_ratio or 0) // 100
    strip = declared.strip_size
    parity = array.figures.get("parity", 0)
    copies = 2 if declared.level in {1, 10} else 1
    width = strip * ((len(scene.below) - parity) // copies)
    if size - reads < width:
        raise site.wrong(f"its cache has no room for a stripe of {width} bytes")
    approximate = [
        "stripes leave its cache when it is full, the fullest first, and all that is left after "
        "the load; no maker tells the order",
    ]
    if declared.is_megaraid and declared.io_policy == "cached":
        approximate.append("it keeps nothing of what is read, since its share is not known")
    figures = {"most": MIB, "width": width, "room": size - reads, "reads": reads}
    return replace(
        array, rule="controller", figures=figures, starts=(), notes=(),
        approximate=tuple(approximate), behind=Behind("array", array.rule, array.figures),
    )  # fmt: skip


def _array(site: Site, scene: Scene) -> Layer:
    """A virtual drive without its cache.

    Raises:
        UsageError: an array of arrays (RAID 50 and 60).
    """
    declared: Any = site.declared
    strip, drives = declared.strip_size, len(scene.below)
    each = min(one.size for one in scene.below) // strip * strip
    most = {"most": MIB, "failed": 0}
    if declared.level == 0:
        return Layer("striped", each * drives, {"chunk": strip, "most": strip})
    if declared.level == 1 and drives == 2:
        return Layer("raid1", each, most)
    if declared.level in {1, 10}:
        figures = {**most, "chunk": strip, "layout": 2 | 1 << 8, "size": each}
        return Layer("raid10", each * drives // 2, figures)
    if declared.level not in {5, 6}:
        raise site.wrong(f"`predict` does not know RAID {declared.level} of a controller")
    parity = declared.level - 4
    figures = {
        **most, "parity": parity, "chunk": strip, "layout": 2, "rmw_level": 1, "stripe_cache": 256,
    }  # fmt: skip
    return Layer("parity", each * (drives - parity), figures)
