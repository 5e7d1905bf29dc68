"""What parted says and asks beside its tables: of copies of a GPT, unused space, alignment and use.

Source: parted 3.6, libparted/labels/gpt.c (_header_is_valid(), gpt_read(), _check_disk_size():
blocks are sectors of the device), parted/parted.c (partition_align_check(), which has
figures since 3.4, do_align_check(), _disk_warn_loss(), _disk_warn_busy(),
_partition_warn_busy(); main(): "You may need to update /etc/fstab." where it wrote a table, in
many languages), libparted/arch/linux.c (_disk_sync_part_table(), linux_open()), libparted/disk.c
(ped_disk_new()).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, flow, lines, prompt_in
from iosonde.text.reader import Items, StateOutput
from iosonde.text.said_lines import sentences_of

_UNUSED = re.compile(
    r"Not all of the space available to (?P<device>/\S{2,80}) appears to be used, you can fix the "
    r"GPT to use all of the space \(an extra (?P<unused_sectors>\d{1,15}) blocks\) or continue"
)
_COPIES: tuple[tuple[str, dict[str, Scalar]], ...] = (
    ("The backup GPT table is not at the end of the disk, as it should be",
     {"gpt_backup": "not at the end of the disk"}),
    ("The backup GPT table is corrupt, but the primary appears OK", {"gpt_backup": "corrupt"}),
    ("The primary GPT table is corrupt, but the backup appears OK", {"gpt_primary": "corrupt"}),
    ("Both the primary and backup GPT tables are corrupt",
     {"gpt_primary": "corrupt", "gpt_backup": "corrupt"}),
)  # fmt: skip
_OFF = re.compile(
    r"The resulting partition is not properly aligned for best performance(?:: "
    r"(?P<first_sector>\d{1,15})s % (?P<grain_sectors>\d{1,10})s != (?P<offset>\d{1,10})s|\.)"
)
_CHECK = re.compile(
    r"\s*(?P<number>\d{1,3}) (?:(?P<aligned>aligned)|not aligned: (?P<first_sector>\d{1,15})s % "
    r"(?P<grain_sectors>\d{1,10})s != (?P<offset>\d{1,10})s)\s*$"
)
_ASKED = re.compile(r"align-check\s{1,4}(?P<which>\w{3,8})\s{1,4}(?P<number>\d{1,3})\s*$")
_RELABEL = re.compile(
    r"The existing disk label on (?P<device>/\S{2,80}) will be destroyed and all data on this disk "
    r"will be lost\. Do you\s{1,3}want to continue\?"
)
_BUSY = re.compile(
    r"Partition (?P<partition>/dev/[\w/.!-]{2,60}) is being used\. Are you sure you want to "
    r"continue\?"
    r"|Partition\(s\) on (?P<device>/\S{2,80}) are being used\."
)
_NOT_TOLD = re.compile(
    r"Partition\(s\) (?P<numbers>\d[\d, ]{0,60}) on (?P<device>/\S{2,80}) have been written, but "
    r"we have been unable to inform the kernel of the change, probably because it/they are in use\."
)
_WROTE = re.compile(
    r"\s*(?P<label>[^\W\d_]{2,20}) ?[:：] ?(?:You may need to update /etc/fstab\."
    r"|[^:：/]{2,80}/etc/fstab[^:：/]{0,40}[.。])\s*"
)
"""What it says at its end where it changed a table."""
_OF_A_DISK: tuple[tuple[re.Pattern[str], dict[str, Scalar]], ...] = (
    (re.compile(r"Error: (?P<device>/dev/[\w/.!-]{2,80}): unrecogni[sz]ed disk label"),
     {"partition_table": "unknown"}),
    (re.compile(
        r"Warning: Unable to open (?P<device>/dev/[\w/.!-]{2,80}) read-write "
        r"\([^()]{4,60}\)\.\s{1,3}\S{1,90} has been opened read-only\."
     ), {"read_only": True}),
)  # fmt: skip
"""Messages that say one thing of a disk that they name."""
_ANSWER = re.compile(r"\s*Yes/No\?\s{0,4}(?P<answer>yes|no|y|n)?\s*$", re.IGNORECASE)
_DEVICE = re.compile(
    r"(?:(?:^|\s)parted\s(?:.{0,40}\s)?|(?:Using|select)\s|^\s*Disk\s)/dev/(?P<device>[\w/.!-]{2,60})"
)
_SENTENCE = re.compile(r"\s*(?:[^\W\d_]{2,20} ?[:：] ?\S|\S{2,30} \S{2,30} \S)")
_LISTED = re.compile(r"\s*Disk /dev/(?P<device>[\w/.!-]{2,60}): \S")
_REACH = 60
_PIECES = 5
_MOST = 30


class PartedMessages(StateOutput):
    tool = "parted messages"
    anchors = (
        "Not all of the space available to ", "The backup GPT table is ",
        "The primary GPT table is corrupt", "primary and backup GPT tables",
        "not properly aligned for best performance", "align-check ",
        "unrecognised disk label", "unrecognized disk label", " has been opened read-only",
        "Unable to open /dev/", "The existing disk label on ", "Partition /dev/",
        "Partition(s) on /", "Partition(s) ",
        ": You may need to update /etc/fstab.", "/etc/fstab.", "/etc/fstab。",
    )  # fmt: skip
    commands = ("parted",)
    reach = 3
    looks_above: ClassVar[bool] = True

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _WROTE.fullmatch(line) and "You may need" not in line:
            above = command_before(cursor, cursor.at, self.commands, reach=self.reach)[1].command
            return cursor.at if above else None
        return cursor.at if _said(cursor, cursor.at) else None

    @override
    def sentences(self, cursor: TextCursor, first: int, last: int) -> tuple[str, ...]:
        return sentences_of(cursor, first, last, _SENTENCE.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        disks: dict[str, dict[str, Scalar]] = {}
        partitions: list[PrintedSubject] = []
        last, following, device = first, first, ""
        for index, line in lines(cursor, first, _MOST):
            if index < following:
                continue
            said = _said(cursor, index) if line else None
            if said is None:
                if line or index > last + 2:
                    break
                continue
            name, values, end = said
            if name and not name.startswith("/"):
                partitions.append(PrintedSubject("partition", name, values, prompt.host))
            else:
                unnamed = disks.pop("", {}) if name else {}  # it was asked about this one, too
                device = name.removeprefix("/dev/") or device
                disks[device] = unnamed | disks.get(device, {}) | values
            last, following = end, end + 1
        device = device or _device_below(cursor, last) or device_above(cursor, first)
        subjects = [
            PrintedSubject("disk", name or device, values, prompt.host)
            for name, values in disks.items()
        ]
        between = "p" if device[-1:].isdigit() else ""
        return last, subjects + [
            replace(each, name=f"{device}{between}{each.name}")
            if device and each.name.isdecimal() else each
            for each in partitions
        ]  # fmt: skip


def _device_below(cursor: TextCursor, last: int) -> str:
    """The disk that fdisk lists directly below what it says while it opens that disk."""
    for index in range(last + 1, last + 4):
        line = cursor.line(index)
        if disk := _LISTED.match(line):
            return disk["device"]
        if line and not line.endswith("will be used."):
            break
    return ""


def device_above(cursor: TextCursor, first: int) -> str:
    """The device that parted works on, of the lines above."""
    for index in range(first - 1, max(first - _REACH, 0) - 1, -1):
        if match := _DEVICE.search(cursor.line(index)):
            return match["device"]
    return ""


def _said(cursor: TextCursor, index: int) -> tuple[str, dict[str, Scalar], int] | None:
    """A device or a partition's number, what is said of it, and the message's last line.

    The name is empty where a message is about the disk at hand. Terminals and mails wrap messages.
    """
    if asked := _ASKED.search(cursor.line(index)):
        check = _CHECK.match(cursor.line(index + 1))
        if check and check["number"] == asked["number"]:
            values = _aligned(check)
            return check["number"], {"alignment_checked": asked["which"], **values}, index + 1
        return None
    for last in range(index, index + _PIECES):
        line = cursor.line(last)
        if last > index and prompt_in(line):
            break
        if message := _message(flow(cursor, index, last)):
            answer = _ANSWER.match(cursor.line(last + 1)) if "relabel" in message[1] else None
            if answer is None:
                return *message, last
            said = (answer["answer"] or "asked").lower()
            return message[0], {"relabel": {"y": "yes", "n": "no"}.get(said, said)}, last + 1
    return None


def _message(text: str) -> tuple[str, dict[str, Scalar]] | None:
    if match := _UNUSED.search(text):
        return match["device"], {"unused_sectors": int(match["unused_sectors"])}
    if match := _RELABEL.search(text):
        return match["device"], {"relabel": "asked"}
    for pattern, values in _OF_A_DISK:
        if match := pattern.search(text):
            return match["device"], dict(values)
    if match := _BUSY.search(text):
        name = match["device"] or match["partition"].removeprefix("/dev/")
        return name, {"in_use": True}
    if match := _NOT_TOLD.search(text):
        return match["device"], {
            "not_read_again": f"partitions {match['numbers'].strip()} are in use"
        }
    values = _of_disk_at_hand(text)
    return ("", values) if values else None


def _of_disk_at_hand(text: str) -> dict[str, Scalar]:
    """What a message says of the disk at hand, which it does not name."""
    if _WROTE.fullmatch(text):
        return {"written": True}
    if match := _OFF.search(text):
        asked = {f"asked_{name}": value for name, value in _aligned(match).items()}
        return {"asked_aligned": False, **asked}
    return next((dict(values) for message, values in _COPIES if message in text), {})


def _aligned(match: re.Match[str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        name: int(match[name]) for name in ("first_sector", "grain_sectors") if match[name]
    }
    if "number" in match.re.groupindex:
        values["aligned"] = bool(match["aligned"])
    if match["offset"]:
        values["grain_offset_sectors"] = int(match["offset"])
    return values
