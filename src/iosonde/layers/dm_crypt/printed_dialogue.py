"""What cryptsetup asks before it changes a device: to overwrite it, to erase its keyslots.

Source: cryptsetup 2.6, src/cryptsetup.c (_luksFormat(): "This will overwrite data on %s
irrevocably.", action_luksErase(): "This operation will erase all keyslots on device %s.",
action_luksKillSlot(): "Keyslot %d is selected for deletion."), src/utils_password.c ("Enter
passphrase for %s: "), src/utils_tools.c (yesDialog(): "Are you sure? (Type 'yes' in capital
letters): "), src/utils_blockdev.c ("WARNING: Device %s already contains a '%s' superblock
signature.", "Existing '%s' superblock signature on device %s will be wiped."),
src/utils_tools.c (tools_keyslot_msg(): "Key slot %i created.", show_status(): "Command
successful.").
"""

from __future__ import annotations

import re
from dataclasses import replace

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.layers.dm_crypt.printed_messages import CryptsetupMessages, message_at
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, start_of

_DEVICE = r"(?P<device>/[\w./+-]{2,100}?)"
_ABOUT = tuple(
    (name, re.compile(rf"\s*{pattern}\s*$"))
    for name, pattern in (
        ("overwrites_data", rf"This will overwrite data on {_DEVICE} irrevocably\."),
        ("erases_keyslots", rf"This operation will erase all keyslots on device {_DEVICE}\."),
        ("asks_passphrase", rf"Enter (?:LUKS )?passphrase for {_DEVICE}:(?: ?\*{{1,80}})?"),
    )
)
_SIGNATURE = re.compile(
    rf"\s*(?:WARNING: Device {_DEVICE} already contains an? '(?P<there>[\w -]{{2,40}})' "
    r"(?P<of>superblock|partition) signature\.|Existing '(?P<wiped>[\w -]{2,40})' (?:superblock"
    rf"|partition) signature on device {_DEVICE.replace('device', 'other')} will be wiped\.)\s*$"
)
_DONE = re.compile(
    r"\s*(?:Key ?slot (?P<slot>\d{1,2}) (?P<done>created|unlocked|removed)\."
    r"|Command (?P<successful>successful)\.)\s*$"
)
_SLOT = re.compile(r"\s*Key ?slot (\d{1,2}) is selected for deletion\.\s*$", re.IGNORECASE)
_SURE = re.compile(r"\s*Are you sure\? \(Type '?(?:uppercase )?yes'?(?: in capital letters)?\):"
                   r"(?: (?P<answer>[A-Za-z]{1,3}))?\s*$")  # fmt: skip
_OTHERS = re.compile(
    r"\s*(?:WARNING!|={6,12}|Device will become unusable after this operation\."
    r"|(?:Enter|Verify) (?:any |new |existing |remaining )?passphrase[\w ]{0,40}:"
    r"|Enter any (?:existing|remaining) passphrase:)\s*$"
)


class CryptsetupDialogue(StateOutput):
    tool = "cryptsetup dialogue"
    anchors = (
        "This will overwrite data on /", "will erase all keyslots on", "assphrase for /",
        " is selected for deletion.", "Key slot ", "Keyslot ", "Command successful.",
        " superblock signature", " partition signature",
    )  # fmt: skip
    commands = ("cryptsetup", "cryptsetup-reencrypt")
    reach = 6

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _says(line):
            return None
        asked = command_before(cursor, cursor.at, self.commands, reach=self.reach)[1]
        says_less = _ABOUT[-1][1].match(line)  # than the command
        is_vague = "successful" in line  # other programs say it, too
        if (asked.command and says_less) or (is_vague and not asked.command):
            return None
        return start_of(cursor, lambda above: _OTHERS.match(above) or _says(above), most=8)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        by_device: dict[str, dict[str, Scalar]] = {}
        more = list[PrintedSubject | PrintedCounters]()
        last, device = first, prompt.path.removeprefix("mapper/") or _named(prompt.command)
        for index, line in close_lines(cursor, first, 40):
            if index > first and prompt_in(line):
                break
            if said := _said(line):
                device = said[0] or device
                by_device.setdefault(device, {}).update(said[1])
            elif message_at(cursor, index):  # what it came to, of the same command
                last, items = CryptsetupMessages().items(cursor, index, prompt)
                more.extend(_of(item, device) for item in items)
                break
            elif not _OTHERS.match(line):
                break
            last = index
        asked = [
            PrintedSubject("dm_crypt", name, values, prompt.host)
            for name, values in by_device.items()
            if values
        ]
        return last, [*asked, *more]


def _says(line: str) -> bool:
    said = _said(line)
    return said is not None and "confirmed" not in said[1]


def _said(line: str) -> tuple[str, dict[str, Scalar]] | None:
    """The device that a line names, or none, and what it says of it."""
    for name, form in _ABOUT:
        if match := form.match(line):
            return _short(match["device"]), {name: True}
    if signature := _SIGNATURE.match(line):
        values: dict[str, Scalar] = {"signature": signature["there"] or signature["wiped"]}
        if signature["wiped"]:
            values["wiped"] = True
        return _short(signature["device"] or signature["other"]), values
    if slot := _SLOT.match(line):
        return "", {"keyslot_to_delete": int(slot[1])}
    if done := _DONE.match(line):
        slot_of: dict[str, Scalar] = (
            {f"keyslot_{done['done']}": int(done["slot"])} if done["done"] else {}
        )
        return "", slot_of or {"exit_code": 0}
    sure = _SURE.match(line)
    answer: dict[str, Scalar] = (
        {"confirmed": sure["answer"] == "YES"} if sure and sure["answer"] else {}
    )
    return ("", answer) if sure else None


def _short(device: str) -> str:
    return device.removeprefix("/dev/").removeprefix("mapper/")


def _named(command: str) -> str:
    """The first device of a command; empty where it names none."""
    return next((_short(part) for part in fields(command) if part.startswith("/dev/")), "")


def _of(item: PrintedSubject | PrintedCounters, device: str) -> PrintedSubject | PrintedCounters:
    """A message that names no device is about the one that was asked for."""
    return item if item.name or isinstance(item, PrintedCounters) else replace(item, name=device)
