"""df in all its units and -i, findmnt -D and pydf: how full file systems are.

The BSDs' and macOS's have columns of inodes behind those of sizes. A row that an author quotes in a
list is df's where its figures agree with each other.

`used_share` is what df prints, which is rounded up to whole hundredths.

A long device name stands in a line of its own, the figures in the next.

Source: df(1) of coreutils 9.1: -h counts with 1024, -H with 1000, which the table does not tell;
findmnt(8) of util-linux 2.38.1; FreeBSD bin/df/df.c, prtstat() ("iused", "ifree", "%iused"; -h
counts inodes with 1000, blocks with 1024); Apple file_cmds df.c ("Gi", "0Bi"); pydf 12 (a bar
behind what is used of all blocks, in per cent with one decimal).
"""

from __future__ import annotations

import re
from itertools import takewhile

from typing_extensions import override

from iosonde import units
from iosonde.layers._mounts import df_languages
from iosonde.layers._mounts.facts import printed_kind, unmarked
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, before
from iosonde.text.torn import joinings

_HEAD = re.compile(
    r"\s*Filesystem\s+(?:Type\s+)?(?P<unit>Size|\d+[KMGTB]?-blocks|\d+K-block)\s+Used\s+"
    r"Avail(?:able)?\s+(?:%?Used?%?|Capacity)\s+Mounted\s*(?:on)?\s*$"
)
_BSD_HEAD = re.compile(
    r"\s*Filesystem\s+(?:Type\s+)?(?P<unit>Size|\d+[KMGTB]?-blocks)\s+Used\s+Avail(?:able)?\s+"
    r"Capacity\s+iused\s+ifree\s+%iused\s+Mounted\s*(?:on)?\s*$"
)
_LOCAL = re.compile(
    r"\s*(?:文件系统|檔案系統|Dateisystem|Sys\. de fichiers|Sys\. fich\.|S\.ficheros|"
    r"Sist\. Arq\.|Файл\S* система|ファイルシス\w*)\s+"
    r"(?:(?:Type|Typ|Tipo|Тип|类型|類型|タイプ)\s+)?"
    r"(?P<unit>Size|容量|大小|Größe|Taille|Tamaño|Tam\.|Размер|サイズ|"
    r"1K-(?:块|區塊|Blöcke|blocks)|blocs de 1K|1K-blocs|bloques de 1K|"
    r"1K-blo[ck]os|1K-блоков|1K-ブロック)\s+"
    r"(?:[^\s%\d]{2,14}\s+){2}[^\s%\d]{2,14}%\s+[^\d%]{2,24}$"
)
"""The head in other languages, as versions before 9.1 print it; see also `df_languages`."""
_INODES = re.compile(
    r"\s*Filesystem\s+(?:Type\s+)?Inodes\s+IUsed\s+IFree\s+IUse%\s+Mounted\s*(?:on)?\s*$"
)
_FINDMNT_HEAD = re.compile(r"\s*SOURCE\s+FSTYPE\s+SIZE\s+USED\s+AVAIL\s+USE%\s+TARGET\s*$")
_SIZE = r"(\d+(?:[.,]\d+)?[KMGTPEkB]?i?B?)"
_TYPE = r"(?P<type>9p|[a-z][\w.-]*)"
_ROW = re.compile(
    rf"(?P<source>\S+)\s+(?:{_TYPE}\s+)?{_SIZE}\s+{_SIZE}\s+(-?{_SIZE[1:]}\s+"
    r"(?:(?P<use>\d{1,3})%|(?P<tenths>\d{1,3}\.\d)\s+\[[^\s\[\]]{0,200}\]|-)\s+(?P<point>/\S*)"
)
_BSD_ROW = re.compile(
    rf"(?P<source>map \S+|\S+)\s+(?:{_TYPE}\s+)?{_SIZE}\s+{_SIZE}\s+(-?{_SIZE[1:]}\s+"
    r"(?:(?P<use>\d{1,3})%|-)\s+(?P<iused>\d+(?:\.\d+)?[kMGT]?)\s+(?P<ifree>\d+(?:\.\d+)?[kMGT]?)\s+"
    r"(?:(?P<iuse>\d{1,3})%|-)\s+(?P<point>/.{0,200})"
)
_QUOTED = re.compile(
    r"\s*[-*+•]\s+`?(?P<source>/dev/\S+)\s+(?P<size>\d[\d.]{0,5}[KMGTP])\s+(?P<used>\d[\d.]{0,5}[KMGTP])\s+"
    r"(?P<free>\d[\d.]{0,5}[KMGTP])\s+(?P<use>\d{1,3})%\s+/\S*`?\s*$"
)
"""A row of `df -h` as an item of a list."""
_OPTIONS = r"(?: -(?:[hHkPTlai]{1,6}|B ?\d{1,6}[KMG]?B?))*"
_CHOSEN = re.compile(
    rf"(?:^|\s)df(?P<options>{_OPTIONS})(?: [/.]\S*)* ?(?:$|\| ?(?:[ef]?grep|tail)\b)"
)
_ALONE = re.compile(rf"\s*(?:[-*+] )?(?:sudo )?df(?P<options>{_OPTIONS})\s*$")
"""A command that is an item of a list, or a line of its own, as notes have it."""
_BARE = re.compile(
    rf"\s*(?:sudo )?df(?P<options>{_OPTIONS})(?: [/.]\S*)* ?\| ?"
    r"(?:[ef]?grep(?: -\w{1,6})*+ (?:'[^']{1,60}'|\"[^\"]{1,60}\"|[\w./-]{1,60})|tail -n? ?\d)\s*$"
)
"""A command whose prompt was left out, as a line of its own."""
_ASKED = re.compile(r" -B ?(\d{1,6}[KMG]?)B?")
_ELIDED = re.compile(r"\s*(?:\[?(?:\.{3}|…)\]?|<snip>|\[snip\])\s*$")
_COMPLAINT = re.compile(r"\s*+df: \S.{2,300}$")
"""What it says of a file system that it cannot reach, between the rows of the others."""
_BLOCK = re.compile(r"(\d+)([KMGTB]?)")
_OF_SIZES = ("size", "used", "available")
_OF_INODES = ("inodes", "inodes_used", "inodes_free")


