r"""Mount options that can be changed by a remount; the address is "NAME MOUNT_POINT".

NAME is one of CHOICES, whose words are options of which one is in force, or of FIGURES, options
with a number. What the kernel shows for a default is often nothing at all: see `_SHOWN`.

Source: mount(8), "FILESYSTEM-INDEPENDENT MOUNT OPTIONS"; ext4(5); Linux fs/namespace.c
(do_remount), fs/ext4/super.c (_ext4_show_options); fstab(5), whose blanks are written \040.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde import kerneltext
from iosonde.errors import IosondeError, Refused
from iosonde.hosts.host import Host
from iosonde.records.stack import Scalar
from iosonde.settings.mechanism import Mechanism, PersistentLine, ReadValues, texts, value_of

FSTAB = "/etc/fstab"
# fstab(5): fields between blanks, of which the first may be indented; libmount takes a line without
# options, and one that ends in CR LF (util-linux, libmount/src/tab_parse.c).
_LINE = re.compile(
    r"(?P<head>[ \t]*[^# \t\r][^ \t\r]*[ \t]+(?P<mount>[^ \t\r]+)[ \t]+[^ \t\r]+)"
    r"(?:(?P<blanks>[ \t]+)(?P<options>[^# \t\r][^ \t\r]*))?(?P<rest>.*)",
    re.DOTALL,
)
_MOUNTS = "/proc/self/mountinfo"
WAS = "# iosonde: the next line was: "
"""How a note begins that stands above a line that iosonde has edited."""
# Name → value → option. The last value is the one for which the kernel shows nothing.
CHOICES: Mapping[str, Mapping[str, str]] = {
    "atime": {"noatime": "noatime", "relatime": "relatime", "strictatime": "strictatime"},
    "lazytime": {"on": "lazytime", "off": "nolazytime"},
    "barrier": {"off": "nobarrier", "on": "barrier"},
    "discard": {"on": "discard", "off": "nodiscard"},
}
# What a remount takes instead: it adds to the options in force, of which `noatime` outdoes the
# others unless it is taken back (Linux fs/namespace.c, path_mount(); libmount, MNT_INVERT).
_ADDED: Mapping[str, str] = {"relatime": "atime,relatime", "strictatime": "atime,strictatime"}
FIGURES: Mapping[str, tuple[str, str]] = {"commit": ("commit", "5")}  # option, and its default
# Prints the options as lines, those of the mount and of the file system, and picks the value.
_SHOWN = (
    'all=$(findmnt -n -o OPTIONS --mountpoint "$1" | tail -n 1); [ -n "$all" ] || exit 1; shift; '
    'last=; for pair; do option=${pair%%:*}; last=${pair#*:}; case ",$all," in *",$option,"*) '
    'echo "$last"; exit;; esac; done; echo "$last"'
)
_NUMBER = (
    'all=$(findmnt -n -o OPTIONS --mountpoint "$1" | tail -n 1); [ -n "$all" ] || exit 1; '
    'case ",$all," in *",$2="*) all=",$all,"; all=${all#*,"$2"=}; echo "${all%%,*}";; '
    '*) echo "$3";; esac'
)


def _parts(address: str) -> tuple[str, str]:
    name, _, mount = address.partition(" ")
    if name not in CHOICES and name not in FIGURES:
        raise KeyError(address)
    return name, mount


def mounted_options(text: str) -> dict[str, str]:
    """Mount point → its options and those of its file system, from /proc/self/mountinfo."""
    options = {}
    for line in kerneltext.lines(text):
        own, dash, rest = line.partition(" - ")
        fields, more = own.split(" "), rest.split(" ")
        if dash and len(fields) > 5 and len(more) > 2:
            options[kerneltext.unescape(fields[4])] = f"{fields[5]},{more[2]}"
    return options


def option_of(name: str, value: str) -> str:
    """The mount option that a value stands for.

    Raises:
        Refused: there is none.
    """
    if name in FIGURES:
        return f"{FIGURES[name][0]}={value}"
    if value not in CHOICES[name]:
        raise Refused("there is no such mount option", evidence=f"{name}={value}")
    return CHOICES[name][value]


def value_in(name: str, options: str) -> str | None:
    """The value that a list of options ("rw,noatime,commit=30") names; None where it names none."""
    chosen = None
    for option in options.split(","):
        key, _, figure = option.partition("=")
        if name in FIGURES and key == FIGURES[name][0]:
            chosen = figure
        for value, word in CHOICES.get(name, {}).items():
            chosen = value if option == word else chosen
    return chosen


def with_option(line: str, name: str, value: str) -> str:
    """A line of fstab with one option set; what contradicts it is taken out.

    Raises:
        Refused: it is no line of fstab that mounts something.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        raise Refused("this line of fstab mounts nothing", where=FSTAB, evidence=line)
    own = set(CHOICES.get(name, {}).values())
    number = f"{FIGURES[name][0]}=" if name in FIGURES else "\0"
    kept = [
        option
        for option in (match["options"] or "defaults").split(",")
        if option not in own and option != "defaults" and not option.startswith(number)
    ]
    options = ",".join([*kept, option_of(name, value)])
    return f"{match['head']}{match['blanks'] or ' '}{options}{match['rest']}"


