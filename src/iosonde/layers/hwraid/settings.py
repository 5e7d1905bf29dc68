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

from typing_extensions import override

from iosonde.layers.hwraid.facts import (
    MEGARAID_POLICIES,
    SMART_ARRAY_POLICIES,
    Policies,
    policy_word,
    policy_words,
)
from iosonde.scripts import program
from iosonde.settings.mechanism import Lasting, in_one_line


def _parts(address: str) -> tuple[str, str, str, str]:
    tool, volume, identifier, name = address.rsplit(" ", 3)
    return tool, volume, identifier, name


class HwraidSettings(Lasting):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "hwraid"

    @override
    def look(self, address: str) -> tuple[str, ...]:
        tool, volume, identifier, name = _parts(address)
        policy, values = policy_words(_policies(volume), name)
        pairs = (f"{word}={value}" for value, word in values.items())
        return in_one_line(_script(volume), "look", tool, volume, identifier, policy, *pairs)

    @override
    def change(self, address: str, value: str) -> tuple[str, ...]:
        tool, volume, _, name = _parts(address)
        word = policy_word(_policies(volume), name, value)
        return in_one_line(_script(volume), "change", tool, volume, word)


def _script(volume: str) -> str:
    """The program of building that lists the drives of a make, and what asks it for a policy."""
    make = "smart_array.sh" if volume.startswith("slot") else "megaraid.sh"
    return program("iosonde.layers.hwraid", make, "settings.sh")


def _policies(volume: str) -> Policies:
    return SMART_ARRAY_POLICIES if volume.startswith("slot") else MEGARAID_POLICIES