_SI = re.compile(r"\s(?:-\w*H|--si)")
_OF_TABLE = re.compile(r"\s*+(?:\S*+\s*+$|.{0,200}?\d%\s)")
"""A row, its beginning where a long name tore it, or a blank line."""
_SMALL_K = re.compile(r"\s\d{2,3}k\s")
_ROWS = 40
_FAR = 8  # lines to a command in a block of its own


class Df(StateOutput):
    tool = "df"
    anchors = (
        "% Mounted on", "Capacity Mounted on", "Capacity  Mounted", "Capacity   Mounted",
        "Capacity iused", "Capacity  iused", "%iused  Mounted", "Avail Use%", "Available Use%",
        "Used Avail", "K-blocks", "USED  AVAIL", "AVAIL USE%",
        "IUse% Mounted", "已用% ", "Verw% ", "Uti% ", "Uso% ", "Использовано% ", "使用% ",
        *(f"{digit}% /" for digit in range(10)), *df_languages.anchors(),
    )  # fmt: skip

    commands = ("df", "findmnt", "pydf")
    reach = 3
    nothing = "no file system can be read below its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        has_head = _FINDMNT_HEAD.match(line) or _head(line)
        is_row = _is_chosen_row(cursor, cursor.at) or _is_quoted_row(line)
        return cursor.at if has_head or is_row else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first)
        bsd = _BSD_HEAD.match(line)
        form = _BSD_ROW if bsd else _ROW
        is_row = _ROW.fullmatch(unmarked(line)) is not None  # the head was left out
        asked = _asked(cursor, first) if is_row else None
        options = asked["options"] if asked else ""
        foreign = df_languages.head_in(line)
        inodes = bool(_INODES.match(line) or (foreign and foreign[1])
                      or re.search(r" -[hHkPTla]*i", options))  # fmt: skip
        head = bsd or _HEAD.match(line) or (foreign[0] if foreign else None) or _LOCAL.match(line)
        block = _block(head["unit"]) if head and not inodes else _unit(options) if is_row else None
        block = None if inodes else block
        decimal = _counts_with_1000(cursor, first, prompt.command)
        subjects: list[PrintedSubject] = []
        parts: list[str] = []
        last = first
        for index, line in lines(cursor, first if is_row else first + 1, 300):
            is_rest_of_head = not subjects and not parts and line.strip() == "on"
            if not line.strip() or is_rest_of_head or _ELIDED.match(line):
                if index - last > 3:
                    break
                continue
            if _COMPLAINT.match(line) and not parts:
                continue
            if _head(line) or (is_row and _ALONE.match(line)):
                break
            parts.append(unmarked(line) if is_row else line.strip())
            row = next(
                (match for whole in joinings(parts) if (match := form.fullmatch(whole))), None
            )
            if row:
                subjects.append(_subject(row, block, decimal=decimal, inodes=inodes))
                parts, last = [], index
            elif len(parts) > 2:
                break
        return last, subjects


