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
from typing import ClassVar

from iosonde.errors import IosondeError, Refused
from iosonde.hosts.host import Host
from iosonde.records import Scalar
from iosonde.settings.mechanism import Kept, texts, value_of

FILES = ("/etc/drbd.d/*.res", "/etc/drbd.conf")
_NEW, _OLD = "# iosonde", "# iosonde was: "
# $1 the device, $2 the section, $3 the option; prints both addresses and the value.
_SHOW = (
    'drbdsetup show --show-defaults | awk -v d="${1#drbd};" -v part="$2" -v w="$3" \''
    '$1 == "resource" { if (m) exit; n = x = l = r = "" } '
    "/_peer_node_id/ { nine = 1; exit } "
    '$2 == "{" { s = $1 } $1 == "volume" { s = $1; here = 0 } '
    '$1 == "address" { if (s == "_this_host") l = $2 ":" $3; '
    'if (s == "_remote_host") r = $2 ":" $3 } '
    '$1 == "device" && $2 == "minor" { here = ($3 == d); if (here) m = 1 } '
    's == "net" && $1 == w { n = $2 } s == "disk" && here && $1 == w { x = $2 } '
    'END { v = (part == "net") ? n : x; gsub(/[;"]/, "", v); gsub(/;/, "", l); gsub(/;/, "", r); '
    'if (nine || !m || v == "") exit 1; print l, r, v }\''
)
_LOOK = f'told=$({_SHOW}) && echo "${{told##* }}"'
_CHANGE = (
    f'told=$({_SHOW}) || {{ echo "there is no such option in force" >&2; exit 1; }}; '
    'case $2 in net) set -- "$3" "$4" $told; drbdsetup net-options "$3" "$4" "--$1=$2";; '
    'disk) drbdsetup disk-options "${1#drbd}" "--$3=$4";; esac'
)


def _parts(address: str) -> tuple[str, str, str]:
    device, section, option = address.split(" ")
    return device, section, option


def names_device(text: str, device: str) -> bool:
    """Whether a file of drbd.conf(5) has the resource of a device ("drbd1")."""
    minor = device.removeprefix("drbd")
    return bool(re.search(rf"\bdevice\s+[^;]*(?:/dev/drbd|minor\s+){minor}\s*[;m{{]", text))


def edited(text: str, section: str, option: str, value: str) -> str:
    """The file of a resource with an option set; new lines and old ones bear iosonde's mark.

    Raises:
        Refused: it holds no resource, or several.
    """
    text = _once(text, option)
    if len(re.findall(r"^\s*resource\s", text, re.MULTILINE)) != 1:
        raise Refused("the file holds not just one resource", evidence=option)
    new = f"    {option} {value}; {_NEW}"
    rows: list[str] = []
    depth, inside, done = 0, False, False
    for row in text.splitlines():
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
        row for row in text.splitlines() if not (row.endswith(_NEW) and row.split()[:1] == [option])
    ]
    return "".join(row + "\n" for row in rows)


def without_edits(text: str) -> str:
    """The file with the lines as they were."""
    rows = [row.removeprefix(_OLD) for row in text.splitlines() if not row.endswith(_NEW)]
    return "".join(row + "\n" for row in rows)


_SHOWN = re.compile(
    r"^resource\b(?P<resource>)|(?P<section>\S+)(?: \d+)? \{$|device\s+minor (?P<minor>\d+);"
    r"|(?P<name>[\w-]+)\s+\"?(?P<value>[^\s;\"]+)\"?;"
)


