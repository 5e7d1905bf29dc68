"""Policies of a RAID controller's virtual drive; the address is "TOOL VOLUME IDENTIFIER NAME".

TOOL is the path of storcli, perccli or ssacli, VOLUME "c0/v3" or "slot0/ld1", IDENTIFIER its NAA:
a virtual drive that was made anew under the same number is another one. The controller keeps its
policies itself. On a Smart Array the cache of the drives and the ratio are the controller's, and
hold for all of its virtual drives.

Source: StorCLI reference manual, "set wrcache, rdcache, iopolicy, pdcache", where "Status =
Success" counts and not the exit status; HPE Smart Storage Administrator user guide, "modify";
`ssacli help`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from iosonde.scripts import program
from iosonde.settings.mechanism import Lasting, in_one_line

_MEGARAID: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "write_policy": (
        "wrcache", {"write_through": "wt", "write_back": "wb", "write_back_always": "awb"}
    ),
    "read_ahead": ("rdcache", {"on": "ra", "off": "nora"}),
    "io_policy": ("iopolicy", {"direct": "direct", "cached": "cached"}),
    "disk_cache": ("pdcache", {"default": "default", "enabled": "on", "disabled": "off"}),
}  # fmt: skip
_SMART_ARRAY: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "write_policy": (
        "arrayaccelerator", {"write_through": "disable", "write_back": "enable"}
    ),
    "disk_cache": (
        "drivewritecache", {"default": "default", "enabled": "enable", "disabled": "disable"}
    ),
    "cache_ratio": ("cacheratio", {}),
}  # fmt: skip


def _parts(address: str) -> tuple[str, str, str, str]:
    tool, volume, identifier, name = address.rsplit(" ", 3)
    return tool, volume, identifier, name


class HwraidSettings(Lasting):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name: ClassVar[str] = "hwraid"

    def look(self, address: str) -> tuple[str, ...]:
        """See `Mechanism.look`."""
        tool, volume, identifier, _ = _parts(address)
        policy, known = _known(address)
        words = (f"{word}={value}" for value, word in known.items())
        return in_one_line(_script(volume), "look", tool, volume, identifier, policy, *words)

    def change(self, address: str, value: str) -> tuple[str, ...]:
        """See `Mechanism.change`."""
        tool, volume, _, _ = _parts(address)
        policy, known = _known(address)
        word = f"{value}/{100 - int(value)}" if policy == "cacheratio" else known.get(value, value)
        return in_one_line(_script(volume), "change", tool, volume, f"{policy}={word}")


def _script(volume: str) -> str:
    """The program of building that lists the drives of a make, and what asks it for a policy."""
    make = "smart_array.sh" if volume.startswith("slot") else "megaraid.sh"
    return program("iosonde.layers.hwraid", make, "settings.sh")


def _known(address: str) -> tuple[str, Mapping[str, str]]:
    """What the tool calls a policy, and its words for the values."""
    _, volume, _, name = _parts(address)
    table = _SMART_ARRAY if volume.startswith("slot") else _MEGARAID
    return table.get(name, (name, {}))