def _mounting(text: str, mount: str) -> list[tuple[str, re.Match[str] | None]]:
    """The lines of a fstab, each with what it says where it mounts something at `mount`."""
    rows: list[tuple[str, re.Match[str] | None]] = []
    for line in kerneltext.lines(text):
        match = _LINE.fullmatch(line)
        here = match is not None and kerneltext.unescape(match["mount"]) == mount
        rows.append((line, match if here else None))
    return rows


def edited(text: str, mount: str, name: str, value: str) -> str:
    """A fstab with an option set for one mount point; the line as it was stands above as a note."""
    rows: list[str] = []
    for line, match in _mounting(text, mount):
        if match is None:
            rows.append(line)
            continue
        if not (rows and rows[-1].startswith(WAS)):
            rows.append(WAS + line)
        rows.append(with_option(line, name, value))
    return "".join(row + "\n" for row in rows)


def without_edits(text: str) -> str:
    """A fstab with the lines as they were before iosonde edited them."""
    return put_back_lines(text, 1)


def put_back_lines(text: str, place: int) -> str:
    """A text with its edited lines as they were, as long as they are still of the same subject.

    Args:
        text: of the file.
        place: which word of a line names its subject, counted from 0.
    """
    rows: list[str] = []
    was = ""
    for line in kerneltext.lines(text):
        if line.startswith(WAS):
            was = line.removeprefix(WAS)
        elif was and kerneltext.fields(line)[place:][:1] == kerneltext.fields(was)[place:][:1]:
            rows.append(was)
            was = ""
        else:
            rows.append(line)
    return "".join(row + "\n" for row in rows)


class Remount(Mechanism):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "remount"
    files = (FSTAB,)

    @override
    async def get(self, host: Host, addresses: Sequence[str]) -> ReadValues:
        text = (await texts(host, [_MOUNTS])).get(_MOUNTS, "") if addresses else ""
        mounted = mounted_options(text)
        values: dict[str, Scalar | IosondeError] = {}
        for address in addresses:
            name, mount = _parts(address)
            if mount in mounted:
                shown = value_in(name, mounted[mount])
                if shown is None:  # the kernel leaves out what is the default
                    shown = FIGURES[name][1] if name in FIGURES else list(CHOICES[name])[-1]
                values[address] = value_of(shown)
        return values

    @override
    def look(self, address: str) -> tuple[str, ...]:
        name, mount = _parts(address)
        if name in FIGURES:
            return ("sh", "-c", _NUMBER, "sh", mount, *FIGURES[name])
        pairs = [f"{option}:{value}" for value, option in CHOICES[name].items()]
        return ("sh", "-c", _SHOWN, "sh", mount, *pairs)

    @override
    def change(self, address: str, value: str) -> tuple[str, ...]:
        name, mount = _parts(address)
        option = option_of(name, value)
        return ("mount", "-o", f"remount,{_ADDED.get(option, option)}", mount)

    @override
    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        """The line of fstab, whose file is not iosonde's own."""
        name, mount = _parts(address)
        text = (await texts(host, [FSTAB])).get(FSTAB, "")
        if any(match for _, match in _mounting(text, mount)):
            return PersistentLine(FSTAB, edit=lambda text: edited(text, mount, name, value))
        raise Refused(
            "fstab has no line for it, so nothing mounts it at boot that could keep an option",
            where=mount,
        )

    @override
    def without(self, text: str) -> str:
        return without_edits(text)

    @override
    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        if not addresses:
            return {}
        kept = {}
        text = (await texts(host, [FSTAB])).get(FSTAB, "")
        for address in addresses:
            name, mount = _parts(address)
            for _, match in _mounting(text, mount):
                value = value_in(name, match["options"] or "") if match else None
                if value is not None:
                    kept[address] = value
        return kept
