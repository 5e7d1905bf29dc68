"""Options of exports(5) in force on an NFS server; the address is "NAME DIRECTORY".

NAME is one of CHOICES. Where the clients of a directory differ, the value is a word for each, in
the order in which exportfs lists them. exportfs takes an option back to what the files say as soon
as it is called with -r; what is kept is edited there.

Source: exportfs(8), -o, -r and -i (without it the files are exported anew as well); exports(5),
sync and wdelay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde import kerneltext
from iosonde.errors import Refused
from iosonde.hosts.host import Host
from iosonde.layers.nfs.facts import ETAB, parse_exports
from iosonde.scripts import program
from iosonde.settings.mechanism import PersistentLine, Scripted, texts
from iosonde.settings.remount import WAS, put_back_lines

FILES = ("/etc/exports", "/etc/exports.d/*.exports")
CHOICES: Mapping[str, tuple[str, str]] = {
    "sync": ("sync", "async"), "wdelay": ("wdelay", "no_wdelay"),
}  # fmt: skip
"""Name → its words; the first one is the default of exports(5)."""
_CLIENT = re.compile(r"(?<=\()[^()]*(?=\))")


def _choices(address: str) -> tuple[str, str, str]:
    name, _, directory = address.partition(" ")
    return *CHOICES[name], directory


def edited(text: str, name: str, directory: str, value: str) -> str:
    """A file of exports(5) with an option set for all clients of a directory.

    Raises:
        Refused: a line is written in a way that iosonde does not edit.
    """
    rows: list[str] = []
    for line in kerneltext.lines(text):
        if kerneltext.fields(line)[:1] != [directory] or line.startswith("#"):
            rows.append(line)
            continue
        if line.endswith("\\") or '"' in line or "(" not in line:
            raise Refused("its line is continued, quoted or without options", where=directory)

        def with_word(match: re.Match[str]) -> str:
            others = [word for word in match[0].split(",") if word and word not in CHOICES[name]]
            return ",".join([*others, value])

        if not (rows and rows[-1].startswith(WAS)):
            rows.append(WAS + line)
        rows.append(_CLIENT.sub(with_word, line))
    return "".join(row + "\n" for row in rows)


class Exports(Scripted):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "exports"
    files = FILES
    looking = program("iosonde.layers", "nfs/exports_read.sh")
    changing = program("iosonde.layers", "nfs/exports_change.sh")

    @override
    def arguments(self, address: str) -> tuple[str, ...]:
        return (*_choices(address), ETAB)

    @override
    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        """The line of exports(5), whose file is not iosonde's own."""
        name, _, directory = address.partition(" ")
        for path, text in (await self._texts(host)).items():
            if any(kerneltext.fields(line)[:1] == [directory] for line in kerneltext.lines(text)):
                edited(text, name, directory, value)  # refused now rather than half-way
                return PersistentLine(path, edit=lambda text: edited(text, name, directory, value))
        raise Refused("no file of exports(5) names it", where=directory)

    async def _texts(self, host: Host) -> dict[str, str]:
        return await texts(host, [FILES[0], *await host.glob(FILES[1])])

    @override
    def without(self, text: str) -> str:
        return put_back_lines(text, 0)

    @override
    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        values = {}
        for text in (await self._texts(host)).values() if addresses else ():
            exports = parse_exports(text)
            for address in addresses:
                default, other, directory = _choices(address)
                if clients := exports.get(directory):
                    values_now = [
                        other if other in client.options else default for client in clients
                    ]
                    values[address] = " ".join(
                        values_now[:1] if len(set(values_now)) == 1 else values_now
                    )
        return values