def _counts_with_1000(cursor: TextCursor, first: int, command: str) -> bool:
    """Whether it is the table of `df -H`, by its command or by its small k.

    The command may stand in a block of its own, before the words "sample output". Old BusyBox
    prints a small k of 1024 bytes, but never a whole number with it: 64.0k.
    Source: gnulib, lib/human.c (power_letter, "K" only where the base is 1024).
    """
    if not command:
        _, prompt = command_before(cursor, first, ("df",), reach=_FAR)
        command = prompt.command
    if command:
        return _SI.search(command) is not None
    rows = (line for _, line in lines(cursor, first + 1, _ROWS))
    return any(map(_SMALL_K.search, takewhile(_OF_TABLE.match, rows)))


def _is_chosen_row(cursor: TextCursor, index: int) -> bool:
    """Whether a line is the first row below `df` where grep, or an author, left out the head."""
    row = _ROW.fullmatch(unmarked(cursor.line(index)))
    return row is not None and _asked(cursor, index) is not None


def _is_quoted_row(line: str) -> bool:
    """Whether an item of a list is a row of `df -h`: its share is that of what is used."""
    row = _QUOTED.match(line)
    if row is None:
        return False
    (size, _), (used, off), (free, error) = (
        units.printed(row[name], binary=True) for name in ("size", "used", "free")
    )
    least = (used - 2 * off) / max(used - 2 * off + free + 2 * error, 1)
    most = (used + 2 * off) / max(used + 2 * off + max(free - 2 * error, 0), 1)
    return used <= size and free <= size and least <= int(row["use"]) / 100 <= most + 0.01


def _asked(cursor: TextCursor, index: int) -> re.Match[str] | None:
    """The `df` directly above a row: after a prompt, or alone in a line or an item of a list."""
    above = before(cursor, index)
    above = before(cursor, above) if _ELIDED.match(cursor.line(above)) else above
    line = cursor.line(above)
    prompt = prompt_in(line)
    return (
        (_CHOSEN.search(prompt.command) if prompt else None)
        or _ALONE.match(line)
        or _BARE.match(line)
    )


def _unit(options: str) -> int:
    """Bytes of what df counts without its head, by its options: KiB, unless they say otherwise."""
    asked = _ASKED.search(options)
    return units.parse_bytes(asked[1]) if asked else units.KIB


def _head(line: str) -> re.Match[str] | None:
    """The head of a table of sizes or of inodes."""
    foreign = df_languages.head_in(line)
    return (
        _HEAD.match(line) or _INODES.match(line) or _BSD_HEAD.match(line) or _LOCAL.match(line)
        or (foreign[0] if foreign else None)
    )  # fmt: skip


def _block(unit: str) -> int | None:
    """Bytes of the unit in the table's head; None where each figure has its own."""
    match = _BLOCK.search(unit)
    return units.parse_bytes(f"{match[1]}{match[2].replace('B', '')}") if match else None


def _subject(
    match: re.Match[str], block: int | None, *, decimal: bool, inodes: bool
) -> PrintedSubject:
    figures = [match[number].replace(",", ".") for number in (3, 4, 5)]
    sizes = [_bytes(figure, block, decimal=decimal) for figure in figures]
    source = match["source"]
    fstype = match["type"] or (source if source in {"tmpfs", "devtmpfs"} else "filesystem")
    values: dict[str, Scalar] = {
        "device": source,
        **dict(zip(_OF_INODES if inodes else _OF_SIZES, sizes, strict=True)),
    }
    if match.re is _ROW and match["tenths"]:
        values["used_share"] = round(float(match["tenths"]) / 100, 3)
    elif match["use"]:
        values["inodes_used_share" if inodes else "used_share"] = int(match["use"]) / 100
    if match.re is _BSD_ROW:
        values |= {
            "inodes_used": round(units.printed(match["iused"])[0]),
            "inodes_free": round(units.printed(match["ifree"])[0]),
        }
        if match["iuse"]:
            values["inodes_used_share"] = int(match["iuse"]) / 100
    return PrintedSubject(printed_kind(fstype), match["point"], values)


def _bytes(figure: str, block: int | None, *, decimal: bool) -> int:
    if block is not None and figure.lstrip("-").isdecimal():
        return int(figure) * block
    return round(units.printed(figure, binary=not decimal)[0])
