"""What cryptsetup asks before it changes a device: to overwrite it, to erase its keyslots.

Source: cryptsetup 2.6, src/cryptsetup.c (_luksFormat(): "This will overwrite data on %s
irrevocably.", action_luksErase(): "This operation will erase all keyslots on device %s.",
action_luksKillSlot(): "Keyslot %d is selected for deletion."), src/utils_password.c ("Enter
passphrase for %s: "), src/utils_tools.c (yesDialog(): "Are you sure? (Type 'yes' in capital
letters): ").
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

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
_SLOT = re.compile(r"\s*Key ?slot (\d{1,2}) is selected for deletion\.\s*$", re.IGNORECASE)
_SURE = re.compile(r"\s*Are you sure\? \(Type '?(?:uppercase )?yes'?(?: in capital letters)?\):"
                   r"(?: (?P<answer>[A-Za-z]{1,3}))?\s*$")  # fmt: skip
_OTHERS = re.compile(
    r"\s*(?:WARNING!|={6,12}|Device will become unusable after this operation\."
    r"|(?:Enter|Verify) (?:any |new |existing |remaining )?passphrase[\w ]{0,40}:"
    r"|Enter any (?:existing|remaining) passphrase:)\s*$"
)


class CryptsetupDialogue(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "cryptsetup dialogue"
    anchors: ClassVar[tuple[str, ...]] = (
        "This will overwrite data on /", "will erase all keyslots on", "assphrase for /",
        " is selected for deletion.",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = ("cryptsetup", "cryptsetup-reencrypt")
    reach: ClassVar[int] = 6

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at) or ""
        is_own = _SLOT.match(line) or any(form.match(line) for _, form in _ABOUT)
        if not is_own:
            return None
        if _ABOUT[-1][1].match(line):  # nothing that the command does not say
            asked = command_before(cursor, cursor.at, self.commands, reach=self.reach)[1]
            if asked.command:
                return None
        return start_of(cursor, _OTHERS.match, most=6)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        by_device: dict[str, dict[str, Scalar]] = {}
        more = list[PrintedSubject | PrintedCounters]()
        last, device = first, prompt.path.removeprefix("mapper/")
        for index, line in close_lines(cursor, first, 40):
            if index > first and prompt_in(line):
                break
            sure, slot = _SURE.match(line), _SLOT.match(line)
            about = next(((n, match) for n, form in _ABOUT if (match := form.match(line))), None)
            if about:
                device = about[1]["device"].removeprefix("/dev/").removeprefix("mapper/")
                by_device.setdefault(device, {})[about[0]] = True
            elif slot:
                by_device.setdefault(device, {})["keyslot_to_delete"] = int(slot[1])
            elif sure:
                if sure["answer"] and by_device:
                    by_device.setdefault(device, {})["confirmed"] = sure["answer"] == "YES"
            elif message_at(cursor, index):  # what it came to, of the same command
                last, items = CryptsetupMessages().items(cursor, index, prompt)
                more.extend(items)
                break
            elif not _OTHERS.match(line):
                break
            last = index
        asked = [
            PrintedSubject("dm_crypt", name, values, prompt.host)
            for name, values in by_device.items()
        ]
        return last, [*asked, *more]
