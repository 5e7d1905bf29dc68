"""What mdadm says while it creates, assembles, grows and stops arrays: `mdadm: …`, line by line.

Subjects of patches to mdadm look alike: an output needs a message that mdadm is known to print.

Source: mdadm 4.4, Assemble.c (start_array(), load_devices()), Create.c, Manage.c, Grow.c, sysfs.c,
Examine.c (all that they refuse by pr_err()); util.c (check_ext2(), check_reiser(), check_raid(),
check_partitions(), ask()); lib.h (pr_err puts "mdadm: " before each, cont_err blanks before each
further line).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_ASKS = r"Continue creating array(?: ?\[y/N\])?\? ?(?:\(y/n\) ?)?(?:y|Y|n|N|yes|no)?"
_BEGIN = re.compile(rf"\s*(?:{_ASKS}\s{{0,4}})?mdadm: (?P<message>\S.*)")
_ASKED = re.compile(rf"\s*{_ASKS}$")
_DEVICE = r"(?P<{}>/dev/[\w./:-]{{1,80}}?)"
_ARRAY, _MEMBER = _DEVICE.format("array"), _DEVICE.format("member")
_DRIVES = r"(?P<drives>\d{1,4}) drives?"
_BESIDE = (
    r"(?:(?:,| and) (?P<rebuilding>\d{1,4}) rebuilding)?(?: and (?P<spares>\d{1,4}) spares?)?"
    r"(?: and (?P<journals>\d) journal)?"
)
_STARTED = re.compile(
    rf"{_ARRAY} has been started with {_DRIVES}"
    rf"(?: \(out of (?P<raid_disks>\d{{1,4}})\))?{_BESIDE}\."
)
_ASSEMBLED = re.compile(
    rf"{_ARRAY} assembled from {_DRIVES}(?: \(out of (?P<raid_disks>\d{{1,4}})\))?{_BESIDE}"
    r"(?P<why> - (?:not enough to start the array|need (?:all )?(?P<needed>\d{1,4}) to start)"
    r"|, but not started)"
)
_MADE = re.compile(rf"array {_ARRAY} started\.")
_STOPPED = re.compile(rf"stopped {_ARRAY}$")
_PLACED = re.compile(
    rf"{_MEMBER} is identified as a member of {_ARRAY}, slot (?P<slot>-?\d{{1,4}})\b"
)
_ADDED = re.compile(
    rf"added {_MEMBER}"
    rf"(?: to {_ARRAY} as (?P<slot>-?\d{{1,4}})(?P<old> \(possibly out of date\))?)?$"
)
_MISSING = re.compile(rf"no uptodate device for slot (?P<slot>\d{{1,4}}) of {_ARRAY}(?=$| )")
_BARE = re.compile(
    r"(?:No md superblock detected|no (?:RAID|recogniseable) superblock) on "
    rf"{_MEMBER}\.?$"
    rf"|{_MEMBER.replace('member', 'aborted')} has no superblock - assembly aborted"
)
_OF_ARRAY = re.compile(
    rf"{_MEMBER} appears to be part of a raid array:"
    r"(?: level=(?P<old_level>[\w-]{1,20}) devices=(?P<old_devices>\d{1,5})"
    r"(?: ctime=(?P<old_created>\w{3} \w{3} [ \d]?\d [\d:]{8} \d{4}))?)?"
)
_CONTAINS = re.compile(
    rf"{_MEMBER} appears to contain an? (?P<contains>\w{{1,20}}) file ?system"
    r"(?: size ?= ?(?P<contained_size>\d{1,15})K"
    r"(?: +mtime=(?P<contained_mtime>\w{3} \w{3} [ \d]?\d [\d:]{8} \d{4}))?)?"
)
_TABLE = re.compile(rf"partition table exists on {_MEMBER}(?=$| )")
_LEVEL = re.compile(rf"level of {_ARRAY} changed to (?P<level>\w{{1,20}})")
_RESIZED = re.compile(
    rf"component size of {_ARRAY} (?:has been set to|unchanged at) (?P<used_size>\d{{1,18}})K$"
)
_SETTINGS = re.compile(
    r"(?:layout defaults to (?P<layout>[\w-]{1,30})"
    r"|chunk size defaults to (?P<chunk_size>\d{1,9})K"
    r"|size set to (?P<used_size>\d{1,18})K"
    r"|Defaulting to version (?P<metadata>\d\.\d{1,2}) metadata)$"
)
_OTHERS = re.compile(
    r"Cannot (?:remove /dev/\S{1,60} from|get exclusive access to) /dev/"
    r"|looking for devices for |Cannot assemble \S{1,20} metadata on /dev/|Marking array /dev/"
    r"|cannot open (?:device )?/dev/|forcing event count in |ignoring /dev/\S+ as it reports "
    r"|failed to (?:add|start array|RUN_ARRAY) /dev/|clearing FAULTY flag for device "
    r"|/dev/\S+ (?:is busy - skipping|has wrong |appears to (?:be part of|contain)"
    r"|is smaller than given|not large enough|is not suitable for this array)"
    r"|set \S{1,60} faulty in |hot removed \S|Need to backup \d{1,12}K of critical section"
    r"|Note: this array has metadata at the start|largest drive \(|zeroing data from \d"
    r"|No OROM/EFI properties for /dev/|set device faulty failed for |RUN_ARRAY failed: "
    r"|automatically enabling write-intent bitmap|--re-add for /dev/|superblock on /dev/"
    r"|No super block found on /dev/|Fail(?:ed)? to (?:create|stop) \S"
    r"|device /dev/\S+ (?:not suitable for any style of array|exists but is not an md array)"
)
_LIKE_ONE = re.compile(
    r"'?/dev/[\w./:-]{1,80}?'?:? (?:is (?:not|an? |already|larger|too|busy|smaller|only|still|no )"
    r"|(?:does|do)(?: not|n't) |has (?:wrong|been|no|an? |failed|metadata)|already |unable to|not "
    r"|[Cc]annot |could not|failed to|exists |needed for|appears? |contains invalid|assembled )"
    r"|(?:[Cc]annot|[Cc]an(?:'t| not)|[Cc]ould(?: not|n't)|[Ff]ail(?:ed)? (?:to|in)) "
    r"|(?:[Ii]nsufficient (?:head|tail)-|Marked |Wrong |Bad |[Uu]nrecogni[sz]ed )"
    r"|(?:[Uu]nable to|[Nn]ot (?:enough|safe|starting|adding)|[Tt]oo many) "
    r"|[Uu]nexpected (?:diff|fail)"
    r"|No (?:arrays?|devices?|avail|mdmon|free|suitable|match|active|super|bitmap)[ -]"
    r"|no (?:raid-)?devices|no (?:active|match|super)|[Mm]ust (?:be|not|specify|give) "
    r"|Possibly (?:you|your) |Consider --|Please provide|[Yy]ou have(?:n't)? "
    r"|invalid (?:bitmap|array)"
    r"|(?:ADD_NEW_DISK|SET_ARRAY_INFO|STOP_ARRAY)\b|requested \d{1,5} devices|removing old "
    r"|[Aa]t least \d|a RAID level is needed|(?:Error|Warning|WARNING|Fatal error)[.:! ]"
    r"|[Tt]his (?:level|metadata type|kernel|change will) |create aborted|aborting "
    r"|re-add(?:ed)? /dev/"
    r"|only (?:supported|specify|give|one) |superblock (?:zeroed|of|on) "
)
"""Other messages: of a device, or with the first words of those that mdadm refuses something by."""
_DETAIL = re.compile(r"\s+(?:level=\S{1,20} devices=\d|size ?= ?\d{1,15}K)")
"""What is said of a device, below what it appears to be."""
_MORE = re.compile(
    r"\s+(?:meaningless after creating array|may not be suitable as a boot|store '/boot' on this"
    r"|your boot-loader understands|--metadata=0\.90|If they are )"
)
"""Lines of a message below its first, and of no interest here."""
_OPTIONS = r"(?:--?[\w=.-]{1,40} ){0,8}"
_CREATE = re.compile(rf"\bmdadm {_OPTIONS}(?:--create|-C) {_OPTIONS}{_ARRAY}(?=\s)")
_ASKED_LEVEL = re.compile(
    r" (?:--level[= ]|-l ?)(linear|mirror|stripe|raid(?:10|[01456])|(?:10|[01456]))(?=\s|$)"
)
_ASKED_DISKS = re.compile(r" (?:--raid-devices[= ]|--raid-disks[= ]|-n ?)(\d{1,4})(?=\s|$)")
_LEVELS = {
    "mirror": "raid1", "stripe": "raid0",
    **{digits: f"raid{digits}" for digits in ("0", "1", "4", "5", "6", "10")},
}  # fmt: skip
"""Levels as they may be given; others are named as the kernel names them. Source: mdadm(8)."""
_ABOVE = 12
_NARROW = 56
_MOST = 400


class MdadmMessages(StateOutput):
    tool = "mdadm"
    anchors = ("mdadm: ",)
    commands = ("mdadm",)
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        read = _message(cursor, cursor.at)
        return cursor.at if read and _is_printed(read[0]) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        messages, last = list[str](), first
        for index, line in lines(cursor, first, _MOST):
            if index < last or not line:
                continue
            if index == last + 1 and (_MORE.match(line) or _ASKED.match(line)):
                messages += [line.strip()] if _ASKED.match(line) else []
                last = index
                continue
            if index == last + 1 and messages and _DETAIL.match(line):
                messages[-1] += f" {line.strip()}"
                last = index
                continue
            read = _message(cursor, index)
            if read is None or index > last + 2 or prompt_in(line):
                if index > last:
                    break
                continue
            messages.append(read[0])
            last = read[1]
        subjects = _merged(subject for message in messages for subject in _said(message))
        for (kind, name), values in subjects.items():
            if kind == "md" and values.get("started") is True and "drives" not in values:
                values.update(_as_created(cursor, first, prompt.command, name))
        counters = self.counted("host", "", {"messages": list(messages)}, prompt)
        every = [
            PrintedSubject(kind, name, values, prompt.host)
            for (kind, name), values in subjects.items()
        ]
        return last, [*every, counters]


def _as_created(cursor: TextCursor, first: int, command: str, name: str) -> dict[str, Scalar]:
    """Level and number of members that the `mdadm --create` above gives an array.

    Args:
        cursor: at the messages.
        first: index of their first line.
        command: that printed them, as far as that is known.
        name: of the array.
    """
    above = (cursor.line(index) for index in range(first - 1, max(first - _ABOVE, 0) - 1, -1))
    for line in (command, *above):
        match = _CREATE.search(line)
        if match is None or _name(match["array"]) != name:
            continue
        values: dict[str, Scalar] = {}
        if level := _ASKED_LEVEL.search(line):
            values["level"] = _LEVELS.get(level[1], level[1])
        if disks := _ASKED_DISKS.search(line):
            values["raid_disks"] = int(disks[1])
        return values
    return {}


def _message(cursor: TextCursor, index: int) -> tuple[str, int] | None:
    """The message of a line, whole where a mail broke it, and the index of its last line."""
    line = cursor.line(index)
    match = _BEGIN.match(line)
    if match is None:
        return None
    text, below = match["message"].strip(), cursor.line(index + 1).strip()
    if len(line) >= _NARROW and not text.endswith(".") and below and not _BEGIN.match(below):
        whole = f"{text} {below}"
        if _is_printed(whole, wholly=True) and not _is_printed(text, wholly=True):
            return whole, index + 1
    return text, index


def _is_printed(message: str, *, wholly: bool = False) -> bool:
    """Whether mdadm prints a message; `wholly`: one of which every part has a meaning here."""
    read = next(_said(message), None) is not None
    return read or (not wholly and (_OTHERS.match(message) or _LIKE_ONE.match(message)) is not None)


def _said(message: str) -> Iterator[tuple[str, str, dict[str, Scalar]]]:
    """What a message says: kind, name and values of each thing; sizes in bytes."""
    started, assembled = _STARTED.match(message), _ASSEMBLED.match(message)
    if match := started or assembled:
        numbers = ("drives", "raid_disks", "spares", "rebuilding", "journals")
        figures: dict[str, Scalar] = {
            name: int(match[name]) for name in numbers if match[name] is not None
        }
        if assembled and assembled["needed"]:
            figures["drives_needed"] = int(assembled["needed"])
        yield "md", _name(match["array"]), {"started": started is not None, **figures}
    elif match := _MADE.match(message) or _STOPPED.match(message):
        yield "md", _name(match["array"]), {"started": message.startswith("array")}
    elif member := _of_member(message):
        yield member
    elif match := _MISSING.match(message):
        yield "md", _name(match["array"]), {f"slot_{match['slot']}": "missing"}
    elif match := _LEVEL.match(message):
        yield "md", _name(match["array"]), {"level": match["level"]}
    elif match := _RESIZED.match(message):
        yield "md", _name(match["array"]), {"used_size": int(match["used_size"]) * 1024}
    elif match := _SETTINGS.match(message):
        values = {name: value for name, value in match.groupdict().items() if value}
        yield "md", "", {
            name: int(value) * 1024 if name.endswith("size") else value
            for name, value in values.items()
        }  # fmt: skip


def _of_member(message: str) -> tuple[str, str, dict[str, Scalar]] | None:
    """What a message says of a member, or of a device that becomes one."""
    if match := _PLACED.match(message) or _ADDED.match(message):
        return "md_member", _name(match["member"]), dict(_place(match))
    if match := _BARE.match(message):
        return "md_member", _name(match["member"] or match["aborted"]), {"superblock": False}
    if match := _OF_ARRAY.match(message) or _CONTAINS.match(message) or _TABLE.match(message):
        return "md_member", _name(match["member"]), dict(_content(match))
    return None


def _place(match: re.Match[str]) -> Iterator[tuple[str, Scalar]]:
    """Where a member stands in an array, as far as it is said."""
    groups = match.groupdict()
    if groups["array"]:
        yield "array", _name(groups["array"])
        yield "slot", int(groups["slot"])
    if groups.get("old"):
        yield "out_of_date", True


def _content(match: re.Match[str]) -> Iterator[tuple[str, Scalar]]:
    """What a device holds from before: the array that it belonged to, or a filesystem."""
    if match.re is not _CONTAINS:
        yield "superblock" if match.re is _OF_ARRAY else "partition_table", True
    for name, text in match.groupdict().items():
        if text and name == "contained_size":
            yield name, int(text) * 1024
        elif text and name != "member":
            yield name, int(text) if name == "old_devices" else text


def _name(path: str) -> str:
    return path.removeprefix("/dev/")


def _merged(
    said: Iterator[tuple[str, str, dict[str, Scalar]]],
) -> dict[tuple[str, str], dict[str, Scalar]]:
    """The values of each thing, of which several messages may speak.

    What is said of an array without a name is of the only one that has one.
    """
    things: dict[tuple[str, str], dict[str, Scalar]] = {}
    for kind, name, values in said:
        things.setdefault((kind, name), {}).update(values)
    arrays = [name for kind, name in things if kind == "md" and name]
    if len(arrays) == 1 and ("md", "") in things:
        things["md", arrays[0]] |= things.pop(("md", ""))
    return things
