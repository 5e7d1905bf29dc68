"""Outputs whose line ends were lost: a whole table in one line, as pages and search caches show it.

Such a line is laid out again where that is certain: each row has a form that no part of another row
has, and nothing stands behind the last one that may be more of it. All others stay as they are, and
`iosonde.text.remainder` says of them what happened.

Source: the forms of rows are those of coreutils 9.1 (src/df.c), sysstat 12.6 (iostat.c), procps
4.0.2 (free.c, vmstat.c), util-linux 2.38 (lsblk.c, fdisk-list.c, blkid.c, mount.c), LVM 2.03
(lib/report), smartmontools 7.3 (ataprint.cpp), OpenZFS 2.1 (zpool_main.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from iosonde.kerneltext import fields

_FEWEST = 60
"""Characters of a line that may hold a head and a row."""
LONGEST = 1 << 16  # characters of a line that is looked at
_FEWEST_ROWS = 2  # of a table without a head
_BLANKS = r"[ \t]{1,200}+"
_BRANCH = re.compile(r"(?P<bars>(?:[│|][ \t]+)*)(?P<sign>[├└|`][─-])")
_BAR = re.compile(r"[│|]")


class _Layout(NamedTuple):
    """How an output is laid out.

    Args:
        tool: that prints it.
        sign: without which a line holds none of it; looking for that is quick.
        head: the lines above the rows, a group each; the group `columns` says how many figures a
            row has behind its own form. Without a head, where the first row begins.
        row: one row as a whole.
        is_closed: nothing that stands behind a row can be more of it, but figures.
    """

    tool: str
    sign: str
    head: re.Pattern[str]
    row: str
    is_closed: bool


def _form(pattern: str) -> str:
    """A pattern in which a blank stands for one or more, and ~ for a size or a figure."""
    figure = r"(?:\d[\d.,]{0,20}[KMGTPEZkmgt]?i?B?|-)"
    return pattern.replace("~", figure).replace(" ", _BLANKS)


def _layout(tool: str, sign: str, head: str, row: str, *, is_closed: bool = True) -> _Layout:
    begin = f"{head}(?!\\S)" if head else f"(?={row})"
    return _Layout(tool, sign, re.compile(rf"(?<!\S){_form(begin)}"), row, is_closed)


@cache
def _row(row: str, figures: int) -> re.Pattern[str]:
    """What one row is, after the blanks before it."""
    return re.compile(rf"[ \t]*+({_form(row + ' ~' * figures).removeprefix(_BLANKS)})(?!\S)")


_MOUNT_POINT = r"(?:/\S{0,400}|\[SWAP\])"
_TREE = r"(?:[│|]\s{0,20})*(?:[├└|`][─-])?"
_RATE = (
    r"(?:%?[rwd]rqm(?:/s)?|[rwdf]/s|tps|[rwd]?(?:kB|MB|sec|Blk)(?:_(?:read|wrtn|dscd))?(?:/s)?"
    r"|[rwdf]?_?await|[rwd]areq-sz|aqu-sz|avg(?:rq|qu)-sz|svctm|%util)"
)
_BANNER = r"(?:(Linux \S{1,80} \(\S{1,80}\) \d[\d/.-]{5,12} _\w{2,12}_ \(\d{1,5} CPU\)) )?"
_DF = (
    r"%s (?:\d{1,4}[KMGkmg]?B?-[Bb]locks|Size|Inodes) I?Used (?:Avail(?:able)?|IFree)"
    r" (?:I?Use%%|Capacity) Mounted on"
)
_LABELS = (
    "(?:Model Family|Device Model|Serial Number|LU WWN Device Id|Add. Product Id|Firmware Version"
    "|User Capacity|Sector Sizes?|Rotation Rate|Form Factor|TRIM Command|Zoned Device|Device is"
    "|ATA Version is|SATA Version is|Local Time is|SMART support is|Vendor|Product|Revision"
    "|Logical block size|Physical block size|Logical Unit id|Serial number|Device type"
    "|Transport protocol|Temperature Warning|Model Number|PCI Vendor/Subsystem ID"
    "|IEEE OUI Identifier|Total NVM Capacity|Unallocated NVM Capacity|Controller ID|NVMe Version"
    r"|Number of Namespaces|Namespace \d{1,4} [A-Z][\w/]{2,12}(?: [A-Z]\w{2,12})?):"
)
_HEALTH = (
    "(?:Critical Warning|Temperature|Available Spare|Available Spare Threshold|Percentage Used"
    "|Data Units (?:Read|Written)|Host (?:Read|Write) Commands|Controller Busy Time|Power Cycles"
    "|Power On Hours|Unsafe Shutdowns|Media and Data Integrity Errors"
    "|Error Information Log Entries|(?:Warning|Critical) Comp. Temperature Time"
    r"|Temperature Sensor \d)"
)
_LAYOUTS = (
    _layout(
        "smartctl", "INFORMATION SECTION",
        r"(?:(smartctl \d\S{1,12} [\d-]{10} r\d{1,6} \[\S{1,120}\] \([\w\s.-]{1,60}\)) )?"
        r"(?:(Copyright \(C\) [\d-]{4,9}, Bruce Allen, Christian Franke, www.smartmontools.org) )?"
        r"(=== START OF INFORMATION SECTION ===)",
        rf"{_LABELS}(?: (?!{_LABELS}|===)(?:\(current:|\S{{0,80}}[^\s:])(?!\S)){{1,24}}",
        is_closed=False,
    ),
    _layout(
        "smartctl", "SMART DATA SECTION",
        r"(=== START OF (?:READ )?SMART DATA SECTION ===)",
        r"SMART (?:overall-health self-assessment test result|Health Status):"
        r" (?:PASSED|FAILED!|OK)",
    ),
    _layout(
        "smartctl", "NVMe Log 0x02",
        r"(SMART/Health Information \(NVMe Log 0x02(?:, NSID 0x[\da-f]{1,8})?\))",
        rf"{_HEALTH}: (?:0x[\da-f]{{2}}"
        r"|[\d.,]{1,30}%?(?: Celsius| \[[\d.,]{1,12} [KMGTPE]?B\])?)",
    ),
    _layout(
        "df", "Mounted", f"({_DF % 'Filesystem'})",
        r"[^\s%]{1,400} ~ ~ ~ (?:\d{1,3}%|-) /\S{0,400}",
        is_closed=False,
    ),
    _layout(
        "df", "Mounted",
        f"({_DF % 'Filesystem Type'})",
        r"[^\s%]{1,400} [a-z][\w.]{0,30} ~ ~ ~ (?:\d{1,3}%|-) /\S{0,400}", is_closed=False,
    ),
    _layout(
        "iostat", "avg-cpu:", rf"{_BANNER}(avg-cpu:(?P<columns>(?: %[a-z]{{2,6}}){{5,10}}))", "",
    ),
    _layout(
        "iostat", "Device", rf"{_BANNER}(Device:?(?P<columns>(?: {_RATE}){{4,25}}))",
        r"[A-Za-z][\w/.!-]{0,60}",
    ),
    _layout(
        "vmstat", "swpd",
        r"(?:(procs -[-\s]{0,12}memory[-a-z\s]{20,80}-) )?"
        r"((?P<columns>r b swpd free (?:buff cache|inact active) si so bi bo in cs us sy id wa"
        r"(?: st)?(?: gu)?))", "",
    ),
    _layout(
        "free", "shared",
        r"(total used free shared (?:buffers cached|buff/cache available))",
        r"(?:Mem:(?: ~){6}|-/\+ buffers/cache: ~ ~|(?:Swap|Total): ~ ~ ~)",
    ),
    _layout(
        "lsblk", "MAJ:MIN",
        r"(?P<tree>NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINTS?)",
        rf"{_TREE}[A-Za-z][\w.+@:!-]{{0,120}}(?: \(dm-\d{{1,4}}\))? \d{{1,4}}:\d{{1,7}} [01] ~ [01]"
        rf" [a-z][a-z\d]{{1,11}}(?: {_MOUNT_POINT})?", is_closed=False,
    ),
    _layout(
        "pvs", "PSize",
        r"(PV VG Fmt Attr PSize PFree)",
        r"(?:/dev/\S{1,120}|\[unknown\])(?: [\w+.-]{1,128})? lvm2 [ad-][x-][m-] ~ ~",
    ),
    _layout(
        "vgs", "VSize",
        r"(VG #PV #LV #SN Attr VSize VFree)",
        r"[\w+.-]{1,128} \d{1,6} \d{1,6} \d{1,6} [wr][z-][x-][p-][a-z-][c-s-]? ~ ~",
    ),
    _layout(
        "zpool list", "EXPANDSZ",
        r"(NAME SIZE ALLOC FREE(?: CKPOINT)? EXPANDSZ FRAG CAP DEDUP HEALTH ALTROOT)",
        r"[A-Za-z][\w.:-]{0,120} ~ ~ ~(?: ~)? ~ (?:\d{1,3}%|-) (?:\d{1,3}%|-) [\d.]{1,8}x"
        r" [A-Z]{4,10} (?:-|/\S{1,200})",
    ),
    _layout(
        "smartctl", "ATTRIBUTE_NAME",
        r"(?:(SMART Attributes Data Structure revision number: \d{1,6})"
        r" (Vendor Specific SMART Attributes with Thresholds:) )?"
        r"(ID# ATTRIBUTE_NAME FLAG VALUE WORST THRESH TYPE UPDATED WHEN_FAILED RAW_VALUE)",
        r"\d{1,3} [\w/%-]{2,40} 0x[\da-f]{4} \d{1,3} \d{1,3} (?:\d{1,3}|---)"
        r" (?:Pre-fail|Old_age) (?:Always|Offline) (?:-|In_the_past|FAILING_NOW)"
        r" \d{1,20}(?:/\d{1,20}|h\+\d\d?m(?:\+\d\d?(?:\.\d{1,6})?s)?)*"
        r"(?: \([A-Za-z\d\s/,.-]{1,60}\))?",
    ),
    _layout("blkid", "=\"", "", r'/dev/\S{1,120}:(?: [A-Z_]{2,40}="[^"]{0,200}"){1,20}'),
    _layout(
        "mount", " type ", "",
        r"\S{1,200} on /\S{0,400} type [a-z][\w.]{1,40} \([a-z]{2}[^()\s]{0,2000}\)",
    ),
)  # fmt: skip
_SOURCE = r"[\w.-]{1,60} [\w./-]{1,60}(?:\[\d{1,8}\])?"
_JOINTS = tuple(
    (sign, times, fewest, re.compile(rf"(?<!\S)(?:{_form(pattern)})"))
    for times, sign, fewest, pattern in (
        (1, "groupid=", 4, r"[^\s:(){}]{1,80}: \((?:groupid=\d{1,9}, jobs=\d{1,9}\): err="
                r"|g=\d{1,9}\): rw=)"
                r"|fio-\d\.\d{1,3}\S{0,40} Starting|Starting \d{1,6} (?:process|thread)"
                r"|(?:read|write|trim)\s?: (?:IOPS|io)=|[cs]?lat (?:percentiles )?\([num]sec\)\s?:"
                r"|\|(?=\s{0,12}\d{1,3}\.\d{2,8}th=\[)|bw \(\s{0,4}[KMGT]i?B(?:/s)?\)\s?:"
                r"|iops : min="
                r"|cpu : usr=|IO depths : 1=|submit : 0=|complete : 0=|issued(?: rwts?)?\s?: total="
                r"|latency : target=|Run status group \d|(?:READ|WRITE|TRIM|MIXED): (?:bw|io)="
                r"|Disk stats \(read/write\):|[\w-]{2,40}: ios=\d"),
        (2, "flags=", 2, r"[\w.:-]{1,40}: flags=\d{1,6}<"),
        (1, " mtu ", 2, r"\d{1,6}: [\w.@-]{1,40}: <[A-Z,_\d-]{1,200}> mtu"
               r"|link/[a-z]{2,12} [\da-f]{2}:"
               r"|inet6? [\da-f]{1,4}[.:]|valid_lft |[RT]X: bytes packets"),
        (2, " dm-", 2, r"[\w.-]{1,60} (?:\([\w.:-]{8,60}\) )?dm-\d{1,5} [\dA-Za-z][\w.-]{0,20},"),
        (2, "] ", 2, r"\[(?:\d{1,5}|N):\d{1,5}:\d{1,5}:\d{1,20}\] "),
        (2, "] ", 2, r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} \d{1,9} [\w.-]{1,60}:\d{1,6}\] "),
        (2, "level=", 2, r"(?:time|ts)=\"?\d{4}-\d\d-\d\dT"),
        (2, "] ", 2, r"\[(?:WRN|ERR)\] [A-Z][A-Z_]{3,60}: "),
        (3, " = ", 3, r"[a-z][a-z\d_-]{1,20}(?:\.[\w\[\]-]{1,40}){1,6} = "),
        (6, "/", 3, r"(?:/sys|\.)/[\w./:-]{2,200}:(?=[^\s:])"),
        (6, ":", 2, rf"[A-Z][a-z]{{2}} [\s\d]?\d \d\d:\d\d:\d\d {_SOURCE}: "),
        (6, ":", 2, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
                       rf" {_SOURCE}: "),
        (2, "] ", 2, r"\[\s*\d{1,8}\.\d{6}\] "),
    )
) + tuple(
    (sign, 1, 1, re.compile(
        rf"(?<={re.escape(end)})\[[ \xa0]{{0,9}}\d{{1,8}}\.\d{{6}}\]\s{{1,3}}\b"
    ))
    for sign, end in (("... [", "... "), ("(initramfs) [", "fs) "), ("no limit)[", "it)"))
)  # fmt: skip
"""How lines begin that stand in no other place: how many of them in one line were several.

