"""Hardware RAID for the ledger: a virtual drive as the array of its drives that it is.

The layout of a controller is its own affair: parity is taken to rotate as md's "left-symmetric"
does, mirrors to lie side by side. Counts per drive are then those of such an array; their sums
depend on the layout where a request ends within a stripe, not otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from iosonde.layers.disk import DiskDeclared
from iosonde.layers.hwraid.declared import HwraidDeclared
from iosonde.layers.site import Site
from iosonde.units import MIB

if TYPE_CHECKING:
    from iosonde.predict.rules import Layer, Scene

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


def array_of(site: Site, scene: Scene) -> Layer:
    """What a virtual drive is to the core.

    Raises:
        UsageError: an array of arrays (RAID 50 and 60).
    """
    from iosonde.predict.rules import Layer

    declared: Any = site.declared
    strip, drives = declared.strip_size, len(scene.below)
    each = min(one.size for one in scene.below) // strip * strip
    most = {"most": MIB, "failed": 0}
    notes = ("what its cache does: writes are counted as if they went through",)
    if declared.level == 0:
        return Layer("striped", each * drives, {"chunk": strip, "most": strip}, (), notes)
    if declared.level == 1 and drives == 2:
        return Layer("raid1", each, most, (), notes)
    if declared.level in {1, 10}:
        figures = {**most, "chunk": strip, "layout": 2 | 1 << 8, "size": each}
        return Layer("raid10", each * drives // 2, figures, (), notes)
    if declared.level not in {5, 6}:
        raise site.wrong(f"`predict` does not know RAID {declared.level} of a controller")
    parity = declared.level - 4
    figures = {
        **most, "parity": parity, "chunk": strip, "layout": 2, "rmw_level": 1, "stripe_cache": 256,
    }  # fmt: skip
    return Layer("parity", each * (drives - parity), figures, (), notes)
