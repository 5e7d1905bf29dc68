"""MegaRAID and PERC controllers by storcli and perccli: what to say to them.

A status of 0 says nothing: "Status = Success" does. The policy of writes that counts is the one
that was set, not the one in force while the battery is off duty. A controller without a virtual
drive says so as a failure in some versions.

Source: StorCLI reference manual, "add vd" (name, drives, strip in KiB, PDperArray), "set wrcache,
rdcache, iopolicy, pdcache", "del"; outputs of storcli 1.x and 7.x.
"""

from __future__ import annotations

from iosonde.layers.hwraid.building import Making, script
from iosonde.layers.hwraid.declared import HwraidDeclared, name_of, strip_kib
from iosonde.layers.hwraid.found import MEGARAID, called
from iosonde.layers.site import Site


def making(site: Site) -> Making:
    """How storcli or perccli makes a virtual drive."""
    declared = site.declared_as(HwraidDeclared)
    create = [
        f"/c{declared.controller}", "add", "vd", f"type=raid{declared.level}",
        f"name={name_of(site)}", f"drives={','.join(declared.drives)}",
        f"strip={strip_kib(declared)}",
    ]  # fmt: skip
    if declared.parts > 1:
        create.append(f"pdperarray={len(declared.drives) // declared.parts}")
    tools = script(called(MEGARAID), "megaraid.sh")
    return Making(tools, tuple(create), _policies(declared))


def _policies(declared: HwraidDeclared) -> tuple[str, ...]:
    words = {
        "wrcache": {"write_back": "wb", "write_through": "wt"}.get(declared.write_policy or ""),
        "rdcache": {True: "ra", False: "nora", None: None}[declared.read_ahead],
        "iopolicy": declared.io_policy,
        "pdcache": {"enabled": "on", "disabled": "off"}.get(
            declared.disk_cache or "", declared.disk_cache
        ),
    }
    return tuple(f"{name}={word}" for name, word in words.items() if word)
