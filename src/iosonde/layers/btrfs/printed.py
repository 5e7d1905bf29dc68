"""`btrfs filesystem show`, `usage` and `df`, `device stats` and `balance status` in any text.

Source: btrfs-progs 6.2, cmds/filesystem.c (print_one_uuid, print_df_text), filesystem-usage.c
(print_filesystem_usage_overall), device.c (print_device_stat_string), balance.c
(cmd_balance_status, do_balance). Sizes are in powers of 1024.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined, lines
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows, end_of, start_of
from iosonde.text.said_lines import sentences_of

_SIZE = r"(\d{1,20}(?:\.\d+)?(?:[KMGTPE]iB|B)|\d{1,19}(?![\w.]))"
"""Or bytes without a unit, as --raw prints them."""
_OLD_SIZE = (
    r"(\d{1,4}\.\d\d(?:[KMGTPE]B|(?![\w.]))|\d{1,20}(?:\.\d+)?(?:[KMGTPE]iB|B)|\d{1,19}(?![\w.]))"
)
"""Of `show` and `df`: before 3.14 KB, MB … are powers of 1024, and bytes have decimals and no unit
(utils.c of 0.19, pretty_sizes())."""
_LABEL = re.compile(
    r"\s*Label: +(?:'(?P<label>[^']{1,256})'|none) +uuid: "
    r"(?:(?P<uuid>[\da-f-]{36})|[\[<(]?[\w.*-]{2,40}[\])>]?)\s*$"  # many people hide it
)
_TOTAL = re.compile(rf"\s*Total devices (\d{{1,4}}) FS bytes used {_OLD_SIZE}\s*$")
_DEVICE = re.compile(
    rf"\s*devid +(?P<id>\d{{1,6}}) size {_OLD_SIZE} used {_OLD_SIZE} path "
    r"(?P<path><missing disk>|\S+)(?P<gone> \*{0,3}MISSING\*{0,3})?\s*$"
)
_MISSING = re.compile(r"\s*\*\*\* Some devices missing\s*$")
_WARNED = re.compile(
    r"\s*(?i:warning)[,:] (?:device \d{1,6} is missing|devid \d{1,6} not found already)\s*$"
)
_WARNINGS = 64
_OVERALL = {
    "Device size": "size", "Device allocated": "allocated", "Device unallocated": "unallocated",
    "Device missing": "missing", "Used": "used", "Free (estimated)": "available",
    "Free (statfs, df)": "free_statfs", "Global reserve": "global_reserve",
    "Device slack": "slack", "Device zone unusable": "zone_unusable",
    "Device zone size": "zone_size",
}  # fmt: skip
_RATIOS = {"Data ratio": "data_ratio", "Metadata ratio": "metadata_ratio"}
_IN_BRACKETS = {
    "Free (estimated)": ("available_min", re.compile(r"\(min: ?(\S{1,24})\)")),
    "Global reserve": ("global_reserve_used", re.compile(r"\(used: ?(\S{1,24})\)")),
}  # fmt: skip
_PAIR = re.compile(r"\s*(?P<label>[A-Z][A-Za-z (),]{2,30}):\s+(?P<value>\S.*?)\s*$")
_PROFILE = re.compile(
    r"\s*(?P<type>Data|System|Metadata|GlobalReserve|Data\+Metadata)"
    r"(?:, ?(?P<profile>single|DUP|RAID\w{1,4}))?: "  # before 3.14 none of a single copy
    rf"(?:total=|Size:){_OLD_SIZE}, (?:used=|Used:){_OLD_SIZE}"
    rf"(?: \((?P<share>\d{{1,3}}\.\d{{1,3}})%\))?"
    rf"(?:, ?zone_unusable[=:]{_SIZE})?\s*$"
)
_VERSION = re.compile(r"\s*(?:Btrfs|btrfs-progs) (v\d{1,4}(?:\.\d{1,5}){1,3}[\w.+~-]{0,40})\s*$")
"""Which versions before 4.2 print below the list."""
_STAT = re.compile(
    r"\s*\[(?P<device>[^\]\s]{1,100})\]\.(?P<counter>\w+_errs) +(?P<count>\d{1,18})\s*$"
)
_STAT_HEAD = re.compile(r"\s*Id\s+Path\s+Write errors\s+Read errors\s+Flush\b")
_STAT_ROW = re.compile(
    r"(?<!\S)\d{1,6}\s+(?P<device>/dev/\S{1,100}|missing|<missing disk>)\s+(?P<write>\d{1,18})"
    r"\s+(?P<read>\d{1,18})\s+(?P<flush>\d{1,18})\s+(?P<corruption>\d{1,18})"
    r"\s+(?P<generation>\d{1,18})(?!\S)"
)
_STAT_COUNTERS = {
    "write": "write_io_errs", "read": "read_io_errs", "flush": "flush_io_errs",
    "corruption": "corruption_errs", "generation": "generation_errs",
}  # fmt: skip
_TYPES = {"globalreserve": "global_reserve", "data+metadata": "mixed"}
_TARGET = re.compile(r"\bbtrfs\b.*\s(/\S*)\s*$")
_UNALLOCATED = re.compile(rf"\s*/dev/([\w/.-]{{1,60}})\s+(-)?{_SIZE}\s*$")
_BALANCE = re.compile(
    r"\s*Balance on '(?P<path>[^'\n]{1,200})' is (?P<state>running|paused)"
    r"(?P<more>, \w+ requested)?\s*$"
)
_BALANCED = re.compile(
    r"\s*(?P<done>\d{1,12}) out of about (?P<all>\d{1,12}) chunks balanced"
    r"(?: \((?P<seen>\d{1,12}) considered\))?, +(?P<left>\d{1,3})% left\s*$"
)
_RELOCATED = re.compile(
    r"\s*Done, had to relocate (?P<moved>\d{1,12}) out of (?P<all>\d{1,12}) chunks\s*$"
)
_MOST = 60


def _bytes(text: str) -> int | None:
    match = re.match(_SIZE, text)
    if match is None:
        return None
    exact = match[1].isdecimal()
    return int(match[1]) if exact else round(units.printed(match[1], binary=True)[0])


def _old_bytes(text: str) -> int | None:
    """Bytes of a size of `show` and `df`, also of old versions."""
    unit = text.lstrip("0123456789.")
    if len(unit) == 2:
        return _bytes(f"{text.removesuffix(unit)}{unit[0]}iB")
    return _bytes(text if unit or "." not in text else f"{text}B")


def size_in_bytes(text: str) -> int | None:
    """Bytes of a size that may be below zero; None of "-"."""
    size = _bytes(text.removeprefix("-"))
    return -size if size and text.startswith("-") else size


def mount_point(prompt: Prompt) -> str:
    """What the command was given: a mount point."""
    target = _TARGET.search(prompt.command)
    return target[1] if target else ""


class _BtrfsOutput(StateOutput):
    """An output that begins with a line of its own kind."""

    commands = ("btrfs",)
    reach = 3
    nothing = "its lines are cut off"


class BtrfsShow(_BtrfsOutput):
    tool = "btrfs filesystem show"
    anchors = ("  uuid: ", "Label: none uuid: ", "' uuid: ")
    beginning = _LABEL

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _LABEL.match(cursor.line(cursor.at)):
            return None
        return start_of(cursor, _WARNED.match, most=_WARNINGS)

    @override
    def sentences(self, cursor: TextCursor, first: int, last: int) -> tuple[str, ...]:
        return sentences_of(cursor, first, last, _is_warning)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        _, above = close_rows(cursor, first, _WARNED.match, _WARNINGS)
        first = above + 1
        head = self.first_line(cursor, first)
        facts: dict[str, Scalar] = {"uuid": head["uuid"]} if head["uuid"] else {}
        last, paths, missing = first, list[str](), list[str]()
        for index, line in close_lines(cursor, first + 1, _MOST):
            if total := _TOTAL.match(line):
                facts |= {"devices": int(total[1]), "used": _old_bytes(total[2])}
            elif device := _DEVICE.match(line):
                gone = device["gone"] or device["path"].startswith("<")
                (missing if gone else paths).append(device["path"])
                facts |= {"devices_missing": True} if gone else {}
                if not gone or _old_bytes(device[2]):
                    facts[f"device_{device['id']}_size"] = _old_bytes(device[2])
                    facts[f"device_{device['id']}_used"] = _old_bytes(device[3])
            elif _MISSING.match(line):
                facts["devices_missing"] = True
            elif "devices" in facts and (version := _VERSION.match(line)):
                facts["btrfs_progs"] = version[1]
            else:
                break
            last = index
        if "devices" not in facts:
            return last, []
        facts["below"] = " ".join(path.removeprefix("/dev/") for path in paths)
        facts["paths"] = " ".join(paths)
        if missing:
            facts["missing_paths"] = " ".join(missing)
        name = head["label"] or str(facts.get("uuid") or "")
        return last, [PrintedSubject("btrfs", name, facts, prompt.host)]


def _is_warning(line: str) -> bool:
    return bool(_MISSING.match(line) or _WARNED.match(line))


class BtrfsUsage(_BtrfsOutput):
    tool = "btrfs filesystem usage"
    anchors = ("Overall:",)
    beginning = re.compile(r"\s*Overall:\s*$")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        following = cursor.line(cursor.at + 1).lstrip()
        return super().begin(cursor) if following.startswith("Device size:") else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        facts: dict[str, Scalar] = {}
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST, gap=0):
            pair = _PAIR.match(line)
            if not pair:
                break
            label, value = pair["label"], pair["value"]
            if label in _OVERALL and (size := _bytes(value)) is not None:
                facts[_OVERALL[label]] = size
                facts |= _bracketed(label, value)
            elif label == "Multiple profiles" and value.partition(" ")[0] in {"yes", "no"}:
                facts["multiple_profiles"] = value.startswith("yes")
            elif label in _RATIOS and re.fullmatch(r"\d{1,3}\.\d\d", value):
                facts[_RATIOS[label]] = float(value)
            last = index
        if "size" not in facts:
            return last, []
        profiles, end = _profiles(cursor, last + 1)
        return (end if profiles else last), [
            PrintedSubject("btrfs", mount_point(prompt), facts | profiles, prompt.host)
        ]


class BtrfsDf(_BtrfsOutput):
    tool = "btrfs filesystem df"
    anchors = (
        "Data, single: total=", "Data, RAID", "Data, DUP: total=", "System, RAID",
        "System, DUP: total=", "System, single: total=", "Data+Metadata, ", "Data: total=",
        "Data+Metadata: total=", "Metadata: total=",
    )  # fmt: skip
    beginning = _PROFILE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        facts, last = _profiles(cursor, first)
        return last, [
            PrintedSubject("btrfs", mount_point(prompt), facts, prompt.host)
        ] if facts else []


def _bracketed(label: str, value: str) -> dict[str, Scalar]:
    """The second size of a line."""
    if label not in _IN_BRACKETS:
        return {}
    name, pattern = _IN_BRACKETS[label]
    match = pattern.search(value)
    size = _bytes(match[1]) if match else None
    return {} if size is None else {name: size}


def group_name(kind: str, profile: str, facts: Mapping[str, Scalar]) -> str:
    """What facts of a type of block groups begin with; of a second profile they say which one."""
    name = _TYPES.get(kind.lower(), kind.lower())
    # there are two while a balance converts it
    return f"{name}_{profile.lower()}" if f"{name}_profile" in facts else name


def _profiles(cursor: TextCursor, first: int) -> tuple[dict[str, Scalar], int]:
    """What each type of block groups has, from a line on, and the index of the last of them."""
    facts: dict[str, Scalar] = {}
    last, unallocated, above = first, False, ""
    for index, line in lines(cursor, first, _MOST):
        if match := _PROFILE.match(line):
            profile = (match["profile"] or "single").lower()
            above = group_name(match["type"], profile, facts)
            facts |= {
                f"{above}_profile": profile, f"{above}_total": _old_bytes(match[3]),
                f"{above}_used": _old_bytes(match[4]),
            }  # fmt: skip
            if match["share"]:
                facts[f"{above}_used_share"] = round(float(match["share"]) / 100, 6)
            if match[6]:
                facts[f"{above}_zone_unusable"] = _bytes(match[6])
            last = index
        elif line.strip() == "Unallocated:":
            unallocated, last = True, index
        elif not unallocated and above and (part := _UNALLOCATED.match(line)):
            facts[f"{above}_{part[1]}"], last = _bytes(part[3]), index
        elif unallocated and (part := _UNALLOCATED.match(line)):
            sign = -1 if part[2] else 1  # of a device that is being removed
            facts[f"unallocated_{part[1]}"], last = sign * (_bytes(part[3]) or 0), index
        elif line and not line.lstrip().startswith("/dev/"):
            break
    return facts, last


class BtrfsStats(_BtrfsOutput):
    tool = "btrfs device stats"
    anchors = ("].write_io_errs", "].corruption_errs", "].read_io_errs")
    beginning = _STAT

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counts: dict[str, dict[str, Json]] = {}
        rows, last = close_rows(cursor, first, _STAT.match, 600, gap=0)
        for row in rows:
            device = row["device"].removeprefix("/dev/")
            counts.setdefault(device, {})[row["counter"]] = int(row["count"])
        return last, [
            self.counted("btrfs", name, values, prompt) for name, values in counts.items()
        ]


class BtrfsStatsTable(_BtrfsOutput):
    """`device stats -T`, by the names of the list."""

    tool = "btrfs device stats"
    anchors = ("Write errors Read errors",)
    beginning = _STAT_HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(cursor, first, bool, gap=1, most=600)
        text = joined(cursor, first + 1, last)  # rows that a mail broke, too
        return last, [
            self.counted(
                "btrfs", row["device"].removeprefix("/dev/"),
                {name: int(row[column]) for column, name in _STAT_COUNTERS.items()}, prompt,
            )
            for row in _STAT_ROW.finditer(text)
        ]  # fmt: skip


class BtrfsBalance(_BtrfsOutput):
    tool = "btrfs balance status"
    anchors = ("Balance on '",)
    beginning = _BALANCE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        last, facts = first, dict[str, Scalar]()
        for index, line in lines(cursor, first + 1, 3):
            if match := _BALANCED.match(line):
                facts = {
                    "balance_state": head["state"] + (head["more"] or ""),
                    "balanced_chunks": int(match["done"]), "balance_chunks": int(match["all"]),
                    "balance": f"{match['done']} out of about {match['all']} chunks",
                    "balance_left": int(match["left"]) / 100,
                }  # fmt: skip
                if match["seen"]:
                    facts["balance_considered"] = int(match["seen"])
                last = index
                break
        return last, [PrintedSubject("btrfs", head["path"], facts, prompt.host)] if facts else []


class BtrfsBalanced(_BtrfsOutput):
    """The last line of `btrfs balance start`, of the path that the command names."""

    tool = "btrfs balance start"
    anchors = ("Done, had to relocate ",)
    beginning = _RELOCATED

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        match = self.first_line(cursor, first)
        facts: dict[str, Scalar] = {
            "balance_state": "done", "balanced_chunks": int(match["moved"]),
            "balance_chunks": int(match["all"]),
            "balance": f"had to relocate {match['moved']} out of {match['all']} chunks",
        }  # fmt: skip
        return first, [PrintedSubject("btrfs", mount_point(prompt), facts, prompt.host)]
