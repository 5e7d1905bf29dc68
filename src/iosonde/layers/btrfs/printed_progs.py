"""`mkfs.btrfs`, `btrfs scrub status` of progs before 4.20, and what the tools say of transids.

Source: btrfs-progs 5.18, mkfs/main.c (main), cmds/scrub.c of 4.19 (print_scrub_summary,
print_fs_stat), mkfs.c of 3.19 ("fs created label %s on %s"), kernel-shared/disk-io.c
(verify_parent_transid): the tools print the kernel's sentence without its "BTRFS error (device …):
". Sizes are in powers of 1024.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import UUID
from iosonde.layers._commands.versions import PackageVersion, V
from iosonde.layers.btrfs.progs_version import version_above, warnings_above
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_rows, nearest

_SIZE = r"(\d{1,19}(?:\.\d{1,3})?(?:[KMGTPE]iB|B))"
_MADE = re.compile(r"\s*(?:Label:\s+\S.*|UUID:\s+\S*)$")
_LABELS = {
    "Node size": "node_size", "Sector size": "sector_size", "Filesystem size": "size",
    "Incompat features": "incompat_features", "Runtime features": "runtime_features",
    "Checksum": "checksum", "Number of devices": "devices", "SSD detected": "ssd",
    "Zoned device": "zoned", "Zone size": "zone_size", "Features": "incompat_features",
    "Default subvolume": "default_subvolume", "Rootdir from": "rootdir", "Shrink": "shrink",
    "Compress": "compress",
}  # fmt: skip
_PAGE = re.compile(r"(?P<size>\d{1,6})\s+\(CPU page size: (?P<page>\d{1,7})\)$")
_PAIR = re.compile(r"\s*(?P<label>[A-Z][A-Za-z ]{2,24}):\s*(?P<value>\S.*?)?\s*$")
_PROFILE = re.compile(rf"\s*(?P<type>Data|Metadata|System):\s+(?P<profile>[A-Za-z]\w*)\s+{_SIZE}$")
_DEVICE = re.compile(rf"\s*(?P<id>\d{{1,4}})\s+{_SIZE}\s+(?P<path>/\S+)$")
_JOINED = re.compile(
    r"(?<=\S)\s+(?=(?:UUID|Node size|Sector size|Filesystem size|Block group profiles|Data|Metadata"
    r"|System|SSD detected|Zoned device|Incompat features|Runtime features|Checksum"
    r"|Number of devices|Devices):\s)"
)
"""Between lines of it that a mail made one."""
_WORD = re.compile(r"\s*\w[\w, -]{0,80}$")
_COLUMNS = re.compile(r"\s*ID\s+SIZE\s+PATH$")
_CREATED = re.compile(
    r"\s*fs created label (?P<label>\S.{0,254}?) on (?P<path>/\S{1,160})\s*(?:nodesize .*)?$"
)
_MADE_OF = re.compile(
    r"\bnodesize (?P<node>\d{1,6}) leafsize (?P<leaf>\d{1,6}) sectorsize (?P<sector>\d{1,6})"
    r" size (\d{1,19}(?:\.\d{1,3})?(?:[KMGTPE]i?)?B)(?!\S)"
)
_OLD_VERSION = re.compile(
    r"\s*(?:btrfs-progs |Btrfs |WARNING! - Btrfs )"
    r"(?P<version>v\d{1,4}(?:\.\d{1,5}){1,3}[\w.+~-]{0,40})(?: IS EXPERIMENTAL)?\s*$"
)
_FEATURE = re.compile(
    r"\s*Turning ON incompat feature '(?P<name>[\w-]{1,40})':"
    r"(?: increased hardlink limit per file to (?P<links>\d{1,9})| .{1,100})?\s*$"
)
_OLD_NOTES = re.compile(
    r"\s*(?:SMALL VOLUME: forcing mixed"
    r"|adding device /\S{1,160} id \d|WARNING! - see http|See http|The filesystem UUID is"
    r"|Performing full device TRIM"
    r"|Created a data/metadata chunk of size|failed to open )"
)
_SCRUB = re.compile(rf"\s*scrub (?:status|done|aborted|canceled) for (?P<uuid>{UUID})$")
_BEGUN = re.compile(r"\s*scrub (?:started at|device) \S")
_SCRUBBED = re.compile(
    r"scrub started at (?P<start>.{10,40}?)(?: and (?P<status>finished|was aborted)"
    r"(?: after (?P<time>\d{1,5}:\d\d:\d\d|\d{1,9} seconds))?"
    r"|, running for (?P<running>\d{1,5}:\d\d:\d\d|\d{1,9} seconds|[\d: a-z]{1,30}))\b"
)
_TOTAL = re.compile(r"total bytes scrubbed|with \d{1,12} errors")
_SUMMED = re.compile(rf"total bytes scrubbed: {_SIZE} with (?P<errors>\d{{1,12}}) errors")
_DETAILS = re.compile(r"\b(?P<name>read|super|verify|csum)=(?P<count>\d{1,19})")
_ENDS = re.compile(
    r"corrected errors: (?P<corrected>\d{1,19}), "
    r"uncorrectable errors: (?P<uncorrectable>\d{1,19}), "
    r"unverified errors: (?P<unverified>\d{1,19})"
)
_MORE = re.compile(
    r"\s*(?:error details:|corrected errors:|(?:uncorrectable|unverified) errors:|errors: \d)"
)
_ON = re.compile(r"scrub device (?P<device>/dev/[\w/.-]{1,60}) \(id (?P<id>\d{1,6})\)")
_TRANSID = re.compile(
    r"\s*parent transid verify failed on (?P<block>\d{1,20}) wanted (?P<wanted>\d{1,20}) "
    r"found (?P<found>\d{1,20})$"
)
_MOST = 60


def _bytes(text: str) -> int:
    return round(units.printed(text, binary=True)[0])


class MkfsBtrfs(StateOutput):
    tool = "mkfs.btrfs"
    anchors = ("Block group profiles:",)
    commands = ("mkfs.btrfs",)
    reach = 24
    nothing = "its lines are cut off"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The label, or the first line that is left of it."""
        first = nearest(cursor, 8, _MADE.match)
        first = cursor.at if first is None else first
        return first - 1 if _MADE.match(cursor.line(first - 1)) else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        facts: dict[str, Scalar] = {**version_above(cursor, first)}
        paths: list[str] = []
        name, last = "", first
        for index, line in _lines_and_joined(cursor, first):
            if profile := _PROFILE.match(line):
                facts[f"{profile['type'].lower()}_profile"] = profile["profile"].lower()
                facts[f"{profile['type'].lower()}_total"] = _bytes(profile[3])
            elif device := _DEVICE.match(line):
                paths.append(device["path"])
                facts[f"device_{device['id']}_size"] = _bytes(device[2])
            elif (pair := _PAIR.match(line)) and not prompt_in(line):
                label, value = pair["label"], pair["value"] or ""
                if label == "UUID":
                    facts["uuid"], name = value, name or value
                elif label == "Label" and value != "(null)":
                    name = value
                elif label in _LABELS and value:
                    facts |= _labelled(_LABELS[label], value)
            elif not _COLUMNS.match(line):
                break
            last = index
        if paths:
            facts |= {"paths": " ".join(paths), "devices": len(paths)}
            facts["below"] = " ".join(path.removeprefix("/dev/") for path in paths)
        return last, [PrintedSubject("btrfs", name, facts, prompt.host)] if facts else []

    @override
    def sentences(self, cursor: TextCursor, first: int, last: int) -> tuple[str, ...]:
        return warnings_above(cursor, first)


