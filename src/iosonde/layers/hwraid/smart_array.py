"""Smart Array controllers by ssacli, hpssacli and hpacucli: what to say to them.

Each physical drive is listed below its array or below "unassigned"; mirrors list theirs once more
below the logical drive. Since Gen10 the cache of drives is a policy with a `usage`. `forced` leaves
out the question whether one is sure.

Source: HPE Smart Storage Administrator user guide, CLI ("create type=ld", "modify"); `ssacli help`
(logicaldrivelabel, stripsize in KiB, numberparitygroups, drivewritecache with usage); outputs
of hpacucli 9, hpssacli 2 and ssacli 3 to 6.
"""

from __future__ import annotations

from iosonde.layers.hwraid.building import Making, script
from iosonde.layers.hwraid.declared import HwraidDeclared, name_of, strip_kib
from iosonde.layers.hwraid.found import SMART_ARRAY, called
from iosonde.layers.site import Site

_LEVELS = {10: "1+0"}


def making(site: Site) -> Making:
    """How ssacli makes a logical drive."""
    declared = site.declared_as(HwraidDeclared)
    level = _LEVELS.get(declared.level, str(declared.level))
    create = [
        "ctrl", f"slot={declared.controller}", "create", "type=ld",
        f"drives={','.join(declared.drives)}", f"raid={level}",
        f"stripsize={strip_kib(declared)}", f"logicaldrivelabel={name_of(site)}",
    ]  # fmt: skip
    if declared.level in {50, 60}:
        create.append(f"numberparitygroups={declared.parts}")
    tools = script(called(SMART_ARRAY), "smart_array.sh")
    return Making(tools, (*create, "forced"), _policies(declared))


def _policies(declared: HwraidDeclared) -> tuple[str, ...]:
    ratio = declared.cache_ratio
    words = {
        "arrayaccelerator": {"write_back": "enable", "write_through": "disable"}.get(
            declared.write_policy or ""
        ),
        "drivewritecache": {"enabled": "enable", "disabled": "disable"}.get(
            declared.disk_cache or "", declared.disk_cache
        ),
        "cacheratio": None if ratio is None else f"{ratio}/{100 - ratio}",
    }
    return tuple(f"{name}={word}" for name, word in words.items() if word)