def options_in_force(text: str) -> dict[tuple[str, str, str], str]:
    """(device, section, option) → value, from `drbdsetup show --show-defaults` of DRBD 8.4.

    It tells the options of the connection before the devices that it is for.
    """
    found: dict[tuple[str, str, str], str] = {}
    net: dict[str, str] = {}
    device = section = ""
    if "_peer_node_id" in text:  # DRBD 9
        return found
    for line in text.splitlines():
        row = _SHOWN.match(line.strip())
        if row is None:
            continue
        if row["resource"] is not None:
            net, device, section = {}, "", ""
        elif row["section"]:
            section = row["section"]
        elif row["minor"]:
            device = f"drbd{row['minor']}"
            found |= {(device, "net", name): value for name, value in net.items()}
        elif section == "net":
            net[row["name"]] = row["value"]
        elif section == "disk" and device:
            found[device, "disk", row["name"]] = row["value"]
    return found


def options_in(text: str, section: str) -> dict[str, str]:
    """The options of one section of a resource's file."""
    found: dict[str, str] = {}
    for part in re.findall(rf"^\s*{section}\s*\{{([^}}]*)\}}", text, re.MULTILINE):
        plain = re.sub(r"#.*", "", part)
        found |= dict(re.findall(r"([\w-]+)\s+([^;]+?)\s*;", plain))
    return found


class Drbd:
    """See `iosonde.settings.mechanism.Mechanism`."""

    name: ClassVar[str] = "drbd"
    files: ClassVar[tuple[str, ...]] = FILES

    async def get(
        self, host: Host, addresses: Sequence[str]
    ) -> Mapping[str, Scalar | IosondeError]:
        """See `Mechanism.get`."""
        if not addresses or not await host.glob("/sys/module/drbd"):
            return {}
        done = await host.run(["drbdsetup", "show", "--show-defaults"], check=False)
        shown = options_in_force(done.stdout.decode(errors="replace"))
        found = {address: shown.get(_parts(address), "") for address in addresses}
        return {address: value_of(text) for address, text in found.items() if text}

    async def offered(self, host: Host, addresses: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """See `Mechanism.offered`: the words that drbdsetup names in its help."""
        found: dict[str, tuple[str, ...]] = {}
        for section in sorted({_parts(one)[1] for one in addresses}):
            done = await host.run(["drbdsetup", "help", f"{section}-options"], check=False)
            text = done.stdout.decode(errors="replace")
            words = dict(re.findall(r"--([\w-]+)=\{([^}]*)\}", "".join(text.split("\n"))))
            found |= {
                one: tuple(words[_parts(one)[2]].split("|"))
                for one in addresses
                if _parts(one)[1] == section and _parts(one)[2] in words
            }
        return found

    def look(self, address: str) -> tuple[str, ...]:
        """See `Mechanism.look`."""
        return ("sh", "-c", _LOOK, "sh", *_parts(address))

    def change(self, address: str, value: str) -> tuple[str, ...]:
        """See `Mechanism.change`."""
        return ("sh", "-c", _CHANGE, "sh", *_parts(address), value)

    def device(self, address: str) -> str:
        """See `Mechanism.device`: the kernel counts disks."""
        return f"/sys/block/{_parts(address)[0]}/diskseq"

    async def keep(self, host: Host, address: str, value: str) -> Kept:
        """See `Mechanism.keep`: a line in the resource's file, which is not iosonde's own."""
        device, section, option = _parts(address)
        for path, text in (await self._texts(host)).items():
            if names_device(text, device):
                edited(text, section, option, value)  # refused now rather than half-way
                note = "the file of the other host has its own options: keep it there too"
                return Kept(path, edit=lambda text: edited(text, section, option, value), note=note)
        raise Refused("no file of drbd.conf(5) has its resource", where=device)

    async def _texts(self, host: Host) -> dict[str, str]:
        paths = [path for file in FILES for path in await host.glob(file)]
        return await texts(host, paths)

    def without(self, text: str) -> str:
        """See `Mechanism.without`."""
        return without_edits(text) if _NEW in text else text

    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        """See `Mechanism.kept`; of the resource's own sections."""
        found = {}
        for text in (await self._texts(host)).values() if addresses else ():
            for address in addresses:
                device, section, option = _parts(address)
                told = options_in(text, section)
                if names_device(text, device) and option in told:
                    found[address] = told[option]
        return found
