"""What ethtool sets of a network interface; the address is "INTERFACE NAME".

NAME is one of FEATURES (on or off), RINGS (entries) or COALESCE (µs, frames, or on and off).

Source: ethtool(8), -k -K, -g -G, -c -C, as printed by 4.16 to 6.1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde import kerneltext
from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.records.stack import Scalar
from iosonde.settings.ethtool_printed import ADAPTIVE, COALESCE, FEATURES, MAXIMA, RINGS, states
from iosonde.settings.mechanism import Mechanism, PersistentLine, ReadValues, texts, value_of
from iosonde.settings.udev_rules import FILE, RELOAD, interface_match, interface_note

# Each prints one word: the first argument is the interface, the second what to look for.
_FEATURE = 'ethtool -k "$1" | sed -n "s/^[[:space:]]*$2: \\([a-z]*\\).*/\\1/p" | grep .'
_RING = (
    'ethtool -g "$1" | sed -n "1,/^Current/d;s/^$2:[^0-9]*\\([0-9]*\\)$/\\1/p" | grep . | head -n 1'
)
_MAXIMUM = (
    'ethtool -g "$1" | sed -n "1,/^Current/s/^$2:[^0-9]*\\([0-9]*\\)$/\\1/p" | grep . | head -n 1'
)
_FIGURE = 'ethtool -c "$1" | sed -n "s/^$2:[^0-9]*\\([0-9]*\\)$/\\1/p" | grep .'
_ADAPTIVE = 'ethtool -c "$1" | sed -n "s/^Adaptive.* *$2: *\\([a-z]*\\).*/\\1/p" | grep .'
_WAYS = (
    (FEATURES, _FEATURE, "-K"),
    (RINGS, _RING, "-G"),
    (MAXIMA, _MAXIMUM, "-G"),
    (COALESCE, _FIGURE, "-C"),
    (ADAPTIVE, _ADAPTIVE, "-C"),
)
_RULE = re.compile(r'KERNEL=="([^"]+)", NAME=="[^"]*", RUN\+="\S+ (-[KGC]) (\S+) (\S+) (\S+)"')


def _way(address: str) -> tuple[str, str, str, str, str]:
    """Interface, script that looks, word it looks for, option that sets, word that is set."""
    interface, _, name = address.rpartition(" ")
    for table, look, option in _WAYS:
        if name in table:
            printed, word = table[name]
            return interface, look, printed, option, word
    raise KeyError(address)


class Ethtool(Mechanism):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "ethtool"
    files = (FILE,)

    @override
    async def get(self, host: Host, addresses: Sequence[str]) -> ReadValues:
        """One command for each, so that discovery asks for all at once."""
        values: dict[str, Scalar | IosondeError] = {}
        for address in addresses:
            done = await host.run(self.look(address), check=False)
            text = kerneltext.decoded(done.stdout).strip()
            if done.status == 0 and text:
                values[address] = value_of(text)
        return values

    @override
    async def offered(self, host: Host, addresses: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Features that ethtool calls [fixed] offer only what they are."""
        offered: dict[str, tuple[str, ...]] = {}
        places = (address.rpartition(" ") for address in addresses)
        for interface in sorted({at for at, _, name in places if name in FEATURES}):
            done = await host.run(["ethtool", "-k", interface], check=False)
            for name, (state, fixed) in states(done.stdout).items():
                if fixed and f"{interface} {name}" in addresses:
                    offered[f"{interface} {name}"] = (state,)
        return offered

    @override
    def look(self, address: str) -> tuple[str, ...]:
        interface, look, printed, _, _ = _way(address)
        return ("sh", "-c", look, "sh", interface, printed)

    @override
    def change(self, address: str, value: str) -> tuple[str, ...]:
        interface, _, _, option, word = _way(address)
        return ("ethtool", option, interface, word, value)

    @override
    def device(self, address: str) -> str:
        """The kernel counts interfaces."""
        return f"/sys/class/net/{address.rpartition(' ')[0]}/ifindex"

    @override
    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        """A rule of udev that runs ethtool when the interface appears."""
        interface, _, _, option, word = _way(address)
        done = await host.run(["sh", "-c", "command -v ethtool"])
        program = kerneltext.decoded(done.stdout).strip()
        key = f'{interface_match(interface)}, RUN+="{program} {option} {interface} {word} '
        note = await interface_note(host, interface)
        return PersistentLine(FILE, key, f'{key}{value}"', then=RELOAD, note=note)

    @override
    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        """Of rules, iosonde reads its own."""
        if not addresses:
            return {}
        text = (await texts(host, [FILE])).get(FILE, "")
        rules = {
            (interface, option, word): value
            for interface, option, _, word, value in _RULE.findall(text)
        }
        kept = {}
        for address in addresses:
            interface, _, _, option, word = _way(address)
            if (interface, option, word) in rules:
                kept[address] = rules[interface, option, word]
        return kept