Before that, what a line holds so many times of it, which is quick to see. The last ones are what a
console shows of the kernel in a line that a program began: initramfs-tools 0.142, scripts/functions
("Begin: … ... "), and systemd's jobs ("(20s / no limit)").
"""
_PROMPT = re.compile(r"(?:\[?[a-z_][\w-]{0,30}@[\w.-]{1,60}[: ][^\s#$]{0,100}\]?[#$]|[#$]) ")
_FIGURE = re.compile(r"\s*[-\d]")
_MORE = re.compile(r"\d|\S:\s")


class _Piece(NamedTuple):
    """A line that was made a part of another: where it stood, and how it is printed."""

    start: int
    end: int
    text: str
    tool: str


class LaidOut(NamedTuple):
    """The lines that one was made of.

    Args:
        lines: in their order.
        lost: tools whose output goes on in the same line, where its lines are not certain; they are
            none of `lines`.
    """

    lines: list[str]
    lost: list[str]


def laid_out(line: str) -> LaidOut | None:
    """The lines that one was made of; None where it is one, or where that is not certain.

    Args:
        line: as it stands in a text.
    """
    if not _FEWEST <= len(line) <= LONGEST:
        return None
    pieces = sorted(
        piece for layout in _LAYOUTS if layout.sign in line for piece in _pieces(layout, line)
    )
    pieces = pieces or next(
        filter(
            None,
            (
                _joints(fewest, joint, line)
                for sign, times, fewest, joint in _JOINTS
                if line.count(sign) >= times
            ),
        ),
        [],
    )
    if not pieces:
        return None
    made, at, tool = LaidOut([], []), 0, ""
    for piece in (*pieces, _Piece(len(line), len(line), "", "")):
        between = line[at : piece.start].strip()
        if not between or not tool or _PROMPT.match(between) or not _MORE.search(between):
            made.lines.append(between)
        else:
            made.lost.append(tool)
        made.lines.append(piece.text.rstrip())
        at, tool = piece.end, piece.tool
    return LaidOut(list(filter(None, made.lines)), made.lost)


def _joints(fewest: int, joint: re.Pattern[str], line: str) -> list[_Piece]:
    """The lines of which a line is, where one surely begins at each of several places."""
    starts = [match.start() for match in joint.finditer(line)]
    if len(starts) < fewest:
        return []
    ends = [*starts[1:], len(line)]
    return [_Piece(low, high, line[low:high], "") for low, high in zip(starts, ends, strict=True)]


def _pieces(layout: _Layout, line: str) -> Iterator[_Piece]:
    """The heads and rows of one layout that a line surely holds."""
    named = layout.head.groupindex
    free = 0
    for head in layout.head.finditer(line):
        if head.start() < free:
            continue
        row = _row(layout.row, len(fields(head["columns"])) if "columns" in named else 0)
        rows, free = list[_Piece](), head.end()
        while match := row.match(line, free):
            rows.append(_Piece(match.start(1), match.end(), match[1], layout.tool))
            free = match.end()
        if len(rows) >= (1 if head[0] else _FEWEST_ROWS) and _ends(line, free, layout):
            for group in range(1, layout.head.groups + 1):
                if head[group] and group != named.get("columns"):
                    yield _Piece(*head.span(group), head[group], layout.tool)
            yield from _as_tree(rows) if "tree" in named else rows


def _ends(line: str, at: int, layout: _Layout) -> bool:
    """Whether what stands behind a row is surely no more of it."""
    if layout.is_closed:
        return not _FIGURE.match(line, at)
    rest = line[at:].lstrip()
    return not rest or bool(_PROMPT.match(rest)) or any(each.head.match(rest) for each in _LAYOUTS)


def _as_tree(rows: Sequence[_Piece]) -> list[_Piece]:
    """The rows of a tree, with the blanks before each branch that were lost.

    A bar stands in a row for each device above it that has more below the same one; so the number
    of bars says of whom a device is a branch.
    """
    drawn = list[_Piece]()
    above = list[bool]()  # of each device from the root down to the last row: whether more follow
    for row in rows:
        branch = _BRANCH.match(row.text)
        if branch is None:
            above = []
            drawn.append(row)
            continue
        bars = len(_BAR.findall(branch["bars"]))
        more = [place for place, follows in enumerate(above) if follows]
        above = above[: more[bars]] if bars < len(more) else above
        bar = "│ " if branch["sign"][0] in "├└" else "| "
        stem = "".join(bar if follows else "  " for follows in above)
        drawn.append(row._replace(text=stem + row.text[branch.start("sign") :]))
        above = [*above, branch["sign"][0] in "├|"]
    return drawn
