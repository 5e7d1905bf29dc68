"""Options of exports(5) in force on an NFS server; the address is "NAME DIRECTORY".

NAME is one of CHOICES. Where the clients of a directory differ, the value is a word for each, in
the order in which exportfs lists them. exportfs takes an option back to what the files say as soon
as it is called with -r; what is kept is edited there.

Source: exportfs(8), -o, -r and -i (without it the files are exported anew as well); exports(5),
sync and wdelay; /var/lib/nfs/etab, a line "DIRECTORY TAB CLIENT(OPTIONS)" for each client.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from iosonde.errors import IosondeError, Refused
from iosonde.hosts.host import Host
from iosonde.records import Scalar
from iosonde.settings.mechanism import Kept, looked, texts
from iosonde.settings.remount import WAS, put_back_lines

FILES = ("/etc/exports", "/etc/exports.d/*.exports")
_ETAB = "/var/lib/nfs/etab"
CHOICES: Mapping[str, tuple[str, str]] = {
    "sync": ("sync", "async"), "wdelay": ("wdelay", "no_wdelay"),
}  # fmt: skip
"""Name → its words; the first one is the default of exports(5)."""
# $1 the first word, $2 the other one, $3 the directory, $4 the file.
_LOOK = (
    'all=$(awk -F "\\t" -v p="$3" -v o="[(,]$2[,)]" -v y="$1" -v n="$2" '
    '\'$1 == p { print ($2 ~ o) ? n : y }\' "$4") || exit 1; [ -n "$all" ] || exit 1; '
    'one=$(echo "$all" | sort -u); [ "$(echo "$one" | wc -l)" = 1 ] && echo "$one" || echo $all'
)
# $1, $2, $3, $4 as above, $5 the words that shall be.
_CHANGE = (
    'y=$1 n=$2 p=$3; rows=$(awk -F "\\t" -v p="$p" \'$1 == p { print $2 }\' "$4") || exit 1; '
    '[ -n "$rows" ] || exit 1; set -- $5; for row in $rows; do client=${row%%(*}; '
    'options=",${row#*(}"; options=${options%)},; '
    'for word in "$y" "$n"; do case $options in *",$word,"*) '
    'options="${options%%",$word,"*},${options#*",$word,"}";; esac; done; '
    "options=${options#,}; case $client in *:*/*|*:*) client=[$client];; esac; "
    'exportfs -i -o "$options$1" "$client:$p" || exit 1; [ $# -eq 1 ] || shift; done'
)
_CLIENT = re.compile(r"(?<=\()[^()]*(?=\))")


def _words(address: str) -> tuple[str, str, str]:
    name, _, directory = address.partition(" ")
    return *CHOICES[name], directory


def edited(text: str, name: str, directory: str, value: str) -> str:
    """A file of exports(5) with an option set for all clients of a directory.

    Raises:
        Refused: a line is written in a way that iosonde does not edit.
    """
    rows: list[str] = []
    for line in text.splitlines():
        if line.split()[:1] != [directory] or line.startswith("#"):
            rows.append(line)
            continue
        if line.endswith("\\") or '"' in line or "(" not in line:
            raise Refused("its line is continued, quoted or without options", where=directory)

        def with_word(found: re.Match[str]) -> str:
            others = [one for one in found[0].split(",") if one and one not in CHOICES[name]]
            return ",".join([*others, value])

        if not (rows and rows[-1].startswith(WAS)):
            rows.append(WAS + line)
        rows.append(_CLIENT.sub(with_word, line))
    return "".join(row + "\n" for row in rows)


class Exports:
    """See `iosonde.settings.mechanism.Mechanism`."""

    name: ClassVar[str] = "exports"
    files: ClassVar[tuple[str, ...]] = FILES

    async def get(
        self, host: Host, addresses: Sequence[str]
    ) -> Mapping[str, Scalar | IosondeError]:
        """See `Mechanism.get`."""
        return await looked(host, self, addresses)

    async def offered(self, host: Host, addresses: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """See `Mechanism.offered`; exportfs does not tell."""
        del host, addresses
        return {}

    def look(self, address: str) -> tuple[str, ...]:
        """See `Mechanism.look`."""
        return ("sh", "-c", _LOOK, "sh", *_words(address), _ETAB)

    def change(self, address: str, value: str) -> tuple[str, ...]:
        """See `Mechanism.change`."""
        return ("sh", "-c", _CHANGE, "sh", *_words(address), _ETAB, value)

    def device(self, address: str) -> str:
        """See `Mechanism.device`; a directory is its own name."""
        del address
        return ""

    async def keep(self, host: Host, address: str, value: str) -> Kept:
        """See `Mechanism.keep`: the line of exports(5), whose file is not iosonde's own."""
        name, _, directory = address.partition(" ")
        for path, text in (await self._texts(host)).items():
            if any(line.split()[:1] == [directory] for line in text.splitlines()):
                edited(text, name, directory, value)  # refused now rather than half-way
                return Kept(path, edit=lambda text: edited(text, name, directory, value))
        raise Refused("no file of exports(5) names it", where=directory)

    async def _texts(self, host: Host) -> dict[str, str]:
        return await texts(host, [FILES[0], *await host.glob(FILES[1])])

    def without(self, text: str) -> str:
        """See `Mechanism.without`."""
        return put_back_lines(text, 0)

    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        """See `Mechanism.kept`."""
        found = {}
        for text in (await self._texts(host)).values() if addresses else ():
            for line in text.splitlines():
                for address in addresses:
                    name, _, directory = address.partition(" ")
                    default, other = CHOICES[name]
                    if line.split()[:1] == [directory] and "(" in line:
                        each = [one.split(",") for one in _CLIENT.findall(line)]
                        words = [other if other in one else default for one in each]
                        found[address] = " ".join(words[:1] if len(set(words)) == 1 else words)
        return found
