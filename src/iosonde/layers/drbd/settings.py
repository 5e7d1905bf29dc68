"""Options of a DRBD resource in force; the address is "DEVICE SECTION OPTION".

SECTION is net, which belongs to the connection, or disk. Each host has options of its own; the
kernel sees to it that both have the same protocol. Of DRBD 8.4, the kernel's own: what `drbdsetup
show` prints of DRBD 9 has another form, and there none is found.

They are kept in the resource's file, where the line is edited.

Source: drbdsetup(8) of 8.4, show, net-options, disk-options (options that are not named stay as
they are); drbd.conf(5); linux/drbd_limits.h.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde import kerneltext
from iosonde.errors import Refused
from iosonde.hosts.host import Host
from iosonde.layers.drbd.facts import names_device, options_in
from iosonde.scripts import program
from iosonde.settings.mechanism import PersistentLine, Scripted, texts

FILES = ("/etc/drbd.d/*.res", "/etc/drbd.conf")
_NEW, _OLD = "# iosonde", "# iosonde was: "


def _parts(address: str) -> tuple[str, str, str]:
    device, section, option = address.split(" ")
    return device, section, option


def edited(text: str, section: str, option: str, value: str) -> str:
    """The file of a resource with an option set; new lines and old ones bear iosonde's mark.

    Raises:
        Refused: it holds no resource, or several.
    """
    text = _once(text, option)
    if len(re.findall(r"^[^\S\n]*resource\s", text, re.MULTILINE)) != 1:
        raise Refused("the file holds not just one resource", evidence=option)
    new = f"    {option} {value}; {_NEW}"
    rows: list[str] = []
    depth, inside, done = 0, False, False
    for row in kerneltext.lines(text):
        code = "" if row.lstrip().startswith("#") else row.partition("#")[0]
        if depth == 1 and re.match(rf"\s*{section}\s*\{{\s*$", code):
            inside, done = True, True
            rows += [row, new]
        elif depth == 1 and re.match(rf"\s*{section}\s*\{{", code):
            raise Refused(f"its section {section} stands in one line", evidence=row.strip())
        elif inside and depth == 2 and code.split()[:1] == [option]:
            rows.append(_OLD + row)
        else:
            rows.append(row)
        depth += code.count("{") - code.count("}")
        inside = inside and depth > 1
    if not done:
        at = next(i for i, row in enumerate(rows) if re.match(r"\s*resource\s", row)) + 1
        made = f"  {section} {{ {_NEW}", new, f"  }} {_NEW}"
        rows[at:at] = made
    return "".join(row + "\n" for row in rows)


def _once(text: str, option: str) -> str:
    """Without an earlier line of iosonde's own for the option."""
    rows = [
        row
        for row in kerneltext.lines(text)
        if not (row.endswith(_NEW) and row.split()[:1] == [option])
    ]
    return "".join(row + "\n" for row in rows)


def without_edits(text: str) -> str:
    """The file with the lines as they were."""
    rows = [row.removeprefix(_OLD) for row in kerneltext.lines(text) if not row.endswith(_NEW)]
    return "".join(row + "\n" for row in rows)


class DrbdSettings(Scripted):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "drbd"
    files = FILES
    looking = program(
        "iosonde.layers", "drbd/option.sh", then='now=$(shown "$@") && echo "${now##* }"'
    )
    changing = program("iosonde.layers", "drbd/option.sh", "drbd/change.sh")

    @override
    async def offered(self, host: Host, addresses: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """The words that drbdsetup names in its help."""
        offered: dict[str, tuple[str, ...]] = {}
        for section in sorted({_parts(address)[1] for address in addresses}):
            done = await host.run(["drbdsetup", "help", f"{section}-options"], check=False)
            text = kerneltext.decoded(done.stdout)
            values = dict(re.findall(r"--([\w-]+)=\{([^}]*)\}", "".join(text.split("\n"))))
            offered |= {
                address: tuple(values[_parts(address)[2]].split("|"))
                for address in addresses
                if _parts(address)[1] == section and _parts(address)[2] in values
            }
        return offered

    @override
    def device(self, address: str) -> str:
        """The kernel counts disks."""
        return f"/sys/block/{_parts(address)[0]}/diskseq"

    @override
    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        """A line in the resource's file, which is not iosonde's own."""
        device, section, option = _parts(address)
        for path, text in (await self._texts(host)).items():
            if names_device(text, device):
                edited(text, section, option, value)  # refused now rather than half-way
                note = "the file of the other host has its own options: keep it there too"
                return PersistentLine(
                    path, edit=lambda text: edited(text, section, option, value), note=note
                )
        raise Refused("no file of drbd.conf(5) has its resource", where=device)

    async def _texts(self, host: Host) -> dict[str, str]:
        paths = [path for file in FILES for path in await host.glob(file)]
        return await texts(host, paths)

    @override
    def without(self, text: str) -> str:
        return without_edits(text) if _NEW in text else text

    @override
    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        """Of the resource's own sections."""
        values = {}
        for text in (await self._texts(host)).values() if addresses else ():
            for address in addresses:
                device, section, option = _parts(address)
                options = options_in(text, section)
                if names_device(text, device) and option in options:
                    values[address] = options[option]
        return values
