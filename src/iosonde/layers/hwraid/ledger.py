"""Hardware RAID for the ledger: a virtual drive as the array of its drives that it is.

The layout of a controller is its own affair: parity is taken to rotate as md's "left-symmetric"
does, mirrors to lie side by side. Counts per drive are then those of such an array; their sums
depend on the layout where a request ends within a stripe, not otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from iosonde._core import Controller, Limits, Parity, Raid1, Raid10, Striped
from iosonde.layers._ledger.rule import Accounting, Behind, LedgerContext, LedgerLayer
from iosonde.layers._raid.geometry import LEFT_SYMMETRIC, NEAR_TWO, PARITY, array_size
from iosonde.layers.hwraid.declared import HwraidDeclared
from iosonde.layers.hwraid.facts import DRIVE, data_disks
from iosonde.layers.site import DriveDeclared, Site
from iosonde.units import MIB

_MOST = Limits(most=MIB)


def _drives(site: Site) -> tuple[Site, ...]:
    """The disks of a virtual drive, each named "LAYER-DRIVE"."""
    declared = site.declared_as(HwraidDeclared)
    if declared.drive_size is None:
        raise site.wrong(
            "the size of its drives is not declared", hint="add `drive_size:` to the layer"
        )
    drive = DriveDeclared(kind=DRIVE, host=site.host, size=declared.drive_size)
    return tuple(
        Site(site.stack, f"{site.name}-{name}", site.host, drive) for name in declared.drives
    )


def array_of(site: Site, scene: LedgerContext) -> LedgerLayer:
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
    width = strip * (data_disks(f"raid{declared.level}", len(scene.below), declared.parts) or 1)
    if size - reads < width:
        raise site.wrong(f"its cache has no room for a stripe of {width} bytes")
    approximate = [
        "stripes leave its cache when it is full, the fullest first, and all that is left after "
        "the load; no maker tells the order",
    ]
    if declared.is_megaraid and declared.io_policy == "cached":
        approximate.append("it keeps nothing of what is read, since its share is not known")
    return replace(
        array, rule=Controller(width=width, room=size - reads, reads=reads), limits=_MOST,
        starts=(), notes=(), approximate=tuple(approximate),
        behind=Behind("array", array.rule, array.limits),
    )  # fmt: skip


def _array(site: Site, scene: LedgerContext) -> LedgerLayer:
    """A virtual drive without its cache.

    Raises:
        UsageError: an array of arrays (RAID 50 and 60).
    """
    declared: Any = site.declared
    level, strip, drives = f"raid{declared.level}", declared.strip_size, len(scene.below)
    each = min(lower.size for lower in scene.below) // strip * strip
    if declared.level == 0:
        size = array_size(level, [each] * drives, strip)
        return LedgerLayer(Striped(chunk=strip), size, Limits(most=strip))
    if declared.level == 1 and drives == 2:
        return LedgerLayer(Raid1(), each, _MOST)
    if declared.level in {1, 10}:
        rule = Raid10(chunk=strip, layout=NEAR_TWO, size=each)
        return LedgerLayer(rule, array_size("raid10", [each] * drives, strip), _MOST)
    if declared.level not in {5, 6}:
        raise site.wrong(f"`predict` does not know RAID {declared.level} of a controller")
    array = Parity(parity=PARITY[level], chunk=strip, layout=LEFT_SYMMETRIC, stripe_cache=256)
    return LedgerLayer(array, array_size(level, [each] * drives, strip), _MOST)


ACCOUNTING = Accounting(
    declared=array_of,
    speed="controller",
    drives=_drives,
    extra={"cache_size": "bytes of its cache for data"},
)