def _old_version(cursor: TextCursor, first: int, last: int) -> dict[str, Scalar]:
    """What stands above what an old mkfs.btrfs says: version, features; some print it below."""
    facts: dict[str, Scalar] = {}
    features: list[str] = []
    for index in range(first - 1, max(first - 16, -1), -1):
        line = cursor.line(index)
        if match := _OLD_VERSION.match(line):
            facts["btrfs_progs"] = match["version"]
            break
        if feature := _FEATURE.match(line):
            features.insert(0, feature["name"])
            facts |= {"hard_link_limit": int(feature["links"])} if feature["links"] else {}
        elif line.strip() and not _OLD_NOTES.match(line):
            break
    if features:
        facts["incompat_features"] = ", ".join(features)
    below = _OLD_VERSION.match(cursor.line(last + 1))
    return facts | ({"btrfs_progs": below["version"]} if below else {})


def _lines_and_joined(cursor: TextCursor, first: int) -> Iterator[tuple[int, str]]:
    """The lines with their indices, one of several as those that it was made of.

    A label whose value was broken off stands in one line with it.
    """
    label = ""
    for index, line in lines(cursor, first, _MOST):
        if label and _WORD.match(line):
            yield index, f"{label} {line.strip()}"
        else:
            yield from ((index, part) for part in _JOINED.split(line))
        pair = _PAIR.match(line)
        is_open = pair is not None and pair["label"] in _LABELS and not pair["value"]
        label = line.rstrip() if is_open else ""


def _labelled(name: str, value: str) -> dict[str, Scalar]:
    """What a line with a label says."""
    if name == "sector_size" and (page := _PAGE.match(value)):
        return {name: int(page["size"]), "page_size": int(page["page"])}
    return {name: _value(value)}


def _value(text: str) -> Scalar:
    if re.fullmatch(_SIZE, text):
        return _bytes(text)
    return int(text) if text.isdecimal() else text


