"""Outputs of labelled lines whose line ends were lost; tables are those of `joined_lines`.

A long line that holds what a tool prints at the begins of several lines is parted there, and
between a command and the output behind it. A line of the tool itself never holds two of them.

Source: the words that lines begin with in OpenZFS 2.1 (zpool_main.c, print_status_config()),
e2fsprogs 1.47 (mke2fs.c), xfsprogs 6 (xfs_mkfs.c), multipath-tools 0.9 (libmultipath/print.c),
hdparm 9.65 (hdparm.c), Linux (drivers/md/md.c, md_seq_show()) and mdadm 4.2 (Detail.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from iosonde.kerneltext import fields
from iosonde.text.joined_lines import LONGEST, LaidOut

_LONG = 120  # characters; shorter ones are left to the readers, who read over breaks
_FAR = 1 << 14  # characters of a table
_WORD = re.compile(r"\S+")
_PROMPT = re.compile(r"(?<=\s)(?:\[?[a-z_][\w-]{0,31}@[\w.-]{1,60}[: ][^\]#$%>|\s]{0,60}\]?)?[#$] ")


@dataclass(frozen=True, slots=True)
class JoinedForm:
    """One tool's output in one line.

    Args:
        sign: two begins of lines, one behind the other: the output begins where it matches.
        begins: what each further line begins with, behind a blank.
    """

    sign: re.Pattern[str]
    begins: re.Pattern[str]


def _form(sign: str, *begins: str) -> JoinedForm:
    every = "|".join(begins)
    return JoinedForm(re.compile(sign), re.compile(rf"(?<=\s)(?:{every})"))


_STATES = r"(?:ONLINE|DEGRADED|FAULTED|OFFLINE|UNAVAIL|REMOVED|AVAIL)"
_LABELS = (
    "Creation Time", "Raid Level", "Array Size", "(?:Used Dev|Device) Size", "Raid Devices",
    "Total Devices", "Preferred Minor", "Persistence", "Intent Bitmap", "Update Time", "State",
    "Active Devices", "Working Devices", "Failed Devices", "Spare Devices", "Layout", "Chunk Size",
    "Consistency Policy", "(?:Rebuild|Reshape|Resync|Check) Status", "Name", "UUID", "Events",
)  # fmt: skip
_FORMS = (
    _form(
        r"pool: [\w.:-]{1,80} (?:id: \d{1,20} )?state: [A-Z]{4,9} ",
        "(?:pool|id|state|status|action|see|scan|scrub|config|errors): ",
        "NAME STATE READ WRITE CKSUM",
        rf"[\w.:/-]{{1,120}} {_STATES}(?= |$)", "NAME PROPERTY VALUE SOURCE",
        rf"(?:logs|cache|spares|special|dedup)(?= [\w.:/-]{{1,120}} {_STATES})",
    ),
    _form(
        r"mke2fs \d\.\d{2}\S{0,10} \([^()]{8,20}\) .{0,200}?Creating filesystem with \d",
        "Creating filesystem with", "Filesystem UUID:", "Superblock backups stored",
        "Allocating group tables:", "Writing inode tables:", "Creating journal ",
        "Writing superblocks",
    ),
    _form(
        r"(?:mke2fs \d\.\d{2}\S{0,10} \([^()]{8,20}\) )?Filesystem label=(?:\S{0,16} )?OS type: ",
        "Filesystem label=", "OS type: ", "(?:Block|Fragment) size=", "Stride=",
        r"\d{1,20} (?:inodes, \d|blocks \(|block groups|blocks per group|inodes per group)",
        "First data block=", "Maximum filesystem blocks=", "Superblock backups stored",
        "Allocating group tables:", "Writing inode tables:", "Creating journal ",
        "Writing superblocks",
    ),
    _form(
        r"meta-data=\S{1,120} isize=\d{1,5} .{0,120}? = sectsz=\d",
        "= (?:sectsz|crc|reflink|exchange|sunit|rgcount|zoned)=",
        "(?:data|naming|log|realtime) ?=",
    ),
    _form(
        r"(?:(?:create|reload|switchpg|reject|undef): )?[\w.:-]{1,80}(?: \([\w.-]{8,80}\))? "
        r"(?:dm-\d{1,5}|undef) \S.{0,60}? size=\S{1,12} features='[^']{0,120}' hwhandler=",
        r"(?:\w{6,8}: )?[\w.:-]{1,80}(?: \([\w.-]{8,80}\))? (?:dm-\d{1,5}|undef) \S",
        "size=", r"(?:[|`]-)\+- policy=", r"(?:\| )?[|`]- (?:\d{1,5}|#):(?:\d{1,5}|#):",
    ),
    _form(
        r"/dev/[\w/.-]{1,40}: multcount += ",
        "(?:multcount|IO_support|I/O support|unmaskirq|using_dma|keepsettings|nowerr|readonly"
        "|readahead|geometry) +=",
    ),
    _form(
        r"Personalities : (?:\[\w{4,9}\] ){1,12}.{0,40}?md[\w-]{1,20} : (?:in)?active ",
        r"md[\w-]{1,20} : (?:in)?active ", r"\d{1,16} blocks ", r"\[[=>.]{20,22}\] ", "bitmap: ",
        "unused devices: ",
    ),
    _form(
        r"/dev/md[\w/-]{1,40}: Version : \S{1,12} Creation Time : ",
        "Version : ", rf"(?:{'|'.join(_LABELS)}) : ", "Number Major Minor RaidDevice State",
        r"(?:\d{1,5}|-) \d{1,5} \d{1,5} (?:\d{1,5}|-) (?:active|spare|faulty|removed|writemostly)",
    ),
)  # fmt: skip
_PROPERTIES = re.compile(r"NAME PROPERTY VALUE SOURCE (?P<name>[\w@./:-]{1,120}) [a-z]")
_DATASETS = re.compile(r"(?<!\S)NAME USED AVAIL REFER MOUNTPOINT (?=\S{1,120} -?\d)")
"""The head of `zfs list`, whose rows have as many words."""


def parted(line: str) -> LaidOut | None:
    """The lines that one line was made of; None where it is none of that kind.

    Args:
        line: without its end.
    """
    begins = set(_begins(line)) if _LONG <= len(line) <= LONGEST else ()
    if not begins:
        return None
    begins |= {match.start() for match in _PROMPT.finditer(line, min(begins))}
    places = sorted({0, *begins})
    lines = (line[low:high].rstrip() for low, high in pairwise([*places, len(line)]))
    return LaidOut([each for each in lines if each], [])


def _begins(line: str) -> Iterator[int]:
    """Where the lines begin that the forms know."""
    for form in _FORMS:
        if sign := form.sign.search(line):
            yield sign.start()
            yield from (match.start() for match in form.begins.finditer(line, sign.start()))
    if head := _PROPERTIES.search(line):  # a data set and its property in each row
        row = re.compile(rf"(?<=\s){re.escape(head['name'])} [a-z]")
        yield head.start()
        yield from (match.start() for match in row.finditer(line, head.start()))
    for head in _DATASETS.finditer(line):
        yield head.start()
        yield from _even_rows(line, head)


def _even_rows(line: str, head: re.Match[str]) -> Iterator[int]:
    """Where the rows of a table begin that all have as many words as its head."""
    cells = _WORD.finditer(line, head.end(), head.end() + _FAR)
    count = len(fields(head[0]))
    while len(row := list(islice(cells, count))) == count:
        if not row[1][0][0].isdigit() and row[1][0] != "-":
            return
        yield row[0].start()
