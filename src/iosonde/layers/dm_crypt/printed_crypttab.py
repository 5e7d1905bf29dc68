"""Lines of /etc/crypttab: mappings with their devices, key files and options.

Source: crypttab(5) of systemd 255 and of Debian's cryptsetup 2.6: `name device key options`;
"none" or "-" asks for a passphrase; "size=" is in bits, "offset=" and "skip=" in sectors of 512
bytes, "sector-size=" in bytes.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, entries, start_of

_LINE = re.compile(
    r"\s*(?P<name>[A-Za-z0-9][\w.+-]{0,100})\s+"
    r"(?P<source>(?:(?:PART)?(?:UUID|LABEL)|ID)=\"?[\w/.:-]{1,100}\"?|/[\w./:+@=-]{2,160})\s+"
    r"(?P<key>none|-|/[\w./:+@=-]{2,160})\s+(?P<options>[a-z_][\w.,:/=+@%-]{2,300})\s*$"
)
_OPTION = re.compile(
    r"luks|discard|plain|tcrypt\S*|bitlk|swap|tmp(?:=\w+)?|initramfs|noauto|nofail|_netdev|noearly"
    r"|no-(?:read|write)-workqueue|same-cpu-crypt|submit-from-crypt-cpus|read-?only|loud|quiet"
    r"|x-(?:systemd|initrd)\.[\w.=-]+|password-echo(?:=\w+)?|try-empty-password|verify|headless\S*"
    r"|(?:cipher|size|hash|offset|skip|keyscript|tries|timeout|header|key-slot|keyslot|luksscript"
    r"|keyfile-(?:size|offset|timeout|erase)|sector-size|tpm2-[\w-]+|fido2-[\w-]+|pkcs11-uri"
    r"|token-timeout|precheck|check(?:args)?|b|link-volume-key|same-cpu-crypt)=\S+|check|precheck"
)
_COUNTS = {
    "size": ("key_bits", 1), "offset": ("offset", units.SECTOR), "skip": ("skip", units.SECTOR),
    "sector-size": ("sector_size", 1), "tries": ("tries", 1), "key-slot": ("keyslot", 1),
    "keyslot": ("keyslot", 1), "keyfile-size": ("keyfile_size", 1),
    "keyfile-offset": ("keyfile_offset", 1),
}  # fmt: skip
"""Options with a number: its name and unit."""


class Crypttab(StateOutput):
    tool = "crypttab"
    anchors = (
        " luks", "\tluks", "luks,", ",luks", "none discard", "/dev/urandom", "/dev/random",
        "none tcrypt", "none bitlk", "none x-systemd", "swap,cipher=",
    )  # fmt: skip
    commands = ("cat", "grep", "less", "vi", "vim", "nano")
    reach = 4
    about = "crypttab"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 2, -1), -1):
            if _entry(cursor, index):
                return start_of(cursor, _match) if index == cursor.at else index
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        mappings, last = entries(cursor, first, _entry, gap=2, comment="#")
        return last, [
            PrintedSubject("dm_crypt_config", match["name"], _values(match), prompt.host)
            for match in mappings
        ]


def _match(line: str) -> re.Match[str] | None:
    match = None if prompt_in(line) else _LINE.match(line)
    if match is None:
        return None
    return match if all(map(_OPTION.fullmatch, _options(match))) else None


def _entry(cursor: TextCursor, index: int) -> tuple[re.Match[str], int] | None:
    """The mapping of a line, and of the next one where a mail broke it; index of its last line."""
    line = cursor.line(index).rstrip()
    if match := _match(line):
        return match, index
    below = cursor.line(index + 1).strip()
    if len(line) < 30 or not below or len(fields(line)) > 3:
        return None
    match = _match(f"{line} {below}")
    return (match, index + 1) if match else None


def _options(match: re.Match[str]) -> list[str]:
    return match["options"].strip(",").split(",")


def _values(match: re.Match[str]) -> dict[str, Scalar]:
    """Where a mapping is, how it is unlocked, and its options; sizes in bytes."""
    values: dict[str, Scalar] = {
        "device": match["source"].replace('"', "").removeprefix("/dev/"),
        "options": match["options"],
        "key_file": "" if match["key"] in {"none", "-"} else match["key"],
    }
    for option in _options(match):
        name, _, text = option.partition("=")
        if name in _COUNTS and text.isdecimal():
            key, unit = _COUNTS[name]
            values[key] = int(text) * unit
        elif name in {"cipher", "hash"} and text:
            values[name] = text
        elif name in {"discard", "swap"}:
            values[name] = True
    return {name: value for name, value in values.items() if value != ""}