class MkfsBtrfsOld(StateOutput):
    """As versions before 4.0 say it: in a line below "fs created"."""

    tool = "mkfs.btrfs"
    anchors = ("fs created label ",)
    commands = ("mkfs.btrfs",)
    reach = 16
    beginning = _CREATED

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        text, last = "", first
        for index, line in lines(cursor, first, 3):  # a mail may have broken either line
            text, last = f"{text} {line.strip()}", index
            if _MADE_OF.search(text):
                break
        head, made = self.first_line(cursor, first), _MADE_OF.search(text)
        if made is None:
            raise Unreadable("its sizes are cut off", first)
        facts: dict[str, Scalar] = {
            **_old_version(cursor, first, last),
            "node_size": int(made["node"]), "leaf_size": int(made["leaf"]),
            "sector_size": int(made["sector"]), "size": _bytes(made[4]),
        }  # fmt: skip
        label, path = head["label"], head["path"]
        facts |= {"paths": path, "below": path.removeprefix("/dev/")}
        name = path.removeprefix("/dev/") if label == "(null)" else label
        last += bool(_OLD_VERSION.match(cursor.line(last + 1)))
        return last, [PrintedSubject("btrfs", name, facts, prompt.host)]


class BtrfsOldScrub(StateOutput):
    tool = "btrfs scrub status"
    anchors = ("scrub status for ", "scrub done for ")
    commands = ("btrfs",)
    reach = 3
    nothing = "what it came to is cut off"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """Newer ones have the line "scrub done for" above another form."""
        line = cursor.line(cursor.at)
        below = cursor.line(cursor.at + 1) or cursor.line(cursor.at + 2) or ""
        begins = _SCRUB.match(line) and (_BEGUN.match(below) or "scrub status for" in line)
        return cursor.at if begins else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, summed = first, False
        for index, line in lines(cursor, first + 1, 10):
            if not line or prompt_in(line) or _SCRUB.match(line):
                break
            if summed and not _MORE.match(line):
                break
            last, summed = index, summed or _TOTAL.search(line) is not None
        text = flow(cursor, first, last)
        head, done = _SCRUB.match(cursor.line(first)), _SCRUBBED.search(text)
        total = _SUMMED.search(text)
        if head is None or done is None or total is None:
            return last, []
        facts: dict[str, Scalar] = {
            "uuid": head["uuid"],
            "scrub_status": done["status"] or "running",
        }
        facts["scrub_started"] = done["start"]
        if (seconds := _seconds(done["time"] or done["running"] or "")) is not None:
            facts["scrub_time"] = seconds
        facts |= {"scrub_size": _bytes(total[1]), "scrub_errors": int(total["errors"])}
        for detail in _DETAILS.finditer(text):
            facts[f"scrub_{detail['name']}_errors"] = int(detail["count"])
        if ends := _ENDS.search(text):
            facts |= {f"scrub_{end}_errors": int(count) for end, count in ends.groupdict().items()}
        device = _ON.search(text)
        if device:
            facts["devid"] = int(device["id"])
        name = device["device"].removeprefix("/dev/") if device else head["uuid"]
        return last, [PrintedSubject("btrfs", name, facts, prompt.host)]


def _seconds(text: str) -> int | None:
    """Of "1:02:03" or "17 seconds"; None of anything else."""
    if re.fullmatch(r"\d{1,9} seconds", text):
        return int(text.split(maxsplit=1)[0])
    return units.clock_seconds(text) if re.fullmatch(r"\d{1,5}:\d\d:\d\d", text) else None


class BtrfsTransid(StateOutput):
    tool = "btrfs"
    anchors = ("parent transid verify failed on ",)
    commands = ("btrfs", "btrfsck", "mount", "dduper")
    reach = 3
    beginning = _TRANSID

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        matches, last = close_rows(cursor, first, _TRANSID.match, gap=0)
        version = version_above(cursor, first)
        each = {match[0].strip(): match for match in matches}
        return last, [
            self.counted(
                "btrfs", "",
                {"transid_failures": sum(match[0].strip() == text for match in matches),
                 "block": int(match["block"]), "wanted": int(match["wanted"]),
                 "found": int(match["found"]), **version},
                prompt,
            )
            for text, match in each.items()
        ]  # fmt: skip


VERSION = PackageVersion(
    {"btrfs-progs": rf"btrfs-progs v{V}"},
    anchors=("btrfs-progs v",),
    commands=("btrfs",),
    heads=re.compile(
        r"(?:leaf|node) \d|[a-z ]{2,30} tree(?: key|$)|See http|Label:|parent transid verify"
        r"|checksum verify|bad tree block|bytenr mismatch|Super(?:block thinks| think's)|Well block"
    ),
    also={"btrfs_progs": "v{version}"},
    below=("btrfs_progs_features", re.compile(r"\s*(?:[-+][A-Z\d]{3,20} ){2,}")),
)
"""Source: btrfs-progs 6.2, btrfs.c (cmd_version); since 6.5 also what it was built with."""
