"""Settings that are files of sysfs; the address is the path.

A choice prints all its words with the current one in brackets ("none [mq-deadline] bfq"). A
device that lacks a setting has no such file, or one that answers EINVAL (wbt_lat_usec without
writeback throttling): both count as "it does not have it".

They are kept by rules of udev, which writes attributes when a device appears. A rule names the
device by what stays the same (its serial number, its uuid), not by the kernel's name.

Source: Linux Documentation/ABI/stable/sysfs-block; block/blk-sysfs.c (6.x); diskseq since 5.15;
drivers/md/md.c, sync_min_store();
Linux lib/kobject_uevent.c, kobject_synth_uevent(), SYNTH_UUID since 4.13; udev(7), "ATTR{key}",
OPTIONS "watch"; systemd.link(5) for what else may set an interface's MTU.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde import kerneltext
from iosonde.errors import Refused
from iosonde.hosts.host import Host
from iosonde.records.stack import Scalar
from iosonde.settings.mechanism import (
    Mechanism,
    PersistentLine,
    ReadValues,
    read_files,
    texts,
    value_of,
    write_file,
)
from iosonde.settings.udev_rules import (
    FILE,
    ONLY_THE_NAME,
    RELOAD,
    interface_match,
    interface_note,
)

_CHOSEN = re.compile(r"\[([^\[\]\s]+)\]")
_PLACE = re.compile(r"^/sys/(block|class/net)/([^/]+)/(.+)$")
# A word in brackets; md says whether a speed is its own or the system's ("1000 (system)"), and
# takes it back by the word alone. NVMe prints a limit of -1 as "off" and takes the figure.
_ONE_WORD = r"s/.*\[\([^]]*\)\].*/\1/;s/^[0-9]* (system)$/system/;s/^\([0-9]*\) (local)$/\1/"
# The kernel remembers for ten minutes which paths were narrow (ip-sysctl.rst, route/mtu_expires):
# connections would keep the smaller of two MTUs.
_MTU = (
    'printf "%s\\n" "$2" | dd of="$1" status=none || exit; '
    'for one in /proc/sys/net/ipv[46]/route/flush; do [ ! -w "$one" ] || echo 1 >"$one"; done'
)
# dm and md say what they are by an event "change" of the kernel's. udev makes one as well whenever
# a writer closes a disk: by that, a value that was set meanwhile is not to be undone.
_WHEN = ('ACTION=="add"', 'ACTION=="change", ENV{SYNTH_UUID}!="0"')
_RULE = re.compile(r'^(.*), ATTR\{([^}]+)\}="([^"]*)"(?:, ACTION==.*)?$')
_NAMED = re.compile(r'(ENV\{(?!DEVTYPE)\w+\}|KERNEL)=="([^"]*)"')
# What names a device for good, the best first (properties in udev's data base).
_LASTING = ("DM_UUID", "MD_UUID", "ID_WWN_WITH_EXTENSION", "ID_WWN", "ID_SERIAL")


def parse_attribute(text: str) -> Scalar:
    """The value in an attribute's text: the chosen word, an integer, or the text itself."""
    chosen = _CHOSEN.search(text)
    return chosen[1] if chosen else value_of(text)


def parse_rules(text: str) -> dict[tuple[str, str, str], str]:
    """(what names the device, its name, attribute) → value, from rules as iosonde writes them."""
    values = {}
    for line in kerneltext.lines(text):
        rule = _RULE.match(line)
        named = _NAMED.search(rule[1]) if rule else None
        if rule and named:
            values[named[1], named[2], rule[2]] = rule[3]
    return values


class Sysfs(Mechanism):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "sysfs"
    files = (FILE,)

    @override
    async def get(self, host: Host, addresses: Sequence[str]) -> ReadValues:
        return await read_files(host, {path: path for path in addresses}, parse_attribute)

    @override
    async def offered(self, host: Host, addresses: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """The words of an attribute that puts one in brackets."""
        return {
            path: tuple(word.strip("[]") for word in text.split())
            for path, text in (await texts(host, addresses)).items()
            if _CHOSEN.search(text)
        }

    @override
    def look(self, address: str) -> tuple[str, ...]:
        """Of a choice the word in brackets."""
        off = ";s/^off$/-1/" if address.startswith("/sys/class/nvme/") else ""
        return ("sed", _ONE_WORD + off, address)

    @override
    def change(self, address: str, value: str) -> tuple[str, ...]:
        place = _PLACE.match(address)
        if place and place[1] == "class/net" and place[3] == "mtu":
            return ("sh", "-c", _MTU, "sh", address, value)
        return write_file(address, value)

    @override
    def device(self, address: str) -> str:
        """The kernel counts disks, and interfaces."""
        place = _PLACE.match(address)
        if place is None:
            return ""
        file = "diskseq" if place[1] == "block" else "ifindex"
        return f"/sys/{place[1]}/{place[2]}/{file}"

    @override
    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        """A rule that writes the attribute when the device appears."""
        place = _PLACE.match(address)
        if place is None:
            raise Refused("udev has no rule for this file", where=address)
        match = await _match(host, place[1], place[2])
        if '"' in value or "$" in value or "%" in value:
            raise Refused("a rule of udev cannot hold this value", where=address, evidence=value)
        key = f'{match}, ATTR{{{place[3]}}}="'
        note = ""
        if place[1] == "class/net":
            note = await interface_note(host, place[2])
        elif "KERNEL" in match:
            note = ONLY_THE_NAME
        first = place[3] == "queue/scheduler"
        line = f'{key}{value}"'
        if place[1] == "block":
            line = "\n".join(f"{line}, {when}" for when in _WHEN)
        return PersistentLine(FILE, key, line, first=first, then=RELOAD, note=note)

    @override
    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        """Of rules, iosonde reads its own."""
        rules = parse_rules((await texts(host, [FILE])).get(FILE, "")) if addresses else {}
        kept = {}
        for address in addresses if rules else ():
            place = _PLACE.match(address)
            if place is None:
                continue
            named = _NAMED.search(await _match(host, place[1], place[2]))
            if named and (named[1], named[2], place[3]) in rules:
                kept[address] = rules[named[1], named[2], place[3]]
        return kept


async def _match(host: Host, kind: str, name: str) -> str:
    """The part of a rule that says which device it is for."""
    if kind == "class/net":
        return interface_match(name)
    head = 'SUBSYSTEM=="block", ENV{DEVTYPE}=="disk"'
    argv = ["udevadm", "info", "--query=property", f"--path=/sys/block/{name}"]
    done = await host.run(argv, check=False)
    properties = dict(
        line.partition("=")[::2] for line in kerneltext.lines(kerneltext.decoded(done.stdout))
    )
    for key in _LASTING:
        value = properties.get(key, "")
        if value and '"' not in value:
            return f'{head}, ENV{{{key}}}=="{value}"'
    return f'{head}, KERNEL=="{name}"'
