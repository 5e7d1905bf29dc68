"""What cryptsetup says where it fails, and how far an encryption or a wipe has come.

Source: cryptsetup 2.6, lib/setup.c, lib/utils_device.c, lib/libdevmapper.c, lib/luks1/keymanage.c,
lib/luks2/*.c (log_err()), src/utils_tools.c (show_status(): "Command failed with code %i (%s)."),
src/utils_progress.c (log_progress(): "Progress: %5.1f%%, ETA %s, %4d %s written, speed %5.1f
%s/s", log_progress_final(): "Finished, time %s, …"); 2.3: "Progress: %5.1f%%, ETA %02llu:%02llu".
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines
from iosonde.text.torn import across_wraps

_DEVICE = r"(?P<device>/[\w./:+-]{2,100}?|[\w.:+-]{1,80}?)"
_ERROR = across_wraps(
    r"(?:(?:\S{0,40}/)?(?:cryptsetup|integritysetup|veritysetup)(?:\[\d{1,8}\])?: )?(?P<error>"
    r"No key available with this passphrase\.|No usable keyslot is available\."
    r"|Keyslot open failed\.|Volume key does not match the volume\."
    rf"|Device {_DEVICE} (?:is (?:still in use|not active|too small|not compatible"
    r"|not a valid \w{2,10} device|still active and scheduled for deferred removal)"
    r"|already exists|has zero size|does not exist or access denied)\."
    r"|Cannot (?:use|format|open|wipe header on|write to|get info about|initialize)"
    rf" device {_DEVICE.replace('device', 'other')}"
    r"(?: which is in use \(already mapped or mounted\)|, permission denied| in use)?\."
    r"|Cannot read (?:header from )?(?:device|keyfile) \S{1,100}\."
    r"|Failed to (?:setup dm-crypt key mapping for device \S{1,100}\.|open key file\."
    r"|query dm-\w{2,12} segment\.|access temporary keystore device\.|stat key file\.)"
    r"|Check that kernel supports (?P<cipher>[\w:()-]{3,60}) cipher(?: \(check syslog for more"
    r" info\))?\."
    r"|Cannot initialize device-mapper\. Is dm_mod kernel module loaded\?"
    r"|(?:Requested offset is beyond real size of device|Invalid device) \S{1,100}\."
    r"|Key ?slot (?P<slot>\d{1,2}) is (?:not active|invalid)\."
    r"|LUKS keyslot \d{1,2} is invalid\.|Passphrases do not match\."
    r"|Device size is not aligned to (?:requested sector size|device logical block size)\."
    r"|Reencryption in-progress\. Cannot activate device\."
    r"|Not enough available memory to open a keyslot\."
    r"|Required kernel crypto interface not available\."
    r"|device-mapper: (?:reload|create|remove|table|resume|suspend) ioctl on \S{1,100}"
    r"(?: \([\d:]{1,11}\))? failed: [A-Z][\w /'-]{3,60}"
    r"|Command failed with code -?(?P<code>\d{1,3})(?: \([a-z][\w ]{4,60}\)|: [A-Z][\w ]{3,60})?\.?"
    r")\s*$"
)
_SURE = re.compile(
    r"LUKS|[Kk]ey ?slot|[Kk]ey available|dm-crypt|already mapped|cipher|Volume key|Reencryption"
    r"|failed with code -|setup(?:\[\d{1,8}\])?:|written|which is in use"
)
"""What no other program says in the same words."""
_ABOUT = re.compile(r"/dev/([\w./:+-]{2,100})")
_SIZE = r"(?P<size>\d{1,12}) (?P<size_unit>[KMGT]?i?B)"
_SPEED = r"(?P<speed>\d{1,9}\.\d) (?P<speed_unit>[KMGT]?i?B)/s"
_TIME = (
    r"(?P<{}>\d{{2}}m\d{{2}}s|\d{{2}}h\d{{2}}m\d{{2}}s|\d{{1,4}} days"
    r"|\d{{1,4}}:\d{{2}}(?:\.\d{{3}})?)"
)
_PROGRESS = across_wraps(
    rf"(?:Finished, time {_TIME.format('time')}"
    rf"|Progress: (?P<share>\d{{1,3}}\.\d)%, ETA {_TIME.format('eta')}),"
    rf" {_SIZE} written, speed {_SPEED}\s*$"
)
_MULTIPLES = {"B": 1, "KiB": units.KIB, "MiB": units.MIB, "GiB": units.GIB, "TiB": 1024**4}
_MOST = 60


class CryptsetupMessages(StateOutput):
    tool = "cryptsetup"
    answers = True
    anchors = (
        "No key available", "No usable keyslot", "Keyslot open failed", "Volume key does not",
        " is still in use.", " is not active.", "a valid LUKS", "a valid VERITY",
        "a valid INTEGRITY", "a valid BITLK", " already exists.", " has zero size.",
        " is too small.", "which is in use (already", "in use (already mapped",
        "Cannot format device ", "Cannot wipe header", "Cannot open device ",
        "Failed to setup dm-crypt", "Check that kernel supports", "Cannot initialize device-mapper",
        " written, speed", "Reencryption in-progress", "Command failed with code",
        "deferred removal", "does not exist or access", "beyond real size of",
    )  # fmt: skip
    commands = ("cryptsetup", "integritysetup", "veritysetup")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        read = message_at(cursor, cursor.at)
        if read is None:
            return None
        above = command_before(cursor, cursor.at, self.commands, reach=self.reach)[1]
        return cursor.at if above.command or _SURE.search(read[0][0]) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        messages, counters = list[re.Match[str]](), list[PrintedCounters]()
        last = first
        for index, line in close_lines(cursor, first, _MOST):
            if index <= last and index > first:
                continue
            read = message_at(cursor, index)
            if read is None or (index > first and prompt_in(line)):
                break
            match, last = read
            if "size" in match.groupdict():
                counters.append(self.counted("dm_crypt", _device(prompt), _progress(match), prompt))
            else:
                messages.append(match)
        subjects = [_subject(messages, prompt)] if messages else []
        return last, [*subjects, *counters]


def message_at(cursor: TextCursor, index: int) -> tuple[re.Match[str], int] | None:
    """The message in a line, and in the next where a mail broke it; index of its last line."""
    line = cursor.line(index).strip()
    for form in (_ERROR, _PROGRESS):
        if match := form.match(line):
            return match, index
    below = cursor.line(index + 1).strip()
    if len(line) < 40 or not below:
        return None
    for form in (_ERROR, _PROGRESS):
        if match := form.match(f"{line} {below}"):
            return match, index + 1
    return None


def _subject(messages: list[re.Match[str]], prompt: Prompt) -> PrintedSubject:
    """What was said one after the other is about one command."""
    values: dict[str, Scalar] = {
        "cryptsetup_error": "; ".join(" ".join(match["error"].split()) for match in messages)
    }
    device = ""
    for match in messages:
        device = device or match["device"] or match["other"] or ""
        for name in ("code", "slot"):
            if match[name]:
                values |= {{"code": "exit_code", "slot": "keyslot"}[name]: int(match[name])}
        if match["cipher"]:
            values["cipher"] = match["cipher"]
    device = device.removeprefix("/dev/").removeprefix("mapper/") or _device(prompt)
    return PrintedSubject("dm_crypt", device, values, prompt.host)


def _device(prompt: Prompt) -> str:
    """The device that the command names first."""
    device = _ABOUT.search(prompt.command)
    return device[1].removeprefix("mapper/") if device else ""


def _progress(match: re.Match[str]) -> dict[str, Json]:
    """Bytes, seconds and bytes a second."""
    values: dict[str, Json] = {
        "written": int(match["size"]) * _MULTIPLES[match["size_unit"]],
        "speed": float(match["speed"]) * _MULTIPLES[match["speed_unit"]],
    }
    if match["share"]:
        values["share"] = round(float(match["share"]) / 100, 4)
    name = "time" if match["time"] else "time_left"
    return values | {name: _seconds(match["time"] or match["eta"])}


def _seconds(text: str) -> float:
    """`12m44s`, `26h12m44s`, `3 days`, `12:44.123`."""
    if ":" in text:
        minutes, _, seconds = text.partition(":")
        return int(minutes) * 60 + float(seconds)
    of = {"days": 86400, "h": 3600, "m": 60, "s": 1}
    return float(
        sum(int(part) * of[unit] for part, unit in re.findall(r"(\d+) ?(days|[hms])", text))
    )
